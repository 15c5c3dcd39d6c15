/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INDUCTION_H
#define RIVULET_INDUCTION_H
/*
 * A register that counts the turns of a loop with one path, so that no code need be put in for that: the loop adds a
 * constant to the register x, and whether it turns again depends only on x and on values that the loop does not change.
 * So no value of x comes twice, and the difference of x behind and before the loop is exact modulo 2^XLEN.
 */
#include "host/insert/graph.h"

struct insert_induction {
	unsigned x, shift; /* the constant is +-(1 << shift) */
	bool down, narrow; /* narrow: 32 bits of 64 */
	int32_t step;      /* the constant */
};
/* False: the block has no such register. */
bool insert_induction(const struct graph *graph, const struct graph_block *block, struct insert_induction *found);
/* The same for a loop of several blocks (of the graph), each of which every turn runs through once, in this order. Only
 * `decides` (index) leads out. *at: index of the block that adds the constant. */
bool insert_induction_of(const struct graph *graph, const uint32_t *blocks, uint32_t count, uint32_t decides,
    struct insert_induction *found, uint32_t *at);
#endif
