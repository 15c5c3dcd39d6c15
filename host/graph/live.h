/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GRAPH_LIVE_H
#define RIVULET_GRAPH_LIVE_H
/*
 * Which registers are live before each vertex of a shape: those that some way onwards reads before it writes them.
 *
 *   behind(v) = leaves(v) | before of all successors
 *   before(v) = (behind(v) & ~writes(v)) | reads(v)
 *
 * The smallest solution is found with a list of the vertices that still have to be looked at, successors first: each
 * edge is followed as often as the set before its target grows, which is seldom more than a few times.
 */
#include "host/graph/shape.h"

/* A set of registers: x0 to x31 in bits 0 to 31, f0 to f31 in bits 32 to 63. */
typedef uint64_t graph_registers;

struct graph_live {
	const graph_registers *reads;  /* by vertex: read before they are written in it */
	const graph_registers *writes; /* by vertex */
	const graph_registers *leaves; /* by vertex: live where its edges leave the function; 0 without such edges */
	graph_registers *before;       /* by vertex: the result. May hold a part of it: what was found before */
};

/* False: out of memory. */
bool graph_live_find(const struct graph_live *live, const struct graph_shape *shape);
#endif
