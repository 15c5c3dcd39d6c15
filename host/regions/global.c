/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/regions/global.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/paths/chords.h"

struct work {
	struct regions_global *g;
	const struct regions *r;
	const struct regions_global_options *o;
	uint64_t *between; /* by region: plain paths from Er to Xr */
	uint32_t *end;     /* by vertex: its arc to EXIT + 1 */
	size_t room;
};

/* ---- representative entry, exit and path: innermost regions first */

static uint64_t saturated_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t saturated_product(uint64_t a, uint64_t b)
{
	return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

/* Plain paths from a node to every other one of a region's graph; ways[] by node. Its own edges are not cut. */
static void count_node_ways(const struct work *w, const struct region *own, uint32_t from, uint64_t *ways)
{
	const struct numbering *n = &own->numbering;
	memset(ways, 0, own->node_count * sizeof *ways);
	ways[from] = 1;
	for (uint32_t i = n->ordered; i-- > 0;) { /* each before those that it leads to */
		uint32_t v = n->order[i], inner = w->r->nodes[own->nodes + v].region;
		uint64_t through = inner == REGIONS_NONE ? 1 : w->between[inner];
		for (uint32_t e = n->graph.first[v]; e < n->graph.first[v + 1] && ways[v] > 0; e++) {
			uint32_t to = n->graph.to[e];
			if (to != NUMBERING_EXIT)
				ways[to] = saturated_sum(ways[to], saturated_product(ways[v], through));
		}
	}
}

/* How many edges between the region and its parent's nodes are there already, if this is its representative. */
static uint64_t edges_there(const struct regions *r, uint32_t region, uint32_t vertex, bool into)
{
	const struct numbering_graph *g = &r->graph;
	uint64_t sum = 0;
	if (!into) {
		for (uint32_t e = g->first[vertex]; e < g->first[vertex + 1]; e++)
			sum += r->common[e] == r->all[region].parent;
		return sum;
	}
	for (uint32_t e = 0; e < g->first[g->count]; e++)
		sum += g->to[e] == vertex && r->common[e] == r->all[region].parent;
	return sum;
}

/* The vertex that a node stands for: of a region, Er or Xr. */
static uint32_t global_vertex_of(const struct regions_global *g, uint32_t region, uint32_t node, const uint32_t *which)
{
	const struct regions *r = g->regions;
	while (node != REGIONS_NONE) {
		struct regions_node n = r->nodes[r->all[region].nodes + node];
		if (n.region == REGIONS_NONE)
			return n.vertex;
		region = n.region;
		node = which[region];
	}
	return REGIONS_NONE;
}

uint32_t regions_global_Er(const struct regions_global *g, uint32_t region)
{
	return global_vertex_of(g, region, g->Er[region], g->Er);
}

uint32_t regions_global_Xr(const struct regions_global *g, uint32_t region)
{
	return global_vertex_of(g, region, g->Xr[region], g->Xr);
}

/* Lower is better. */
static uint64_t cost_of_arc(
    const struct work *w, uint32_t region, uint32_t entry, uint32_t exit, const uint64_t *ways, const uint64_t *reach)
{
	switch (w->o->representative) {
	case REGIONS_FEWEST_EDGES:
		return UINT64_MAX - 1 -
		       edges_there(w->r, region, global_vertex_of(w->g, region, entry, w->g->Er), true) -
		       edges_there(w->r, region, global_vertex_of(w->g, region, exit, w->g->Xr), false);
	case REGIONS_FEWEST_PATHS:
		return saturated_sum(ways[exit], reach[exit]);
	default:
		return 0;
	}
}

/* The best exit for an entry; *best: the cost so far. */
static bool choose_exit(
    struct work *w, uint32_t region, uint32_t entry, uint64_t *ways, const uint64_t *reach, uint64_t *best)
{
	const struct region *own = &w->r->all[region];
	bool any = false;
	count_node_ways(w, own, entry, ways);
	for (uint32_t k = 0; k < own->node_count; k++) {
		if (!w->r->leaves[own->nodes + k] || ways[k] == 0 ||
		    global_vertex_of(w->g, region, k, w->g->Xr) == REGIONS_NONE)
			continue;
		uint64_t value = cost_of_arc(w, region, entry, k, ways, reach);
		uint32_t inner = w->r->nodes[own->nodes + k].region;
		if (value >= *best)
			continue;
		any = true;
		*best = value;
		w->g->Er[region] = entry;
		w->g->Xr[region] = k;
		w->between[region] = saturated_product(ways[k], inner == REGIONS_NONE ? 1 : w->between[inner]);
	}
	return any;
}

static int choose_arcs(struct work *w, uint32_t region)
{
	const struct regions *r = w->r;
	const struct region *own = &r->all[region];
	const struct numbering *n = &own->numbering;
	uint64_t *ways = malloc(own->node_count * sizeof *ways), *reach = calloc(own->node_count, sizeof *reach);
	uint64_t best = UINT64_MAX;
	bool any = false;
	if (ways == NULL || reach == NULL) {
		free(ways);
		free(reach);
		return REGIONS_ENOMEM;
	}
	w->g->Er[region] = own->Er;
	w->g->Xr[region] = REGIONS_NONE;
	w->between[region] = 0;
	for (uint32_t i = 0; i < own->node_count && w->o->representative == REGIONS_FEWEST_PATHS; i++) {
		if (!r->entry[own->nodes + i] || n->count[i] == 0)
			continue;
		count_node_ways(w, own, i, ways);
		for (uint32_t k = 0; k < own->node_count; k++)
			reach[k] = saturated_sum(reach[k], ways[k]);
	}
	/* the first entry alone, if there is no choice; those from outside; those that only a back edge leads to */
	for (uint32_t round = w->o->representative == REGIONS_FIRST ? 0 : 1; round < 3 && !any; round++) {
		for (uint32_t i = 0; i < own->node_count; i++) {
			uint32_t at = own->nodes + i;
			if (r->entry[at] && n->count[i] > 0 && (round == 2 || r->outside[at]) &&
			    (round > 0 || i == own->Er))
				any = choose_exit(w, region, i, ways, reach, &best) || any;
		}
	}
	free(ways);
	free(reach);
	return REGIONS_OK;
}

/* Pr(r): the shortest way from Er to Xr, breadth first. */
static int find_way(struct regions_global *g, uint32_t region)
{
	const struct region *own = &g->regions->all[region];
	const struct numbering_graph *graph = &own->numbering.graph;
	uint32_t from = g->Er[region], to = g->Xr[region], used = 0, length = 0;
	if (to == REGIONS_NONE || from == to)
		return REGIONS_OK;
	uint32_t *by = malloc(own->node_count * sizeof *by), *queue = malloc(own->node_count * sizeof *queue);
	uint32_t *source = malloc(own->node_count * sizeof *source);
	int error = by == NULL || queue == NULL || source == NULL ? REGIONS_ENOMEM : REGIONS_OK;
	if (error == REGIONS_OK) {
		memset(by, 0xFF, own->node_count * sizeof *by);
		queue[used++] = from;
		for (uint32_t i = 0; i < used && by[to] == REGIONS_NONE; i++) {
			for (uint32_t e = graph->first[queue[i]]; e < graph->first[queue[i] + 1]; e++) {
				uint32_t next = graph->to[e];
				if (next == NUMBERING_EXIT || next == from || by[next] != REGIONS_NONE)
					continue;
				by[next] = e;
				source[next] = queue[i];
				queue[used++] = next;
			}
		}
		for (uint32_t v = to; v != from; v = source[v])
			length++;
		g->way[region] = malloc((length + 1u) * sizeof *g->way[region]);
		g->way_length[region] = length;
		error = g->way[region] == NULL ? REGIONS_ENOMEM : REGIONS_OK;
		for (uint32_t v = to; v != from && error == REGIONS_OK; v = source[v])
			g->way[region][--length] = by[v];
	}
	free(by);
	free(queue);
	free(source);
	return error;
}

/* ---- the augmented graph */

static int put_arc(struct work *w, struct regions_arc arc, unsigned class, uint64_t order)
{
	struct regions_global *g = w->g;
	if (arc.from == REGIONS_NONE || arc.to == REGIONS_NONE - 1)
		return REGIONS_OK;
	if (!array_room(&g->arcs, g->arc_count + 1u, &w->room))
		return REGIONS_ENOMEM;
	arc.order = (uint64_t) class << 48 | order;
	g->arcs[g->arc_count++] = arc;
	return REGIONS_OK;
}

/* The edge of the outermost region's graph from ENTRY to a region, REGIONS_NONE: there is none. */
static uint32_t shared_edge(const struct regions_global *g, uint32_t region)
{
	const struct numbering_graph *graph = &g->regions->all[0].numbering.graph;
	uint32_t entry = g->regions->node[g->entry];
	for (uint32_t e = graph->first[entry]; e < graph->first[entry + 1]; e++) {
		if (graph->to[e] == g->regions->all[region].node)
			return e;
	}
	return REGIONS_NONE;
}

/* Whether a path of a region may begin with an edge of the outermost region from ENTRY: they cannot be confused. */
static bool can_share(const struct regions_global *g, const struct regions_global_options *o, uint32_t region)
{
	const struct regions *r = g->regions;
	const struct region *own = &r->all[region];
	return !g->own_entry && !o->cluster && own->parent == 0 && !r->exit[r->all[0].nodes + own->node] &&
	       g->Xr[region] != REGIONS_NONE && shared_edge(g, region) != REGIONS_NONE;
}

static bool shares_node(const struct regions_global *g, uint32_t region, uint32_t node)
{
	return g->shared[region] && node == g->Er[region];
}

static int put_starts(struct work *w, uint32_t region)
{
	struct regions_global *g = w->g;
	const struct regions *r = w->r;
	const struct region *own = &r->all[region];
	int error = REGIONS_OK;
	for (uint32_t i = 0; i < own->node_count && error == REGIONS_OK; i++) {
		uint32_t vertex = global_vertex_of(g, region, i, g->Er);
		if (!r->entry[own->nodes + i] || own->numbering.count[i] == 0 || shares_node(g, region, i) ||
		    (!g->own_entry && region == 0 && vertex == g->entry))
			continue;
		const struct regions_arc arc = {
		    .from = g->entry, .to = vertex, .kind = REGIONS_START, .region = region, .at = i};
		error = put_arc(w, arc, 0, (uint64_t)(r->count - region) << 32 | i);
		g->added++;
	}
	return error;
}

static int put_ends(struct work *w, uint32_t region)
{
	struct regions_global *g = w->g;
	const struct regions *r = w->r;
	const struct region *own = &r->all[region];
	int error = REGIONS_OK;
	for (uint32_t i = 0; i < own->node_count && error == REGIONS_OK; i++) {
		uint32_t vertex = global_vertex_of(g, region, i, g->Xr);
		if (!r->exit[own->nodes + i] || vertex == REGIONS_NONE || w->end[vertex] != 0)
			continue;
		bool there_already = false;
		for (uint32_t e = r->graph.first[vertex]; e < r->graph.first[vertex + 1]; e++)
			there_already = there_already || r->graph.to[e] == NUMBERING_EXIT;
		w->end[vertex] = 1;
		g->added += !there_already;
		bool first = r->of[vertex] != 0 && regions_global_Xr(g, r->of[vertex]) == vertex;
		const struct regions_arc arc = {
		    .from = vertex, .to = NUMBERING_EXIT, .kind = REGIONS_END, .region = region, .at = i};
		error = put_arc(w, arc, first ? 0 : 4, 0);
	}
	return error;
}

static int put_region_edges(struct work *w, uint32_t region)
{
	struct regions_global *g = w->g;
	const struct regions *r = w->r;
	const struct region *own = &r->all[region];
	const struct numbering_graph *graph = &own->numbering.graph;
	int error = REGIONS_OK;
	for (uint32_t i = 0; i < own->node_count && error == REGIONS_OK; i++) {
		bool inner = r->nodes[own->nodes + i].region != REGIONS_NONE;
		if (own->numbering.count[i] == 0)
			continue;
		for (uint32_t e = graph->first[i]; e < graph->first[i + 1] && error == REGIONS_OK; e++) {
			if (graph->to[e] == NUMBERING_EXIT)
				continue;
			const struct regions_arc arc = {.from = global_vertex_of(g, region, i, g->Xr),
			    .to = global_vertex_of(g, region, graph->to[e], g->Er),
			    .kind = REGIONS_LOCAL,
			    .region = region,
			    .at = e};
			bool there_already = false;
			for (uint32_t k = arc.from == REGIONS_NONE ? 0 : r->graph.first[arc.from];
			     arc.from != REGIONS_NONE && k < r->graph.first[arc.from + 1]; k++)
				there_already = there_already || r->graph.to[k] == arc.to;
			g->added += arc.from != REGIONS_NONE && !there_already;
			error = put_arc(w, arc, inner ? 1 : 2, (uint64_t)(inner ? own->depth : 0) << 32 | e);
		}
	}
	return error;
}

/* Edges of the program for which a representative one stands. */
static int put_others(struct work *w)
{
	struct regions_global *g = w->g;
	const struct regions *r = w->r;
	int error = REGIONS_OK;
	for (uint32_t v = 0; v < r->graph.count && error == REGIONS_OK; v++) {
		for (uint32_t e = r->graph.first[v]; e < r->graph.first[v + 1] && error == REGIONS_OK; e++) {
			uint32_t region = r->common[e], to = r->graph.to[e];
			if (r->local[e] == REGIONS_NONE)
				continue;
			uint32_t a = global_vertex_of(g, region, regions_node_of(r, region, v), g->Xr);
			uint32_t b = global_vertex_of(g, region, regions_node_of(r, region, to), g->Er);
			const struct regions_arc arc = {.from = v, .to = to, .kind = REGIONS_OTHER, .region = region};
			if (v != a || to != b)
				error = put_arc(w, arc, 3, e);
		}
	}
	return error;
}

static int by_order(const void *a, const void *b)
{
	const struct regions_arc *x = a, *y = b;
	return order_then(ORDER_UP(x->from, y->from), ORDER_UP(x->order, y->order));
}

static int number_global(struct work *w)
{
	struct regions_global *g = w->g;
	uint32_t vertices = w->r->graph.count + g->own_entry;
	qsort(g->arcs, g->arc_count, sizeof *g->arcs, by_order);
	g->first = calloc(vertices + 1u, sizeof *g->first);
	g->to = malloc((g->arc_count + 1u) * sizeof *g->to);
	if (g->first == NULL || g->to == NULL)
		return REGIONS_ENOMEM;
	for (uint32_t i = 0; i < g->arc_count; i++) {
		g->first[g->arcs[i].from + 1]++;
		g->to[i] = g->arcs[i].to;
	}
	for (uint32_t v = 0; v < vertices; v++)
		g->first[v + 1] += g->first[v];
	const struct numbering_graph graph = {.count = vertices, .entry = g->entry, .first = g->first, .to = g->to};
	if (numbering_make(&g->numbering, &graph, 0) != NUMBERING_OK)
		return REGIONS_ENOMEM;
	uint64_t limit = w->o->limit == 0 ? NUMBERING_LIMIT : w->o->limit;
	return g->numbering.cut > 0 || g->numbering.back > 0 || g->numbering.self > 0 || g->numbering.paths > limit
		   ? REGIONS_ESIZE
		   : REGIONS_OK;
}

/* "After the BL method is applied, each edge p -> e is reassigned the value assigned to edge p -> Er(r)": values of the
 * edges of CFG(R). */
static void assign_values(struct regions_global *g, const uint64_t *arcs, const uint32_t *end, uint64_t entry_value)
{
	const struct regions *r = g->regions;
	struct regions_values *v = &g->values;
	for (uint32_t i = 0; i < g->arc_count; i++) {
		const struct regions_arc *arc = &g->arcs[i];
		const struct region *own = &r->all[arc->region];
		if (arc->kind == REGIONS_START)
			v->enter[own->nodes + arc->at] = arcs[i] + entry_value;
		else if (arc->kind == REGIONS_LOCAL)
			v->value[own->edges + arc->at] = arcs[i];
	}
	for (uint32_t i = r->count; i-- > 0;) { /* inner ones before outer ones */
		const struct region *own = &r->all[i];
		for (uint32_t n = 0; n < own->node_count; n++) {
			uint32_t vertex = global_vertex_of(g, i, n, g->Xr);
			if (r->exit[own->nodes + n] && vertex != REGIONS_NONE && end[vertex] > 0)
				v->leave[own->nodes + n] = arcs[end[vertex] - 1];
			if (shares_node(g, i, n))
				v->enter[own->nodes + n] = v->value[r->all[0].edges + shared_edge(g, i)] + entry_value;
		}
		if (own->parent == REGIONS_NONE)
			continue;
		uint64_t pass = 0;
		for (uint32_t k = 0; k < g->way_length[i]; k++) {
			uint32_t edge = g->way[i][k];
			pass += v->value[own->edges + edge];
			pass += v->pass[own->nodes + own->numbering.graph.to[edge]];
		}
		/* Er is a region: its own representative path comes before the first edge */
		v->pass[r->all[own->parent].nodes + own->node] = pass + v->pass[own->nodes + g->Er[i]];
	}
	if (!g->own_entry)
		v->enter[r->all[0].nodes + r->node[g->entry]] = entry_value;
}

/* By vertex: its arc to EXIT + 1. */
static void find_ends(const struct regions_global *g, uint32_t *end)
{
	for (uint32_t i = 0; i < g->arc_count; i++) {
		if (g->arcs[i].kind == REGIONS_END)
			end[g->arcs[i].from] = i + 1;
	}
}

int regions_global_make(struct regions_global *g, const struct regions *r, const struct regions_global_options *options)
{
	struct work w = {.g = g, .r = r, .o = options};
	uint32_t entry = r->graph.entry;
	*g = (struct regions_global){.regions = r, .own_entry = r->of[entry] != 0};
	for (uint32_t i = 0; i < r->count; i++) {
		if (r->all[i].numbering.cut > 0)
			return REGIONS_ESIZE;
	}
	for (uint32_t e = 0; e < r->graph.first[r->graph.count]; e++)
		g->own_entry = g->own_entry || r->graph.to[e] == entry;
	g->entry = g->own_entry ? r->graph.count : entry;
	g->Er = malloc(r->count * sizeof *g->Er);
	g->Xr = malloc(r->count * sizeof *g->Xr);
	g->way = calloc(r->count, sizeof *g->way);
	g->way_length = calloc(r->count, sizeof *g->way_length);
	g->shared = calloc(r->count, sizeof *g->shared);
	w.between = calloc(r->count, sizeof *w.between);
	w.end = calloc(r->graph.count, sizeof *w.end);
	int error = g->Er == NULL || g->Xr == NULL || g->way == NULL || g->way_length == NULL || g->shared == NULL ||
			    w.between == NULL || w.end == NULL
			? REGIONS_ENOMEM
			: regions_values_open(&g->values, r);
	for (uint32_t i = r->count; i-- > 0 && error == REGIONS_OK;) {
		error = choose_arcs(&w, i);
		if (error == REGIONS_OK && i > 0)
			error = find_way(g, i);
	}
	for (uint32_t i = 0; i < r->count && error == REGIONS_OK; i++)
		g->shared[i] = can_share(g, options, i);
	for (uint32_t i = 0; i < r->count && error == REGIONS_OK; i++) {
		error = put_starts(&w, i);
		if (error == REGIONS_OK)
			error = put_ends(&w, i);
		if (error == REGIONS_OK)
			error = put_region_edges(&w, i);
	}
	if (error == REGIONS_OK && options->keep)
		error = put_others(&w);
	if (error == REGIONS_OK)
		error = number_global(&w);
	if (error == REGIONS_OK) {
		g->values.global = true;
		g->values.counters = g->numbering.paths;
		for (uint32_t i = 0; i < r->count; i++) {
			g->values.paths[i] = g->numbering.paths;
			g->hierarchical = saturated_sum(g->hierarchical, r->all[i].numbering.paths);
		}
		find_ends(g, w.end);
		assign_values(g, g->numbering.value, w.end, 0);
	}
	free(w.between);
	free(w.end);
	if (error != REGIONS_OK)
		regions_global_free(g);
	return error;
}

int regions_global_weigh(struct regions_global *g, const uint64_t *weights)
{
	const struct regions *r = g->regions;
	struct regions_step steps[REGIONS_STEPS_MAX];
	struct chords chords = {0};
	uint64_t *by_arc = calloc(g->arc_count + 1u, sizeof *by_arc);
	uint64_t *by_edge = calloc(r->edge_count + 1u, sizeof *by_edge);
	uint64_t *begins = calloc(r->node_count + 1u, sizeof *begins), *ends = calloc(r->graph.count, sizeof *ends);
	uint32_t *end = calloc(r->graph.count, sizeof *end);
	int error = by_arc == NULL || by_edge == NULL || begins == NULL || ends == NULL || end == NULL ? REGIONS_ENOMEM
												       : REGIONS_OK;
	for (uint32_t e = 0; e < r->graph.first[r->graph.count] && error == REGIONS_OK; e++) {
		uint32_t count = regions_edge_steps(r, e, steps);
		for (uint32_t i = 0; i < count; i++) {
			const struct regions_step *s = &steps[i];
			const struct region *own = &r->all[s->region];
			uint32_t out = global_vertex_of(g, s->region, s->node, g->Xr);
			if (s->move == REGIONS_MOVES)
				by_edge[own->edges + s->edge] =
				    saturated_sum(by_edge[own->edges + s->edge], weights[e]);
			if ((s->move == REGIONS_LEAVES || s->move == REGIONS_TURNS) && out != REGIONS_NONE)
				ends[out] = saturated_sum(ends[out], weights[e]);
			if (s->move == REGIONS_TURNS)
				begins[own->nodes + s->to] = saturated_sum(begins[own->nodes + s->to], weights[e]);
			if (s->move == REGIONS_ENTERS)
				begins[own->nodes + s->node] = saturated_sum(begins[own->nodes + s->node], weights[e]);
		}
	}
	for (uint32_t i = 0; i < g->arc_count && error == REGIONS_OK; i++) {
		const struct regions_arc *arc = &g->arcs[i];
		const struct region *own = &r->all[arc->region];
		if (arc->kind == REGIONS_START)
			by_arc[i] = begins[own->nodes + arc->at];
		else if (arc->kind == REGIONS_LOCAL)
			by_arc[i] = by_edge[own->edges + arc->at];
		else if (arc->kind == REGIONS_END)
			by_arc[i] = ends[arc->from];
	}
	if (error == REGIONS_OK && chords_make(&chords, &g->numbering, by_arc) != NUMBERING_OK)
		error = REGIONS_ENOMEM;
	if (error == REGIONS_OK) {
		find_ends(g, end);
		assign_values(g, chords.increment, end, chords.enter[g->entry]);
	}
	chords_free(&chords);
	free(by_arc);
	free(by_edge);
	free(begins);
	free(ends);
	free(end);
	return error;
}

void regions_global_free(struct regions_global *g)
{
	for (uint32_t i = 0; g->way != NULL && i < g->regions->count; i++)
		free(g->way[i]);
	free(g->Er);
	free(g->Xr);
	free(g->way);
	free(g->way_length);
	free(g->shared);
	free(g->first);
	free(g->to);
	free(g->arcs);
	regions_values_free(&g->values);
	numbering_free(&g->numbering);
	*g = (struct regions_global){0};
}

/* ---- from a sum to the path */

/* Which region's path a plain path is, and the node it begins at. */
static void path_begins_in(const struct regions_global *g, const struct numbering_path *path, const uint32_t *edges,
    uint32_t *region, uint32_t *node)
{
	const struct regions *r = g->regions;
	uint32_t first = path->length > 0 ? edges[0] : REGIONS_NONE;
	*region = 0;
	*node = g->own_entry ? 0 : r->node[g->entry];
	if (first == REGIONS_NONE)
		return;
	const struct regions_arc *arc = &g->arcs[first];
	if (arc->kind == REGIONS_START) {
		*region = arc->region;
		*node = arc->at;
		return;
	}
	/* shared: a path of the inner region stays in it */
	uint32_t inner = r->of[arc->to];
	while (inner != 0 && r->all[inner].parent != 0)
		inner = r->all[inner].parent;
	inner = g->shared[inner] ? inner : 0;
	for (uint32_t i = 0; i < path->length && inner != 0; i++) {
		if (!regions_within(r, r->of[g->to[edges[i]]], inner))
			inner = 0;
	}
	if (inner != 0) {
		*region = inner;
		*node = g->Er[inner];
	}
}

int regions_global_path(
    const struct regions_global *g, uint64_t sum, uint32_t *region, uint32_t *nodes, uint32_t max, uint32_t *length)
{
	const struct regions *r = g->regions;
	const struct regions_values *v = &g->values;
	size_t room = r->graph.count + 2u;
	uint32_t *edges = malloc(room * sizeof *edges), node;
	struct numbering_path path;
	*length = 0;
	if (edges == NULL)
		return REGIONS_ENOMEM;
	if (numbering_path(&g->numbering, sum, &path, edges, room) != NUMBERING_OK || !path.to_exit) {
		free(edges);
		return REGIONS_EPATH;
	}
	path_begins_in(g, &path, edges, region, &node);
	const struct region *own = &r->all[*region];
	uint64_t value = v->enter[own->nodes + node] + v->pass[own->nodes + node];
	if (max > 0)
		nodes[0] = node;
	*length = 1;
	for (uint32_t i = 0; i < path.length; i++) {
		const struct regions_arc *arc = &g->arcs[edges[i]];
		if (arc->kind != REGIONS_LOCAL || arc->region != *region)
			continue;
		node = own->numbering.graph.to[arc->at];
		value += v->value[own->edges + arc->at] + v->pass[own->nodes + node];
		if ((*length)++ < max)
			nodes[*length - 1] = node;
	}
	free(edges);
	/* a plain path that is not by way of the representative ones has another sum than the hierarchical one */
	return r->exit[own->nodes + node] && value + v->leave[own->nodes + node] == sum ? REGIONS_OK : REGIONS_EPATH;
}
