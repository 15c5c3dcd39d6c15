/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The graph of each region: the numbered actions of HPP, and its numbering. */
#include <stdlib.h>
#include <string.h>
#include "host/regions/regions.h"
#include "host/base/order.h"

/* An edge of the graph in the terms of the region that both its ends lie in. */
struct crossing {
	uint32_t region, from, to; /* nodes */
	uint32_t edge;             /* of the graph */
};

struct build {
	struct regions *r;
	struct crossing *crossings; /* by region, from, then in the order of the edges */
	uint32_t count;
	uint32_t *starts; /* by region: its first crossing */
	bool *back;       /* by crossing */
	bool *leads;      /* by crossing: it makes an edge of CFG(R); else one like it is there already */
	uint32_t *mark;   /* by node of a region */
};

/* ---- order: an outer region before those inside, side by side by their heads */

struct place {
	uint32_t parent, head, old;
};

static int by_parent(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	return order_then(
	    ORDER_UP(x->parent, y->parent), order_then(ORDER_UP(x->head, y->head), ORDER_UP(x->old, y->old)));
}

static int sort_regions(struct regions *r)
{
	uint32_t *renamed = malloc(r->count * sizeof *renamed), *next = malloc(r->count * sizeof *next);
	struct place *places = malloc(r->count * sizeof *places);
	struct region *all = malloc(r->count * sizeof *all);
	int error = renamed == NULL || next == NULL || places == NULL || all == NULL ? REGIONS_ENOMEM : REGIONS_OK;
	if (error == REGIONS_OK) {
		/* how many lie in each: deepest first */
		for (uint32_t depth = REGIONS_DEPTH_MAX; depth > 0; depth--) {
			for (uint32_t i = 1; i < r->count; i++) {
				if (r->all[i].depth == depth)
					r->all[r->all[i].parent].inner += 1 + r->all[i].inner;
			}
		}
		for (uint32_t i = 0; i < r->count; i++)
			places[i] = (struct place){r->all[i].parent, r->all[i].head, i};
		qsort(places, r->count, sizeof *places, by_parent); /* the outermost one, without a parent, is last */
		renamed[0] = 0;
		next[0] = 1;
		/* level by level, so that a parent has its place before its children */
		for (uint32_t depth = 1; depth <= REGIONS_DEPTH_MAX; depth++) {
			for (uint32_t i = 0; i + 1 < r->count; i++) {
				const struct region *region = &r->all[places[i].old];
				if (region->depth != depth)
					continue;
				renamed[places[i].old] = next[region->parent];
				next[places[i].old] = next[region->parent] + 1;
				next[region->parent] += 1 + region->inner;
			}
		}
		for (uint32_t i = 0; i < r->count; i++) {
			all[renamed[i]] = r->all[i];
			if (i > 0)
				all[renamed[i]].parent = renamed[r->all[i].parent];
		}
		memcpy(r->all, all, r->count * sizeof *all);
		for (uint32_t v = 0; v < r->graph.count; v++)
			r->of[v] = renamed[r->of[v]];
	}
	free(renamed);
	free(next);
	free(places);
	free(all);
	return error;
}

/* ---- nodes, in order of their lowest vertex */

static int make_region_nodes(struct regions *r)
{
	uint32_t *seen = calloc(r->count, sizeof *seen), total = r->graph.count + r->count - 1, at = 0;
	r->nodes = malloc((total + 1u) * sizeof *r->nodes);
	r->node = malloc(r->graph.count * sizeof *r->node);
	if (seen == NULL || r->nodes == NULL || r->node == NULL) {
		free(seen);
		return REGIONS_ENOMEM;
	}
	for (uint32_t v = 0; v < r->graph.count; v++) {
		r->all[r->of[v]].node_count++;
		r->node[v] = REGIONS_NONE;
	}
	for (uint32_t i = 1; i < r->count; i++)
		r->all[r->all[i].parent].node_count++;
	for (uint32_t i = 0; i < r->count; i++) {
		r->all[i].nodes = at;
		at += r->all[i].node_count;
		r->all[i].node_count = 0;
	}
	r->node_count = at;
	for (uint32_t v = 0; v < r->graph.count; v++) {
		struct region *own = &r->all[r->of[v]];
		r->node[v] = own->node_count;
		r->nodes[own->nodes + own->node_count++] = (struct regions_node){v, REGIONS_NONE};
		for (uint32_t q = r->of[v]; q != 0 && seen[q]++ == 0; q = r->all[q].parent) {
			struct region *parent = &r->all[r->all[q].parent];
			r->all[q].node = parent->node_count;
			r->nodes[parent->nodes + parent->node_count++] = (struct regions_node){REGIONS_NONE, q};
		}
	}
	free(seen);
	return REGIONS_OK;
}

/* ---- edges: in whose graph, and what they say about the borders of the regions that they cross */

static void enter_regions(struct regions *r, uint32_t v, uint32_t below)
{
	for (uint32_t q = r->of[v], node = r->node[v]; q != below; node = r->all[q].node, q = r->all[q].parent)
		r->entry[r->all[q].nodes + node] = r->outside[r->all[q].nodes + node] = true;
}

static void leave_regions(struct regions *r, uint32_t v, uint32_t below)
{
	for (uint32_t q = r->of[v], node = r->node[v]; q != below; node = r->all[q].node, q = r->all[q].parent)
		r->exit[r->all[q].nodes + node] = r->leaves[r->all[q].nodes + node] = true;
}

static uint32_t common_region(const struct regions *r, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (r->all[a].depth >= r->all[b].depth)
			a = r->all[a].parent;
		else
			b = r->all[b].parent;
	}
	return a;
}

static int regions_by_place(const void *a, const void *b)
{
	const struct crossing *x = a, *y = b;
	return order_then(
	    ORDER_UP(x->region, y->region), order_then(ORDER_UP(x->from, y->from), ORDER_UP(x->edge, y->edge)));
}

static int reach_nodes(struct regions *r)
{
	const struct numbering_graph *g = &r->graph;
	uint32_t *stack = malloc((g->count + 1u) * sizeof *stack), used = 0;
	r->reached = calloc(g->count, sizeof *r->reached);
	if (stack == NULL || r->reached == NULL) {
		free(stack);
		return REGIONS_ENOMEM;
	}
	for (uint32_t v = 0; v < g->count; v++) {
		if (v == g->entry || (g->root != NULL && g->root[v])) {
			r->reached[v] = true;
			stack[used++] = v;
		}
	}
	while (used > 0) {
		uint32_t v = stack[--used];
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			uint32_t w = g->to[e];
			if (w != NUMBERING_EXIT && !r->reached[w]) {
				r->reached[w] = true;
				stack[used++] = w;
			}
		}
	}
	free(stack);
	return REGIONS_OK;
}

static int make_edges(struct build *b)
{
	struct regions *r = b->r;
	const struct numbering_graph *g = &r->graph;
	uint32_t edges = g->first[g->count];
	r->entry = calloc(r->node_count, sizeof *r->entry);
	r->outside = calloc(r->node_count, sizeof *r->outside);
	r->exit = calloc(r->node_count, sizeof *r->exit);
	r->leaves = calloc(r->node_count, sizeof *r->leaves);
	r->common = malloc((edges + 1u) * sizeof *r->common);
	r->local = malloc((edges + 1u) * sizeof *r->local);
	b->crossings = malloc((edges + 1u) * sizeof *b->crossings);
	b->starts = calloc(r->count + 1u, sizeof *b->starts);
	b->back = calloc(edges + 1u, sizeof *b->back);
	b->leads = calloc(edges + 1u, sizeof *b->leads);
	b->mark = malloc((r->node_count + 1u) * sizeof *b->mark);
	if (r->entry == NULL || r->outside == NULL || r->exit == NULL || r->leaves == NULL || r->common == NULL ||
	    r->local == NULL || b->crossings == NULL || b->starts == NULL || b->back == NULL || b->leads == NULL ||
	    b->mark == NULL)
		return REGIONS_ENOMEM;
	enter_regions(r, g->entry, REGIONS_NONE);
	for (uint32_t v = 0; v < g->count; v++) {
		if (g->root != NULL && g->root[v])
			enter_regions(r, v, REGIONS_NONE);
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			uint32_t w = g->to[e];
			r->local[e] = r->common[e] = REGIONS_NONE;
			if (!r->reached[v])
				continue;
			if (w == NUMBERING_EXIT) {
				leave_regions(r, v, REGIONS_NONE);
				continue;
			}
			uint32_t c = r->common[e] = common_region(r, r->of[v], r->of[w]);
			leave_regions(r, v, c);
			enter_regions(r, w, c);
			b->crossings[b->count++] =
			    (struct crossing){c, regions_node_of(r, c, v), regions_node_of(r, c, w), e};
			b->starts[c + 1]++;
		}
	}
	for (uint32_t i = 0; i < r->count; i++)
		b->starts[i + 1] += b->starts[i];
	qsort(b->crossings, b->count, sizeof *b->crossings, regions_by_place);
	return REGIONS_OK;
}

/* Actions 5b and 5c: one edge between a node and a region, however many there are of the graph. */
static void join_region(struct build *b, uint32_t region)
{
	const struct regions *r = b->r;
	const struct region *own = &r->all[region];
	for (uint32_t i = 0; i < own->node_count; i++)
		b->mark[i] = REGIONS_NONE;
	for (uint32_t c = b->starts[region]; c < b->starts[region + 1]; c++) {
		const struct crossing *x = &b->crossings[c];
		bool direct = r->nodes[own->nodes + x->from].region == REGIONS_NONE &&
			      r->nodes[own->nodes + x->to].region == REGIONS_NONE;
		b->leads[c] = direct || b->mark[x->to] != x->from;
		if (!direct)
			b->mark[x->to] = x->from;
	}
}

/* Action 1: depth-first from the representative entry, then from the other ones. */
static int find_back(struct build *b, uint32_t region)
{
	struct regions *r = b->r;
	const struct region *own = &r->all[region];
	enum { NEW, OPEN, DONE };
	uint32_t n = own->node_count;
	uint8_t *state = calloc(n, 1);
	uint32_t *first = calloc(n + 1u, sizeof *first), *stack = malloc(n * sizeof *stack),
		 *at = malloc(n * sizeof *at);
	int error = state == NULL || first == NULL || stack == NULL || at == NULL ? REGIONS_ENOMEM : REGIONS_OK;
	for (uint32_t c = b->starts[region]; c < b->starts[region + 1] && error == REGIONS_OK; c++)
		first[b->crossings[c].from + 1]++;
	if (error == REGIONS_OK)
		first[0] = b->starts[region];
	for (uint32_t i = 0; i < n && error == REGIONS_OK; i++)
		first[i + 1] += first[i];
	for (uint32_t i = 0; i <= n && error == REGIONS_OK; i++) {
		uint32_t start = i == 0 ? own->Er : i - 1, depth = 0;
		if (state[start] != NEW || !r->entry[own->nodes + start])
			continue;
		stack[0] = start;
		at[0] = first[start];
		state[start] = OPEN;
		for (;;) {
			uint32_t node = stack[depth];
			if (at[depth] == first[node + 1]) {
				state[node] = DONE;
				if (depth-- == 0)
					break;
				continue;
			}
			uint32_t c = at[depth]++, to = b->crossings[c].to;
			if (state[to] == OPEN)
				b->back[c] = true;
			else if (state[to] == NEW) {
				state[to] = OPEN;
				stack[++depth] = to;
				at[depth] = first[to];
			}
		}
	}
	for (uint32_t c = b->starts[region]; c < b->starts[region + 1] && error == REGIONS_OK; c++) {
		if (!b->back[c])
			continue;
		r->exit[own->nodes + b->crossings[c].from] = true;
		r->entry[own->nodes + b->crossings[c].to] = true;
	}
	free(state);
	free(first);
	free(stack);
	free(at);
	return error;
}

/* Actions 2 to 4, and BL's values. The edge to Rx is the first of a node. */
static int number_region(struct build *b, uint32_t region, uint32_t *firsts, uint32_t *edges)
{
	struct regions *r = b->r;
	struct region *own = &r->all[region];
	uint32_t *first = r->first + *firsts, *to = r->to + *edges, used = 0, c = b->starts[region];
	uint32_t last = 0; /* of the edge between a node and a region, for those that it stands for */
	own->edges = *edges;
	for (uint32_t node = 0; node < own->node_count; node++) {
		first[node] = used;
		if (r->exit[own->nodes + node])
			to[used++] = NUMBERING_EXIT;
		for (uint32_t from = used; c < b->starts[region + 1] && b->crossings[c].from == node; c++) {
			const struct crossing *x = &b->crossings[c];
			if (b->back[c])
				continue;
			last = used;
			for (uint32_t k = from; !b->leads[c] && k < used; k++)
				last = to[k] == x->to ? k : last;
			if (last == used)
				to[used++] = x->to;
			r->local[x->edge] = last;
		}
	}
	first[own->node_count] = used;
	own->edge_count = used;
	*firsts += own->node_count + 1;
	*edges += used;
	const struct numbering_graph graph = {
	    .count = own->node_count, .entry = own->Er, .first = first, .to = to, .root = r->entry + own->nodes};
	return numbering_make(&own->numbering, &graph, r->limit) == NUMBERING_OK ? REGIONS_OK : REGIONS_ENOMEM;
}

/* An entry from outside before one from behind a back edge, the head before others; any exit. */
static void represent_region(struct regions *r, struct region *own)
{
	own->Er = own->Xr = REGIONS_NONE;
	uint32_t head = regions_node_of(r, (uint32_t)(own - r->all), own->head);
	if (r->outside[own->nodes + head])
		own->Er = head;
	for (uint32_t node = 0; node < own->node_count; node++) {
		if (own->Er == REGIONS_NONE && r->outside[own->nodes + node])
			own->Er = node;
		if (own->Xr == REGIONS_NONE && r->exit[own->nodes + node])
			own->Xr = node;
	}
	if (own->Er == REGIONS_NONE) /* nothing known leads there */
		own->Er = head;
}

int regions_close(struct regions *r)
{
	struct build b = {.r = r};
	uint32_t firsts = 0, edges = 0;
	int error = sort_regions(r);
	if (error == REGIONS_OK)
		error = make_region_nodes(r);
	if (error == REGIONS_OK)
		error = reach_nodes(r);
	if (error == REGIONS_OK)
		error = make_edges(&b);
	if (error == REGIONS_OK) {
		r->first = calloc(r->node_count + r->count + 1u, sizeof *r->first);
		r->to = calloc(r->node_count + b.count + 1u, sizeof *r->to);
		error = r->first == NULL || r->to == NULL ? REGIONS_ENOMEM : REGIONS_OK;
	}
	for (uint32_t i = 0; i < r->count && error == REGIONS_OK; i++) {
		represent_region(r, &r->all[i]);
		join_region(&b, i);
		error = find_back(&b, i);
		if (error == REGIONS_OK)
			error = number_region(&b, i, &firsts, &edges);
	}
	r->edge_count = edges;
	free(b.crossings);
	free(b.starts);
	free(b.back);
	free(b.leads);
	free(b.mark);
	return error;
}

/* ---- borders */

static uint32_t border_nodes(const struct regions *r, uint32_t region, bool before, uint32_t *nodes, uint32_t max)
{
	const struct numbering_graph *g = &r->graph;
	uint32_t count = 0, parent = r->all[region].parent;
	if (parent == REGIONS_NONE)
		return 0;
	for (uint32_t n = 0; n < r->all[parent].node_count; n++) {
		struct regions_node node = r->nodes[r->all[parent].nodes + n];
		bool found = false;
		for (uint32_t v = 0; v < g->count && !found; v++) {
			for (uint32_t e = g->first[v]; e < g->first[v + 1] && !found; e++) {
				if (g->to[e] == NUMBERING_EXIT || r->common[e] != parent)
					continue;
				uint32_t inner = before ? g->to[e] : v, outer = before ? v : g->to[e];
				found = regions_within(r, r->of[inner], region) &&
					!regions_within(r, r->of[outer], region) &&
					(node.vertex == outer || (node.region != REGIONS_NONE &&
								     regions_within(r, r->of[outer], node.region)));
			}
		}
		if (found && count++ < max)
			nodes[count - 1] = n;
	}
	return count;
}

uint32_t regions_prologs(const struct regions *r, uint32_t region, uint32_t *nodes, uint32_t max)
{
	return border_nodes(r, region, true, nodes, max);
}

uint32_t regions_epilogs(const struct regions *r, uint32_t region, uint32_t *nodes, uint32_t max)
{
	return border_nodes(r, region, false, nodes, max);
}
