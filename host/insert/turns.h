/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_TURNS_H
#define RIVULET_INSERT_TURNS_H
/*
 * A loop of several blocks that counts its turns itself (induction.h), however its blocks branch:
 *
 *        │  t = x            The register x is stepped once in each turn, by a block that all turns run through and no
 *   ┌──► head ──► out        inner loop does. The edge back was taken as often as x was stepped since the way in; but
 *   │    │   └───┐           one time less where the loop is left behind the step:
 *   │    b       c
 *   │    └───┬───┘             before the step   count += (x - t) / step
 *   └─── x += step ──► out     behind it         count += (x - t) / step - 1
 *
 * One of the branches that all turns execute leads out by x and what the loop does not change. If the loop is left
 * elsewhere too, there may be as many turns as x has values, and the constant must be 1.
 */
#include "host/graph/loops.h"
#include "host/insert/induction.h"
#include "host/insert/insert.h"

struct loop_turns {
	uint32_t edge; /* of the function: the way back; GRAPH_NONE: the loop does not count its turns */
	struct insert_induction by;
	int32_t add; /* t = x + this on the way in */
	bool *less;  /* by block: where it is left, the difference is one turn too many; NULL: nowhere */
};
/* What is known of the loops of a function. */
struct turns_shape {
	const struct graph_loops *loops;
	const uint32_t *dominator; /* by block */
};
/* Of a loop (index). OBJECT_OK or OBJECT_ENOMEM; to be freed. */
int loop_turns_find(struct loop_turns *turns, const struct insert_work *work, const struct turns_shape *shape,
    uint32_t loop, const bool *inside);
void loop_turns_free(struct loop_turns *turns);
/* The code for the ways in: t = x. Those where the loop is left from a block: t = turns. Their number, 4 at most. */
struct inserter_code loop_turns_in(const struct loop_turns *turns, uint8_t t);
size_t loop_turns_out(const struct loop_turns *turns, uint32_t block, uint8_t t, struct inserter_code *codes);
/* Over many times that the loop is entered, sum >> shift are the turns: codes for the ways in, or for those out from a
 * block. Their number, 2 at most. */
size_t loop_turns_sum(
    const struct loop_turns *turns, uint32_t block, bool into, uint8_t sum, struct inserter_code *codes);
#endif
