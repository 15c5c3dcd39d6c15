/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_BACK_H
#define RIVULET_COUNTED_BACK_H
/*
 * Where longjmp() makes a function go on, behind its call of setjmp(), and by which way it had come there. The path
 * register r is what it was at the call: longjmp() puts callee-saved registers back, and the runtime sends them.
 *
 *   entry ─► a ─► setjmp() ─► b ─► call that is left        the way to setjmp() was run once, and the path that goes on
 *                    └──────► c ─► exit                       has it too: once more than it was run
 *
 * So the way is cut off as often as longjmp() came back: from what was left, if it has it, else from the path that goes
 * on (counted_cuts.h). A path that had been counted before setjmp() is not counted again: what is run again is
 * added.
 */
#include "host/insert/counted.h"
#include "host/insert/pending.h"

enum counted_back_kind {
	COUNTED_BACK_NOWHERE, /* nothing goes on in this function */
	COUNTED_BACK_UNKNOWN, /* it is not known by which way */
	COUNTED_BACK_WAY,
	COUNTED_BACK_BEFORE /* its path had been counted before setjmp() */
};
struct counted_back {
	enum counted_back_kind kind;
	uint32_t setjmp; /* its block in the map */
	uint64_t behind; /* the call */
	uint64_t count;
	struct counted_path way; /* COUNTED_BACK_WAY: from where the path begins to that block */
};

/* back: setjmp and behind are set. Finds the rest. COUNTED_OK or COUNTED_ENOMEM. */
int counted_back_find(struct counted *counted, const struct profile_stack *stack, const struct pending *pending,
    uint32_t function, struct counted_back *back);
/* Of what was left, before it is added: takes the way off if it has it, or else notes it down, to be cut off last of
 * all. COUNTED_OK or COUNTED_ENOMEM. */
int counted_back_cut(struct counted *counted, struct counted_unfinished *left, const struct counted_back *back);
/* The same where nothing of what was left is added, since its path had ended at the call. COUNTED_OK or
 * COUNTED_ENOMEM. */
int counted_back_alone(struct counted *counted, uint32_t function, const struct counted_back *back);
/* The same where the path that was left in `block` is not known: only if it cannot have setjmp(). */
int counted_back_unless(struct counted *counted, uint32_t function, uint32_t block, const struct counted_back *back);
/* What was left in a block behind setjmp(), at `left->stop`, had been counted before setjmp() as one path: then it is
 * a piece from there on, and 1 is given; 0: it had not. COUNTED_ENOMEM. */
int counted_back_piece(struct counted *counted, const struct counted_unfinished *left, const struct counted_back *back);
#endif
