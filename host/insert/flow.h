/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_FLOW_H
#define RIVULET_INSERT_FLOW_H
/*
 * Counts of the edges of a function from those of the chords of a spanning tree (profile_edges.c): what goes into a
 * vertex comes out of it, ENTRY and EXIT among them, which an edge EXIT -> ENTRY joins. A tree has leaves: a vertex
 * with one unknown edge gives that one, until none is left.
 *
 * Frames that were active when the program ended went into blocks and did not come out: then a derived count may be
 * off by their number, or come out negative, which is given as 0. Not so with --blocks: there calls need not return.
 */
#include "host/insert/map.h"

/* blocks: the words are those of --blocks. Blocks with MAP_LEAVES are cut in two then, and the edges out of the
 * function from these are 0: nothing says how often they were taken. counters: of the function, by number. edges: by
 * edge of the function; intos: by block, ways in from outside; both to be filled. MAP_OK, MAP_ENOMEM, or MAP_EFORMAT:
 * the words are none of --edges or --blocks. */
struct flow_counters {
	const uint64_t *counters, *stops;
	bool blocks;
};
int flow_edges(
    const struct map *map, uint32_t function, const struct flow_counters *given, uint64_t *edges, uint64_t *intos);
#endif
