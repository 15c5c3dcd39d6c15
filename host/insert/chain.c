/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/chain.h"

#include <stdlib.h>
#include "host/base/array.h"

enum { TURN = 5, LEAVING = 11, MORE = 2, SLOT = 4 }; /* cycles that a turn costs less, and a way out more */

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

/* The loop's register that counts its turns. */
static bool difference(const struct graph *g, const struct graph_function *f, const struct insert_numbered *n,
    const bool *inside, uint32_t head, struct chain *c)
{
	uint32_t *order = malloc((f->block_count + 1u) * sizeof *order), count = 0, decides = GRAPH_NONE, at;
	bool fits = order != NULL;
	for (uint32_t b = head, next = head; fits && (count == 0 || b != head); b = next) {
		if (count == f->block_count)
			fits = false;
		for (uint32_t e = n->first[b]; e < n->first[b + 1] && fits; e++) {
			bool within = n->to[e] != NUMBERING_EXIT && inside[n->to[e]];
			if (within)
				next = n->to[e];
			/* one block leads out; no block turns alone */
			else if (decides == GRAPH_NONE || decides == count)
				decides = count;
			else
				fits = false;
			fits = fits && n->to[e] != b;
		}
		if (fits)
			order[count++] = f->blocks + b;
	}
	fits = fits && decides != GRAPH_NONE && insert_induction_of(g, order, count, decides, &c->induction, &at);
	/* what is left in the midst of a turn has made the step, or not */
	c->add = fits && at <= decides ? c->induction.step : 0;
	free(order);
	return fits;
}

/* n: a register, or for a difference a word of the stack. */
static int find_n(struct insert_chains *c, struct inserter *in, const struct graph_function *f,
    const struct insert_numbered *n, const struct chain *chain, int64_t gain)
{
	if (!chain->difference)
		return insert_held_register(&c->held, in, f, n, chain->edge, chain->scope, gain);
	int var = inserter_local(in, c->held.scopes[chain->scope].inside);
	if (var != OBJECT_EUNSUPPORTED)
		return var;
	if (c->word < 0)
		c->word = inserter_word(in);
	return c->word >= 0 ? c->word : insert_held_register(&c->held, in, f, n, chain->edge, chain->scope, gain);
}

static int try_scope(struct insert_chains *c, struct inserter *in, const struct graph *g,
    const struct graph_function *f, const struct insert_numbered *n, const struct placement *p, uint64_t first,
    uint32_t s, bool slot)
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
	struct chain chain = {.edge = e, .scope = s, .x = leave->value, .y = (int64_t)first + enter->value};
	chain.difference = difference(g, f, n, scope->inside, n->to[e], &chain);
	uint64_t turn = TURN + (chain.difference ? 1u : 0u) + (slot ? SLOT : 0u);
	uint64_t leaving = LEAVING + (chain.difference ? MORE : 0u) + (slot ? MORE : 0u);
	int64_t gain = (int64_t)(n->weights[e] * turn) - (int64_t)(scope->in + out * leaving);
	if (gain <= 0)
		return OBJECT_OK;
	int var = find_n(c, in, f, n, &chain, gain);
	if (var < 0)
		return var == OBJECT_EUNSUPPORTED ? OBJECT_OK : var;
	chain.n = (uint8_t)var;
	if (!array_room(&c->chains, c->count + 1, &c->size))
		return OBJECT_ENOMEM;
	c->chains[c->count++] = chain;
	return OBJECT_OK;
}

int insert_chains_begin(struct insert_chains *c, struct inserter *in, const struct graph *g,
    const struct graph_function *f, const struct insert_numbered *n, const struct placement *p, uint64_t first,
    bool slot)
{
	*c = (struct insert_chains){.word = -1};
	int error = insert_held_begin(&c->held, in, g, f, n);
	for (uint32_t s = 0; s < c->held.scope_count && error == OBJECT_OK; s++)
		error = try_scope(c, in, g, f, n, p, first, s, slot);
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

bool insert_chains_leave(const struct insert_chains *c, const struct insert_numbered *n, uint32_t from, uint32_t edge)
{
	for (size_t i = 0; i < c->count; i++) {
		const bool *inside = c->held.scopes[c->chains[i].scope].inside;
		if (inside[from] && (n->to[edge] == NUMBERING_EXIT || !inside[n->to[edge]]))
			return true;
	}
	return false;
}

/* Codes on all edges out of a loop, or into it. r, if that is not NULL: by block, for codes[at]. */
static int around(struct inserter *in, const struct graph *g, const struct graph_function *f, const bool *inside,
    bool out, struct inserter_code *codes, size_t count, const uint8_t *r, size_t at)
{
	int error = OBJECT_OK;
	for (uint32_t b = 0; b < f->block_count; b++) {
		const struct graph_block *block = &g->blocks[f->blocks + b];
		for (uint32_t e = block->edges; e < block->edges + block->edge_count && error == OBJECT_OK; e++) {
			uint32_t to = g->edges[e].to;
			bool into = to != GRAPH_NONE && inside[to - f->blocks];
			if (r != NULL)
				codes[at].var = r[b];
			if (inside[b] == out && into != out)
				error = inserter_edge(in, e, codes, count);
		}
	}
	return error;
}

int insert_chains_out(const struct insert_chains *c, struct inserter *in, const struct graph *g,
    const struct graph_function *f, const uint8_t *by_block, uint8_t r)
{
	int error = OBJECT_OK;
	for (size_t i = 0; i < c->count && error == OBJECT_OK; i++) {
		const struct chain *chain = &c->chains[i];
		const struct insert_induction *by = &chain->induction;
		uint8_t x = (uint8_t)INSERTER_X(by->x), n = chain->n;
		struct inserter_code codes[5];
		size_t count = 0, at;
		int wide = by->narrow ? 32 : 0;
		if (chain->difference)
			codes[count++] = (struct inserter_code){
			    .op = by->down ? INSERTER_SUB_FROM : INSERTER_TAKE_FROM, .var = n, .from = x};
		if (chain->difference && by->narrow)
			codes[count++] = (struct inserter_code){.op = INSERTER_SHIFT, .var = n, .value = -wide};
		if (chain->difference && (by->shift > 0 || by->narrow))
			codes[count++] =
			    (struct inserter_code){.op = INSERTER_SHIFT, .var = n, .value = wide + (int)by->shift};
		at = count;
		codes[count++] = (struct inserter_code){
		    .op = INSERTER_COUNT_TURNS, .var = r, .from = n, .value = chain->y, .by = chain->x};
		if (inserter_borrowed(in, n))
			codes[count++] = (struct inserter_code){.op = INSERTER_GIVE_BACK, .var = n};
		error = around(in, g, f, c->held.scopes[chain->scope].inside, true, codes, count, by_block, at);
	}
	return error;
}

int insert_chains_in(
    const struct insert_chains *c, struct inserter *in, const struct graph *g, const struct graph_function *f)
{
	int error = OBJECT_OK;
	for (size_t i = 0; i < c->count && error == OBJECT_OK; i++) {
		const struct chain *chain = &c->chains[i];
		struct inserter_code codes[] = {
		    {.op = INSERTER_LEND, .var = chain->n}, {.op = INSERTER_SET, .var = chain->n}};
		const struct inserter_code one = {.op = INSERTER_ADD, .var = chain->n, .value = 1};
		size_t lent = inserter_borrowed(in, chain->n);
		if (chain->difference)
			codes[1] = (struct inserter_code){.op = INSERTER_MOVE,
			    .var = chain->n,
			    .from = (uint8_t)INSERTER_X(chain->induction.x),
			    .value = chain->add};
		else
			error = inserter_edge(in, f->edge_first + chain->edge, &one, 1);
		if (error == OBJECT_OK)
			error = around(
			    in, g, f, c->held.scopes[chain->scope].inside, false, codes + 1 - lent, 1 + lent, NULL, 0);
	}
	return error;
}
