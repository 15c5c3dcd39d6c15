/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GRAPH_LOOPS_H
#define RIVULET_GRAPH_LOOPS_H
/*
 * The loops of a shape, nearly linear in its edges: functions of a million vertices are allowed.
 *
 * A loop is a head, which is what a depth-first search meets first of it, and everything that the head leads to and
 * that leads to the head again without leaving: the strongly connected parts of the graph, and in each of them the same
 * again without the edges to its head. Loops nest; each vertex knows the innermost one. Loops with one head are one
 * loop. A vertex that leads to itself is a loop.
 *
 * A loop is reducible if its head dominates all of it, which is so if no edge enters it elsewhere.
 */
#include "host/graph/search.h"

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
	uint32_t *loop; /* by vertex: innermost; GRAPH_VERTEX: none, or nothing known reaches the vertex */
};

/* From a search, whose lists of edges across are used up. False: out of memory; nothing is to be freed then. */
bool graph_loops_make(struct graph_loops *loops, struct graph_search *search);
void graph_loops_free(struct graph_loops *loops);
/* The vertices of each loop down to a depth, with those of the loops in it: of loop i those from members[starts[i]] to
 * members[starts[i + 1] - 1]. Deeper loops have none here. Both arrays are to be freed. False: out of memory; nothing
 * is to be freed then. */
bool graph_loops_members(
    const struct graph_loops *loops, uint32_t vertices, uint32_t depth, uint32_t **starts, uint32_t **members);

/* Loops around a vertex. */
static inline uint32_t graph_loop_depth(const struct graph_loops *loops, uint32_t vertex)
{
	uint32_t loop = loops->loop[vertex];
	return loop == GRAPH_VERTEX ? 0 : loops->loops[loop].depth;
}

/* Whether a loop, or one in it, is around a vertex. */
static inline bool graph_loop_holds(const struct graph_loops *loops, uint32_t loop, uint32_t vertex)
{
	uint32_t inner = loops->loop[vertex];
	while (inner != GRAPH_VERTEX && inner > loop)
		inner = loops->loops[inner].parent;
	return inner == loop;
}
#endif
