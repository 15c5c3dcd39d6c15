/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_nested.h"
#include "host/base/order.h"

#include <stdlib.h>
#include "host/base/array.h"
#include "host/insert/counted_stops.h"
#include "host/insert/pending.h"

/* ---------------------------------------------------------------- opening */
static int add_region(struct counted *c, uint32_t function, uint32_t region)
{
	struct map *m = c->map;
	const struct regions_map *of = &c->regions[function];
	const struct regions *r = &of->regions;
	const struct region *own = &r->all[region];
	const uint32_t blocks = m->functions[function].blocks;
	uint32_t *vertices = calloc(own->node_count + 1u, sizeof *vertices);
	if (vertices == NULL || !array_room(&c->nested, c->nested_count + 1, &c->nested_room)) {
		free(vertices);
		return COUNTED_ENOMEM;
	}
	for (uint32_t n = 0; n < own->node_count; n++) {
		const uint32_t vertex = r->nodes[own->nodes + n].vertex;
		vertices[n] = vertex == REGIONS_NONE ? 0 : blocks + vertex + 1;
	}
	const int error = map_add_graph(m, function, &own->numbering.graph, vertices);
	free(vertices);
	if (error != MAP_OK)
		return COUNTED_ENOMEM;
	struct map_function *f = &m->functions[m->function_count - 1];
	const bool global = of->global.regions != NULL;
	const bool hashed = of->hashed && (global || of->place[region] == REGIONS_HASHED);
	f->numbering = own->numbering;
	f->graph_first = calloc(1, sizeof *f->graph_first); /* it is numbered */
	f->words = of->pending[region].words;
	f->word_count = of->pending[region].count;
	f->flags = MAP_COUNTED | (hashed ? (uint32_t)MAP_HASHED : 0);
	if (hashed && !global)
		f->above = of->values.base[region];
	else if (!global)
		f->first += (uint32_t)(of->place != NULL ? of->place[region] : of->values.base[region]);
	c->nested[c->nested_count++] = (struct counted_nested){function, region};
	return f->graph_first == NULL ? COUNTED_ENOMEM : COUNTED_OK;
}

int counted_nested_open(struct counted *c)
{
	struct map *m = c->map;
	int error = COUNTED_OK;
	bool any = false;
	c->whole_functions = (uint32_t)m->function_count;
	c->whole_blocks = (uint32_t)m->block_count;
	c->whole_edges = (uint32_t)m->edge_count;
	for (size_t i = 0; i < m->object_count; i++)
		any = any || m->objects[i].mode == INSERT_REGIONS;
	if (!any)
		return COUNTED_OK;
	c->regions = calloc(c->whole_functions + 1u, sizeof *c->regions);
	c->nested_first = calloc(c->whole_functions + 1u, sizeof *c->nested_first);
	if (c->regions == NULL || c->nested_first == NULL)
		return COUNTED_ENOMEM;
	for (uint32_t i = 0; i < c->whole_functions && error == COUNTED_OK; i++) {
		const struct map_function *f = &m->functions[i];
		if (m->objects[f->object].mode != INSERT_REGIONS || f->address == 0 || (f->flags & MAP_COUNTED) == 0)
			continue;
		if (map_number(m, i) != MAP_OK)
			return COUNTED_ENOMEM;
		const int opened = regions_map_open(&c->regions[i], m, i);
		if (opened != MAP_OK)
			return opened == MAP_ENOMEM ? COUNTED_ENOMEM : COUNTED_EFORMAT;
		c->nested_first[i] = (uint32_t)m->function_count;
		for (uint32_t k = 0; k < c->regions[i].regions.count && error == COUNTED_OK; k++)
			error = add_region(c, i, k);
	}
	return error;
}

/* ---------------------------------------------------------------- looking up */
uint32_t counted_nested_of(const struct counted *c, uint32_t function, uint32_t region)
{
	return c->nested_first[function] + region;
}

uint32_t counted_nested_block(const struct counted *c, uint32_t function, uint32_t region, uint32_t block)
{
	const struct map *m = c->map;
	return m->functions[counted_nested_of(c, function, region)].blocks +
	       regions_node_of(&c->regions[function].regions, region, block - m->functions[function].blocks);
}

uint32_t counted_nested_place(const struct counted *c, uint32_t function, uint32_t region, uint32_t block)
{
	const struct map *m = c->map;
	const struct regions_map *of = &c->regions[function];
	const struct regions *r = &of->regions;
	/* the sum of a region that shares its variable with those inside is where the next of these keeps it */
	uint32_t place = of->pending[region].count > 0 ? m->words[of->pending[region].words] : PENDING_NOWHERE;
	const uint32_t own = place;
	for (uint32_t q = r->of[block - m->functions[function].blocks]; q != region; q = r->all[q].parent) {
		const struct regions_pending *inner = &of->pending[q];
		if (inner->kept != PENDING_NOWHERE && inner->count > 0 && m->words[inner->words] == own)
			place = inner->kept;
	}
	return place;
}

bool counted_nested_number(const struct counted *c, uint32_t function, uint64_t *number)
{
	if (function < c->whole_functions)
		return true;
	const struct counted_nested *n = &c->nested[function - c->whole_functions];
	const struct regions_map *of = &c->regions[n->function];
	if (of->global.regions == NULL)
		return true;
	const uint32_t room = of->regions.node_count + 1;
	uint32_t region, length;
	uint64_t sum;
	uint32_t *nodes = malloc(room * sizeof *nodes);
	const bool found = nodes != NULL &&
			   regions_global_path(&of->global, *number, &region, nodes, room, &length) == REGIONS_OK &&
			   region == n->region && length <= room;
	if (found)
		*number = regions_map_number(&of->regions, region, nodes, length, &sum);
	free(nodes);
	return found;
}

/* ---------------------------------------------------------------- closing */
uint32_t counted_nested_edge(const struct counted *c, uint32_t function, uint32_t from, uint32_t to)
{
	const struct map *m = c->map;
	const struct regions *r = &c->regions[function].regions;
	const struct map_function *f = &m->functions[function];
	const struct map_block *block = &m->blocks[f->blocks + from];
	uint32_t found = GRAPH_NONE;
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		if (m->edges[e].to != to)
			continue;
		const uint32_t local = r->local[e - f->edges];
		if (found != GRAPH_NONE || local == REGIONS_NONE || r->of[from] != r->of[to] ||
		    r->all[r->of[from]].numbering.kind[local] != NUMBERING_PLAIN)
			return GRAPH_NONE;
		found = e - f->edges;
	}
	return found;
}

/* What a region counted, to the blocks and edges of its function. */
static void add_counts(struct counted *c, const struct counted_nested *n)
{
	const struct map *m = c->map;
	const struct map_function *f = &m->functions[n->function],
				  *g = &m->functions[counted_nested_of(c, n->function, n->region)];
	const struct regions *r = &c->regions[n->function].regions;
	const struct region *own = &r->all[n->region];
	for (uint32_t node = 0; node < own->node_count; node++) {
		const uint32_t vertex = r->nodes[own->nodes + node].vertex;
		const struct map_block *block = &m->blocks[g->blocks + node];
		if (vertex == REGIONS_NONE)
			continue;
		c->blocks[f->blocks + vertex] += c->blocks[g->blocks + node];
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			const uint32_t to = m->edges[e].to,
				       at = to == GRAPH_NONE ? REGIONS_NONE : r->nodes[own->nodes + to].vertex;
			const uint32_t edge =
			    at == REGIONS_NONE ? GRAPH_NONE : counted_nested_edge(c, n->function, vertex, at);
			if (edge != GRAPH_NONE)
				c->edges[f->edges + edge] += c->edges[e];
		}
	}
}

/* The block of the function that a block of a region is; GRAPH_NONE: a region. */
static uint32_t nested_whole_block(const struct counted *c, const struct counted_nested *n, uint32_t block)
{
	const struct map *m = c->map;
	const struct regions *r = &c->regions[n->function].regions;
	const uint32_t node = block - m->functions[counted_nested_of(c, n->function, n->region)].blocks;
	const uint32_t vertex = r->nodes[r->all[n->region].nodes + node].vertex;
	return vertex == REGIONS_NONE ? GRAPH_NONE : m->functions[n->function].blocks + vertex;
}

static int add_part(struct counted *c, const struct counted_nested *n, uint32_t block, uint64_t place, uint64_t more)
{
	const uint32_t of = nested_whole_block(c, n, block);
	if (of == GRAPH_NONE)
		return COUNTED_OK;
	if (!array_room(&c->parts, c->part_count + 1, &c->part_room))
		return COUNTED_ENOMEM;
	c->parts[c->part_count++] = (struct counted_part){of, counted_index(c, of, place), more};
	return COUNTED_OK;
}

static int by_block(const void *a, const void *b)
{
	const struct counted_part *x = a, *y = b;
	return order_then(ORDER_UP(x->block, y->block), ORDER_UP(x->index, y->index));
}

static int add_nest(struct counted *c, const struct counted_nest *nest)
{
	if (!array_room(&c->nests, c->nest_count + 1, &c->nest_room))
		return COUNTED_ENOMEM;
	c->nests[c->nest_count++] = *nest;
	return COUNTED_OK;
}

/* The sum of a path's edges, with that by which it ends. */
static uint64_t nested_path_sum(const struct counted *c, const struct counted_path *p, bool ends)
{
	const struct map_function *g = &c->map->functions[p->function];
	const struct numbering *n = &g->numbering;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < p->length; i++)
		sum += n->value[c->path_edges[p->edges + i] - g->edges];
	if (ends && p->exit != GRAPH_NONE)
		sum += n->value[p->exit - g->edges];
	else if (ends)
		sum += n->leave[p->last - g->blocks];
	return sum;
}

static int add_unfinished(struct counted *c, const struct counted_nested *n, const struct counted_unfinished *u)
{
	const uint32_t blocks = c->map->functions[u->path.function].blocks;
	struct counted_nest nest = {.function = n->function,
	    .region = n->region,
	    .number = NUMBERING_NONE,
	    .from = u->path.first - blocks,
	    .to = u->stop != 0 ? u->path.last - blocks : REGIONS_NONE,
	    .sum = nested_path_sum(c, &u->path, u->stop == 0),
	    .begins = u->from == 0,
	    .ran = UINT32_MAX,
	    .count = u->path.count};
	int error = COUNTED_OK;
	if (u->from != 0) {
		nest.skipped = counted_index(c, u->path.first, u->from);
		error = add_part(c, n, u->path.first, u->from, u->path.count);
	}
	if (u->stop != 0 && error == COUNTED_OK) {
		nest.ran = counted_index(c, u->path.last, u->stop);
		error = add_part(c, n, u->path.last, u->stop, -u->path.count);
	}
	return error == COUNTED_OK ? add_nest(c, &nest) : error;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return ORDER_UP(a, b);
}

static int by_nodes(const void *a, const void *b)
{
	const struct counted_nest *x = a, *y = b;
	const uint64_t keys[][2] = {{x->function, y->function}, {x->region, y->region}, {x->number, y->number},
	    {x->from, y->from}, {x->to, y->to}, {x->sum, y->sum}, {x->begins, y->begins}, {x->skipped, y->skipped},
	    {x->ran, y->ran}};
	int order = 0;
	for (unsigned i = 0; i < sizeof keys / sizeof *keys && order == 0; i++)
		order = compare_numbers(keys[i][0], keys[i][1]);
	return order;
}

/* Equal ones become one. */
static void join_nests(struct counted *c)
{
	size_t kept = 0;
	if (c->nest_count > 0)
		qsort(c->nests, c->nest_count, sizeof *c->nests, by_nodes);
	for (size_t i = 0; i < c->nest_count; i++) {
		if (kept > 0 && by_nodes(&c->nests[kept - 1], &c->nests[i]) == 0)
			c->nests[kept - 1].count += c->nests[i].count;
		else if (c->nests[i].count > 0)
			c->nests[kept++] = c->nests[i];
	}
	c->nest_count = kept;
}

int counted_nested_done(struct counted *c)
{
	int error = COUNTED_OK;
	size_t kept = 0;
	if (c->nested_count == 0)
		return COUNTED_OK;
	for (size_t i = 0; i < c->nested_count; i++)
		add_counts(c, &c->nested[i]);
	for (size_t i = 0; i < c->path_count && error == COUNTED_OK; i++) {
		const struct counted_path *p = &c->paths[i];
		if (p->function < c->whole_functions) {
			c->paths[kept++] = *p;
			continue;
		}
		const struct counted_nested *n = &c->nested[p->function - c->whole_functions];
		error = add_nest(c, &(struct counted_nest){.function = n->function,
					.region = n->region,
					.number = p->number,
					.to = REGIONS_NONE,
					.begins = true,
					.ran = UINT32_MAX,
					.count = p->count});
	}
	c->path_count = kept;
	kept = 0;
	for (size_t i = 0; i < c->unfinished_count && error == COUNTED_OK; i++) {
		const struct counted_unfinished *u = &c->unfinished[i];
		if (u->path.function < c->whole_functions)
			c->unfinished[kept++] = *u;
		else
			error = add_unfinished(c, &c->nested[u->path.function - c->whole_functions], u);
	}
	c->unfinished_count = kept;
	if (c->part_count > 0)
		qsort(c->parts, c->part_count, sizeof *c->parts, by_block);
	join_nests(c);
	counted_nested_close(c);
	return error;
}

void counted_nested_close(struct counted *c)
{
	struct map *m = c->map;
	if (c->nested_count == 0 || m == NULL)
		return;
	for (size_t i = c->whole_functions; i < m->function_count; i++) {
		m->functions[i].numbering = (struct numbering){0}; /* the region's own */
		free(m->functions[i].graph_first);
	}
	m->function_count = c->whole_functions;
	m->block_count = c->whole_blocks;
	m->edge_count = c->whole_edges;
	c->nested_count = 0;
}
