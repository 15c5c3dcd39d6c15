/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/price.h"

#include <stdlib.h>

#define PRICE_MOST (UINT64_MAX / 4)

uint64_t price_of(uint64_t weight, uint64_t cycles)
{
	return cycles > 0 && weight > PRICE_MOST / cycles ? PRICE_MOST : weight * cycles;
}

uint64_t price_sum(uint64_t a, uint64_t b)
{
	return a > PRICE_MOST - b ? PRICE_MOST : a + b;
}

/* Whether code on an edge may need a stub: a block alone behind it has room for the code itself. */
static bool needs_stub(const struct graph *g, const struct graph_edge *edge)
{
	bool taken = edge->kind == GRAPH_TAKEN || edge->kind == GRAPH_TAIL_TAKEN || edge->kind == GRAPH_TABLE;
	if (!taken || edge->to == GRAPH_NONE)
		return taken;
	return g->blocks[edge->to].ways != 1 || g->blocks[edge->to].root;
}

int price_jumps(const struct graph *g, const struct graph_function *f, const struct insert_numbered *n, uint64_t *jumps)
{
	uint32_t *before = malloc((f->block_count + 1u) * sizeof *before); /* by block: the stub right before it */
	if (before == NULL)
		return OBJECT_ENOMEM;
	for (uint32_t b = 0; b < f->block_count; b++)
		before[b] = GRAPH_NONE;
	for (uint32_t e = 0; e < f->edge_count; e++) {
		const struct graph_edge *edge = &g->edges[f->edge_first + e];
		bool stub = needs_stub(g, edge);
		jumps[e] = stub ? price_of(n->weights[e], PRICE_JUMP) : 0;
		if (!stub || edge->to == GRAPH_NONE)
			continue;
		uint32_t *first = &before[edge->to - f->blocks];
		if (*first == GRAPH_NONE || n->weights[*first] < n->weights[e])
			*first = e;
	}
	for (uint32_t b = 0; b < f->block_count; b++) {
		uint32_t fall = g->blocks[f->blocks + b].fall;
		uint64_t over = fall == GRAPH_NONE ? 0 : price_of(n->weights[fall - f->edge_first], PRICE_JUMP);
		if (before[b] != GRAPH_NONE && over < jumps[before[b]])
			jumps[before[b]] = over;
	}
	free(before);
	return OBJECT_OK;
}
