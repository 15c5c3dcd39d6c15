/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/extremes.h"

#include <stdlib.h>
#include "host/base/array.h"

struct open_call {
	uint32_t node;
	uint64_t entered; /* of the node, by this call */
	uint64_t from, self, time;
	bool root;
};

struct extremes {
	struct extremes_call *calls; /* by node */
	size_t call_count, call_room;
	struct open_call *open;
	size_t depth, open_room;
	uint64_t clock;
	extremes_watcher *watcher;
	void *watcher_context;
	bool by_instructions;
};

int extremes_open(struct extremes **out)
{
	*out = calloc(1, sizeof **out);
	return *out == NULL ? GATHER_ENOMEM : GATHER_OK;
}

void extremes_close(struct extremes *e)
{
	if (e == NULL)
		return;
	free(e->calls);
	free(e->open);
	free(e);
}

void extremes_watch(struct extremes *e, extremes_watcher *watcher, void *context)
{
	e->watcher = watcher;
	e->watcher_context = context;
}

/* cut: it goes on, but not in these records. */
static int end_call(struct extremes *e, bool cut)
{
	const struct open_call *call = &e->open[--e->depth];
	struct extremes_call *c = &e->calls[call->node];
	uint64_t took = e->clock - call->from;
	if (!c->any)
		*c = (struct extremes_call){took, took, call->self, call->self, true};
	c->least = took < c->least ? took : c->least;
	c->most = took > c->most ? took : c->most;
	c->self_least = call->self < c->self_least ? call->self : c->self_least;
	c->self_most = call->self > c->self_most ? call->self : c->self_most;
	const struct extremes_ended ended = {call->node, took, call->self, call->from, call->time, !cut && !call->root};
	return e->watcher == NULL || e->watcher(e->watcher_context, &ended) == 0 ? GATHER_OK : GATHER_ENOMEM;
}

/* How many of the open calls, from the root on, go on at the visit: up to the outermost context that is another one, or
 * that was entered again. *length: contexts from the root to the visit's. */
static size_t open_calls_kept(const struct extremes *e, const struct gather_visit *visit, size_t *length)
{
	const struct stack_node *nodes = visit->nodes;
	size_t level = visit->node == STACK_NOBODY ? 0 : (size_t)nodes[visit->node].level + 1, kept = level;
	*length = level;
	for (uint32_t at = visit->node; level-- > 0; at = nodes[at].parent) {
		const bool same = level < e->depth && e->open[level].node == at;
		if (same && level < visit->entered_level) /* and so are all below it */
			break;
		if (!same || e->open[level].entered != nodes[at].entered)
			kept = level;
	}
	return kept;
}

/* Ends what is no longer open, begins what is new. */
static int change_extreme(struct extremes *e, const struct gather_visit *visit)
{
	const struct stack_node *nodes = visit->nodes;
	size_t length, kept = open_calls_kept(e, visit, &length);
	while (e->depth > kept) {
		if (end_call(e, false) != GATHER_OK)
			return GATHER_ENOMEM;
	}
	if (!array_room(&e->open, length, &e->open_room) ||
	    !array_room(&e->calls, (size_t)visit->node + 1, &e->call_room))
		return GATHER_ENOMEM;
	while (e->call_count <= visit->node)
		e->calls[e->call_count++] = (struct extremes_call){0};

	uint32_t node = visit->node;
	for (size_t level = length; level-- > kept; node = nodes[node].parent)
		e->open[level] = (struct open_call){.node = node,
		    .entered = nodes[node].entered,
		    .from = e->clock,
		    .time = visit->time,
		    .root = nodes[node].kind == STACK_ROOT};
	e->depth = length;
	return GATHER_OK;
}

void extremes_by_instructions(struct extremes *e)
{
	e->by_instructions = true;
}

int extremes_visit(void *context, const struct gather_visit *visit)
{
	struct extremes *e = context;
	const struct open_call *top = e->depth > 0 ? &e->open[e->depth - 1] : NULL;
	if (top == NULL || top->node != visit->node || top->entered != visit->nodes[visit->node].entered) {
		int error = change_extreme(e, visit);
		if (error != GATHER_OK)
			return error;
	}
	const uint64_t took = e->by_instructions ? visit->insns : visit->cycles;
	e->open[e->depth - 1].self += took;
	e->clock += took;
	return GATHER_OK;
}

const struct extremes_call *extremes_finish(struct extremes *e, size_t *count)
{
	while (e->depth > 0) {
		if (end_call(e, true) != GATHER_OK)
			return NULL;
	}
	*count = e->call_count;
	return e->calls;
}
