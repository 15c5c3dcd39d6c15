/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BOUND_PRIVATE_H
#define RIVULET_BOUND_PRIVATE_H
/* Shared by the files of host/bound only. */
#include "host/base/hash.h"
#include "host/bound/bound.h"
#include "host/bound/solver.h"

#define BOUND_SINK UINT32_MAX

struct bound_vertex { /* a block, entered with the core in this state */
	uint32_t block;
	struct core_state state;
};
struct bound_edge {
	uint32_t from, to; /* vertices; BOUND_SINK */
	uint64_t cost;     /* of the block, left this way, with what it calls */
	uint64_t called;   /* of these cycles */
	uint32_t part;     /* called, or UINT32_MAX */
};
struct bound_graph { /* of a function in a set of contexts */
	struct bound_vertex *vertices;
	size_t vertex_count, vertex_room;
	struct bound_edge *edges;
	size_t edge_count, edge_room;
	struct hash by_vertex;
	bool trap_return; /* of the part */
};

/* A set of contexts of one function: members in maker->members. */
struct bound_contexts {
	uint32_t first, count;
};

struct bound_maker {
	const struct cfg *cfg;
	const struct bound_options *options;
	struct bound_result *result;
	struct core_insn **facts; /* by block, made when needed */
	bool *recursive;          /* by function: it can call itself, through others too */
	bool *expanded;           /* by function: it was looked at */
	uint32_t *open;           /* by function: calls of it that are open */
	struct bound_open {
		uint32_t function, set;
	} * stack; /* calls that are open */
	size_t stack_count, stack_room;
	struct bound_contexts *sets; /* 0: nothing is known */
	size_t set_count, set_room;
	uint32_t *members;
	size_t member_count, member_room;
	struct hash by_set;
	struct bound_key {
		uint32_t function, set, state, open;
	} * keys; /* by part */
	size_t key_room;
	struct hash by_key;
};

/* The part of a function in a set of contexts, solved; *part UINT32_MAX: it cannot be called (too deep, never). */
int bound_part(struct bound_maker *maker, uint32_t function, uint32_t set, struct core_state state, uint32_t *part);
int bound_lacks(struct bound_maker *maker, uint32_t function, uint64_t address, unsigned lack);

/* contexts.c */
int bound_contexts_begin(struct bound_maker *maker);
/* All contexts of a function. */
int bound_contexts_all(struct bound_maker *maker, uint32_t function, uint32_t *set);
/* Those of callee that are called from site in a set; `tail`: the set itself if runs do not tell them apart.
 * *set 0: none were seen there. */
int bound_contexts_called(
    struct bound_maker *maker, uint32_t from, uint64_t site, uint32_t callee, bool tail, uint32_t *set);
/* The functions that a call or jump by a register goes to: a list in room of so many, the number of them. */
size_t bound_targets(struct bound_maker *maker, uint32_t set, uint64_t site, uint32_t *functions, size_t room);
/* What is known of a loop in a set of contexts; false: nothing. */
bool bound_loop(struct bound_maker *maker, uint32_t set, uint32_t loop, struct flow_loop *bound);

/* elsewhere.c: a block that takes its stack pointer from elsewhere is a row in `missing`. */
int bound_stack_from(struct bound_maker *maker, uint32_t block);

/* expand.c */
int bound_expand(
    struct bound_maker *maker, struct bound_graph *graph, uint32_t function, uint32_t set, struct core_state state);
void bound_graph_free(struct bound_graph *graph);

/* solve.c: cycles and executions of the longest way through the graph, into the part. */
int bound_solve(struct bound_maker *maker, const struct bound_graph *graph, uint32_t set, struct bound_part *part);
#endif
