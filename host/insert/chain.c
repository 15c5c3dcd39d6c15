/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/chain.h"

#include <stdlib.h>
#include "host/base/array.h"

enum { TURN = 5, LEAVING = 11 }; /* cycles that a turn costs less, and a way out more */

/* The back edge of a loop that is a chain; GRAPH_NONE: it is none. */
static uint32_t way_back(
    const struct graph_function *f, const struct insert_numbered *n, const struct placement *p, const bool *inside)
{
	uint32_t found = GRAPH_NONE, head = GRAPH_NONE;
	for (uint32_t b = 0; b < f->block_count; b++) {
		unsigned ways = 0;
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
			uint32_t to = n->to[e];
			unsigned kind = n->numbering.kind[e];
			bool within = inside[b] && to != NUMBERING_EXIT && inside[to];
			if (!within || kind == NUMBERING_SELF)
				continue;
			ways++;
			if (kind == NUMBERING_BACK && found == GRAPH_NONE) {
				found = e;
				head = to;
			} else if (kind != NUMBERING_PLAIN || p->edge[e].count != PLACE_NO_COUNT ||
				   p->edge[e].step != PLACE_NOTHING)
				return GRAPH_NONE;
		}
		if (inside[b] && ways != 1)
			return GRAPH_NONE;
	}
	/* entered at the head only, and by plain edges: what begins there stands on the way back alone */
	for (uint32_t b = 0; b < f->block_count && found != GRAPH_NONE; b++) {
		for (uint32_t e = n->first[b]; e < n->first[b + 1] && !inside[b]; e++) {
			uint32_t to = n->to[e];
			if (to != NUMBERING_EXIT && inside[to] &&
			    (to != head || n->numbering.kind[e] != NUMBERING_PLAIN))
				return GRAPH_NONE;
		}
	}
	return found;
}

static int try_scope(struct insert_chains *c, struct inserter *in, const struct graph_function *f,
    const struct insert_numbered *n, const struct placement *p, uint64_t first, uint32_t s)
{
	const struct held_scope *scope = &c->held.scopes[s];
	uint32_t e = scope->whole ? GRAPH_NONE : way_back(f, n, p, scope->inside), from = 0;
	uint64_t out = 0;
	if (e == GRAPH_NONE)
		return OBJECT_OK;
	while (n->first[from + 1] <= e)
		from++;
	const struct place_code *leave = &p->leave[from], *enter = &p->enter[n->to[e]];
	if (leave->count != PLACE_COUNT_AT || leave->value < -256 || leave->value > 255 ||
	    enter->count != PLACE_NO_COUNT || enter->step != PLACE_SET)
		return OBJECT_OK;
	for (uint32_t b = 0; b < f->block_count; b++) {
		for (uint32_t k = n->first[b]; k < n->first[b + 1] && scope->inside[b]; k++) {
			if (n->to[k] == NUMBERING_EXIT || !scope->inside[n->to[k]])
				out += n->weights[k];
		}
	}
	int64_t gain = (int64_t)(n->weights[e] * TURN) - (int64_t)(scope->in + out * LEAVING);
	if (gain <= 0)
		return OBJECT_OK;
	int var = insert_held_register(&c->held, in, f, n, e, s, gain);
	if (var < 0)
		return var == OBJECT_EUNSUPPORTED ? OBJECT_OK : var;
	if (!array_room(&c->chains, c->count + 1, &c->size))
		return OBJECT_ENOMEM;
	c->chains[c->count++] = (struct chain){e, s, leave->value, (int64_t)first + enter->value, (uint8_t)var};
	return OBJECT_OK;
}

int insert_chains_begin(struct insert_chains *c, struct inserter *in, const struct graph *g,
    const struct graph_function *f, const struct insert_numbered *n, const struct placement *p, uint64_t first)
{
	*c = (struct insert_chains){0};
	int error = insert_held_begin(&c->held, in, g, f, n);
	for (uint32_t s = 0; s < c->held.scope_count && error == OBJECT_OK; s++)
		error = try_scope(c, in, f, n, p, first, s);
	return error;
}

void insert_chains_free(struct insert_chains *c)
{
	insert_held_free(&c->held);
	free(c->chains);
	*c = (struct insert_chains){0};
}

bool insert_chains_has(const struct insert_chains *c, uint32_t edge)
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->chains[i].edge == edge)
			return true;
	}
	return false;
}

/* Codes on all edges out of a loop, or into it. */
static int around(struct inserter *in, const struct graph *g, const struct graph_function *f, const bool *inside,
    bool out, const struct inserter_code *codes, size_t count)
{
	int error = OBJECT_OK;
	for (uint32_t b = 0; b < f->block_count; b++) {
		const struct graph_block *block = &g->blocks[f->blocks + b];
		for (uint32_t e = block->edges; e < block->edges + block->edge_count && error == OBJECT_OK; e++) {
			uint32_t to = g->edges[e].to;
			bool into = to != GRAPH_NONE && inside[to - f->blocks];
			if (inside[b] == out && into != out)
				error = inserter_edge(in, e, codes, count);
		}
	}
	return error;
}

int insert_chains_out(const struct insert_chains *c, struct inserter *in, const struct graph *g,
    const struct graph_function *f, uint8_t r)
{
	int error = OBJECT_OK;
	for (size_t i = 0; i < c->count && error == OBJECT_OK; i++) {
		const struct chain *chain = &c->chains[i];
		const struct inserter_code codes[] = {
		    {.op = INSERTER_COUNT_TURNS, .var = r, .from = chain->n, .value = chain->y, .by = chain->x},
		    {.op = INSERTER_GIVE_BACK, .var = chain->n}};
		size_t lent = inserter_borrowed(in, chain->n);
		error = around(in, g, f, c->held.scopes[chain->scope].inside, true, codes, 1 + lent);
	}
	return error;
}

int insert_chains_in(
    const struct insert_chains *c, struct inserter *in, const struct graph *g, const struct graph_function *f)
{
	int error = OBJECT_OK;
	for (size_t i = 0; i < c->count && error == OBJECT_OK; i++) {
		const struct chain *chain = &c->chains[i];
		const struct inserter_code codes[] = {{.op = INSERTER_LEND, .var = chain->n},
		    {.op = INSERTER_SET, .var = chain->n}},
					   one = {.op = INSERTER_ADD, .var = chain->n, .value = 1};
		size_t lent = inserter_borrowed(in, chain->n);
		error = inserter_edge(in, f->edge_first + chain->edge, &one, 1);
		if (error == OBJECT_OK)
			error =
			    around(in, g, f, c->held.scopes[chain->scope].inside, false, codes + 1 - lent, 1 + lent);
	}
	return error;
}
