/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The shape of a function of an object, for the algorithms of host/graph. */
#include <stdlib.h>
#include "host/graph/loops.h"
#include "host/insert/graph_private.h"

bool graph_shape_of(const struct graph *g, const struct graph_function *f, struct graph_shape *shape)
{
	uint32_t count = f->block_count, edges = 0;
	uint32_t *first = malloc((count + 1u) * sizeof *first), *to = malloc((f->edge_count + 1u) * sizeof *to);
	bool *root = malloc(count + 1u);
	*shape = (struct graph_shape){.count = count, .first = first, .to = to, .root = root};
	if (first == NULL || to == NULL || root == NULL) {
		graph_shape_free(shape);
		return false;
	}
	for (uint32_t b = 0; b < count; b++) {
		const struct graph_block *block = &g->blocks[f->blocks + b];
		first[b] = edges;
		root[b] = block->root;
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++)
			to[edges++] = g->edges[e].to == GRAPH_NONE ? GRAPH_EXIT : g->edges[e].to - f->blocks;
	}
	first[count] = edges;
	return true;
}

void graph_shape_free(struct graph_shape *shape)
{
	free((void *)(uintptr_t)shape->first);
	free((void *)(uintptr_t)shape->to);
	free((void *)(uintptr_t)shape->root);
	*shape = (struct graph_shape){0};
}

int graph_find_depths(struct graph *g, struct graph_function *f)
{
	struct graph_shape shape;
	struct graph_search search = {0};
	struct graph_loops loops = {0};
	bool made =
	    graph_shape_of(g, f, &shape) && graph_search_make(&search, &shape) && graph_loops_make(&loops, &search);
	for (uint32_t b = 0; b < f->block_count && made; b++)
		g->blocks[f->blocks + b].depth = graph_loop_depth(&loops, b);
	graph_loops_free(&loops);
	graph_search_free(&search);
	graph_shape_free(&shape);
	return made ? OBJECT_OK : OBJECT_ENOMEM;
}
