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
 * From a profile it is not known which call the callee's time belongs to. It is estimated as gprof does: a function's cost
 * is shared out to its calls in proportion to their counts. Functions that call each other are taken as one, calls
 * between them cost 0. A function that was entered more often than its known calls account for has a rest
 * that no call gets.
 */
#include "host/export/export.h"

struct edge {                  /* by site, then target */
	uint64_t site, target; /* address of the call, of the function */
	uint64_t calls;
	uint64_t count, cycles; /* instructions and cycles of all these calls */
};

struct edges {
	struct edge *all;
	size_t count;
	bool estimated; /* the costs are */
};

/* Returns EXPORT_OK or EXPORT_ENOMEM. */
int edges_make(struct edges *edges, const struct export_input *input);
void edges_free(struct edges *edges);
/* The first edge at site or behind it. */
size_t edges_first(const struct edges *edges, uint64_t site);
#endif
