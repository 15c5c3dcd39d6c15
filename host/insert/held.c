/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/held.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/graph/dominators.h"

enum { LENDING = 4, SAVING = 6 }; /* cycles: of a register around a loop, over a call of the function */

/* ---------------------------------------------------------------- loops */
/* What goes in and out. False: it is entered from outside elsewhere than where the function begins. */
static bool weigh_scope(const struct insert_work *w, const uint64_t *jumps, struct held_scope *s)
{
	const struct insert_numbered *n = w->n;
	for (uint32_t b = 0; b < w->f->block_count; b++) {
		if (s->inside[b] && n->root[b] && !(s->whole && b == 0))
			return false;
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
			bool exit = n->to[e] == NUMBERING_EXIT;
			bool into = !exit && s->inside[n->to[e]];
			if ((s->whole && exit) || (!s->inside[b] && into))
				s->in = price_sum(s->in, n->weights[e]);
			if (s->inside[b] && !into)
				s->out = price_sum(s->out, n->weights[e]);
			if (s->inside[b] != into)
				s->jumps = price_sum(s->jumps, jumps[e]);
		}
	}
	return true;
}

static uint64_t calls_of(const struct insert_work *w)
{
	uint64_t calls = 0;
	for (uint32_t e = 0; e < w->f->edge_count; e++)
		calls = w->n->to[e] == NUMBERING_EXIT ? price_sum(calls, w->n->weights[e]) : calls;
	return calls;
}

/* A register that is live is saved around the loop, or a callee-saved one over the function. */
static uint64_t lending_of(const struct insert_work *w, const struct held_scope *s)
{
	uint64_t saving = price_of(calls_of(w), SAVING), lending = price_of(s->in, LENDING);
	if (inserter_has_local(w->in, s->inside))
		return 0;
	return s->whole || saving < lending ? saving : lending;
}

/* loop: GRAPH_NONE: the whole function. */
static int add_held_scope(
    struct insert_held *h, const struct insert_work *w, bool *inside, const struct turns_shape *shape, uint32_t loop)
{
	bool whole = loop == GRAPH_NONE;
	struct held_scope s = {.inside = inside, .whole = whole, .turns = {.edge = GRAPH_NONE}};
	if (inserter_calls(w->in, inside) || !weigh_scope(w, h->jumps, &s)) {
		free(inside);
		return OBJECT_OK;
	}
	s.lending = lending_of(w, &s);
	int error = whole ? OBJECT_OK : loop_turns_find(&s.turns, w, shape, loop, inside);
	if (error == OBJECT_OK && array_room(&h->scopes, h->scope_count + 1, &h->scope_size)) {
		h->scopes[h->scope_count++] = s;
		return OBJECT_OK;
	}
	loop_turns_free(&s.turns);
	free(inside);
	return OBJECT_ENOMEM;
}

#define BLOCKS_MAX 2000u /* of a function whose loops are looked at */

/* The function, if nothing in it is called. */
static int add_whole_function(struct insert_held *h, const struct insert_work *w)
{
	const struct graph_function *f = w->f;
	bool *inside = malloc(f->block_count * sizeof *inside);
	if (inside == NULL)
		return OBJECT_ENOMEM;
	memset(inside, 1, f->block_count * sizeof *inside);
	return add_held_scope(h, w, inside, NULL, GRAPH_NONE);
}

/* The loops that are entered at their heads alone. One of a single block counts its turns otherwise (self.c). */
static int add_loops(struct insert_held *h, const struct insert_work *w)
{
	const struct graph_function *f = w->f;
	const struct insert_numbered *n = w->n;
	const struct graph_shape shape = {
	    .count = f->block_count, .entry = 0, .first = n->first, .to = n->to, .root = n->root};
	struct graph_search search = {0};
	struct graph_loops loops = {0};
	uint32_t *dominator = malloc((f->block_count + 1u) * sizeof *dominator);
	bool made = dominator != NULL && graph_search_make(&search, &shape) && graph_dominators(&search, dominator) &&
		    graph_loops_make(&loops, &search);
	int error = made ? OBJECT_OK : OBJECT_ENOMEM;
	for (uint32_t i = 0; i < loops.count && error == OBJECT_OK; i++) {
		if (loops.loops[i].vertices == 1 || !loops.loops[i].reducible)
			continue;
		bool *inside = calloc(f->block_count, sizeof *inside);
		if (inside == NULL) {
			error = OBJECT_ENOMEM;
			break;
		}
		for (uint32_t b = 0; b < f->block_count; b++)
			inside[b] = graph_loop_holds(&loops, i, b);
		error = add_held_scope(h, w, inside, &(struct turns_shape){&loops, dominator}, i);
	}
	graph_loops_free(&loops);
	graph_search_free(&search);
	free(dominator);
	return error;
}

int insert_held_begin(struct insert_held *h, const struct insert_work *w)
{
	const struct graph_function *f = w->f;
	*h = (struct insert_held){.word = -1, .jumps = calloc(f->edge_count + 1u, sizeof *h->jumps)};
	int error = h->jumps == NULL ? OBJECT_ENOMEM : price_jumps(w->job->graph, f, w->n, h->jumps);
	if (f->block_count > BLOCKS_MAX)
		return error;
	if (!f->calls && error == OBJECT_OK)
		error = add_whole_function(h, w);
	return error == OBJECT_OK ? add_loops(h, w) : error;
}

void insert_held_free(struct insert_held *h)
{
	for (size_t i = 0; i < h->scope_count; i++) {
		free(h->scopes[i].inside);
		loop_turns_free(&h->scopes[i].turns);
	}
	free(h->scopes);
	free(h->counters);
	free(h->jumps);
	*h = (struct insert_held){0};
}

/* ---------------------------------------------------------------- what it costs */
uint64_t insert_held_memory(const struct insert_held *h, const struct insert_numbered *n, uint32_t e)
{
	return price_sum(price_of(n->weights[e], PRICE_MEMORY), h->jumps[e]);
}

/* Within a scope, and not the way out of it. */
static bool edge_within(const struct held_scope *s, const struct insert_numbered *n, uint32_t from, uint32_t e)
{
	return s->inside[from] && n->to[e] != NUMBERING_EXIT && s->inside[n->to[e]];
}

/* Sums of what a loop adds to a register, over a scope around it: they are exact if the register has room for all. */
static bool sums_fit(const struct insert_work *w, const struct held_scope *outer, const struct held_scope *inner)
{
	const struct insert_induction *by = &inner->turns.by;
	bool within = outer != inner;
	for (uint32_t b = 0; b < w->f->block_count && within; b++)
		within = !inner->inside[b] || outer->inside[b];
	return within && !by->narrow && (by->shift == 0 || w->job->object->xlen == 64);
}

/* The same in one scope, in one way. UINT64_MAX: not in this way. */
static uint64_t price_in_scope(const struct insert_held *h, const struct insert_work *w, const struct held_counter *how)
{
	const struct held_scope *s = &h->scopes[how->scope], *inner = &h->scopes[how->loop];
	uint64_t in_register = price_sum(price_of(w->n->weights[how->edge], PRICE_REGISTER), h->jumps[how->edge]);
	uint64_t around =
	    price_sum(price_sum(s->in, s->lending), price_sum(price_of(s->out, PRICE_MEMORY - 1), s->jumps));
	switch (how->way) {
	case HELD_PLAIN:
		return price_sum(around, in_register);
	case HELD_DIFFERENCE:
		return s->turns.edge == how->edge ? price_sum(around, price_of(s->out, PRICE_REGISTER)) : UINT64_MAX;
	default:
		if (inner->turns.edge != how->edge || !sums_fit(w, s, inner))
			return UINT64_MAX;
		return price_sum(around, price_sum(price_of(inner->in, 3 * PRICE_REGISTER), inner->jumps));
	}
}

uint64_t insert_held_price(const struct insert_held *h, const struct insert_work *w, uint32_t from, uint32_t e)
{
	uint64_t least = UINT64_MAX;
	for (uint32_t s = 0; s < h->scope_count; s++) {
		if (!edge_within(&h->scopes[s], w->n, from, e))
			continue;
		for (unsigned way = HELD_PLAIN; way <= HELD_SUMS; way++) {
			for (uint32_t loop = 0; loop < (way == HELD_SUMS ? h->scope_count : 1); loop++) {
				const struct held_counter how = {
				    .edge = e, .scope = s, .way = (uint8_t)way, .loop = loop};
				uint64_t price = price_in_scope(h, w, &how);
				least = price < least ? price : least;
			}
		}
	}
	return least;
}

/* ---------------------------------------------------------------- which counter gets which register */
struct choice {
	int64_t gain;
	struct held_counter how;
};
struct choices {
	struct choice *all;
	size_t used, size;
};

static int by_gain(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;
	int order = order_then(ORDER_DOWN(x->gain, y->gain), ORDER_UP(x->how.edge, y->how.edge));
	return order_then(order, order_then(ORDER_UP(x->how.scope, y->how.scope), ORDER_UP(x->how.way, y->how.way)));
}

/* No other loop that uses this register shares a block with this one. */
static bool pool_free(const struct insert_held *h, int var, uint32_t scope, uint32_t blocks)
{
	for (size_t i = 0; i < h->counter_count; i++) {
		const bool *other = h->scopes[h->counters[i].scope].inside, *own = h->scopes[scope].inside;
		for (uint32_t b = 0; b < blocks && h->counters[i].var == var; b++) {
			if (other[b] && own[b])
				return false;
		}
	}
	return true;
}

static int find_register(
    struct insert_held *h, const struct insert_work *w, const struct held_counter *how, int64_t gain)
{
	struct inserter *in = w->in;
	const struct held_scope *scope = &h->scopes[how->scope];
	int var = inserter_local(in, scope->inside);
	if (var != OBJECT_EUNSUPPORTED)
		return var;
	if (how->way == HELD_DIFFERENCE && h->word < 0)
		h->word = inserter_word(in);
	if (how->way == HELD_DIFFERENCE && h->word >= 0 && pool_free(h, h->word, how->scope, w->f->block_count))
		return h->word;
	for (unsigned i = 0; i < h->pool_count; i++) {
		if (pool_free(h, h->pool[i], how->scope, w->f->block_count))
			return h->pool[i];
	}
	/* saved where the loop is entered, not where the function is */
	if (!scope->whole && gain > (int64_t)price_of(scope->in, LENDING)) {
		var = inserter_borrow(in, scope->inside);
		if (var != OBJECT_EUNSUPPORTED)
			return var;
	}
	if (h->pool_count == sizeof h->pool / sizeof *h->pool || gain <= (int64_t)price_of(calls_of(w), SAVING))
		return OBJECT_EUNSUPPORTED;
	var = inserter_register(in);
	if (var >= 0)
		h->pool[h->pool_count++] = var;
	return var;
}

int insert_held_register(
    struct insert_held *h, const struct insert_work *w, const struct held_counter *how, int64_t gain)
{
	int var = find_register(h, w, how, gain);
	if (var < 0)
		return var;
	if (!array_room(&h->counters, h->counter_count + 1, &h->counter_size))
		return OBJECT_ENOMEM;
	h->counters[h->counter_count] = *how;
	h->counters[h->counter_count++].var = (uint8_t)var;
	return var;
}

/* All ways to hold an edge of a block that cost less than memory. */
static int list_choices(const struct insert_held *h, const struct insert_work *w, uint32_t from,
    const struct held_counter *edge, struct choices *c)
{
	uint64_t memory = insert_held_memory(h, w->n, edge->edge);
	for (uint32_t s = 0; s < h->scope_count; s++) {
		if (!edge_within(&h->scopes[s], w->n, from, edge->edge))
			continue;
		for (unsigned way = HELD_PLAIN; way <= HELD_SUMS; way++) {
			for (uint32_t loop = 0; loop < (way == HELD_SUMS ? h->scope_count : 1); loop++) {
				struct held_counter how = *edge;
				how.scope = s;
				how.way = (uint8_t)way;
				how.loop = loop;
				how.price = price_in_scope(h, w, &how);
				if (how.price >= memory)
					continue;
				if (!array_room(&c->all, c->used + 1, &c->size))
					return OBJECT_ENOMEM;
				/* what a register there costs is asked where one is looked for */
				uint64_t gain = memory - (how.price - h->scopes[s].lending);
				c->all[c->used++] = (struct choice){(int64_t)gain, how};
			}
		}
	}
	return OBJECT_OK;
}

int insert_held_choose(
    struct insert_held *h, const struct insert_work *w, const uint32_t *edges, const uint64_t *counters, size_t count)
{
	const struct insert_numbered *n = w->n;
	struct choices c = {0};
	int error = OBJECT_OK;
	for (size_t i = 0; i < count && error == OBJECT_OK; i++) {
		uint32_t from = 0;
		while (n->first[from + 1] <= edges[i])
			from++;
		const struct held_counter edge = {.edge = edges[i], .counter = counters[i]};
		error = list_choices(h, w, from, &edge, &c);
	}
	if (error == OBJECT_OK && c.used > 0)
		qsort(c.all, c.used, sizeof *c.all, by_gain);
	for (size_t i = 0; i < c.used && error == OBJECT_OK; i++) {
		if (insert_held_of(h, c.all[i].how.edge) != NULL)
			continue;
		int var = insert_held_register(h, w, &c.all[i].how, c.all[i].gain);
		if (var < 0 && var != OBJECT_EUNSUPPORTED)
			error = var;
	}
	free(c.all);
	return error;
}

const struct held_counter *insert_held_of(const struct insert_held *h, uint32_t edge)
{
	for (size_t i = 0; i < h->counter_count; i++) {
		if (h->counters[i].edge == edge)
			return &h->counters[i];
	}
	return NULL;
}
