/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GRAPH_SEARCH_H
#define RIVULET_GRAPH_SEARCH_H
/*
 * A depth-first search of a shape: what dominators, loops and regions start from. It is iterative: no stack of the
 * processor grows with the graph. A node above all ways in makes one tree of it:
 *
 *        above (0) ──► entry ──► ...
 *                 └──► roots
 *
 * So nodes are vertices + 1, and the edges from above are edges like all others. Nodes are counted as the search meets
 * them (preorder); those below a node in the tree are the numbers from its own to `last`:
 *
 *        1             Tree edges are drawn as lines. 5 ──► 3 goes across, and their nearest common ancestor is 1. Such
 *        ├─ 2          an edge, and one forward (1 ──► 3), are in the list of that ancestor. Edges back (3 ──► 2)
 *        │  └─ 3       are in no list: they come from below their target.
 *        └─ 4
 *           └─ 5
 */
#include "host/graph/shape.h"

struct graph_search {
	const struct graph_shape *shape;
	uint32_t nodes, reached;   /* vertices + 1; how many of them the search met */
	uint32_t *first, *preds;   /* predecessors of node n: preds[first[n]] to preds[first[n + 1] - 1], nodes */
	uint32_t *number;          /* by node; GRAPH_VERTEX: not met */
	uint32_t *node;            /* by number */
	uint32_t *parent, *last;   /* by number: above it in the tree; the highest number below it */
	uint32_t *post, *rank;     /* nodes in postorder; by node: its place there */
	uint32_t *across;          /* by number: the first of its list, GRAPH_VERTEX: empty */
	struct graph_across {      /* an edge across or forward */
		uint32_t from, to; /* numbers */
		uint32_t next;     /* in the list, or GRAPH_VERTEX */
	} * edges;
	uint32_t edge_count;
};

/* False: out of memory; nothing is to be freed then. The shape must outlive the search. */
bool graph_search_make(struct graph_search *search, const struct graph_shape *shape);
void graph_search_free(struct graph_search *search);

/* Whether a number is that of a node, or is below it in the tree. */
static inline bool graph_search_below(const struct graph_search *search, uint32_t above, uint32_t number)
{
	return above <= number && number <= search->last[above];
}
#endif
