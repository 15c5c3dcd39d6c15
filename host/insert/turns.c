/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/turns.h"

#include <stdlib.h>

struct finder {
	const struct graph *g;
	const struct graph_function *f;
	const struct insert_numbered *n;
	const struct turns_shape *shape;
	const bool *inside;
	uint32_t loop, head, latch;
	uint32_t *blocks; /* of the loop, of the graph */
	uint32_t count;
	bool *reached; /* by block: behind the step, in the same turn */
	uint32_t *stack;
};

static bool leads_out(const struct finder *t, uint32_t b)
{
	for (uint32_t e = t->n->first[b]; e < t->n->first[b + 1]; e++) {
		if (t->n->to[e] == NUMBERING_EXIT || !t->inside[t->n->to[e]])
			return true;
	}
	return false;
}

/* Every way from the head to a block runs through the other one. */
static bool dominates(const struct finder *t, uint32_t above, uint32_t b)
{
	while (b != above && b != t->head && b != GRAPH_VERTEX)
		b = t->shape->dominator[b];
	return b == above;
}

/* Each turn executes it once. */
static bool once_a_turn(const struct finder *t, uint32_t b)
{
	return t->shape->loops->loop[b] == t->loop && dominates(t, b, t->latch);
}

/* The only edge back, and the blocks. */
static uint32_t look_at_loop(struct finder *t)
{
	uint32_t found = GRAPH_NONE;
	unsigned ways = 0;
	for (uint32_t b = 0; b < t->f->block_count; b++) {
		if (!t->inside[b])
			continue;
		t->blocks[t->count++] = t->f->blocks + b;
		for (uint32_t e = t->n->first[b]; e < t->n->first[b + 1]; e++) {
			if (t->n->to[e] != t->head)
				continue;
			ways++;
			found = e;
			t->latch = b;
		}
	}
	return ways == 1 && t->latch != t->head ? found : GRAPH_NONE;
}

/* What a block leads to without another turn. */
static void reach_from(struct finder *t, uint32_t from)
{
	uint32_t used = 0;
	t->stack[used++] = from;
	t->reached[from] = true;
	while (used > 0) {
		uint32_t b = t->stack[--used];
		for (uint32_t e = t->n->first[b]; e < t->n->first[b + 1]; e++) {
			uint32_t to = t->n->to[e];
			if (to == NUMBERING_EXIT || !t->inside[to] || to == t->head || t->reached[to])
				continue;
			t->reached[to] = true;
			t->stack[used++] = to;
		}
	}
}

/* Where it is left before the step and where behind it. False: somewhere it may be either. */
static bool find_less(struct finder *t, uint32_t step, struct loop_turns *turns)
{
	bool early = false;
	reach_from(t, step);
	for (uint32_t b = 0; b < t->f->block_count; b++) {
		if (!t->inside[b] || !leads_out(t, b))
			continue;
		turns->less[b] = dominates(t, step, b);
		if (!turns->less[b] && t->reached[b])
			return false;
		early = early || !turns->less[b];
	}
	/* behind the step everywhere: that is in the addition */
	turns->add = early ? 0 : turns->by.step;
	for (uint32_t b = 0; b < t->f->block_count && !early; b++)
		turns->less[b] = false;
	return true;
}

static bool find_step(struct finder *t, const struct insert_work *w, struct loop_turns *turns)
{
	uint32_t ways = 0, at;
	for (uint32_t i = 0; i < t->count; i++)
		ways += leads_out(t, t->blocks[i] - t->f->blocks);
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t b = t->blocks[i] - t->f->blocks;
		if (!leads_out(t, b) || !once_a_turn(t, b) ||
		    !insert_induction_of(t->g, t->blocks, t->count, i, &turns->by, &at))
			continue;
		bool whole = w->job->object->xlen == 64 && !turns->by.narrow;
		if (ways > 1 && turns->by.shift > 0 && !whole) /* x may have each value once */
			continue;
		uint32_t step = t->blocks[at] - t->f->blocks;
		return once_a_turn(t, step) && find_less(t, step, turns);
	}
	return false;
}

int loop_turns_find(struct loop_turns *turns, const struct insert_work *w, const struct turns_shape *shape,
    uint32_t loop, const bool *inside)
{
	const struct graph_function *f = w->f;
	struct finder t = {.g = w->job->graph,
	    .f = f,
	    .n = w->n,
	    .shape = shape,
	    .inside = inside,
	    .loop = loop,
	    .head = shape->loops->loops[loop].head,
	    .blocks = malloc((f->block_count + 1u) * sizeof *t.blocks),
	    .reached = calloc(f->block_count + 1u, sizeof *t.reached),
	    .stack = malloc((f->block_count + 1u) * sizeof *t.stack)};
	*turns = (struct loop_turns){.edge = GRAPH_NONE, .less = calloc(f->block_count + 1u, sizeof *turns->less)};
	int error = OBJECT_ENOMEM;
	if (t.blocks != NULL && t.reached != NULL && t.stack != NULL && turns->less != NULL) {
		uint32_t edge = look_at_loop(&t);
		error = OBJECT_OK;
		if (edge != GRAPH_NONE && find_step(&t, w, turns))
			turns->edge = edge;
	}
	free(t.blocks);
	free(t.reached);
	free(t.stack);
	if (turns->edge == GRAPH_NONE)
		loop_turns_free(turns);
	return error;
}

void loop_turns_free(struct loop_turns *turns)
{
	free(turns->less);
	*turns = (struct loop_turns){.edge = GRAPH_NONE};
}

struct inserter_code loop_turns_in(const struct loop_turns *turns, uint8_t t)
{
	return (struct inserter_code){
	    .op = INSERTER_MOVE, .var = t, .from = (uint8_t)INSERTER_X(turns->by.x), .value = turns->add};
}

size_t loop_turns_out(const struct loop_turns *turns, uint32_t b, uint8_t t, struct inserter_code *codes)
{
	const struct insert_induction *by = &turns->by;
	int wide = by->narrow ? 32 : 0;
	size_t count = 0;
	codes[count++] = (struct inserter_code){
	    .op = by->down ? INSERTER_SUB_FROM : INSERTER_TAKE_FROM, .var = t, .from = (uint8_t)INSERTER_X(by->x)};
	if (by->narrow)
		codes[count++] = (struct inserter_code){.op = INSERTER_SHIFT, .var = t, .value = -wide};
	if (by->shift > 0 || by->narrow)
		codes[count++] = (struct inserter_code){.op = INSERTER_SHIFT, .var = t, .value = wide + (int)by->shift};
	if (turns->less[b])
		codes[count++] = (struct inserter_code){.op = INSERTER_ADD, .var = t, .value = -1};
	return count;
}

size_t loop_turns_sum(const struct loop_turns *turns, uint32_t b, bool into, uint8_t sum, struct inserter_code *codes)
{
	const struct insert_induction *by = &turns->by;
	bool less = !into && (turns->less[b] || turns->add != 0);
	codes[0] = (struct inserter_code){.op = into == by->down ? INSERTER_ADD_FROM : INSERTER_SUB_FROM,
	    .var = sum,
	    .from = (uint8_t)INSERTER_X(by->x)};
	if (less)
		codes[1] = (struct inserter_code){.op = INSERTER_ADD, .var = sum, .value = -(INT64_C(1) << by->shift)};
	return less ? 2 : 1;
}
