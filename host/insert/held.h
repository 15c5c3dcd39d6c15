/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_HELD_H
#define RIVULET_INSERT_HELD_H
/*
 * Counters of edges that stay in registers over a loop, or over a function, without calls: a count in memory costs five
 * or six cycles, one in a register costs one. Three ways:
 *
 *   plain        into the loop x = 0, at the edge x += 1, out of it count += x
 *   difference   the way back of a loop that counts its turns itself, in i (turns.h): into it x = i,
 *                out of it count += i - x
 *   sums         the same, over another loop around it: into the outer one x = 0, into the inner one x -= i, out of
 *                that x += i, out of the outer one count += x
 *
 * There is none where a call could end the program, or leave by longjmp(): what a register holds would be lost then. A
 * trap or a signal that ends the program in such a loop loses the counts since the loop was entered.
 *
 * A loop gets the registers that are dead over it; then those that are live, but not named in it: they are saved where
 * it is entered; then callee-saved ones, where they are worth being saved. Where the loop is entered often and the edge
 * taken seldom, the counter stays in memory.
 */
#include "host/insert/price.h"
#include "host/insert/turns.h"

enum held_way { HELD_PLAIN, HELD_DIFFERENCE, HELD_SUMS };

struct insert_held {
	struct held_scope {
		bool *inside;
		bool whole;       /* the function */
		uint64_t in, out; /* how often it is entered and left, as expected */
		uint64_t jumps;   /* what the jumps cost that code on all ways in and out needs */
		uint64_t lending; /* what it costs to have a register there; 0: one is dead */
		struct loop_turns turns;
	} * scopes;
	size_t scope_count, scope_size;
	struct held_counter {
		uint32_t edge, scope;
		uint64_t counter;
		uint8_t var;
		uint8_t way;   /* enum held_way */
		uint32_t loop; /* HELD_SUMS: the inner loop's scope */
		uint64_t price;
	} * counters;
	size_t counter_count, counter_size;
	uint64_t *jumps; /* by edge (price.h) */
	int pool[4];     /* callee-saved registers that loops share */
	unsigned pool_count;
	int word; /* of the stack, for differences; negative: none */
};
/* Loops of a function. */
int insert_held_begin(struct insert_held *held, const struct insert_work *work);
void insert_held_free(struct insert_held *held);
/* What it costs to count an edge of a block: in memory; in a register, if there is one (UINT64_MAX: it is in no loop).
 */
uint64_t insert_held_memory(const struct insert_held *held, const struct insert_numbered *n, uint32_t edge);
uint64_t insert_held_price(
    const struct insert_held *held, const struct insert_work *work, uint32_t from, uint32_t edge);
/* Finds registers for those of these edges (counted from the function's first) that are worth one. The rest is to be
 * counted in memory. counter: of each edge. */
int insert_held_choose(struct insert_held *held, const struct insert_work *work, const uint32_t *edges,
    const uint64_t *counters, size_t count);
/* A register over a loop: a variable, or OBJECT_EUNSUPPORTED. gain: expected cycles that it saves. how: edge, scope and
 * way. */
int insert_held_register(
    struct insert_held *held, const struct insert_work *work, const struct held_counter *how, int64_t gain);
/* The counter of an edge; NULL: it is in memory. */
const struct held_counter *insert_held_of(const struct insert_held *held, uint32_t edge);
/* The codes; before any other code that is set on edges into loops. */
int insert_held_put(const struct insert_held *held, const struct insert_work *work);
#endif
