/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/tree.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>

/* cycles */
enum {
	ADD = 1,
	SET = 2,
	COUNT = 5,
	COUNT_AT = 5,
	COUNT_AND_SET = 6,
	JUMP = 3, /* of a stub, back */
	OVER = 2, /* over a stub that lies before a block, for who falls into it */
	SAVE = 6  /* of r's register, by a function with calls */
};
#define TRIES 500u /* edges of trees that are tried, beside the first ones */

struct maker {
	const struct graph *g;
	const struct graph_function *f;
	const struct insert_numbered *n;
	uint64_t *edge, *leave, *enter;             /* weights as they are now */
	uint64_t *all_edge, *all_leave, *all_enter; /* if they count */
	uint32_t *ways;                             /* into a block */
	double *stubs, *falls;                      /* by block: the dearest stub before it; who falls into it */
};

static double of_code(const struct place_code *c)
{
	switch (c->count) {
	case PLACE_COUNT:
		return COUNT;
	case PLACE_COUNT_AT:
		return COUNT_AT;
	default:
		if (c->step == PLACE_SET)
			return SET;
		return c->step == PLACE_ADD ? ADD : 0;
	}
}

/* Expected cycles of a placement. */
static double placement_price(struct maker *m, const struct placement *p)
{
	const struct insert_numbered *n = m->n;
	double sum = 0, calls = 0;
	for (uint32_t b = 0; b < m->f->block_count; b++)
		m->stubs[b] = m->falls[b] = 0;
	for (uint32_t b = 0; b < m->f->block_count; b++) {
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
			const struct graph_edge *edge = &m->g->edges[m->f->edge_first + e];
			double weight = (double)n->weights[e], cost = 0;
			bool taken =
			    edge->kind == GRAPH_TAKEN || edge->kind == GRAPH_TAIL_TAKEN || edge->kind == GRAPH_TABLE;
			uint32_t to = n->to[e];
			if (to == NUMBERING_EXIT)
				calls += edge->kind == GRAPH_NO_RETURN ? 0 : weight;
			if (n->numbering.kind[e] == NUMBERING_PLAIN)
				cost = of_code(&p->edge[e]);
			else if (n->numbering.kind[e] != NUMBERING_SELF)
				cost = p->leave[b].count == PLACE_COUNT_AT && p->enter[to].step == PLACE_SET
					   ? COUNT_AND_SET
					   : of_code(&p->leave[b]) + of_code(&p->enter[to]);
			if (cost > 0 && taken && to == NUMBERING_EXIT)
				cost += JUMP;
			else if (cost > 0 && taken && m->ways[to] > 1) {
				/* one of them may lie right before the block */
				cost += JUMP;
				m->stubs[to] = weight > m->stubs[to] ? weight : m->stubs[to];
			} else if (edge->kind == GRAPH_FALL && to != NUMBERING_EXIT)
				m->falls[to] += weight;
			sum += weight * cost;
		}
	}
	for (uint32_t b = 0; b < m->f->block_count; b++) {
		double saved = m->stubs[b] * JUMP - m->falls[b] * OVER;
		sum -= m->stubs[b] > m->falls[b] && saved > 0 ? saved : 0;
		if (b == 0 && n->root[b] && n->numbering.enter[b] != NUMBERING_NONE)
			sum += of_code(&p->enter[b]) * calls;
	}
	return p->uses_register && m->f->calls ? sum + calls * SAVE : sum;
}

struct best {
	double cost;
	bool any;
	struct chords *chords;
	struct placement *placement;
};

/* One tree; kept, if it is cheaper. Whether it is, or an error. */
static int try_tree(struct maker *m, struct best *best)
{
	struct chords chords;
	struct placement placement;
	int error = chords_make_by(&chords, &m->n->numbering, &(struct chords_weights){m->edge, m->leave, m->enter});
	if (error != NUMBERING_OK)
		return error;
	error = place_make(&placement, &m->n->numbering, &chords, m->n->joined);
	double cost = error == NUMBERING_OK ? placement_price(m, &placement) : 0;
	if (error != NUMBERING_OK || (best->any && cost >= best->cost)) {
		chords_free(&chords);
		if (error == NUMBERING_OK)
			place_free(&placement);
		return error;
	}
	if (best->any) {
		chords_free(best->chords);
		place_free(best->placement);
	}
	*best = (struct best){cost, true, best->chords, best->placement};
	*best->chords = chords;
	*best->placement = placement;
	return 1;
}

static void weigh_arcs(struct maker *m, bool edges, bool leave, bool enter)
{
	const struct insert_numbered *n = m->n;
	for (uint32_t b = 0; b < m->f->block_count; b++) {
		uint32_t ways = n->first[b + 1] - n->first[b];
		m->leave[b] = leave && ways > 1 ? 0 : m->all_leave[b];
		m->enter[b] = enter ? 0 : m->all_enter[b];
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++)
			m->edge[e] = edges && ways > 1 && n->to[e] == NUMBERING_EXIT ? 0 : m->all_edge[e];
	}
}

struct flip { /* a weight that may be another one */
	uint64_t *now, all;
};

static int arcs_by_weight(const void *a, const void *b)
{
	const struct flip *x = a, *y = b;
	return order_then(ORDER_DOWN(x->all, y->all), ORDER_UP(x->now, y->now));
}

static int improve_tree(struct maker *m, struct best *best)
{
	const struct insert_numbered *n = m->n;
	struct flip *flips = malloc((2u * m->f->block_count + m->f->edge_count + 1u) * sizeof *flips);
	size_t count = 0;
	int error = flips == NULL ? NUMBERING_ENOMEM : NUMBERING_OK;
	for (uint32_t b = 0; b < m->f->block_count && error == NUMBERING_OK; b++) {
		if (n->numbering.leave[b] != NUMBERING_NONE)
			flips[count++] = (struct flip){&m->leave[b], m->all_leave[b]};
		if (n->numbering.enter[b] != NUMBERING_NONE)
			flips[count++] = (struct flip){&m->enter[b], m->all_enter[b]};
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
			if (n->to[e] == NUMBERING_EXIT)
				flips[count++] = (struct flip){&m->edge[e], m->all_edge[e]};
		}
	}
	if (error == NUMBERING_OK)
		qsort(flips, count, sizeof *flips, arcs_by_weight);
	size_t most = TRIES / (m->f->edge_count + 1u);
	bool more = count > 0;
	while (more && error == NUMBERING_OK) {
		more = false;
		for (size_t i = 0; i < count && most > 0 && error == NUMBERING_OK; i++, most--) {
			uint64_t was = *flips[i].now;
			if (flips[i].all == 0)
				continue;
			*flips[i].now = was == 0 ? flips[i].all : 0;
			error = try_tree(m, best);
			if (error == 0)
				*flips[i].now = was;
			else if (error == 1) {
				more = true;
				error = NUMBERING_OK;
			}
		}
	}
	free(flips);
	return error;
}

static int make_tree(struct maker *m, struct best *best, bool plain)
{
	const struct insert_numbered *n = m->n;
	int error = NUMBERING_OK;
	unsigned cheapest = 0;
	memcpy(m->all_edge, n->costs, m->f->edge_count * sizeof *m->all_edge);
	chords_dummies(&n->numbering, n->costs, m->all_leave, m->all_enter);
	for (uint32_t e = 0; e < m->f->edge_count; e++) {
		if (n->to[e] != NUMBERING_EXIT)
			m->ways[n->to[e]]++;
	}
	for (unsigned i = 0; i < (plain ? 1 : 8) && error == NUMBERING_OK; i++) {
		weigh_arcs(m, (i & 4) != 0, (i & 1) != 0, (i & 2) != 0);
		error = try_tree(m, best);
		if (error == 1) {
			cheapest = i;
			error = NUMBERING_OK;
		}
	}
	weigh_arcs(m, (cheapest & 4) != 0, (cheapest & 1) != 0, (cheapest & 2) != 0);
	return error == NUMBERING_OK && !plain ? improve_tree(m, best) : error;
}

int insert_tree(const struct graph *g, const struct graph_function *f, const struct insert_numbered *n, bool plain,
    struct chords *chords, struct placement *placement)
{
	size_t blocks = f->block_count + 1u, edges = f->edge_count + 1u;
	uint64_t *weights = calloc(2 * edges + 4 * blocks, sizeof *weights);
	double *sums = calloc(2 * blocks, sizeof *sums);
	struct maker m = {.g = g, .f = f, .n = n, .ways = calloc(blocks, sizeof *m.ways)};
	struct best best = {.chords = chords, .placement = placement};
	int error = NUMBERING_ENOMEM;
	if (weights != NULL && sums != NULL && m.ways != NULL) {
		m.edge = weights;
		m.all_edge = m.edge + edges;
		m.leave = m.all_edge + edges;
		m.all_leave = m.leave + blocks;
		m.enter = m.all_leave + blocks;
		m.all_enter = m.enter + blocks;
		m.stubs = sums;
		m.falls = sums + blocks;
		error = make_tree(&m, &best, plain);
	}
	if (error != NUMBERING_OK && best.any) {
		chords_free(chords);
		place_free(placement);
	}
	free(weights);
	free(sums);
	free(m.ways);
	return error;
}
