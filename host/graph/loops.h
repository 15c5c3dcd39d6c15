/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GRAPH_LOOPS_H
#define RIVULET_GRAPH_LOOPS_H
/*
 * Dominators and loops of a shape, nearly linear in its edges: functions of a million vertices are allowed.
 *
 * A loop is a head and everything that reaches the head again without leaving. Loops nest; each vertex knows the
 * innermost one. A loop is reducible if its head dominates all of it, which is so if no edge enters it elsewhere.
 */
#include "host/graph/shape.h"

struct graph_loop {
	uint32_t head, parent; /* parent: index, or GRAPH_VERTEX */
	uint32_t depth;        /* 1: outermost */
	uint32_t vertices;     /* with inner loops */
	uint32_t latches;      /* edges back to the head */
	bool reducible;
};

struct graph_loops {
	struct graph_loop *loops; /* an outer one before those in it */
	uint32_t count, irreducible;
	uint32_t *loop;      /* by vertex: innermost; GRAPH_VERTEX: none, or nothing known reaches the vertex */
	uint32_t *dominator; /* by vertex: immediate; GRAPH_VERTEX: a way in from outside, or not reached */
};

/* False: out of memory; nothing is to be freed then. */
bool graph_loops_make(struct graph_loops *loops, const struct graph_shape *shape);
void graph_loops_free(struct graph_loops *loops);

/* Loops around a vertex. */
static inline uint32_t graph_loop_depth(const struct graph_loops *loops, uint32_t vertex)
{
	uint32_t loop = loops->loop[vertex];
	return loop == GRAPH_VERTEX ? 0 : loops->loops[loop].depth;
}
#endif
