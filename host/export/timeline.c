/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/timeline.h"

#include <stdlib.h>

void timeline_init(struct timeline *timeline)
{
	*timeline = (struct timeline){.grain = 1};
}

void timeline_fini(struct timeline *timeline)
{
	free(timeline->spans);
	*timeline = (struct timeline){0};
}

/* Doubles the grain until half of the spans are left: each shorter one becomes a part of the one before it. */
static void coarsen_timeline(struct timeline *t)
{
	while (t->count > TIMELINE_SPANS / 2) {
		size_t kept = 1;
		t->grain *= 2;
		for (size_t i = 1; i < t->count; i++) {
			uint64_t end = i + 1 < t->count ? t->spans[i + 1].at : t->now;
			if (end - t->spans[i].at < t->grain || t->spans[kept - 1].node == t->spans[i].node)
				continue;
			t->spans[kept++] = t->spans[i];
		}
		t->count = kept;
	}
}

/* A context begins at now. */
static int add_span(struct timeline *t, uint32_t node)
{
	struct timeline_span *last = t->count > 0 ? &t->spans[t->count - 1] : NULL;
	if (last != NULL && last->node == node)
		return 0;
	if (last != NULL && t->now - last->at < t->grain) { /* the last one was too short to stay */
		last->node = node;
		return 0;
	}
	if (t->count == TIMELINE_SPANS)
		coarsen_timeline(t);
	if (t->count == t->room) {
		size_t room = t->room == 0 ? 1024 : 2 * t->room;
		struct timeline_span *grown = realloc(t->spans, room * sizeof *grown);
		if (grown == NULL) {
			t->failed = true;
			return 1;
		}
		t->spans = grown;
		t->room = room;
	}
	t->spans[t->count++] = (struct timeline_span){t->now, node};
	return 0;
}

int timeline_take(void *context, const struct gather_visit *visit)
{
	struct timeline *t = context;
	if (visit->cycles != 0 && !t->timed) {
		t->timed = true;
		if (t->insns == 0)
			t->now = 0;
	}
	int error = add_span(t, visit->node);
	t->insns += visit->insns;
	t->now += t->timed ? visit->cycles : visit->insns;
	return error;
}

struct walker {
	const struct stack_node *nodes;
	uint32_t *spot; /* function of each context, SPOT_NONE: not known */
	uint32_t *open; /* contexts whose frames are open, outermost first */
	uint32_t *want;
	size_t depth;
	timeline_event *event;
	void *context;
};

static uint32_t function_at(const struct spots *spots, uint64_t address)
{
	const struct spot_place *place = address == 0 ? NULL : spots_at(spots, address);
	return place == NULL ? SPOT_NONE : spots_function(spots, place->spot);
}

static void change_timeline(struct walker *w, uint32_t node, uint64_t at)
{
	size_t count = 0, same = 0;
	for (uint32_t i = node; i != STACK_NOBODY; i = w->nodes[i].parent) {
		if (w->spot[i] != SPOT_NONE)
			count++;
	}
	size_t k = count;
	for (uint32_t i = node; i != STACK_NOBODY; i = w->nodes[i].parent) {
		if (w->spot[i] != SPOT_NONE)
			w->want[--k] = i;
	}
	while (same < count && same < w->depth && w->open[same] == w->want[same])
		same++;
	while (w->depth > same) {
		w->depth--;
		w->event(w->context, false, w->spot[w->open[w->depth]], at, (uint32_t)w->depth);
	}
	for (; w->depth < count; w->depth++) {
		w->open[w->depth] = w->want[w->depth];
		w->event(w->context, true, w->spot[w->open[w->depth]], at, (uint32_t)w->depth);
	}
}

int timeline_walk(const struct timeline *timeline, const struct stack_node *nodes, size_t count,
    const struct spots *spots, timeline_event *event, void *context)
{
	struct walker w = {.nodes = nodes, .event = event, .context = context};
	w.spot = calloc(count + 1, sizeof *w.spot);
	w.open = calloc(count + 1, sizeof *w.open);
	w.want = calloc(count + 1, sizeof *w.want);
	int error = w.spot == NULL || w.open == NULL || w.want == NULL ? GATHER_ENOMEM : GATHER_OK;
	for (size_t i = 1; i < count && error == GATHER_OK; i++)
		w.spot[i] = function_at(spots, nodes[i].entry);
	for (size_t i = 0; i < timeline->count && error == GATHER_OK; i++)
		change_timeline(&w, timeline->spans[i].node, timeline->spans[i].at);
	if (error == GATHER_OK)
		change_timeline(&w, STACK_NOBODY, timeline->now);
	free(w.spot);
	free(w.open);
	free(w.want);
	return error;
}
