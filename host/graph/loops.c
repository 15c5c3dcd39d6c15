/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Loops and their nesting by Havlak's form of Tarjan's interval search, with Ramalingam's treatment of irreducible
 * loops ("Identifying loops in almost linear time", 1999).
 *
 * Heads are taken from the innermost on. What reaches a latch backwards, and is below the head, is in the loop; a loop
 * that is found is one node from then on, its head. An edge into the middle of a loop must not be lost by that:
 *
 *        H ──► A ◄──► B ──► H        C is in the loop of H because C ──► B ──► H, but B is part of the node A by then,
 *        └──► C ──► B                and only edges to A would be followed
 *
 * So an edge across or forward is added when the search backwards has come to the nearest common ancestor of its ends,
 * between the nodes that they are part of at that time: C ──► A, at H.
 */
#include "host/graph/loops.h"

#include <stdlib.h>
#include <string.h>
#include "host/graph/sets.h"

struct work {
	struct graph_search *search;
	/* all by number in the search */
	uint32_t *set;        /* union-find: the loops that were found */
	uint32_t *header;     /* of the innermost loop around it, 0: none */
	uint32_t *into;       /* list of the edges that were added to what it stands for */
	uint32_t *mark;       /* the last head that it was put into the pool for */
	uint32_t *latches;    /* 0: no head */
	uint32_t *low, *high; /* the lowest and highest predecessor of what is inside its loop */
	uint32_t *pool;
};

static void free_loop_work(struct work *w)
{
	void *all[] = {w->set, w->header, w->into, w->mark, w->latches, w->low, w->high, w->pool};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
}

static bool make_loop_work(struct work *w)
{
	uint32_t **arrays[] = {&w->set, &w->header, &w->into, &w->mark, &w->latches, &w->low, &w->high, &w->pool};
	for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
		*arrays[i] = calloc(w->search->nodes, sizeof(uint32_t));
		if (*arrays[i] == NULL)
			return false;
	}
	memset(w->into, 0xFF, w->search->nodes * sizeof *w->into);
	memset(w->low, 0xFF, w->search->nodes * sizeof *w->low);
	sets_single(w->set, w->search->nodes);
	return true;
}

/* Adds the edges whose nearest common ancestor the head is. */
static void add_edges(struct work *w, uint32_t head)
{
	struct graph_across *edges = w->search->edges;
	for (uint32_t i = w->search->across[head], next; i != GRAPH_VERTEX; i = next) {
		uint32_t to = sets_of(w->set, edges[i].to);
		next = edges[i].next;
		edges[i].next = w->into[to];
		w->into[to] = i;
	}
}

/* What a node is part of goes into the pool of a head, once. */
static void add_to_pool(struct work *w, uint32_t head, uint32_t number, uint32_t *size)
{
	uint32_t outermost = sets_of(w->set, number);
	if (outermost != head && w->mark[outermost] != head) {
		w->mark[outermost] = head;
		w->pool[(*size)++] = outermost;
	}
}

static void nest_loops(struct work *w)
{
	const struct graph_search *s = w->search;
	for (uint32_t head = s->reached; head-- > 1;) {
		uint32_t node = s->node[head], size = 0;
		add_edges(w, head);

		for (uint32_t p = s->first[node]; p < s->first[node + 1]; p++) {
			uint32_t from = s->number[s->preds[p]];
			if (from == GRAPH_VERTEX || !graph_search_below(s, head, from))
				continue;
			w->latches[head]++;
			add_to_pool(w, head, from, &size);
		}

		for (uint32_t i = 0; i < size; i++) {
			uint32_t member = w->pool[i];
			add_to_pool(w, head, s->parent[member], &size);
			for (uint32_t e = w->into[member]; e != GRAPH_VERTEX; e = s->edges[e].next)
				add_to_pool(w, head, s->edges[e].from, &size);
		}

		for (uint32_t i = 0; i < size; i++) {
			w->header[w->pool[i]] = head;
			w->set[w->pool[i]] = head;
		}
	}
}

/* The lowest and highest predecessor of all that is in a loop besides its head. One that is not below the head comes
 * from outside: the loop is entered there. */
static void find_entries(struct work *w)
{
	const struct graph_search *s = w->search;
	for (uint32_t number = s->reached; number-- > 1;) {
		uint32_t node = s->node[number], header = w->header[number];
		uint32_t low = w->low[number], high = w->high[number];
		for (uint32_t p = s->first[node]; p < s->first[node + 1] && header != 0; p++) {
			uint32_t from = s->number[s->preds[p]];
			if (from == GRAPH_VERTEX)
				continue;
			low = from < low ? from : low;
			high = from > high ? from : high;
		}
		if (header == 0)
			continue;
		w->low[header] = low < w->low[header] ? low : w->low[header];
		w->high[header] = high > w->high[header] ? high : w->high[header];
	}
}

/* Loops in preorder of their heads: an outer head comes before those inside. pool[]: loop of a head's number. */
static void store_graph_loops(struct graph_loops *loops, struct work *w)
{
	const struct graph_search *s = w->search;
	for (uint32_t number = 1; number < s->reached; number++) {
		uint32_t vertex = s->node[number] - 1;
		uint32_t around = w->header[number] == 0 ? GRAPH_VERTEX : w->pool[w->header[number]];
		loops->loop[vertex] = around;
		if (w->latches[number] == 0)
			continue;

		bool reducible = w->low[number] >= number && w->high[number] <= s->last[number];
		w->pool[number] = loops->loop[vertex] = loops->count;
		loops->irreducible += !reducible;
		loops->loops[loops->count++] = (struct graph_loop){.head = vertex,
		    .parent = around,
		    .depth = around == GRAPH_VERTEX ? 1 : loops->loops[around].depth + 1,
		    .latches = w->latches[number],
		    .reducible = reducible};
	}
}

static void count_vertices(struct graph_loops *loops, uint32_t vertices)
{
	for (uint32_t v = 0; v < vertices; v++) {
		if (loops->loop[v] != GRAPH_VERTEX)
			loops->loops[loops->loop[v]].vertices++;
	}
	for (uint32_t i = loops->count; i-- > 0;) {
		if (loops->loops[i].parent != GRAPH_VERTEX)
			loops->loops[loops->loops[i].parent].vertices += loops->loops[i].vertices;
	}
}

/* Room for a result in which nothing is met yet. */
static bool make_loops(struct graph_loops *loops, const struct work *w, size_t vertices)
{
	size_t heads = 0;
	for (uint32_t number = 1; number < w->search->reached; number++)
		heads += w->latches[number] != 0;
	*loops = (struct graph_loops){
	    .loops = malloc((heads + 1) * sizeof *loops->loops), .loop = malloc((vertices + 1) * sizeof *loops->loop)};
	if (loops->loops == NULL || loops->loop == NULL) {
		graph_loops_free(loops);
		return false;
	}
	memset(loops->loop, 0xFF, vertices * sizeof *loops->loop);
	return true;
}

bool graph_loops_make(struct graph_loops *loops, struct graph_search *search)
{
	struct work w = {.search = search};
	uint32_t vertices = search->nodes - 1;
	bool made = make_loop_work(&w);
	if (made) {
		nest_loops(&w);
		find_entries(&w);
		made = make_loops(loops, &w, vertices);
	}
	if (made) {
		store_graph_loops(loops, &w);
		count_vertices(loops, vertices);
	}
	free_loop_work(&w);
	return made;
}

bool graph_loops_members(
    const struct graph_loops *loops, uint32_t vertices, uint32_t depth, uint32_t **starts, uint32_t **members)
{
	size_t size = 0;
	uint32_t *start = calloc(loops->count + 2u, sizeof *start);
	*members = NULL;
	*starts = start;
	if (start == NULL)
		return false;
	for (uint32_t i = 0; i < loops->count; i++) {
		size += loops->loops[i].depth <= depth ? loops->loops[i].vertices : 0;
		start[i + 2] = (uint32_t)size;
	}
	*members = size >= UINT32_MAX ? NULL : malloc((size + 1) * sizeof **members);
	if (*members == NULL) {
		free(start);
		return false;
	}
	/* start[i + 1] is where the next member of i goes, and at last where those of i + 1 begin */
	for (uint32_t v = 0; v < vertices; v++) {
		for (uint32_t i = loops->loop[v]; i != GRAPH_VERTEX; i = loops->loops[i].parent) {
			if (loops->loops[i].depth <= depth)
				(*members)[start[i + 1]++] = v;
		}
	}
	return true;
}

void graph_loops_free(struct graph_loops *loops)
{
	free(loops->loops);
	free(loops->loop);
	*loops = (struct graph_loops){0};
}
