/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/held.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/graph/loops.h"

enum {
	IN_MEMORY = 6,
	IN_REGISTER = 1,
	SAVING = 6,
	LENDING = 4,
	MORE = 2
}; /* cycles; MORE: of a way out that may need a jump */

/* ---------------------------------------------------------------- loops */
static uint64_t weighted_cycles(uint64_t weight, uint64_t cycles)
{
	return weight > UINT64_MAX / 64 ? UINT64_MAX / 2 : weight * cycles;
}

static uint64_t capped_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX / 2 - b ? UINT64_MAX / 2 : a + b;
}

/* What goes in and out. False: it is entered from outside elsewhere than where the function begins. */
static bool weigh_scope(const struct graph *g, const struct graph_function *f, const struct insert_numbered *n,
    struct held_scope *s, bool whole)
{
	for (uint32_t b = 0; b < f->block_count; b++) {
		if (s->inside[b] && n->root[b] && !(whole && b == 0))
			return false;
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
			bool exit = n->to[e] == NUMBERING_EXIT;
			bool into = !exit && s->inside[n->to[e]];
			if (whole && exit)
				s->in = capped_sum(s->in, n->weights[e]);
			if (!s->inside[b] && into)
				s->in = capped_sum(s->in, n->weights[e]);
			if (s->inside[b] && !into) {
				bool taken = g->edges[f->edge_first + e].kind == GRAPH_TAKEN;
				s->out = capped_sum(
				    s->out, weighted_cycles(n->weights[e], taken ? IN_MEMORY + MORE : IN_MEMORY));
			}
		}
	}
	return true;
}

static int add_held_scope(struct insert_held *h, const struct insert_work *w, bool *inside, bool whole)
{
	const struct graph *g = w->job->graph;
	const struct graph_function *f = w->f;
	const struct insert_numbered *n = w->n;
	struct inserter *in = w->in;
	struct held_scope s = {.inside = inside, .whole = whole};
	if (inserter_calls(in, inside) || !weigh_scope(g, f, n, &s, whole)) {
		free(inside);
		return OBJECT_OK;
	}
	if (!array_room(&h->scopes, h->scope_count + 1, &h->scope_size)) {
		free(inside);
		return OBJECT_ENOMEM;
	}
	h->scopes[h->scope_count++] = s;
	return OBJECT_OK;
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
	return add_held_scope(h, w, inside, true);
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
	bool made = graph_search_make(&search, &shape) && graph_loops_make(&loops, &search);
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
		error = add_held_scope(h, w, inside, false);
	}
	graph_loops_free(&loops);
	graph_search_free(&search);
	return error;
}

int insert_held_begin(struct insert_held *h, const struct insert_work *w)
{
	const struct graph_function *f = w->f;
	int error = OBJECT_OK;
	*h = (struct insert_held){0};
	if (f->block_count > BLOCKS_MAX)
		return OBJECT_OK;
	if (!f->calls)
		error = add_whole_function(h, w);
	return error == OBJECT_OK ? add_loops(h, w) : error;
}

void insert_held_free(struct insert_held *h)
{
	for (size_t i = 0; i < h->scope_count; i++)
		free(h->scopes[i].inside);
	free(h->scopes);
	free(h->counters);
	*h = (struct insert_held){0};
}

/* ---------------------------------------------------------------- which counter gets which register */
struct choice {
	int64_t gain;
	uint32_t edge, scope;
	uint64_t counter;
};

static int by_gain(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;
	return order_then(
	    ORDER_DOWN(x->gain, y->gain), order_then(ORDER_UP(x->edge, y->edge), ORDER_UP(x->scope, y->scope)));
}

static int64_t gain_of_scope(const struct held_scope *s, uint64_t weight)
{
	uint64_t saved = weighted_cycles(weight, IN_MEMORY - IN_REGISTER), lost = capped_sum(s->in, s->out);
	return saved > lost ? (int64_t)(saved - lost) : 0;
}

bool insert_held_pays(const struct insert_held *h, const struct insert_numbered *n, uint32_t from, uint32_t e)
{
	for (size_t i = 0; i < h->scope_count; i++) {
		const struct held_scope *s = &h->scopes[i];
		if (s->inside[from] && n->to[e] != NUMBERING_EXIT && s->inside[n->to[e]] &&
		    gain_of_scope(s, n->weights[e]) > 0)
			return true;
	}
	return false;
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

static int find_register(struct insert_held *h, struct inserter *in, const struct graph_function *f, uint32_t scope,
    int64_t more, uint64_t calls)
{
	int var = inserter_local(in, h->scopes[scope].inside);
	if (var != OBJECT_EUNSUPPORTED)
		return var;
	for (unsigned i = 0; i < h->pool_count; i++) {
		if (pool_free(h, h->pool[i], scope, f->block_count))
			return h->pool[i];
	}
	/* saved where the loop is entered, not where the function is */
	if (!h->scopes[scope].whole && more > (int64_t)weighted_cycles(h->scopes[scope].in, LENDING)) {
		var = inserter_borrow(in, h->scopes[scope].inside);
		if (var != OBJECT_EUNSUPPORTED)
			return var;
	}
	if (h->pool_count == sizeof h->pool / sizeof *h->pool || more <= (int64_t)weighted_cycles(calls, SAVING))
		return OBJECT_EUNSUPPORTED;
	var = inserter_register(in);
	if (var >= 0)
		h->pool[h->pool_count++] = var;
	return var;
}

static uint64_t calls_of(const struct graph_function *f, const struct insert_numbered *n)
{
	uint64_t calls = 0;
	for (uint32_t e = 0; e < f->edge_count; e++)
		calls = n->to[e] == NUMBERING_EXIT ? capped_sum(calls, n->weights[e]) : calls;
	return calls;
}

int insert_held_register(
    struct insert_held *h, const struct insert_work *w, uint32_t edge, uint32_t scope, int64_t more)
{
	const struct graph_function *f = w->f;
	const struct insert_numbered *n = w->n;
	struct inserter *in = w->in;
	int var = find_register(h, in, f, scope, more, calls_of(f, n));
	if (var < 0)
		return var;
	if (!array_room(&h->counters, h->counter_count + 1, &h->counter_size))
		return OBJECT_ENOMEM;
	h->counters[h->counter_count++] = (struct held_counter){edge, scope, 0, (uint8_t)var};
	return var;
}

int insert_held_choose(
    struct insert_held *h, const struct insert_work *w, const uint32_t *edges, const uint64_t *counters, size_t count)
{
	const struct insert_numbered *n = w->n;
	struct choice *all = calloc(count * h->scope_count + 1, sizeof *all);
	size_t used = 0;
	int error = all == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	for (size_t i = 0; i < count && error == OBJECT_OK; i++) {
		uint32_t e = edges[i], from = 0;
		while (n->first[from + 1] <= e)
			from++;
		for (uint32_t s = 0; s < h->scope_count; s++) {
			const struct held_scope *scope = &h->scopes[s];
			bool within = scope->inside[from] && n->to[e] != NUMBERING_EXIT && scope->inside[n->to[e]];
			int64_t more = within ? gain_of_scope(scope, n->weights[e]) : 0;
			if (more > 0)
				all[used++] = (struct choice){more, e, s, counters[i]};
		}
	}
	if (error == OBJECT_OK)
		qsort(all, used, sizeof *all, by_gain);
	for (size_t i = 0; i < used && error == OBJECT_OK; i++) {
		if (insert_held_has(h, all[i].edge))
			continue;
		int var = insert_held_register(h, w, all[i].edge, all[i].scope, all[i].gain);
		if (var >= 0)
			h->counters[h->counter_count - 1].counter = all[i].counter;
		else if (var != OBJECT_EUNSUPPORTED)
			error = var;
	}
	free(all);
	return error;
}

bool insert_held_has(const struct insert_held *h, uint32_t edge)
{
	for (size_t i = 0; i < h->counter_count; i++) {
		if (h->counters[i].edge == edge)
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- codes */
int insert_held_put(const struct insert_held *h, const struct insert_work *w)
{
	const struct graph *g = w->job->graph;
	const struct graph_function *f = w->f;
	struct inserter *in = w->in;
	int error = OBJECT_OK;
	/* what ends one loop comes before what begins another one on the same edge */
	for (int begins = 0; begins < 2; begins++) {
		for (size_t i = 0; i < h->counter_count && error == OBJECT_OK; i++) {
			const struct held_counter *c = &h->counters[i];
			const bool *inside = h->scopes[c->scope].inside;
			const struct inserter_code one = {.op = INSERTER_ADD, .var = c->var, .value = 1};
			const struct inserter_code into[] = {
			    {.op = INSERTER_LEND, .var = c->var}, {.op = INSERTER_SET, .var = c->var}};
			const struct inserter_code out[] = {
			    {.op = INSERTER_COUNT_FROM, .from = c->var, .value = (int64_t)c->counter},
			    {.op = INSERTER_GIVE_BACK, .var = c->var}};
			size_t lent = inserter_borrowed(in, c->var);
			if (begins == 0)
				error = inserter_edge(in, f->edge_first + c->edge, &one, 1);
			else if (inside[0] && error == OBJECT_OK)
				error = inserter_enter(in, f->blocks, into + 1, 1);
			for (uint32_t b = 0; b < f->block_count; b++) {
				const struct graph_block *block = &g->blocks[f->blocks + b];
				for (uint32_t e = block->edges;
				     e < block->edges + block->edge_count && error == OBJECT_OK; e++) {
					uint32_t to = g->edges[e].to;
					bool in_to = to != GRAPH_NONE && inside[to - f->blocks];
					if (begins == 0 && inside[b] && !in_to)
						error = inserter_edge(in, e, out, 1 + lent);
					if (begins == 1 && !inside[b] && in_to)
						error = inserter_edge(in, e, into + 1 - lent, 1 + lent);
				}
			}
		}
	}
	return error;
}
