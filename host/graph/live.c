/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/graph/live.h"

#include <stdlib.h>
#include <string.h>

struct live_work {
	uint32_t *first, *preds; /* predecessors of v: preds[first[v]] to preds[first[v + 1] - 1] */
	uint32_t *queue;         /* a ring of count places: each vertex is in it at most once */
	bool *waits;             /* by vertex: it is in the queue */
	uint32_t head, waiting;
};

static bool make_live_work(struct live_work *w, const struct graph_shape *shape)
{
	size_t vertices = shape->count + (size_t)1, edges = shape->first[shape->count] + (size_t)1;
	*w = (struct live_work){.first = calloc(vertices + 1, sizeof *w->first),
	    .preds = malloc(edges * sizeof *w->preds),
	    .queue = malloc(vertices * sizeof *w->queue),
	    .waits = malloc(vertices)};
	return w->first != NULL && w->preds != NULL && w->queue != NULL && w->waits != NULL;
}

static void free_live_work(struct live_work *w)
{
	free(w->first);
	free(w->preds);
	free(w->queue);
	free(w->waits);
}

/* first[v + 1] counts, then is where v's next predecessor goes, and ends as where those of v + 1 begin. */
static void find_preds(struct live_work *w, const struct graph_shape *shape)
{
	uint32_t edges = shape->first[shape->count], sum = 0;
	for (uint32_t e = 0; e < edges; e++) {
		if (shape->to[e] != GRAPH_EXIT)
			w->first[shape->to[e] + 1]++;
	}
	for (uint32_t v = 1; v <= shape->count; v++) {
		uint32_t own = w->first[v];
		w->first[v] = sum;
		sum += own;
	}
	for (uint32_t v = 0; v < shape->count; v++) {
		for (uint32_t e = shape->first[v]; e < shape->first[v + 1]; e++) {
			if (shape->to[e] != GRAPH_EXIT)
				w->preds[w->first[shape->to[e] + 1]++] = v;
		}
	}
}

/* Vertices are numbered about in the order of the code, so that the last ones are the first successors. */
static void fill_queue(struct live_work *w, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		w->queue[i] = count - 1 - i;
	memset(w->waits, true, count);
	w->waiting = count;
}

static void put_preds(struct live_work *w, uint32_t vertex, uint32_t count)
{
	for (uint32_t p = w->first[vertex]; p < w->first[vertex + 1]; p++) {
		uint32_t pred = w->preds[p];
		if (w->waits[pred])
			continue;
		w->waits[pred] = true;
		w->queue[(w->head + w->waiting++) % count] = pred;
	}
}

static graph_registers live_behind(const struct graph_live *live, const struct graph_shape *shape, uint32_t vertex)
{
	graph_registers set = live->leaves[vertex];
	for (uint32_t e = shape->first[vertex]; e < shape->first[vertex + 1]; e++) {
		if (shape->to[e] != GRAPH_EXIT)
			set |= live->before[shape->to[e]];
	}
	return set;
}

/*
 * An example, with the sets as they are found, the last vertex first:
 *
 *   a   li a0, 8                                                    before: ra, a1         (a0 is written)
 *   b   add a1, a1, a0; bnez a1, b    reads a0, a1, writes a1       before: a0, a1, ra
 *   c   mv a0, a1; ret                reads a1, ra, writes a0       before: a1, ra         leaves: a0
 *
 * b has grown, so its predecessors a and b are looked at again; b's set stays as it is, and then the list is empty.
 */
bool graph_live_find(const struct graph_live *live, const struct graph_shape *shape)
{
	struct live_work w;
	bool made = make_live_work(&w, shape);
	if (made) {
		find_preds(&w, shape);
		fill_queue(&w, shape->count);
	}
	while (made && w.waiting > 0) {
		uint32_t vertex = w.queue[w.head];
		w.head = (w.head + 1) % shape->count;
		w.waiting--;
		w.waits[vertex] = false;
		graph_registers set = (live_behind(live, shape, vertex) & ~live->writes[vertex]) | live->reads[vertex];
		if ((set | live->before[vertex]) == live->before[vertex])
			continue;
		live->before[vertex] |= set;
		put_preds(&w, vertex, shape->count);
	}
	free_live_work(&w);
	return made;
}
