/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/chain.h"

#include <stdlib.h>
#include "host/base/array.h"
#include "host/insert/near.h"

enum { TURN = 6, LEAVING = 7, MORE = 1, SLOT = 4 }; /* cycles that a turn costs less, and a way out more */

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

/* The blocks of a turn, in order. Their number; 0: one of them turns alone. */
static uint32_t turn_of(const struct graph_function *f, const struct insert_numbered *n, const bool *inside,
    uint32_t head, uint32_t *order, bool *leads_out)
{
	uint32_t count = 0;
	for (uint32_t b = head, next = head; count == 0 || b != head; b = next) {
		if (count == f->block_count)
			return 0;
		leads_out[count] = false;
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
			bool within = n->to[e] != NUMBERING_EXIT && inside[n->to[e]];
			if (n->to[e] == b)
				return 0;
			next = within ? n->to[e] : next;
			leads_out[count] = leads_out[count] || !within;
		}
		order[count++] = f->blocks + b;
	}
	return count;
}

/* The loop's register that counts its turns. Whether it has one, or OBJECT_ENOMEM. */
static int turns_register(const struct insert_job *job, const struct graph_function *f, const struct insert_numbered *n,
    const bool *inside, uint32_t head, struct chain *c)
{
	uint32_t *order = malloc((f->block_count + 1u) * sizeof *order), at = 0, ways = 0, early = 0;
	bool *out = calloc(f->block_count + 1u, sizeof *out), found = false;
	c->less = calloc(f->block_count + 1u, sizeof *c->less);
	if (order == NULL || out == NULL || c->less == NULL) {
		free(order);
		free(out);
		return OBJECT_ENOMEM;
	}
	uint32_t count = turn_of(f, n, inside, head, order, out);
	for (uint32_t i = 0; i < count; i++)
		ways += out[i];
	for (uint32_t i = 0; i < count && !found; i++) {
		found = out[i] && insert_induction_of(job->graph, order, count, i, &c->induction, &at);
		/* x may have each value once */
		bool whole = job->object->xlen == 64 && !c->induction.narrow;
		found = found && (ways == 1 || c->induction.shift == 0 || whole);
	}
	for (uint32_t i = 0; i < at && found; i++)
		early += out[i];
	/* where it is left early the register has not made this turn's step: elsewhere one turn less then */
	c->add = early == 0 ? c->induction.step : 0;
	for (uint32_t i = at; i < count && found; i++)
		c->less[order[i] - f->blocks] = early > 0;
	free(order);
	free(out);
	return found;
}

/* n: a register, or for a difference a word of the stack. */
static int find_n(struct insert_chains *c, const struct insert_work *w, const struct chain *chain, int64_t gain)
{
	struct inserter *in = w->in;
	const struct held_counter how = {.edge = chain->edge, .scope = chain->scope};
	if (!chain->difference)
		return insert_held_register(&c->held, w, &how, gain);
	int var = inserter_local(in, c->held.scopes[chain->scope].inside);
	if (var != OBJECT_EUNSUPPORTED)
		return var;
	if (c->word < 0)
		c->word = inserter_word(in);
	return c->word >= 0 ? c->word : insert_held_register(&c->held, w, &how, gain);
}

static int try_scope(struct insert_chains *c, const struct insert_work *w, const struct placement *p, uint64_t first,
    uint32_t s, bool slot)
{
	struct insert_job *job = w->job;
	const struct graph_function *f = w->f;
	const struct insert_numbered *n = w->n;
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
	bool alone = false; /* a head that turns alone too is no place to count at */
	for (uint32_t k = n->first[n->to[e]]; k < n->first[n->to[e] + 1]; k++)
		alone = alone || n->to[k] == n->to[e];
	struct chain chain = {.edge = e,
	    .scope = s,
	    .head = alone ? GRAPH_NONE : n->to[e],
	    .x = leave->value,
	    .y = (int64_t)first + enter->value,
	    .part = near_part(&n->numbering, enter->begin)};
	int found = turns_register(job, f, n, scope->inside, n->to[e], &chain);
	chain.difference = found > 0;
	uint64_t turn = TURN + (chain.difference ? 1u : 0u) + (slot ? SLOT : 0u);
	uint64_t leaving = LEAVING + (chain.difference ? MORE : 0u) + (slot ? MORE : 0u);
	int64_t gain = (int64_t)(n->weights[e] * turn) - (int64_t)(scope->in + out * leaving);
	int var;
	if (found < 0)
		var = found;
	else if (gain <= 0)
		var = OBJECT_EUNSUPPORTED;
	else
		var = find_n(c, w, &chain, gain);
	if (var >= 0 && !array_room(&c->chains, c->count + 1, &c->size))
		var = OBJECT_ENOMEM;
	if (var < 0) {
		free(chain.less);
		return var == OBJECT_EUNSUPPORTED ? OBJECT_OK : var;
	}
	chain.n = (uint8_t)var;
	c->chains[c->count++] = chain;
	return OBJECT_OK;
}

int insert_chains_begin(
    struct insert_chains *c, const struct insert_work *w, const struct placement *p, uint64_t first, bool slot)
{
	*c = (struct insert_chains){.word = -1};
	int error = insert_held_begin(&c->held, w);
	for (uint32_t s = 0; s < c->held.scope_count && error == OBJECT_OK; s++)
		error = try_scope(c, w, p, first, s, slot);
	return error;
}

void insert_chains_free(struct insert_chains *c)
{
	insert_held_free(&c->held);
	for (size_t i = 0; i < c->count; i++)
		free(c->chains[i].less);
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

/* Codes on all edges of a block that lead out of a loop, or into it. */
static int put_around(const struct insert_work *w, const bool *inside, uint32_t b, bool out,
    const struct inserter_code *codes, size_t count)
{
	const struct graph *g = w->job->graph;
	const struct graph_function *f = w->f;
	struct inserter *in = w->in;
	const struct graph_block *block = &g->blocks[f->blocks + b];
	int error = OBJECT_OK;
	for (uint32_t e = block->edges; e < block->edges + block->edge_count && error == OBJECT_OK; e++) {
		uint32_t to = g->edges[e].to;
		bool into = to != GRAPH_NONE && inside[to - f->blocks];
		if (inside[b] == out && into != out)
			error = inserter_edge(in, e, codes, count);
	}
	return error;
}

/* What is done where the loop is left from a block. */
static size_t leave_codes(
    const struct chain *chain, const struct inserter *in, uint32_t b, uint8_t r, struct inserter_code *codes)
{
	const struct insert_induction *by = &chain->induction;
	uint8_t x = (uint8_t)INSERTER_X(by->x), n = chain->n;
	int wide = by->narrow ? 32 : 0;
	size_t count = 0;
	if (chain->difference)
		codes[count++] = (struct inserter_code){
		    .op = by->down ? INSERTER_SUB_FROM : INSERTER_TAKE_FROM, .var = n, .from = x};
	if (chain->difference && by->narrow)
		codes[count++] = (struct inserter_code){.op = INSERTER_SHIFT, .var = n, .value = -wide};
	if (chain->difference && (by->shift > 0 || by->narrow))
		codes[count++] = (struct inserter_code){.op = INSERTER_SHIFT, .var = n, .value = wide + (int)by->shift};
	if (chain->difference && chain->less[b])
		codes[count++] = (struct inserter_code){.op = INSERTER_ADD, .var = n, .value = -1};
	codes[count++] = (struct inserter_code){
	    .op = INSERTER_COUNT_TURNS, .var = r, .from = n, .value = chain->y, .by = chain->x, .symbol = chain->part};
	if (inserter_borrowed(in, n))
		codes[count++] = (struct inserter_code){.op = INSERTER_GIVE_BACK, .var = n};
	return count;
}

int insert_chains_out(const struct insert_chains *c, const struct insert_work *w, const uint8_t *by_block, uint8_t r)
{
	const struct graph_function *f = w->f;
	struct inserter *in = w->in;
	int error = OBJECT_OK;
	for (size_t i = 0; i < c->count; i++) {
		const struct chain *chain = &c->chains[i];
		struct inserter_code codes[6];
		for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
			size_t count = leave_codes(chain, in, b, by_block == NULL ? r : by_block[b], codes);
			error = put_around(w, c->held.scopes[chain->scope].inside, b, true, codes, count);
		}
	}
	return error;
}

int insert_chains_in(const struct insert_chains *c, const struct insert_work *w)
{
	const struct graph_function *f = w->f;
	struct inserter *in = w->in;
	int error = OBJECT_OK;
	for (size_t i = 0; i < c->count && error == OBJECT_OK; i++) {
		const struct chain *chain = &c->chains[i];
		struct inserter_code codes[] = {{.op = INSERTER_LEND, .var = chain->n},
		    {.op = INSERTER_SET, .var = chain->n, .value = chain->head == GRAPH_NONE ? 0 : -1}};
		const struct inserter_code one = {.op = INSERTER_ADD, .var = chain->n, .value = 1};
		size_t lent = inserter_borrowed(in, chain->n);
		if (chain->difference)
			codes[1] = (struct inserter_code){.op = INSERTER_MOVE,
			    .var = chain->n,
			    .from = (uint8_t)INSERTER_X(chain->induction.x),
			    .value = chain->add};
		else if (chain->head == GRAPH_NONE)
			error = inserter_edge(in, f->edge_first + chain->edge, &one, 1);
		else
			error = inserter_block(in, f->blocks + chain->head, &one, 1);
		for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++)
			error =
			    put_around(w, c->held.scopes[chain->scope].inside, b, false, codes + 1 - lent, 1 + lent);
	}
	return error;
}
