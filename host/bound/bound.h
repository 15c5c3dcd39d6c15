/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BOUND_H
#define RIVULET_BOUND_H
/*
 * A bound of the time of a function with all that it calls: implicit path enumeration (IPET; Li and Malik, DAC 1995)
 * over the control-flow graph, with the cycle rules of a core.
 *
 *   graph of a function ──► vertices (block, what the core has in hand) ──► whole-number program ──► glpsol ──► cycles,
 *   rules of the core   ──► cycles of each edge                                   ▲                          executions
 *   facts, runs         ──► how often loops go round, targets, depth ─────────────┘
 *
 *   callee ──► its own program, solved before, is a number at the call: callees first, by context
 *
 * What comes before a call or a return never matters to what comes behind (core.h: behind a transfer the core's state
 * is always the same), so taking functions apart loses nothing. In a vertex the state is known, so a loop's first turn
 * and its others cost what they do.
 *
 * Loops, targets of calls by a register, and the depth of recursion are given by the user (flow.h) or, where runs are
 * given, taken from them in each chain of calls for itself (seen.h); where a chain was not seen, from all of them. A
 * bound that stands on runs holds only as far as no other run passes what these showed. What nobody knows is a row in
 * `missing`, and there is no bound then.
 *
 * With `observed` a block costs the most cycles that runs showed of one execution of it in the same contexts; where it
 * did not run in these, in any; where it did not run at all, what the rules of the core say, and it is named.
 *
 * Interrupts are in no bound.
 */
#include "host/bound/flow.h"
#include "host/bound/seen.h"
#include "host/cycles/core.h"

enum bound_error {
	BOUND_OK = 0,
	BOUND_ENOMEM = -1,
	BOUND_ESOLVER = -2,  /* the detail says it */
	BOUND_EMISSING = -3, /* see missing */
	BOUND_ESTOPPED = -4
};

enum bound_lack {
	BOUND_LOOP,      /* how often a loop goes round */
	BOUND_TARGET,    /* where a call or jump by a register goes */
	BOUND_DEPTH,     /* how deep a function calls itself */
	BOUND_COST,      /* what an instruction takes: a wait, an environment call */
	BOUND_OUTSIDE,   /* where code goes on */
	BOUND_ELSEWHERE, /* code takes its stack pointer from elsewhere, or a call ends in a trap return */
	BOUND_ENDLESS    /* nothing leads from the function's entry to an end */
};

struct bound_missing {
	uint32_t function;
	uint64_t address; /* of the loop's head, of the instruction */
	uint8_t lack;
};

struct bound_call { /* in one call of a part */
	uint64_t site;
	uint32_t part;
	uint64_t times;
};

struct bound_part { /* a function in a set of contexts, its longest call */
	uint32_t function;
	uint64_t cycles, self; /* with and without what it calls; self has the solver's tolerance in it */
	uint64_t *blocks;      /* executions, by block counted from the function's first; NULL: has none */
	struct bound_call *calls;
	size_t call_count, call_room;
	bool trap_return; /* a way ends in a trap return: it is a handler, or goes elsewhere */
	bool relaxed;     /* the path may go round in loops that it does not come to: the bound is still one */
	uint64_t times;   /* in the longest path of the whole; of all callers */
};

struct bound_options {
	const struct core *core;
	const struct flow_facts *facts;
	const struct seen_flow *seen; /* NULL: no runs */
	bool observed;                /* a block's cost is the most that runs showed of it, by context */
	bool ran_only;                /* leave out blocks that did not run */
	const char *keep;             /* file prefix: each program is left there, "PREFIX12.lp"; NULL: none is */
	bool (*stopped)(void);        /* asked between programs; NULL: it never is */
};

struct bound_result {
	uint64_t cycles;
	uint32_t root; /* part */
	struct bound_part *parts;
	size_t part_count, part_room;
	struct bound_missing *missing;
	size_t missing_count, missing_room;
	bool *loop_given, *loop_seen; /* by loop of the graph: where the number came from */
	bool *unmeasured;             /* `observed': by block of the graph: its cost is by the rules of the core */
	uint64_t not_run;             /* blocks that were left out (ran_only) */
	uint64_t programs;            /* that were solved */
	uint64_t elsewhere; /* calls in chains that no run showed: what is known of the callee in others was taken */
	uint64_t guessed;   /* jump tables of which the end was guessed, in functions that were looked at */
	bool depth_seen, target_seen; /* recursion, targets: from runs */
	char detail[512];
};

int bound_function(
    struct bound_result *result, const struct cfg *cfg, uint32_t function, const struct bound_options *options);
void bound_result_free(struct bound_result *result);
#endif
