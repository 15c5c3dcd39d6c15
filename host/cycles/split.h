/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CYCLES_SPLIT_H
#define RIVULET_CYCLES_SPLIT_H
/*
 * How the cycles of a record are split between its instructions. The rules of the core (host/cycles/core.h) say what
 * each takes at least, and how many more it may have taken.
 *
 *   cycles of the record  =  sum of the least  +  rest        rest 0: all is known
 *                                                 └──► the instructions with room: one of them: all is known
 *                                                      several: in proportion to their room (not known which had it)
 *
 * A record that took longer than that (an interrupt came into it, another core) has its least, and the rest is shared
 * in proportion to the least cycles: it is not known who had it. One that took less (another core, a path in part) is
 * shared in proportion as a whole. Nothing is lost: of what is shared, instruction i has floor(C * W(i+1) / W(n)) -
 * floor(C * W(i) / W(n)), with W(i) the sum of the least of those before it.
 */
#include <stddef.h>
#include <stdint.h>
#include "host/cycles/core.h"

struct split_part {           /* of an instruction */
	uint32_t least, room; /* cycles of one execution; SPLIT_UNBOUNDED */
	uint64_t cycles;      /* the result, of all */
};
#define SPLIT_UNBOUNDED UINT32_MAX

/* What the rules say of the next instruction: least and room. */
void split_part(const struct core *core, struct core_state *state, const struct core_insn *insn, bool taken,
    struct split_part *part);
/* The part of the first instruction where the state of the core before it is not known: its word may have been in the
 * buffer already, or it may have waited for the fetch. */
void split_begin(struct split_part *first, const struct core_insn *insn);
/* Whether `times` times the parts can make up these cycles. */
bool split_fits(const void *parts, size_t stride, size_t count, uint64_t times, uint64_t cycles);
/* parts: the first members of `count` structs of `stride` bytes. times: executions of the whole. Returns the number
 * of cycles that cannot be assigned with certainty: 0 if the split is exact. */
uint64_t split_cycles(void *parts, size_t stride, size_t count, uint64_t times, uint64_t cycles);

struct split_sum { /* of neighbouring parts */
	uint64_t least, room;
	uint64_t unbounded, roomy; /* how many of them are, and how many have room */
	uint64_t cycles;           /* the result */
};
void split_add(struct split_sum *sum, const struct split_part *part);
/* The same for one execution of parts of which only sums are known: each sum is what its parts would get. Returns
 * the same. */
uint64_t split_sums(struct split_sum *sums, size_t stride, size_t count, uint64_t cycles);
#endif
