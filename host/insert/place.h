/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_PLACE_H
#define RIVULET_INSERT_PLACE_H
/*
 * Where a path profile's code goes (EPP section 3.4, the algorithm of its figure 8), for a numbered graph with the
 * increments of its chords (host/paths/chords.h). The path register is r.
 *
 *   initialisation   moves from ENTRY over edges that are the only way into their target; at a chord it takes the
 *                    chord's increment: r = c. Elsewhere it ends as r = 0.
 *   counting         moves from EXIT backwards over edges that are the only way out of their source; at a chord it
 *                    takes the increment: count[r + c]++; at a chord that initialises too: count[c]++, without r.
 *   all other chords r += c.
 *
 * Dummy edges are edges here: a back edge (or cut) v -> w executes what stands at v -> EXIT, then what stands at
 * ENTRY -> w: count[r + x]++; r = y. A way in from outside (entry, landing pad) executes what stands at ENTRY -> w.
 */
#include "host/paths/chords.h"

enum place_step { PLACE_NOTHING, PLACE_SET, PLACE_ADD };          /* r = value, r += value */
enum place_count { PLACE_NO_COUNT, PLACE_COUNT, PLACE_COUNT_AT }; /* count[value]++, count[r + value]++ */
struct place_code {
	uint8_t step, count;
	uint32_t begin; /* PLACE_SET: the vertex v whose ENTRY -> v leads here, and no other one does */
	int64_t value;  /* of the step, or of the count: an edge has one of them, or r = 0 with count[r]++, which is
			   count[0]++ */
};

struct placement {
	struct place_code *edge;          /* by edge; plain ones */
	struct place_code *leave, *enter; /* by vertex: the dummy edges */
	bool uses_register;
};

/* early: r is set where a path begins, and initialisation does not move from there: what is in r may be kept. Where a
 * path is cut, its count does not move from there. */
int place_make(struct placement *placement, const struct numbering *numbering, const struct chords *chords, bool early);
/* Where a count is at r + x, r is made larger by an amount of its own in each part of the graph from where it is set to
 * where it is counted, so that the most frequent counts there are at r + 0 to r + 31, which short instructions reach.
 * Those with x not below `reach` or under -reach take more instructions. weights: by edge. */
int place_bias(struct placement *placement, const struct numbering *numbering, const uint64_t *weights, int64_t reach);
/* Whether all steps and counts have values from -largest to largest, and r is set to nothing under `least`. */
bool place_within(const struct placement *placement, const struct numbering *numbering, int64_t least, int64_t largest);
void place_free(struct placement *placement);
/* "r = 2", "count[r + 1]++; ", ... Returns as snprintf. */
int place_format(const struct place_code *code, char *text, size_t size);
#endif
