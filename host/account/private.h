/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ACCOUNT_PRIVATE_H
#define RIVULET_ACCOUNT_PRIVATE_H
/* What the files of host/account share. Two passes over the profile: the first finds the executed code, from which
 * tables.c makes rows; the second adds counts and cycles to them. */
#include "host/account/account.h"
#include "host/base/array.h"
#include "host/base/hash.h"
#include "host/cycles/core.h"
#include "host/cycles/split.h"

/* The facts about a halfword of code that the first pass found. */
enum {
	SEEN = 1,   /* an instruction that was executed begins here */
	LEADER = 2, /* control can come here from elsewhere */
	STARTS = 4, /* a trace started here: a leader, unless a discontinuity put it there */
	CALLED = 8  /* target of a direct call: a function, also without symbols */
};

struct visited { /* a copy of struct walk_visit */
	const struct walk_block *block;
	uint32_t count;
	int outcome;
	bool last;
};

struct step {                   /* one executed instruction of the path at hand */
	struct split_part part; /* its cycles are those of all traces of the entry */
	uint32_t row;
	uint32_t activation; /* of its function in this trace, from 0 */
};

struct account_pair { /* what a path has taken so far: instructions of one trace, cycles of all */
	uint64_t insns, cycles;
};

struct tally { /* the measure of the path at hand by row of one table */
	uint64_t *x;
	uint32_t *touched;
	size_t count;
};

struct frame {                   /* of the call stack within a trace; context.c */
	uint32_t function, call; /* rows; call may be ACCOUNT_NONE */
	uint32_t link;           /* link register of a call, 0: tail call or a move without a call */
	uint32_t activation;
};

struct maker {
	struct account *account;
	const struct image *image;
	struct walk *walk;
	enum account_weights weights;
	int error;
	/* halfwords of the executable segments, one after the other */
	uint8_t *flags;
	uint32_t *rows; /* in insns */
	size_t halves;
	const struct core *core;
	struct core_insn *facts; /* by row of insns */
	/* the path at hand */
	struct visited *visits;
	size_t visit_count, visit_room;
	struct step *steps;
	size_t step_count, step_room;
	struct tally functions, lines, inlined, blocks;
	struct frame *frames;
	size_t frame_count, frame_room;
	uint32_t activations; /* in the path at hand */
	/* by function, by call: how often on the stack, and the sums when it came there */
	uint32_t *function_depth, *call_depth;
	struct account_pair *function_from, *call_from;
	uint32_t *call_of; /* by row of insns: row of calls, or ACCOUNT_NONE */
	/* paths.c */
	struct hash path_table; /* of account->paths, by their instructions */
	size_t path_room, path_insn_count, path_insn_room;
	uint32_t *order;
	size_t order_room;
};

/* find.c. Index into flags and rows, or SIZE_MAX: not in code. */
size_t account_half(const struct maker *maker, uint64_t pc);
/* Row in insns of an executed instruction. */
uint32_t account_row(const struct maker *maker, uint64_t pc);
/* Row of the function that begins at start, or ACCOUNT_NONE. */
uint32_t account_function_at(const struct account *account, uint64_t start);

/* tables.c: rows of everything but calls, sums 0. */
int account_tables(struct maker *maker);
int account_finish_tables(struct maker *maker);

/* context.c: rows of calls; the calls of the path at hand, with the inclusive numbers (count: traces); the rest */
int account_calls(struct maker *maker);
int account_context(struct maker *maker, uint64_t count);
int account_finish_calls(struct maker *maker);

/* paths.c: the paths of the path at hand, after account_context(). y: the measure of one trace. */
int account_paths(struct maker *maker, uint64_t count, double y);

/* a + b * c into *a; false: overflow. */
static inline bool account_add(uint64_t *a, uint64_t b, uint64_t c)
{
	uint64_t product;
	return !__builtin_mul_overflow(b, c, &product) && !__builtin_add_overflow(*a, product, a);
}
#endif
