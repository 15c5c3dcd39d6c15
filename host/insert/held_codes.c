/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The codes of counters in registers. On one edge several loops may end and begin, so they come in this order:
 *
 *   OUT_OF_INNER   x += i      what an inner loop has turned
 *   OUT            count += x  a scope ends: its register is free
 *   INTO           x = 0       a scope begins
 *   INTO_INNER     x -= i
 */
#include "host/insert/held.h"

enum stage { OUT_OF_INNER, OUT, INTO, INTO_INNER, STAGES };
#define CODES_MAX 7

/* Where a scope is left from a block. */
static size_t out_codes(const struct insert_held *h, struct inserter *in, const struct held_counter *c, uint32_t b,
    struct inserter_code *out)
{
	size_t count = 0;
	if (c->way == HELD_DIFFERENCE)
		count = loop_turns_out(&h->scopes[c->scope].turns, b, c->var, out);
	else if (c->way == HELD_SUMS && h->scopes[c->loop].turns.by.shift > 0)
		out[count++] = (struct inserter_code){
		    .op = INSERTER_SHIFT, .var = c->var, .value = (int)h->scopes[c->loop].turns.by.shift};
	out[count++] = (struct inserter_code){.op = INSERTER_COUNT_FROM, .from = c->var, .value = (int64_t)c->counter};
	if (inserter_borrowed(in, c->var))
		out[count++] = (struct inserter_code){.op = INSERTER_GIVE_BACK, .var = c->var};
	return count;
}

static size_t into_codes(
    const struct insert_held *h, struct inserter *in, const struct held_counter *c, struct inserter_code *into)
{
	size_t count = 0;
	if (inserter_borrowed(in, c->var))
		into[count++] = (struct inserter_code){.op = INSERTER_LEND, .var = c->var};
	into[count] = (struct inserter_code){.op = INSERTER_SET, .var = c->var};
	if (c->way == HELD_DIFFERENCE)
		into[count] = loop_turns_in(&h->scopes[c->scope].turns, c->var);
	return count + 1;
}

static size_t codes_of(const struct insert_held *h, struct inserter *in, const struct held_counter *c, unsigned stage,
    uint32_t from, struct inserter_code *codes)
{
	switch (stage) {
	case OUT:
		return out_codes(h, in, c, from, codes);
	case INTO:
		return into_codes(h, in, c, codes);
	default:
		return loop_turns_sum(&h->scopes[c->loop].turns, from, stage == INTO_INNER, c->var, codes);
	}
}

static int put_stage(
    const struct insert_held *h, const struct insert_work *w, const struct held_counter *c, unsigned stage)
{
	const struct graph *g = w->job->graph;
	const struct graph_function *f = w->f;
	struct inserter *in = w->in;
	bool inner = stage == OUT_OF_INNER || stage == INTO_INNER, out = stage == OUT_OF_INNER || stage == OUT;
	const bool *inside = h->scopes[inner ? c->loop : c->scope].inside;
	struct inserter_code codes[CODES_MAX];
	int error = OBJECT_OK;
	if (inner && c->way != HELD_SUMS)
		return OBJECT_OK;
	if (stage == INTO && inside[0]) /* the whole function */
		error = inserter_enter(in, f->blocks, codes, into_codes(h, in, c, codes));
	for (uint32_t b = 0; b < f->block_count; b++) {
		const struct graph_block *block = &g->blocks[f->blocks + b];
		for (uint32_t e = block->edges; e < block->edges + block->edge_count && error == OBJECT_OK; e++) {
			uint32_t to = g->edges[e].to;
			bool into = to != GRAPH_NONE && inside[to - f->blocks];
			if (inside[b] == out && into != out)
				error = inserter_edge(in, e, codes, codes_of(h, in, c, stage, b, codes));
		}
	}
	return error;
}

int insert_held_put(const struct insert_held *h, const struct insert_work *w)
{
	int error = OBJECT_OK;
	for (size_t i = 0; i < h->counter_count && error == OBJECT_OK; i++) {
		const struct held_counter *c = &h->counters[i];
		const struct inserter_code one = {.op = INSERTER_ADD, .var = c->var, .value = 1};
		if (c->way == HELD_PLAIN)
			error = inserter_edge(w->in, w->f->edge_first + c->edge, &one, 1);
	}
	for (unsigned stage = 0; stage < STAGES; stage++) {
		for (size_t i = 0; i < h->counter_count && error == OBJECT_OK; i++)
			error = put_stage(h, w, &h->counters[i], stage);
	}
	return error;
}
