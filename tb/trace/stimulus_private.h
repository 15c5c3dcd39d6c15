/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_TRACE_STIMULUS_PRIVATE_H
#define RIVULET_TB_TRACE_STIMULUS_PRIVATE_H
/* The random numbers of a stimulus, and its two halves: the core, and the driver with the phases (stimulus.c). */
#include "tb/trace/stimulus.h"

#define MRET 0x30200073u
#define SRET 0x10200073u

/* Steps of walk() */
enum {
	WALK_PAIRS = 32 + 16 + 31,
	WALK_LOST = 6 * WALK_PAIRS,
	WALK_RETURNS = WALK_LOST + 2 * 32,
	WALK_STEPS = WALK_RETURNS + 5 * 31
};

/* splitmix64 */
static inline uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}
static inline uint64_t next64(struct stimulus *s)
{
	return mix(s->state += 0x9E3779B97F4A7C15u);
}
static inline uint32_t next(struct stimulus *s)
{
	return (uint32_t)(next64(s) >> 32);
}
static inline uint32_t below(struct stimulus *s, uint32_t n)
{
	return (uint32_t)((uint64_t)next(s) * n >> 32);
}
static inline bool one_in(struct stimulus *s, uint32_t n)
{
	return below(s, n) == 0;
}
static inline uint32_t word_of(uint64_t value, unsigned word)
{
	return (uint32_t)(value >> 32 * word);
}
static inline uint64_t address(const struct stimulus *s, uint64_t value)
{
	return s->config.xlen == 64 ? value : (uint32_t)value;
}

/* The core in one cycle: what it retires. written: CTRL is written in this cycle. */
void stimulus_core(struct stimulus *s, const struct trace *trace, bool written, struct trace_retire *r);
#endif
