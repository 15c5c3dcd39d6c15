/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What interrupts: a handler with counters, which calls functions with counters, which are interrupted themselves. */
#include <stdint.h>
#include "sw/hal/hal.h"

uint32_t ticks, nested, seen;
void on_timer(void);
void rearm(uint32_t n);
uint32_t sort(uint32_t n);

/* Moments that move on by odd distances. */
__attribute__((noinline)) void rearm(uint32_t n)
{
	hal_timer_at(hal_time() + 150 + n * 37 % 53);
}

__attribute__((noinline)) uint32_t sort(uint32_t n)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < (n & 3); i++)
		sum += n >> i;
	if ((n & 8) != 0)
		sum ^= n;
	return (n & 16) != 0 ? sum + 7 : sum;
}

__attribute__((interrupt)) void on_timer(void)
{
	uint32_t n = ++ticks;
	if ((n & 1) == 0)
		seen += sort(n);
	rearm(n);
}
