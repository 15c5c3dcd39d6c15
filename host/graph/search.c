/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/graph/search.h"

#include <stdlib.h>
#include <string.h>
#include "host/graph/sets.h"

void graph_search_free(struct graph_search *s)
{
	void *all[] = {
	    s->first, s->preds, s->number, s->node, s->parent, s->last, s->post, s->rank, s->across, s->edges};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
	*s = (struct graph_search){0};
}

/* The next way in from outside: the entry for i = 0, then from vertex i - 1 on. */
static bool next_root(const struct graph_shape *shape, uint32_t *i, uint32_t *to)
{
	if (*i == 0) {
		++*i;
		*to = shape->entry + 1;
		if (shape->entry != GRAPH_VERTEX)
			return true;
	}
	for (; shape->root != NULL && *i <= shape->count; ++*i) {
		uint32_t vertex = *i - 1;
		if (shape->root[vertex] && vertex != shape->entry) {
			*to = vertex + 1;
			++*i;
			return true;
		}
	}
	return false;
}

/* Successor i of a node, and i of the one behind it; false: there are no more. */
static bool node_successor(const struct graph_shape *shape, uint32_t node, uint32_t *i, uint32_t *to)
{
	if (node == 0)
		return next_root(shape, i, to);

	while (shape->first[node - 1] + *i < shape->first[node]) {
		uint32_t target = shape->to[shape->first[node - 1] + (*i)++];
		if (target != GRAPH_EXIT) {
			*to = target + 1;
			return true;
		}
	}
	return false;
}

/* place: room, by node. */
static void collect_preds(struct graph_search *s, uint32_t *place)
{
	uint32_t to;
	for (uint32_t node = 0; node < s->nodes; node++) {
		for (uint32_t i = 0; node_successor(s->shape, node, &i, &to);)
			s->first[to + 1]++;
	}

	for (uint32_t node = 0; node < s->nodes; node++) {
		s->first[node + 1] += s->first[node];
		place[node] = s->first[node];
	}

	for (uint32_t node = 0; node < s->nodes; node++) {
		for (uint32_t i = 0; node_successor(s->shape, node, &i, &to);)
			s->preds[place[to]++] = node;
	}
}

/* An edge to a number that was met before. The sets join what is finished with what is above it, so that the set of
 * `to` is that of the nearest common ancestor, or of `to` itself while that is not finished: an edge back. */
static void note_edge(struct graph_search *s, uint32_t *set, uint32_t from, uint32_t to)
{
	uint32_t ancestor = sets_of(set, to);
	if (ancestor == to)
		return;
	s->edges[s->edge_count] = (struct graph_across){from, to, s->across[ancestor]};
	s->across[ancestor] = s->edge_count++;
}

/* stack, edge: room, by node. */
static void search_nodes(struct graph_search *s, uint32_t *set, uint32_t *stack, uint32_t *edge)
{
	uint32_t depth = 0, finished = 0, to;
	stack[0] = edge[0] = s->number[0] = s->node[0] = s->parent[0] = 0;
	s->reached = 1;
	for (;;) {
		uint32_t node = stack[depth], own = s->number[node];
		if (node_successor(s->shape, node, &edge[depth], &to)) {
			if (s->number[to] != GRAPH_VERTEX) {
				note_edge(s, set, own, s->number[to]);
				continue;
			}
			s->number[to] = s->reached;
			s->node[s->reached] = to;
			s->parent[s->reached++] = own;
			stack[++depth] = to;
			edge[depth] = 0;
			continue;
		}

		s->last[own] = s->reached - 1;
		s->rank[node] = finished;
		s->post[finished++] = node;
		set[own] = s->parent[own];
		if (depth-- == 0)
			return;
	}
}

bool graph_search_make(struct graph_search *s, const struct graph_shape *shape)
{
	size_t edges = shape->first[shape->count], nodes = shape->count + 1u;
	*s = (struct graph_search){.shape = shape, .nodes = shape->count + 1};
	uint32_t *set = NULL, *stack = NULL, *edge = NULL;
	uint32_t **arrays[] = {
	    &s->first, &s->number, &s->node, &s->parent, &s->last, &s->post, &s->rank, &s->across, &set, &stack, &edge};
	bool made = true;
	for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
		*arrays[i] = calloc(nodes + 1, sizeof(uint32_t));
		made = made && *arrays[i] != NULL;
	}
	/* the edges of the shape, and one from above to each vertex */
	s->preds = malloc((edges + nodes) * sizeof *s->preds);
	s->edges = malloc((edges + nodes) * sizeof *s->edges);
	made = made && s->preds != NULL && s->edges != NULL;

	if (made) {
		collect_preds(s, stack);
		memset(s->number, 0xFF, nodes * sizeof *s->number);
		memset(s->across, 0xFF, nodes * sizeof *s->across);
		sets_single(set, s->nodes);
		search_nodes(s, set, stack, edge);
	} else {
		graph_search_free(s);
	}
	free(set);
	free(stack);
	free(edge);
	return made;
}
