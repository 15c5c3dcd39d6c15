/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CHORDS_H
#define RIVULET_CHORDS_H
/*
 * Where to put path instrumentation so that it costs least (EPP section 3.3): of all edges, dummy edges and one edge
 * EXIT -> ENTRY, a spanning tree with the greatest weight gets none; each other edge, a chord, adds its increment to
 * the path register. Along every path from ENTRY to EXIT the increments add up to the same number as the values.
 *
 * The increment of a chord is the signed sum of values around the cycle that it closes in the tree: with p(v) the sum
 * of values on the tree way from ENTRY to v (an edge walked backwards counts negative, EXIT -> ENTRY has value 0),
 * increment(v -> w) = p(v) + value(v -> w) - p(w).
 */
#include "host/paths/numbering.h"

struct chords {
	/* by edge of the graph, and by vertex for the dummy edges v -> EXIT and ENTRY -> v (numbering.h). Back edges
	 * and cuts are not in this graph: they do leave[v], count, enter[w] in one place. */
	bool *chord, *leave_chord, *enter_chord;
	uint64_t *increment, *leave, *enter; /* modulo 2^64: may be "negative". 0 for tree edges */
	uint64_t chords, weight;             /* chords; sum of weights of chords: additions to be expected */
};

/* Weights by edge; those of back edges and cuts count for the dummy edges. NULL: all 1. */
int chords_make(struct chords *chords, const struct numbering *numbering, const uint64_t *weights);
/* The same with weights of their own for the dummy edges v -> EXIT and ENTRY -> v, by vertex: who knows that code
 * stands there anyway gives them a small one. edge: NULL: all 1. */
struct chords_weights {
	const uint64_t *edge, *leave, *enter;
};
int chords_make_by(struct chords *chords, const struct numbering *numbering, const struct chords_weights *weights);
/* What chords_make() takes for them. */
void chords_dummies(const struct numbering *numbering, const uint64_t *weights, uint64_t *leave, uint64_t *enter);
void chords_free(struct chords *chords);
#endif
