/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/view/calls.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct open { /* a call that has not ended */
	uint32_t node, edge;
	uint64_t entry;   /* first address of the function */
	uint64_t entered; /* of the node, when it began: tells this call from the next one in the same context */
	uint64_t begin, self;
};

struct calls_work {
	struct open *stack;
	size_t depth, room;
	uint32_t process;
	uint64_t longest; /* the latest time of the processes before, if they ran together */
	size_t max, span_room, edge_room;
	uint32_t *edge_of; /* of each context, NONE: not looked up yet */
	size_t edge_of_count;
	uint32_t *table; /* edges by site and target, open addressing, at most half full; NONE: empty */
	size_t table_size;
	const struct stack_node *nodes;
};

int calls_open(struct calls **out, size_t max, bool timed)
{
	struct calls *calls = calloc(1, sizeof *calls);
	*out = NULL;
	if (calls == NULL || (calls->work = calloc(1, sizeof *calls->work)) == NULL) {
		free(calls);
		return CALLS_ENOMEM;
	}
	calls->work->max = max < 2 ? 2 : max;
	calls->timed = timed;
	*out = calls;
	return CALLS_OK;
}

static void free_calls_work(struct calls *calls)
{
	if (calls->work == NULL)
		return;
	free(calls->work->stack);
	free(calls->work->edge_of);
	free(calls->work->table);
	free(calls->work);
	calls->work = NULL;
}

void calls_close(struct calls *calls)
{
	if (calls == NULL)
		return;
	free_calls_work(calls);
	free(calls->spans);
	free(calls->edges);
	free(calls);
}

/* Room for one more than count of size bytes each. */
static bool grow_calls(void **array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return true;
	size_t more = *room == 0 ? 256 : 2 * *room;
	void *grown = realloc(*array, more * size);
	if (grown == NULL)
		return false;
	*array = grown;
	*room = more;
	return true;
}

/* ---- edges ---- */

static size_t call_slot_of(const struct calls *calls, uint64_t site, uint64_t target)
{
	const struct calls_work *work = calls->work;
	uint64_t x = (site * UINT64_C(0x9E3779B97F4A7C15)) ^ target;
	x *= UINT64_C(0xC2B2AE3D27D4EB4F);
	size_t slot = (size_t)(x >> 20) & (work->table_size - 1);
	while (work->table[slot] != NONE &&
	       (calls->edges[work->table[slot]].site != site || calls->edges[work->table[slot]].target != target))
		slot = (slot + 1) & (work->table_size - 1);
	return slot;
}

static bool grow_table(struct calls *calls)
{
	struct calls_work *work = calls->work;
	if (2 * (calls->edge_count + 1) <= work->table_size)
		return true;
	size_t size = work->table_size == 0 ? 256 : 2 * work->table_size;
	uint32_t *table = malloc(size * sizeof *table);
	if (table == NULL)
		return false;
	memset(table, 0xFF, size * sizeof *table);
	free(work->table);
	work->table = table;
	work->table_size = size;
	for (size_t i = 0; i < calls->edge_count; i++)
		table[call_slot_of(calls, calls->edges[i].site, calls->edges[i].target)] = (uint32_t)i;
	return true;
}

/* The edge that leads to a context; NONE: no memory. */
static uint32_t edge_of(struct calls *calls, uint32_t node)
{
	struct calls_work *work = calls->work;
	while (node >= work->edge_of_count) {
		size_t count = work->edge_of_count, room = count == 0 ? 256 : 2 * count;
		uint32_t *grown = realloc(work->edge_of, room * sizeof *grown);
		if (grown == NULL)
			return NONE;
		memset(grown + count, 0xFF, (room - count) * sizeof *grown);
		work->edge_of = grown;
		work->edge_of_count = room;
	}
	if (work->edge_of[node] != NONE)
		return work->edge_of[node];
	const struct stack_node *at = &work->nodes[node];
	if (!grow_table(calls))
		return NONE;
	size_t slot = call_slot_of(calls, at->site, at->entry);
	if (work->table[slot] == NONE) {
		if (!grow_calls((void **)&calls->edges, calls->edge_count, &work->edge_room, sizeof *calls->edges))
			return NONE;
		calls->edges[calls->edge_count] = (struct call_edge){
		    .site = at->site, .target = at->entry, .self_least = UINT64_MAX, .least = UINT64_MAX};
		work->table[slot] = (uint32_t)calls->edge_count++;
	}
	work->edge_of[node] = work->table[slot];
	return work->table[slot];
}

const struct call_edge *calls_edge(const struct calls *calls, uint64_t site, uint64_t target)
{
	size_t low;
	ORDER_FIRST(low, 0, calls->edge_count,
	    calls->edges[low].site < site || (calls->edges[low].site == site && calls->edges[low].target < target));
	const struct call_edge *edge = &calls->edges[low];
	return low < calls->edge_count && edge->site == site && edge->target == target ? edge : NULL;
}

/* ---- spans ---- */

/* Leaves out the shortest until at most half of max is left. */
static void thin_calls(struct calls *calls)
{
	size_t lengths[65] = {0}, kept = 0, left = calls->span_count;
	for (size_t i = 0; i < calls->span_count; i++)
		lengths[calls->spans[i].length == 0 ? 0 : 64 - __builtin_clzll(calls->spans[i].length)]++;
	unsigned bits = 0;
	while (left > calls->work->max / 2 && bits < 64)
		left -= lengths[bits++];
	uint64_t bound = bits == 0 ? 0 : (uint64_t)1 << (bits - 1);
	for (size_t i = 0; i < calls->span_count; i++) {
		if (calls->spans[i].length >= bound)
			calls->spans[kept++] = calls->spans[i];
	}
	calls->span_count = kept;
	if (bound > calls->shortest)
		calls->shortest = bound;
}

static bool end_top(struct calls *calls)
{
	struct calls_work *work = calls->work;
	const struct open *top = &work->stack[--work->depth];
	uint64_t length = calls->length - top->begin;
	struct call_edge *edge = &calls->edges[top->edge];
	calls->all++;
	edge->count++;
	edge->buckets[length == 0 ? 0 : 64 - __builtin_clzll(length)]++;
	edge->lengths += length;
	edge->least = length < edge->least ? length : edge->least;
	edge->most = length > edge->most ? length : edge->most;
	edge->self_least = top->self < edge->self_least ? top->self : edge->self_least;
	edge->self_most = top->self > edge->self_most ? top->self : edge->self_most;
	if (length >= calls->shortest && calls->span_count == work->max)
		thin_calls(calls);
	if (length < calls->shortest)
		return true;
	if (!grow_calls((void **)&calls->spans, calls->span_count, &work->span_room, sizeof *calls->spans))
		return false;
	calls->spans[calls->span_count++] = (struct call_span){.begin = top->begin,
	    .length = length,
	    .entry = top->entry,
	    .depth = (uint32_t)work->depth,
	    .process = work->process};
	return true;
}

/* A call into node begins above the frames that are open. */
static bool begin_call(struct calls *calls, uint32_t node)
{
	struct calls_work *work = calls->work;
	uint32_t edge = edge_of(calls, node);
	if (edge == NONE || !grow_calls((void **)&work->stack, work->depth, &work->room, sizeof *work->stack))
		return false;
	work->stack[work->depth++] =
	    (struct open){node, edge, work->nodes[node].entry, work->nodes[node].entered, calls->length, 0};
	return true;
}

static bool is_open(const struct calls_work *work, size_t level, uint32_t node)
{
	const struct open *open = &work->stack[level];
	return open->node == node && open->entered == work->nodes[node].entered;
}

/* Ends what is open and not above node, begins what is not open yet. */
static bool move_to(struct calls *calls, uint32_t node)
{
	struct calls_work *work = calls->work;
	const struct stack_node *nodes = work->nodes;
	/* the usual: one frame more, or one less */
	if (work->depth > 0 && nodes[node].level == work->depth && is_open(work, work->depth - 1, nodes[node].parent))
		return begin_call(calls, node);
	if (work->depth > 1 && nodes[node].level + 2 == work->depth && is_open(work, work->depth - 2, node))
		return end_top(calls);
	size_t levels = nodes[node].level + 1, same = levels; /* frames that are to be open, that stay */
	uint32_t at = node;
	uint32_t *way = malloc(levels * sizeof *way);
	if (way == NULL)
		return false;
	for (size_t level = levels; level-- > 0; at = nodes[at].parent) {
		way[level] = at;
		if (level >= work->depth || !is_open(work, level, at))
			same = level;
	}
	bool ok = true;
	while (ok && work->depth > same)
		ok = end_top(calls);
	for (size_t level = same; ok && level < levels; level++)
		ok = begin_call(calls, way[level]);
	free(way);
	return ok;
}

/* Where the record before this visit ended, if processes ran together. */
static void set_clock(struct calls *calls, const struct gather_visit *visit, bool anew)
{
	struct calls_work *work = calls->work;
	const uint64_t begin = visit->time > visit->cycles ? visit->time - visit->cycles : 0;
	if (anew) {
		work->longest = calls->length > work->longest ? calls->length : work->longest;
		calls->length = begin;
	} else if (begin > calls->length + CALLS_SLACK)
		calls->length = begin;
}

int calls_visit(void *context, const struct gather_visit *visit)
{
	struct calls *calls = context;
	struct calls_work *work = calls->work;
	uint64_t spent = calls->timed ? visit->cycles : visit->insns;
	const bool anew = visit->process != work->process;
	work->nodes = visit->nodes;
	if (visit->process != work->process) {
		while (work->depth > 0) {
			if (!end_top(calls))
				return 1;
		}
		work->process = visit->process;
	}
	if (calls->together)
		set_clock(calls, visit, anew || calls->all + work->depth == 0);
	if (visit->node == STACK_NOBODY)
		return 0;
	const struct open *top = work->depth == 0 ? NULL : &work->stack[work->depth - 1];
	if ((top == NULL || top->node != visit->node || top->entered != visit->nodes[visit->node].entered) &&
	    !move_to(calls, visit->node))
		return 1;
	work->stack[work->depth - 1].self += spent;
	calls->length += spent;
	return 0;
}

static int by_begin(const void *a, const void *b)
{
	const struct call_span *x = a, *y = b;
	return order_then(
	    ORDER_UP(x->process, y->process), order_then(ORDER_UP(x->begin, y->begin), ORDER_UP(x->depth, y->depth)));
}

static int calls_by_site(const void *a, const void *b)
{
	const struct call_edge *x = a, *y = b;
	return order_then(ORDER_UP(x->site, y->site), ORDER_UP(x->target, y->target));
}

int calls_finish(struct calls *calls)
{
	while (calls->work->depth > 0) {
		if (!end_top(calls))
			return CALLS_ENOMEM;
	}
	calls->length = calls->work->longest > calls->length ? calls->work->longest : calls->length;
	if (calls->span_count > 0)
		qsort(calls->spans, calls->span_count, sizeof *calls->spans, by_begin);
	if (calls->edge_count > 0)
		qsort(calls->edges, calls->edge_count, sizeof *calls->edges, calls_by_site);
	free_calls_work(calls);
	return CALLS_OK;
}
