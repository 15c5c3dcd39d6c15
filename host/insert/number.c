/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A function's graph as the numbering wants it. */
#include <stdlib.h>
#include "host/insert/insert.h"
#include "host/paths/chords.h"

int insert_number(
    const struct insert_job *job, const struct graph_function *f, uint64_t limit, struct insert_numbered *n)
{
	const struct graph *g = job->graph;
	*n = (struct insert_numbered){.first = malloc((f->block_count + 1u) * sizeof *n->first),
	    .to = malloc((f->edge_count + 1u) * sizeof *n->to),
	    .depth = malloc((f->block_count + 1u) * sizeof *n->depth),
	    .root = calloc(f->block_count + 1u, sizeof *n->root),
	    .weights = calloc(f->edge_count + 1u, sizeof *n->weights)};
	if (n->first == NULL || n->to == NULL || n->depth == NULL || n->root == NULL || n->weights == NULL)
		return OBJECT_ENOMEM;
	/* edges of a block are together, but those of tables come last: in the order of the blocks here */
	uint32_t used = 0;
	for (uint32_t b = 0; b < f->block_count; b++) {
		const struct graph_block *block = &g->blocks[f->blocks + b];
		n->first[b] = used;
		n->depth[b] = block->depth;
		n->root[b] = block->root || b == 0;
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			uint32_t to = g->edges[e].to;
			if (e - f->edge_first != used)
				return OBJECT_EUNSUPPORTED;
			n->to[used++] = to == GRAPH_NONE ? NUMBERING_EXIT : to - f->blocks;
		}
	}
	n->first[f->block_count] = used;
	const struct numbering_graph graph = {
	    .count = f->block_count, .entry = 0, .first = n->first, .to = n->to, .root = n->root};
	if (numbering_make(&n->numbering, &graph, limit) != NUMBERING_OK)
		return OBJECT_ENOMEM;
	chords_guess(&n->numbering, n->depth, n->weights);
	return OBJECT_OK;
}

void insert_number_free(struct insert_numbered *n)
{
	numbering_free(&n->numbering);
	free(n->first);
	free(n->to);
	free(n->depth);
	free(n->root);
	free(n->weights);
}
