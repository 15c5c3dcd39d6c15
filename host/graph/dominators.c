/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/graph/dominators.h"

#include <stdlib.h>

/*
 * The nearest one that both are below. Ranks: what dominates has a higher one. The lower of the two goes up until they
 * meet:
 *
 *   3 ──► 2 ──► 0        above: 2 is below 3, 1 is below 3
 *   └───► 1 ──► 0        0 has the predecessors 2 and 1: 1 goes up to 3, then 2 does: 0 is below 3
 */
static uint32_t meet_above(const uint32_t *above, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (a < b)
			a = above[a];
		while (b < a)
			b = above[b];
	}
	return a;
}

/* One round over the nodes in reverse postorder; whether anything changed. above: by rank. */
static bool improve_dominators(const struct graph_search *s, uint32_t *above)
{
	bool changed = false;
	for (uint32_t rank = s->reached - 1; rank-- > 0;) {
		uint32_t node = s->post[rank], found = GRAPH_VERTEX;
		for (uint32_t p = s->first[node]; p < s->first[node + 1]; p++) {
			uint32_t from = s->preds[p];
			if (s->number[from] == GRAPH_VERTEX || above[s->rank[from]] == GRAPH_VERTEX)
				continue;
			from = s->rank[from];
			found = found == GRAPH_VERTEX ? from : meet_above(above, from, found);
		}
		changed = changed || above[rank] != found;
		above[rank] = found;
	}
	return changed;
}

bool graph_dominators(const struct graph_search *s, uint32_t *dominator)
{
	uint32_t *above = malloc(s->nodes * sizeof *above);
	if (above == NULL)
		return false;
	for (uint32_t rank = 0; rank < s->reached; rank++)
		above[rank] = GRAPH_VERTEX;
	above[s->reached - 1] = s->reached - 1; /* the node above all */
	while (improve_dominators(s, above))
		;

	for (uint32_t vertex = 0; vertex + 1 < s->nodes; vertex++) {
		uint32_t node = 0;
		if (s->number[vertex + 1] != GRAPH_VERTEX)
			node = s->post[above[s->rank[vertex + 1]]];
		dominator[vertex] = node == 0 ? GRAPH_VERTEX : node - 1;
	}
	free(above);
	return true;
}

/* The shape backwards: its entry is EXIT, a vertex behind the others. */
static bool turn_shape(const struct graph_shape *shape, struct graph_shape *back)
{
	uint32_t count = shape->count, edges = shape->first[count];
	uint32_t *first = calloc(count + 3u, sizeof *first), *to = malloc((edges + 1u) * sizeof *to);
	*back = (struct graph_shape){.count = count + 1, .entry = count, .first = first, .to = to};
	if (first == NULL || to == NULL)
		return false;
	for (uint32_t e = 0; e < edges; e++)
		first[(shape->to[e] == GRAPH_EXIT ? count : shape->to[e]) + 2]++;
	for (uint32_t v = 0; v <= count; v++)
		first[v + 2] += first[v + 1];
	/* first[v + 1] is where the next one of v goes, and at last where those of v + 1 begin */
	for (uint32_t v = 0; v < count; v++) {
		for (uint32_t e = shape->first[v]; e < shape->first[v + 1]; e++)
			to[first[(shape->to[e] == GRAPH_EXIT ? count : shape->to[e]) + 1]++] = v;
	}
	return true;
}

bool graph_postdominators(const struct graph_shape *shape, uint32_t *behind)
{
	struct graph_shape back;
	struct graph_search search = {0};
	uint32_t *dominator = malloc((shape->count + 1u) * sizeof *dominator);
	bool made = turn_shape(shape, &back) && dominator != NULL && graph_search_make(&search, &back) &&
		    graph_dominators(&search, dominator);
	for (uint32_t v = 0; v < shape->count && made; v++)
		behind[v] = dominator[v] == shape->count ? GRAPH_VERTEX : dominator[v];
	graph_search_free(&search);
	free((void *)(uintptr_t)back.first);
	free((void *)(uintptr_t)back.to);
	free(dominator);
	return made;
}
