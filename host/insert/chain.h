/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_CHAIN_H
#define RIVULET_INSERT_CHAIN_H
/*
 * A loop of several blocks without calls that has one way from its head back to its head:
 *
 *        │                 every turn ends a path and begins the same one again: count[r + x]++; r = y.
 *   ┌──► head ──► out      The first turn counts at what r was on the way in, all others at y + x. So the turns are
 *   │    │                 counted in a register n, and all is done where the loop is left:
 *   │    b ─────► out
 *   │    │                    n = 0     on the way in
 *   └─── latch             n += 1       on the way back
 *        │                    if n: count[r + x]++; count[y + x] += n - 1; r = y      on each way out
 *
 * Only if nothing stands on the edges between head and latch, which are the likeliest, so that they are in the tree.
 */
#include "host/insert/held.h"
#include "host/insert/place.h"

struct insert_chains {
	struct insert_held held; /* loops; registers */
	struct chain {
		uint32_t edge, scope; /* the way back */
		int64_t x, y;         /* counters */
		uint8_t n;
	} * chains;
	size_t count, size;
};
/* Finds them, with registers, where counting so is expected to cost less. r: in a register. first: number of the
 * function's first counter. */
int insert_chains_begin(struct insert_chains *chains, struct inserter *in, const struct graph *g,
    const struct graph_function *f, const struct insert_numbered *n, const struct placement *p, uint64_t first);
void insert_chains_free(struct insert_chains *chains);
bool insert_chains_has(const struct insert_chains *chains, uint32_t edge);
/* What is for the ways out: before all other codes of these edges. What is for the ways in and back: behind them. */
int insert_chains_out(const struct insert_chains *chains, struct inserter *in, const struct graph *g,
    const struct graph_function *f, uint8_t r);
int insert_chains_in(
    const struct insert_chains *chains, struct inserter *in, const struct graph *g, const struct graph_function *f);
#endif
