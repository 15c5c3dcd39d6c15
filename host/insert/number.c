/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A function's graph as the numbering wants it. */
#include <stdlib.h>
#include <string.h>
#include "host/insert/guess.h"

/* Code on a taken branch costs a jump more, unless it can stand at or right before the target. */
static void find_costs(const struct graph *g, const struct graph_function *f, struct insert_numbered *n)
{
	for (uint32_t b = 0; b < f->block_count; b++) {
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
			const struct graph_edge *edge = &g->edges[f->edge_first + e];
			bool taken = edge->kind == GRAPH_TAKEN || edge->kind == GRAPH_TAIL_TAKEN;
			uint32_t ways = taken && edge->to != GRAPH_NONE ? g->blocks[edge->to].ways : 0;
			bool stub = taken && ways != 1 && n->numbering.kind[e] == NUMBERING_PLAIN;
			n->costs[e] = n->weights[e];
			if (n->weights[e] <= UINT64_C(1) << 60)
				n->costs[e] *= stub ? 5 : 2;
		}
	}
}

int insert_number(
    const struct insert_job *job, const struct graph_function *f, uint64_t limit, struct insert_numbered *n)
{
	const struct graph *g = job->graph;
	*n = (struct insert_numbered){.first = malloc((f->block_count + 1u) * sizeof *n->first),
	    .to = malloc((f->edge_count + 1u) * sizeof *n->to),
	    .depth = malloc((f->block_count + 1u) * sizeof *n->depth),
	    .root = calloc(f->block_count + 1u, sizeof *n->root),
	    .weights = calloc(f->edge_count + 1u, sizeof *n->weights),
	    .costs = calloc(f->edge_count + 1u, sizeof *n->costs)};
	if (n->first == NULL || n->to == NULL || n->depth == NULL || n->root == NULL || n->weights == NULL ||
	    n->costs == NULL)
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
	const uint64_t *known =
	    weights_of(job->options->weights, job->id, insert_function_number(job, f), f->edge_count);
	int error = OBJECT_OK;
	if (known == NULL)
		error = insert_guess(g, f, n, n->weights);
	else
		memcpy(n->weights, known, f->edge_count * sizeof *known);
	find_costs(g, f, n);
	return error;
}

void insert_number_free(struct insert_numbered *n)
{
	numbering_free(&n->numbering);
	free(n->first);
	free(n->to);
	free(n->depth);
	free(n->root);
	free(n->weights);
	free(n->costs);
}
