/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BOUND_SEEN_H
#define RIVULET_BOUND_SEEN_H
/*
 * What runs showed of a program's flow, by the chain of calls: how often loops went round, which functions calls by a
 * register went to, how deep recursion was, which blocks ran.
 *
 *   records ──► walk, stack (gatherer) ──► visit (context, block) ──► head of a loop: entered, or once more
 *                                                              └──► most for an entry, most in a call; of each context
 *
 * The contexts of several runs are one tree. Context SEEN_ROOT is above those whose caller nobody knows.
 */
#include "host/cfg/cfg.h"
#include "host/export/gather.h"

#define SEEN_ROOT 0u
#define SEEN_ANY (UINT32_MAX - 1)

struct seen_context {
	uint32_t parent;
	uint32_t function;    /* of the graph, or CFG_NONE */
	uint64_t site;        /* of the call or jump; roots: 0 */
	bool trap;            /* a handler */
	uint32_t child, next; /* first child; next with the same parent; 0: none */
};

struct seen_loop { /* in one context */
	uint32_t context, loop;
	uint64_t most, total;  /* executions of the head: for an entry; in a call */
	uint64_t now, in_call; /* of the entry and the call at hand */
};

struct seen_block { /* in one context */
	uint32_t context, block;
	uint32_t next; /* the block of the function that followed; CFG_NONE: the call ended; SEEN_ANY: any of these */
	uint64_t most; /* cycles of one execution, without what it called */
};

struct seen_flow;
int seen_flow_open(struct seen_flow **seen, const struct cfg *cfg); /* GATHER_OK, GATHER_ENOMEM */
void seen_flow_close(struct seen_flow *seen);
/* Another run begins; the one at hand ends. */
void seen_flow_begin(struct seen_flow *seen);
int seen_flow_end(struct seen_flow *seen); /* GATHER_OK, GATHER_ENOMEM */
/* A visit of a gatherer with GATHER_VISITS. */
int seen_flow_visit(struct seen_flow *seen, const struct gather_visit *visit);

const struct seen_context *seen_flow_contexts(const struct seen_flow *seen, size_t *count);
/* Of a loop in a context; NULL: its head did not run there. */
const struct seen_loop *seen_flow_loop(const struct seen_flow *seen, uint32_t context, uint32_t loop);
/* Of a block in a context; NULL: it did not run there, or not with this next one. Cycles are those of timed runs. */
const struct seen_block *seen_flow_block(const struct seen_flow *seen, uint32_t context, uint32_t block, uint32_t next);
/* Whether a block ran, in any context. */
bool seen_flow_ran(const struct seen_flow *seen, uint32_t block);
#endif
