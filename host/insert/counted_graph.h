/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_GRAPH_H
#define RIVULET_COUNTED_GRAPH_H
/*
 * The graphs of the map, as those that show paths want them. The numbers of paths are those that were counted: they are
 * taken over from the map, and no graph is numbered again.
 *
 *   block of the map ──► its instructions, cut behind calls as those of the program's own graph (host/cfg):
 *
 *     B: a b call c call d      becomes      B1: a b call ──► B2: c call ──► B3: d
 *     way in: enter(B)                       at B1; ways inside have the value 0
 *     ways out: value, leave(B)              at B3
 *
 * Padding behind a branch, executed only where it falls, is a block on that edge. If the edge ends paths, the padding
 * is still in them: its block then has the block's value of leave(B), and the end 0. Where several ends share leave(B)
 * the padding is in no path; it is given as a piece, with the edge's count.
 *
 * A self loop of the map may lead from B3 to B1. A table's vertex is a block without instructions.
 *
 * Functions are those of the program's graph, with its indexes, and then those that it does not have; what has no
 * counters has no blocks.
 */
#include "host/insert/counted.h"
#include "host/paths/paths.h"

struct counted_graph {
	struct cfg cfg;               /* cfg.map is NULL: nothing can be found by its address */
	struct numbering *numberings; /* by function, with graphs in the arrays below */
	uint32_t *function_of;        /* by function of the map; CFG_NONE: not in the program, or without counters */
	uint32_t *first, *last;       /* by block of the map */
	uint32_t *edge_of;            /* by edge of the map: the one that has its kind */
	uint32_t *way_of;             /* the one by which it leaves its block: another one where there is padding */
	uint32_t *graph_first, *graph_to;
	bool *graph_root;
	size_t block_room, edge_room;
};

/* base: of the same image, which must outlive this. COUNTED_OK or COUNTED_ENOMEM. To be closed in any case. */
int counted_graph_open(struct counted_graph *graph, const struct counted *counted, const struct cfg *base);
void counted_graph_close(struct counted_graph *graph);
/* All that was counted, into what paths_open_numbered() made of the graph. PATHS_OK or PATHS_ENOMEM. */
int counted_graph_give(const struct counted_graph *graph, const struct counted *counted, struct paths *paths);
#endif
