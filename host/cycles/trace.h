/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CYCLES_TRACE_H
#define RIVULET_CYCLES_TRACE_H
/*
 * What the rules of a core say of the instructions of a walked trace: a part of each for host/cycles/split.h, from what
 * the core had in hand before it.
 *
 *   visits of blocks ──► facts of each block's instructions, made once ──► parts: least, room
 */
#include "host/cycles/split.h"
#include "host/image/image.h"
#include "host/walk/walk.h"

struct trace_facts { /* of one block, in its `user` */
	struct trace_facts *next;
	struct core_insn all[];
};
struct trace_costs {
	const struct image *image;
	const struct core *core;
	struct trace_facts *all; /* of the blocks of one walk */
};
/* To be called before the walk is closed, or right behind it. */
void trace_costs_free(struct trace_costs *costs);
/* The facts of a block; NULL: out of memory. */
const struct core_insn *trace_costs_block(struct trace_costs *costs, struct walk_block *block);

struct trace_bounds { /* cycles of a trace by the rules: the least, and how many more; SPLIT_UNBOUNDED: it has a wait */
	uint64_t least, room;
};
/* The parts of all instructions of the visits, in order. state: of the core before the trace; it becomes the one behind
 * the trace. known: the state is certain. *bounds gets the sums. False: out of memory. */
struct trace_visits {
	const struct walk_visit *all;
	size_t count;
};
bool trace_costs_parts(struct trace_costs *costs, struct core_state *state, bool known,
    const struct trace_visits *visits, struct split_part *parts, struct trace_bounds *bounds);
#endif
