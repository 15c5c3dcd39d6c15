/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/trace/dense.h"

#include <stdbool.h>

#define STATE_ADDRESS (TRACE_DENSE_RING + 4 * TRACE_DENSE_BYTES)
#define STATE_BUSY 0x80000000u
#define STATE_FULL 0x40000000u
#define STATE_NEXT 0xFFFFu

static uint32_t read_word(uint32_t address)
{
	return *(const volatile uint32_t *)address;
}

void trace_dense_clear(void)
{
	*(volatile uint32_t *)STATE_ADDRESS = 0;
}

size_t trace_dense_save(uint8_t bytes[TRACE_DENSE_BYTES])
{
	uint32_t state = read_word(STATE_ADDRESS);
	while ((state & STATE_BUSY) != 0)
		state = read_word(STATE_ADDRESS);
	const bool full = (state & STATE_FULL) != 0;
	const uint32_t next = state & STATE_NEXT, count = full ? TRACE_DENSE_BYTES : next;
	for (uint32_t i = 0; i < count; i++)
		bytes[i] = (uint8_t)read_word(TRACE_DENSE_RING + 4 * ((full ? next + i : i) % TRACE_DENSE_BYTES));
	return count;
}
