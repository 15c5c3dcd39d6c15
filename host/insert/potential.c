/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/potential.h"
#include "host/base/order.h"

#include <stdlib.h>
#include "host/graph/sets.h"

struct arc { /* of the graph of vertices */
	uint32_t from, to;
	int64_t cost;
	uint64_t weight;
};

struct maker {
	struct potential *p;
	const struct graph *g;
	const struct graph_function *f;
	const struct cost *cost;
	const uint64_t *weights, *costs;
	struct arc *arcs;
	size_t arc_count;
	uint32_t *parent; /* union-find over vertices */
};

static int heavier_arc(const void *a, const void *b)
{
	const struct arc *x = a, *y = b;
	return order_then(
	    ORDER_DOWN(x->weight, y->weight), order_then(ORDER_UP(x->from, y->from), ORDER_UP(x->to, y->to)));
}

static uint64_t by_depth(const struct graph *g, uint32_t block)
{
	static const uint64_t powers[] = {10, 100, 1000, 10000, 100000, 1000000};
	uint32_t depth = g->blocks[block].depth;
	return powers[depth < 5 ? depth : 5] << 8;
}

void potential_guess(const struct graph *g, const struct graph_function *f, uint64_t *weights, uint64_t *costs)
{
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];
		uint32_t out = 0;
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++)
			out += g->edges[e].kind != GRAPH_NO_RETURN;
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			const struct graph_edge *edge = &g->edges[e];
			uint64_t here = by_depth(g, b) / (out > 0 ? out : 1);
			if (edge->to != GRAPH_NONE && by_depth(g, edge->to) < by_depth(g, b))
				here = by_depth(g, edge->to);
			weights[e - f->edge_first] = edge->kind == GRAPH_NO_RETURN ? 0 : here;
			/* code on a taken edge may need a jump of its own */
			costs[e - f->edge_first] = edge->kind == GRAPH_TAKEN ? 4 * here : 2 * here;
		}
	}
}

uint64_t potential_weight(
    const struct graph *g, const struct graph_function *f, const uint64_t *weights, uint32_t block)
{
	const struct graph_block *b = &g->blocks[f->blocks + block];
	uint64_t sum = 0;
	for (uint32_t e = b->edges; e < b->edges + b->edge_count; e++)
		sum += weights[e - f->edge_first] >> 8; /* no sum is too large */
	return sum;
}

static void add_arc(struct maker *m, uint32_t from, uint32_t to, int64_t cost, uint64_t weight)
{
	m->arcs[m->arc_count++] = (struct arc){from, to, cost, weight};
}

static void add_arcs(struct maker *m, uint32_t b)
{
	const struct graph_block *block = &m->g->blocks[m->f->blocks + b];
	uint64_t own = 2 * potential_weight(m->g, m->f, m->weights, b);
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		const struct graph_edge *edge = &m->g->edges[e];
		uint32_t at = e - m->f->edge_first;
		if (edge->kind != GRAPH_NO_RETURN)
			add_arc(m, potential_out(m->cost, b),
			    edge->to == GRAPH_NONE ? POTENTIAL_ROOT : potential_in(edge->to - m->f->blocks),
			    edge->to == GRAPH_NONE ? 0 : m->cost->edges[at].head, m->costs[at] >> 8);
	}
	if (m->cost->blocks[b].calls > 0) {
		add_arc(m, potential_in(b), POTENTIAL_ROOT, 0, own);
		add_arc(m, POTENTIAL_ROOT, potential_out(m->cost, b), m->cost->blocks[b].tail, own);
	}
}

/* From ROOT over the tree; vertices that it does not reach are of code that never returns: potential 0 somewhere. */
static void spread_potential(struct maker *m, uint32_t vertices, size_t tree, bool *known)
{
	int64_t *of = m->p->of;
	for (uint32_t seed = 0; seed < vertices; seed++) {
		if (known[seed])
			continue;
		known[seed] = true;
		for (bool more = true; more;) {
			more = false;
			for (size_t i = 0; i < tree; i++) {
				const struct arc *a = &m->arcs[i];
				if (known[a->from] == known[a->to])
					continue;
				if (known[a->from])
					of[a->to] = of[a->from] + a->cost;
				else
					of[a->from] = of[a->to] - a->cost;
				known[a->from] = known[a->to] = more = true;
			}
		}
	}
}

/* Cycles from a block's start, with its head, to its end. */
static int64_t cycles_through_block(const struct maker *m, uint32_t b)
{
	const struct cost_block *block = &m->cost->blocks[b];
	int64_t cycles = block->tail;
	for (uint32_t i = 0; i + 1 < block->calls; i++)
		cycles += m->cost->middles[block->middles + i];
	return cycles;
}

/* Whether an edge out of a block with these cycles so far says the same as what is known; it may say something new. */
static bool potential_agrees(struct maker *m, uint32_t e, int64_t cycles, bool *more)
{
	const struct graph_edge *edge = &m->g->edges[e];
	struct potential *p = m->p;
	if (edge->kind == GRAPH_NO_RETURN)
		return true;
	if (edge->to == GRAPH_NONE) {
		bool same = p->total < 0 || p->total == cycles;
		p->total = cycles;
		return same;
	}
	const struct cost_edge *cost = &m->cost->edges[e - m->f->edge_first];
	int64_t *to = &p->reached[edge->to - m->f->blocks];
	cycles += cost->head;
	if (cost->more != 0 || (*to >= 0 && *to != cycles))
		return false;
	*more = *more || *to < 0;
	*to = cycles;
	return true;
}

static void find_same(struct maker *m)
{
	struct potential *p = m->p;
	p->total = -1;
	p->same = true;
	for (uint32_t b = 0; b < m->f->block_count; b++)
		p->reached[b] = -1;
	p->reached[0] = m->cost->enter[0];
	for (bool more = true; more && p->same;) {
		more = false;
		for (uint32_t b = 0; b < m->f->block_count && p->same; b++) {
			const struct graph_block *block = &m->g->blocks[m->f->blocks + b];
			for (uint32_t e = block->edges; e < block->edges + block->edge_count && p->reached[b] >= 0; e++)
				p->same = p->same &&
					  potential_agrees(m, e, p->reached[b] + cycles_through_block(m, b), &more);
		}
	}
	p->same = p->same && p->total > 0 && p->total <= INT32_MAX;
}

int potential_make(struct potential *p, const struct graph *g, const struct graph_function *f, const struct cost *cost,
    const uint64_t *weights, const uint64_t *costs)
{
	uint32_t vertices = 1 + 2 * f->block_count;
	*p = (struct potential){
	    .of = calloc(vertices, sizeof *p->of), .reached = calloc(f->block_count + 1u, sizeof *p->reached)};
	struct maker m = {.p = p,
	    .g = g,
	    .f = f,
	    .cost = cost,
	    .weights = weights,
	    .costs = costs,
	    .arcs = malloc((f->edge_count + 2u * f->block_count + 1u) * sizeof *m.arcs),
	    .parent = malloc(vertices * sizeof *m.parent)};
	bool *known = calloc(vertices, sizeof *known);
	int error = OBJECT_ENOMEM;
	if (p->of != NULL && p->reached != NULL && m.arcs != NULL && m.parent != NULL && known != NULL) {
		size_t tree = 0;
		for (uint32_t b = 0; b < f->block_count; b++)
			add_arcs(&m, b);
		sets_single(m.parent, vertices);
		qsort(m.arcs, m.arc_count, sizeof *m.arcs, heavier_arc);
		for (size_t i = 0; i < m.arc_count; i++) {
			uint32_t a = sets_of(m.parent, m.arcs[i].from), b = sets_of(m.parent, m.arcs[i].to);
			if (a == b)
				continue;
			m.parent[a] = b;
			m.arcs[tree++] = m.arcs[i];
		}
		spread_potential(&m, vertices, tree, known);
		find_same(&m);
		error = OBJECT_OK;
	}
	free(known);
	free(m.arcs);
	free(m.parent);
	return error;
}

void potential_free(struct potential *p)
{
	free(p->of);
	free(p->reached);
	*p = (struct potential){0};
}
