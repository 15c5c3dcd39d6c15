/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_SW_TRACE_RING_H
#define RIVULET_SW_TRACE_RING_H
/* The ring of a sink, and its register SINK (docs/trace-unit.md section 14): what sink.c and hub.c read it by. */
#include <stdbool.h>
#include <stdint.h>
#include "sw/trace/front.h"

#define RING_SIZE_BITS_MIN 6
#define RING_SIZE_BITS_MAX 28
/* SINK.SELECT */
enum { RING_BASE, RING_BASE_HI, RING_WRITE, RING_READ, RING_SHOWS };

/* The control word of a ring of 2^size_bits bytes. */
static inline uint32_t ring_control(unsigned size_bits, bool interrupt, unsigned select)
{
	return size_bits << TRACE_LSB(SINK, SIZE) | select << TRACE_LSB(SINK, SELECT) |
	       (interrupt ? TRACE_MASK(SINK, IE) : 0);
}

/* What is written for SELECT's value to become this one, a multiple of 4. */
static inline uint32_t ring_value(uint32_t value)
{
	return TRACE_MASK(SINK, PRESENT) | value >> 1;
}

static inline bool ring_fits(const void *memory, unsigned size_bits)
{
	return size_bits >= RING_SIZE_BITS_MIN && size_bits <= RING_SIZE_BITS_MAX &&
	       ((uintptr_t)memory & ((1u << size_bits) - 1)) == 0;
}

/* The word at byte *read of all that were written, and *read behind it. */
static inline uint32_t ring_word(const volatile uint32_t *memory, unsigned size_bits, uint32_t *read)
{
	const uint32_t word = memory[(*read & ((1u << size_bits) - 1)) / sizeof *memory];
	*read += sizeof *memory;
	return word;
}
#endif
