/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_HELD_H
#define RIVULET_INSERT_HELD_H
/*
 * Counters of edges that stay in registers over a loop, or over a function, without calls: into it x = 0, at the edge
 * x += 1, out of it count += x. A count in memory costs five or six cycles, one in a register costs one. There is none
 * where a call could end the program, or leave by longjmp(): what a register holds would be lost then. A trap or a
 * signal that ends the program in such a loop loses the counts since the loop was entered.
 *
 * A loop gets the registers that are dead over it; then those that are live, but not named in it: they are saved where
 * it is entered; then callee-saved ones, where they are worth being saved. Where the loop is entered often and the edge
 * taken seldom, the counter stays in memory.
 */
#include "host/insert/insert.h"

struct insert_held {
	struct held_scope {
		bool *inside;
		uint64_t in, out; /* expected entries; what a count on all ways out costs */
		bool whole;       /* the function */
	} * scopes;
	size_t scope_count, scope_size;
	struct held_counter {
		uint32_t edge, scope;
		uint64_t counter;
		uint8_t var;
	} * counters;
	size_t counter_count, counter_size;
	int pool[4]; /* callee-saved registers that loops share */
	unsigned pool_count;
};
/* Loops of a function. */
int insert_held_begin(struct insert_held *held, const struct insert_work *work);
/* Whether an edge of a block is worth a register, if there is one. */
bool insert_held_pays(const struct insert_held *held, const struct insert_numbered *n, uint32_t from, uint32_t edge);
void insert_held_free(struct insert_held *held);
/* Finds registers for those of these edges (counted from the function's first) that are worth one. The rest is to be
 * counted in memory. counter: of each edge. */
int insert_held_choose(struct insert_held *held, const struct insert_work *work, const uint32_t *edges,
    const uint64_t *counters, size_t count);
/* A register over a loop, for an edge in it: a variable, or OBJECT_EUNSUPPORTED. gain: expected cycles that it
 * saves. */
int insert_held_register(
    struct insert_held *held, const struct insert_work *work, uint32_t edge, uint32_t scope, int64_t gain);
bool insert_held_has(const struct insert_held *held, uint32_t edge);
/* The codes; before any other code that is set on edges into loops. */
int insert_held_put(const struct insert_held *held, const struct insert_work *work);
#endif
