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
 *   │    │                    n = -1    on the way in
 *   └─── latch             n += 1       at the head
 *        │                    if n: count[r + x]++; count[y + x] += n - 1; r = y      on each way out
 *
 * Only if nothing stands on the edges between head and latch, which are the likeliest, so that they are in the tree.
 *
 * Where a register to which the loop adds a constant decides whether it is left (induction.h), n is the difference of
 * that register, and a turn costs nothing. n may be a word of the stack then, if no register is free. If the loop is
 * left elsewhere too, there may be as many turns as the register has values, and the constant must be 1 for n to be
 * exact.
 */
#include "host/insert/held.h"
#include "host/insert/induction.h"
#include "host/insert/place.h"

struct insert_chains {
	struct insert_held held; /* loops; registers */
	struct chain {
		uint32_t edge, scope; /* the way back */
		uint32_t head;        /* block at which turns are counted; GRAPH_NONE: on the way back */
		int64_t x, y;         /* counters */
		uint32_t part;        /* near_part() of y */
		uint8_t n;
		bool difference;
		struct insert_induction induction; /* n = the register + `add` on the way in */
		int32_t add;
		bool *less; /* by block: where it is left, the difference is one turn too many; NULL: nowhere */
	} * chains;
	size_t count, size;
	int word; /* variable: a word of the stack that they share; negative: none */
};
/* Finds them, with registers, where counting so is expected to cost less. first: number of the function's first
 * counter. slot: r is a word of the stack. */
int insert_chains_begin(
    struct insert_chains *chains, const struct insert_work *work, const struct placement *p, uint64_t first, bool slot);
void insert_chains_free(struct insert_chains *chains);
bool insert_chains_has(const struct insert_chains *chains, uint32_t edge);
/* Whether an edge leads out of one: r is used there. */
bool insert_chains_leave(
    const struct insert_chains *chains, const struct insert_numbered *n, uint32_t from, uint32_t edge);
/* What is for the ways out: before all other codes of these edges. What is for the ways in and back: behind them.
 * r: by block, or, if that is NULL, everywhere. */
int insert_chains_out(
    const struct insert_chains *chains, const struct insert_work *work, const uint8_t *by_block, uint8_t r);
int insert_chains_in(const struct insert_chains *chains, const struct insert_work *work);
#endif
