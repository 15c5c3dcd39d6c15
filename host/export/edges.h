/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_EDGES_H
#define RIVULET_EXPORT_EDGES_H
/*
 * Calls with what they cost, the callee and all that it calls included.
 *
 * From records in order the costs are exact: those of the contexts below the call. Of a recursive call, the cost of one
 * that runs inside the same call is in the outer one.
 *
 * From a profile it is not known which call the callee's time belongs to. It is estimated as gprof does: a function's
 * cost is shared out to its calls in proportion to their counts. Functions that call each other are taken as one, calls
 * between them cost 0. A function that was entered more often than its known calls account for has a rest, which is in
 * `roots`. Tail calls are calls: a jump or a taken branch to the start of another function.
 *
 * `unknown` says of each number what the source could not know. 0: it is what records in order would say, but for what
 * the core's rules leave open of cycles.
 */
#include "host/export/export.h"

enum edge_unknown {
	EDGE_SHARED = 1, /* it, or something below it, has several callers, and is shared out by counts */
	EDGE_WITHIN = 2, /* between functions that call each other: what each call costs is not known */
	EDGE_MORE = 4    /* more may be below it: calls by a register, handlers, callees without counts */
};

struct edge {                  /* by site, then target */
	uint64_t site, target; /* address of the call, of the function */
	uint64_t calls;
	uint64_t count, cycles; /* instructions and cycles of all these calls */
	uint8_t kind;           /* enum stack_kind */
	uint8_t unknown;        /* enum edge_unknown: of count and cycles */
};

struct edge_function { /* with all that it calls */
	uint64_t count, cycles;
	uint8_t unknown;
};

struct edges {
	struct edge *all;
	size_t count;
	struct edge *roots; /* functions that were entered, and nobody knows from where: site 0, kind STACK_ROOT */
	size_t root_count;
	struct edge_function *functions; /* estimated: of each function of the program, by spot; else NULL */
	bool estimated;                  /* the costs are */
};

/* Returns EXPORT_OK or EXPORT_ENOMEM. */
int edges_make(struct edges *edges, const struct export_input *input);
void edges_free(struct edges *edges);
/* The first edge at site or behind it. */
size_t edges_first(const struct edges *edges, uint64_t site);
#endif
