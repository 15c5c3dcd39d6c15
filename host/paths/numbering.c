/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/paths/numbering.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>

const char *numbering_strerror(int error)
{
	switch (error) {
	case NUMBERING_OK:
		return "no error";
	case NUMBERING_ENOMEM:
		return "out of memory";
	case NUMBERING_EGRAPH:
		return "an edge leads to no vertex";
	case NUMBERING_EPATH:
		return "no path has this number";
	case NUMBERING_ESIZE:
		return "the graph is too large";
	default:
		return "unknown error";
	}
}

static int check_graph(const struct numbering_graph *graph)
{
	if (graph->count == 0 || graph->entry >= graph->count)
		return NUMBERING_EGRAPH;
	if (graph->count >= NUMBERING_EXIT - 1)
		return NUMBERING_ESIZE;
	for (uint32_t v = 0; v < graph->count; v++) {
		if (graph->first[v] > graph->first[v + 1])
			return NUMBERING_EGRAPH;
	}
	for (uint32_t e = 0; e < graph->first[graph->count]; e++) {
		if (graph->to[e] >= graph->count && graph->to[e] != NUMBERING_EXIT)
			return NUMBERING_EGRAPH;
	}
	return NUMBERING_OK;
}

/* Depth-first: which edges go back, and the postorder, in which each vertex comes after all that it leads to. Roots are
 * searched last to first and the entry after them all, so that what the entry reaches is cut as if there were no other
 * root; what another root reaches only is searched from there. */
static int search_numbering(struct numbering *n)
{
	const struct numbering_graph *g = &n->graph;
	enum { NEW, OPEN, DONE };
	uint8_t *state = calloc(g->count, 1);
	uint32_t *stack = malloc(g->count * sizeof *stack), *edge = malloc(g->count * sizeof *edge);
	int error = state == NULL || stack == NULL || edge == NULL ? NUMBERING_ENOMEM : NUMBERING_OK;
	/* round 0: the entry; then the other roots, whose plain edges may lead to what is done already */
	for (uint32_t i = 0; i <= g->count && error == NUMBERING_OK; i++) {
		uint32_t start = i == 0 ? g->entry : i - 1, depth = 0;
		if (state[start] != NEW || (i > 0 && (g->root == NULL || !g->root[start])))
			continue;
		stack[0] = start;
		edge[0] = g->first[start];
		state[start] = OPEN;
		for (;;) {
			uint32_t v = stack[depth];
			if (edge[depth] == g->first[v + 1]) {
				state[v] = DONE;
				n->order[n->ordered++] = v;
				if (depth-- == 0)
					break;
				continue;
			}
			uint32_t e = edge[depth]++, w = g->to[e];
			if (w == v)
				n->kind[e] = NUMBERING_SELF;
			else if (w != NUMBERING_EXIT && state[w] == OPEN)
				n->kind[e] = NUMBERING_BACK;
			else if (w != NUMBERING_EXIT && state[w] == NEW) {
				state[w] = OPEN;
				stack[++depth] = w;
				edge[depth] = g->first[w];
			}
		}
	}
	free(state);
	free(stack);
	free(edge);
	return error;
}

static void add_enter(struct numbering *n, uint32_t v)
{
	if (n->enter[v] == NUMBERING_NONE) {
		n->enter[v] = 0; /* its value comes when all are known */
		n->enters[n->enter_count++] = v;
	}
}

/* Values and counts of v from its successors. false: there are more than limit. */
static bool number_vertex(struct numbering *n, uint32_t v, uint64_t limit)
{
	const struct numbering_graph *g = &n->graph;
	uint64_t sum = 0;
	bool leaves = false;
	for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
		uint64_t more = 0;
		if (n->kind[e] == NUMBERING_BACK || n->kind[e] == NUMBERING_CUT)
			leaves = true;
		else if (n->kind[e] == NUMBERING_PLAIN) {
			n->value[e] = sum;
			more = g->to[e] == NUMBERING_EXIT ? 1 : n->count[g->to[e]];
		}
		if (more > limit - sum)
			return false;
		sum += more;
	}
	if (leaves || sum == 0) { /* without any way on, only a self loop for instance, a path ends here too */
		if (sum == limit)
			return false;
		n->leave[v] = sum++;
	}
	n->count[v] = sum;
	return true;
}

/* All edges of v to other vertices become cuts. Those to EXIT stay: they are one path each. */
static void cut_vertex(struct numbering *n, uint32_t v)
{
	const struct numbering_graph *g = &n->graph;
	for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
		if (n->kind[e] == NUMBERING_PLAIN && g->to[e] != NUMBERING_EXIT)
			n->kind[e] = NUMBERING_CUT;
	}
}

/* In order of vertices, the entry first. false: too many paths. */
static bool number_enters(struct numbering *n)
{
	const struct numbering_graph *g = &n->graph;
	uint64_t sum = 0;
	uint32_t used = 1;
	n->enters[0] = g->entry;
	for (uint32_t v = 0; v < g->count; v++) {
		if (v != g->entry && n->enter[v] != NUMBERING_NONE)
			n->enters[used++] = v;
	}
	for (uint32_t i = 0; i < n->enter_count; i++) {
		uint32_t v = n->enters[i];
		n->enter[v] = sum;
		if (n->count[v] > NUMBERING_LIMIT - sum)
			return false;
		sum += n->count[v];
	}
	n->paths = sum;
	return true;
}

/* The dummy edges from ENTRY. false: too many paths. */
static bool number_entry(struct numbering *n)
{
	const struct numbering_graph *g = &n->graph;
	n->enter_count = 0;
	add_enter(n, g->entry);
	for (uint32_t i = 0; i < n->ordered; i++) {
		uint32_t v = n->order[i];
		if (g->root != NULL && g->root[v])
			add_enter(n, v);
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			if (n->kind[e] == NUMBERING_BACK || n->kind[e] == NUMBERING_CUT)
				add_enter(n, g->to[e]);
		}
	}
	return number_enters(n);
}

/* One try to stay below limit paths a vertex. */
static bool number_graph_edges(struct numbering *n, uint64_t limit)
{
	const struct numbering_graph *g = &n->graph;
	for (uint32_t v = 0; v < g->count; v++)
		n->enter[v] = n->leave[v] = NUMBERING_NONE;
	for (uint32_t e = 0; e < g->first[g->count]; e++) {
		if (n->kind[e] == NUMBERING_CUT)
			n->kind[e] = NUMBERING_PLAIN;
	}
	for (uint32_t i = 0; i < n->ordered; i++) {
		uint32_t v = n->order[i];
		if (number_vertex(n, v, limit))
			continue;
		cut_vertex(n, v);
		n->leave[v] = NUMBERING_NONE;
		if (!number_vertex(n, v, NUMBERING_LIMIT)) /* a branch with that many ways out: not in 32 bits */
			return false;
	}
	return number_entry(n);
}

int numbering_make(struct numbering *n, const struct numbering_graph *graph, uint64_t limit)
{
	*n = (struct numbering){.graph = *graph};
	int error = check_graph(graph);
	if (error != NUMBERING_OK)
		return error;
	size_t vertices = graph->count, edges = graph->first[graph->count];
	n->value = calloc(edges + 1, sizeof *n->value);
	n->kind = calloc(edges + 1, sizeof *n->kind);
	n->count = calloc(vertices, sizeof *n->count);
	n->enter = malloc(vertices * sizeof *n->enter);
	n->leave = malloc(vertices * sizeof *n->leave);
	n->order = malloc(vertices * sizeof *n->order);
	n->enters = malloc(vertices * sizeof *n->enters);
	error = n->value == NULL || n->kind == NULL || n->count == NULL || n->enter == NULL || n->leave == NULL ||
			n->order == NULL || n->enters == NULL
		    ? NUMBERING_ENOMEM
		    : search_numbering(n);
	if (limit == 0 || limit > NUMBERING_LIMIT)
		limit = NUMBERING_LIMIT;
	/* many dummy edges at ENTRY, each with many paths: then each vertex must do with fewer. With limit 1 there is
	 * at most one path for each way out. */
	while (error == NUMBERING_OK && !number_graph_edges(n, limit))
		limit = limit > 256 ? limit / 256 : 1;
	if (error != NUMBERING_OK) {
		numbering_free(n);
		return error;
	}
	n->limit = limit;
	for (size_t e = 0; e < edges; e++) {
		n->back += n->kind[e] == NUMBERING_BACK;
		n->self += n->kind[e] == NUMBERING_SELF;
		n->cut += n->kind[e] == NUMBERING_CUT;
	}
	return NUMBERING_OK;
}

void numbering_free(struct numbering *n)
{
	free(n->value);
	free(n->kind);
	free(n->count);
	free(n->enter);
	free(n->leave);
	free(n->order);
	free(n->enters);
	*n = (struct numbering){0};
}

struct start {
	uint64_t count;
	uint32_t v, at;
};

static int by_few(const void *a, const void *b)
{
	const struct start *x = a, *y = b;
	return order_then(ORDER_UP(x->count, y->count), ORDER_UP(x->at, y->at));
}

int numbering_small_first(struct numbering *n)
{
	struct start *starts = malloc((n->enter_count + 1u) * sizeof *starts);
	uint64_t sum = 0;
	if (starts == NULL)
		return NUMBERING_ENOMEM;
	for (uint32_t i = 0; i < n->enter_count; i++)
		starts[i] = (struct start){n->count[n->enters[i]], n->enters[i], i};
	qsort(starts, n->enter_count, sizeof *starts, by_few);
	for (uint32_t i = 0; i < n->enter_count; i++) {
		n->enters[i] = starts[i].v;
		n->enter[starts[i].v] = sum;
		sum += starts[i].count;
	}
	free(starts);
	return NUMBERING_OK;
}

void numbering_as_made(struct numbering *n)
{
	number_enters(n); /* there is room for the sum, as before */
}

uint64_t numbering_first_starts(const struct numbering *n, uint64_t most)
{
	uint64_t first = 0;
	for (uint32_t i = 0; i < n->enter_count && n->count[n->enters[i]] <= most - first; i++)
		first += n->count[n->enters[i]];
	return first;
}

/* From a vertex with what is left of the sum. */
static int follow_sum(const struct numbering *n, const struct numbering_span *span, struct numbering_path *path,
    uint32_t *edges, size_t max)
{
	const struct numbering_graph *g = &n->graph;
	uint32_t v = span->from;
	uint64_t sum = span->sum;
	path->first = v;
	path->length = 0;
	path->to_exit = false;
	for (;;) {
		uint32_t found = NUMBERING_EXIT;
		uint64_t best = n->leave[v] != NUMBERING_NONE && n->leave[v] <= sum ? n->leave[v] : NUMBERING_NONE;
		path->last = v;
		if (v == span->to)
			return sum == 0 ? NUMBERING_OK : NUMBERING_EPATH;
		/* the dummy edge's value is the highest */
		for (uint32_t e = g->first[v]; e < g->first[v + 1] && best == NUMBERING_NONE; e++) {
			if (n->kind[e] == NUMBERING_PLAIN && n->value[e] <= sum &&
			    (found == NUMBERING_EXIT || n->value[e] >= n->value[found]))
				found = e;
		}
		if (best != NUMBERING_NONE)
			return sum == best && span->to == NUMBERING_EXIT ? NUMBERING_OK : NUMBERING_EPATH;
		if (found == NUMBERING_EXIT)
			return NUMBERING_EPATH;
		sum -= n->value[found];
		if (g->to[found] == NUMBERING_EXIT) {
			path->to_exit = true;
			path->exit = found;
			return sum == 0 && span->to == NUMBERING_EXIT ? NUMBERING_OK : NUMBERING_EPATH;
		}
		if (path->length < max)
			edges[path->length] = found;
		path->length++;
		v = g->to[found];
	}
}

int numbering_path(
    const struct numbering *n, uint64_t number_, struct numbering_path *path, uint32_t *edges, size_t max)
{
	uint32_t low = 0, high = n->enter_count;
	if (number_ >= n->paths)
		return NUMBERING_EPATH;
	while (high - low > 1) { /* the last dummy edge whose value is not above the number */
		uint32_t middle = low + (high - low) / 2;
		if (n->enter[n->enters[middle]] <= number_)
			low = middle;
		else
			high = middle;
	}
	uint32_t v = n->enters[low];
	path->from_entry = v == n->graph.entry;
	return follow_sum(n, &(struct numbering_span){v, NUMBERING_EXIT, number_ - n->enter[v]}, path, edges, max);
}

int numbering_piece(const struct numbering *n, const struct numbering_span *span, struct numbering_path *path,
    uint32_t *edges, size_t max)
{
	if (span->from >= n->graph.count || span->sum >= n->count[span->from])
		return NUMBERING_EPATH;
	path->from_entry = false;
	return follow_sum(n, span, path, edges, max);
}
