/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Dominators by iteration over the reverse postorder (Cooper, Harvey and Kennedy), loops and their nesting by Havlak's
 * form of Tarjan's interval search. All iterative: no stack of the processor grows with the graph.
 *
 * A node above all ways in makes one tree of the depth-first search:
 *
 *        above (0) ──► entry ──► ...
 *                 └──► roots
 *
 * So nodes are vertices + 1. Their preorder numbers decide what lies below what: v lies below h if its number is
 * between h's and the last that was given out while h was being searched.
 */
#include "host/graph/loops.h"

#include <stdlib.h>
#include <string.h>
#include "host/graph/sets.h"

struct work {
	const struct graph_shape *shape;
	uint32_t count;          /* nodes: vertices + 1 */
	uint32_t *first, *preds; /* predecessors of n: preds[first[n]] to preds[first[n + 1] - 1] */
	uint32_t *number, *node; /* preorder; node of a number */
	uint32_t *last;          /* by number: the highest number below it in the depth-first tree */
	uint32_t *post;          /* nodes in postorder */
	uint32_t *rank;          /* place in post */
	uint32_t *idom;          /* by node, as rank */
	uint32_t *set;           /* by number: union-find */
	uint32_t *header;        /* by number: of the innermost loop around it, 0: none */
	uint32_t *stack, *edge;
	bool *is_head, *irreducible;
	uint32_t *latches, *pool, reached;
};

static void free_loop_work(struct work *w)
{
	void *all[] = {w->first, w->preds, w->number, w->node, w->last, w->post, w->rank, w->idom, w->set, w->header,
	    w->stack, w->edge, w->is_head, w->irreducible, w->latches, w->pool};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
}

static bool make_loop_work(struct work *w)
{
	size_t edges = w->shape->first[w->shape->count];
	uint32_t **arrays[] = {&w->first, &w->number, &w->node, &w->last, &w->post, &w->rank, &w->idom, &w->set,
	    &w->header, &w->stack, &w->edge, &w->latches, &w->pool};
	for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
		*arrays[i] = calloc((size_t)w->count + 2, sizeof(uint32_t));
		if (*arrays[i] == NULL)
			return false;
	}
	w->preds = calloc(edges + w->count + 1, sizeof *w->preds);
	w->is_head = calloc(w->count + 1u, sizeof *w->is_head);
	w->irreducible = calloc(w->count + 1u, sizeof *w->irreducible);
	return w->preds != NULL && w->is_head != NULL && w->irreducible != NULL;
}

/* The next way in from outside, the entry first. */
static bool next_root(const struct graph_shape *shape, uint32_t *i, uint32_t *to)
{
	if ((*i)++ == 0 && shape->entry != GRAPH_VERTEX) {
		*to = shape->entry + 1;
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
static bool node_successor(const struct work *w, uint32_t node, uint32_t *i, uint32_t *to)
{
	const struct graph_shape *shape = w->shape;
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

static void make_preds(struct work *w)
{
	uint32_t to;
	for (int round = 0; round < 2; round++) {
		for (uint32_t node = 0; node < w->count; node++) {
			for (uint32_t i = 0; node_successor(w, node, &i, &to);) {
				if (round == 0)
					w->first[to + 1]++;
				else
					w->preds[w->stack[to]++] = node;
			}
		}
		for (uint32_t node = 0; node < w->count && round == 0; node++) {
			w->first[node + 1] += w->first[node];
			w->stack[node] = w->first[node];
		}
	}
}

static void search_depth_first(struct work *w)
{
	uint32_t depth = 0, finished = 0, to;
	memset(w->number, 0xFF, w->count * sizeof *w->number);
	w->stack[0] = 0;
	w->edge[0] = 0;
	w->number[0] = 0;
	w->node[0] = 0;
	w->reached = 1;
	for (;;) {
		uint32_t node = w->stack[depth];
		if (node_successor(w, node, &w->edge[depth], &to)) {
			if (w->number[to] != GRAPH_VERTEX)
				continue;
			w->number[to] = w->reached;
			w->node[w->reached++] = to;
			w->stack[++depth] = to;
			w->edge[depth] = 0;
			continue;
		}
		w->last[w->number[node]] = w->reached - 1;
		w->rank[node] = finished;
		w->post[finished++] = node;
		if (depth-- == 0)
			return;
	}
}

static void find_dominators(struct work *w)
{
	bool changed = true;
	for (uint32_t i = 0; i < w->reached; i++)
		w->idom[i] = GRAPH_VERTEX;
	w->idom[w->reached - 1] = w->reached - 1; /* by rank; that of the node above is the highest */
	while (changed) {
		changed = false;
		for (uint32_t rank = w->reached - 1; rank-- > 0;) {
			uint32_t node = w->post[rank], found = GRAPH_VERTEX;
			for (uint32_t p = w->first[node]; p < w->first[node + 1]; p++) {
				uint32_t a = w->rank[w->preds[p]];
				if (w->number[w->preds[p]] == GRAPH_VERTEX || w->idom[a] == GRAPH_VERTEX)
					continue;
				for (uint32_t b = found; b != GRAPH_VERTEX && a != b;) {
					while (a < b)
						a = w->idom[a];
					while (b < a)
						b = w->idom[b];
				}
				found = a;
			}
			changed = changed || w->idom[rank] != found;
			w->idom[rank] = found;
		}
	}
}

static bool is_below(const struct work *w, uint32_t head, uint32_t number)
{
	return head <= number && number <= w->last[head];
}

/* Heads from the innermost on: everything that reaches a latch backwards without passing the head is in the loop. An
 * edge from outside of the head's tree enters the loop elsewhere: irreducible. */
static void nest_loops(struct work *w)
{
	for (uint32_t i = 0; i < w->reached; i++)
		w->set[i] = i;
	for (uint32_t head = w->reached; head-- > 1;) {
		uint32_t node = w->node[head], size = 0;
		for (uint32_t p = w->first[node]; p < w->first[node + 1]; p++) {
			uint32_t from = w->number[w->preds[p]];
			if (from == GRAPH_VERTEX || !is_below(w, head, from))
				continue;
			w->is_head[head] = true;
			w->latches[head]++;
			uint32_t inner = sets_of(w->set, from);
			if (inner != head && w->edge[inner] != head) { /* edge[]: marks, head by head */
				w->edge[inner] = head;
				w->pool[size++] = inner;
			}
		}
		for (uint32_t i = 0; i < size; i++) {
			uint32_t member = w->node[w->pool[i]];
			for (uint32_t p = w->first[member]; p < w->first[member + 1]; p++) {
				uint32_t from = w->number[w->preds[p]];
				if (from == GRAPH_VERTEX || is_below(w, w->pool[i], from))
					continue; /* back into an inner loop */
				uint32_t outer = sets_of(w->set, from);
				if (!is_below(w, head, outer)) {
					w->irreducible[head] = true;
					continue;
				}
				if (outer != head && w->edge[outer] != head) {
					w->edge[outer] = head;
					w->pool[size++] = outer;
				}
			}
		}
		for (uint32_t i = 0; i < size; i++) {
			w->header[w->pool[i]] = head;
			w->set[w->pool[i]] = head;
		}
	}
}

/* Loops in preorder of their heads: an outer head comes before those inside. stack[]: loop of a head's number. */
static void store_graph_loops(struct graph_loops *loops, struct work *w)
{
	for (uint32_t number = 1; number < w->reached; number++) {
		uint32_t vertex = w->node[number] - 1, above = w->post[w->idom[w->rank[w->node[number]]]];
		uint32_t around = w->header[number] == 0 ? GRAPH_VERTEX : w->stack[w->header[number]];
		loops->dominator[vertex] = above == 0 ? GRAPH_VERTEX : above - 1;
		loops->loop[vertex] = around;
		if (!w->is_head[number])
			continue;
		w->stack[number] = loops->loop[vertex] = loops->count;
		loops->irreducible += w->irreducible[number];
		loops->loops[loops->count++] = (struct graph_loop){.head = vertex,
		    .parent = around,
		    .depth = around == GRAPH_VERTEX ? 1 : loops->loops[around].depth + 1,
		    .latches = w->latches[number],
		    .reducible = !w->irreducible[number]};
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

/* Room for a result in which nothing is reached yet. */
static bool make_loops(struct graph_loops *loops, const struct work *w)
{
	size_t heads = 0, vertices = w->shape->count;
	for (uint32_t number = 1; number < w->reached; number++)
		heads += w->is_head[number];
	*loops = (struct graph_loops){.loops = malloc((heads + 1) * sizeof *loops->loops),
	    .loop = malloc((vertices + 1) * sizeof *loops->loop),
	    .dominator = malloc((vertices + 1) * sizeof *loops->dominator)};
	if (loops->loops == NULL || loops->loop == NULL || loops->dominator == NULL) {
		graph_loops_free(loops);
		return false;
	}
	memset(loops->loop, 0xFF, vertices * sizeof *loops->loop);
	memset(loops->dominator, 0xFF, vertices * sizeof *loops->dominator);
	return true;
}

bool graph_loops_make(struct graph_loops *loops, const struct graph_shape *shape)
{
	struct work w = {.shape = shape, .count = shape->count + 1};
	bool made = make_loop_work(&w);
	if (made) {
		make_preds(&w);
		search_depth_first(&w);
		find_dominators(&w);
		memset(w.edge, 0, w.count * sizeof *w.edge);
		nest_loops(&w);
		made = make_loops(loops, &w);
	}
	if (made) {
		store_graph_loops(loops, &w);
		count_vertices(loops, shape->count);
	}
	free_loop_work(&w);
	return made;
}

void graph_loops_free(struct graph_loops *loops)
{
	free(loops->loops);
	free(loops->loop);
	free(loops->dominator);
	*loops = (struct graph_loops){0};
}
