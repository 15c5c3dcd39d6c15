/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_regions.h"

#include <stdlib.h>
#include "host/insert/regions_map.h"

/* The only edge from one block to another, counted from the function's first; GRAPH_NONE: there are several, or it goes
 * out of the region or back. */
static uint32_t edge_between(
    const struct map *m, uint32_t function, const struct regions *r, uint32_t from, uint32_t to)
{
	const struct map_function *f = &m->functions[function];
	const struct map_block *block = &m->blocks[f->blocks + from];
	uint32_t found = GRAPH_NONE;
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		if (m->edges[e].to != to)
			continue;
		if (found != GRAPH_NONE || r->local[e - f->edges] == REGIONS_NONE || r->of[from] != r->of[to])
			return GRAPH_NONE;
		found = e - f->edges;
	}
	return found;
}

int counted_regions_begin(struct counted *c, uint32_t function)
{
	struct map *m = c->map;
	const struct map_function *f = &m->functions[function];
	if (c->regions == NULL)
		c->regions = calloc(m->function_count + 1, sizeof *c->regions);
	if (c->regions == NULL || map_number(m, function) != MAP_OK)
		return COUNTED_ENOMEM;
	for (uint32_t b = 0; b < f->block_count; b++)
		c->blocks[f->blocks + b] = 0;
	for (uint32_t e = f->edges; e < f->edges + f->edge_count; e++)
		c->edges[e] = COUNTED_UNKNOWN;
	if ((f->flags & MAP_COUNTED) == 0)
		return COUNTED_OK;
	int error = regions_map_open(&c->regions[function], m, function);
	if (error != MAP_OK)
		return error == MAP_ENOMEM ? COUNTED_ENOMEM : COUNTED_EFORMAT;
	const struct regions *r = &c->regions[function].regions;
	for (uint32_t b = 0; b < f->block_count; b++) {
		const struct map_block *block = &m->blocks[f->blocks + b];
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			if (m->edges[e].to != GRAPH_NONE &&
			    edge_between(m, function, r, b, m->edges[e].to) != GRAPH_NONE)
				c->edges[e] = 0;
		}
	}
	return COUNTED_OK;
}

int counted_regions_take(struct counted *c, uint32_t function, bool in_table, uint64_t number, uint64_t count)
{
	const struct map_function *f = &c->map->functions[function];
	const struct regions_map *map = &c->regions[function];
	const struct regions *r = &map->regions;
	uint32_t region, length, before = REGIONS_NONE;
	uint32_t *nodes = malloc((f->block_count + 1u) * sizeof *nodes);
	if (nodes == NULL)
		return COUNTED_ENOMEM;
	if (r->count == 0 || regions_map_path(map, &(struct regions_map_counter){in_table, number}, &region, nodes,
				 f->block_count, &length) != REGIONS_OK) {
		c->strange += count;
		length = 0;
	}
	for (uint32_t i = 0; i < length; i++) {
		uint32_t vertex = r->nodes[r->all[region].nodes + nodes[i]].vertex;
		if (vertex != REGIONS_NONE)
			c->blocks[f->blocks + vertex] += count;
		uint32_t e = vertex == REGIONS_NONE || before == REGIONS_NONE
				 ? GRAPH_NONE
				 : edge_between(c->map, function, r, before, vertex);
		if (e != GRAPH_NONE)
			c->edges[f->edges + e] += count;
		before = vertex;
	}
	free(nodes);
	return COUNTED_OK;
}

void counted_regions_close(struct counted *c)
{
	for (size_t i = 0; c->regions != NULL && i < c->map->function_count; i++) {
		if (c->regions[i].regions.count > 0)
			regions_map_close(&c->regions[i]);
	}
	free(c->regions);
	c->regions = NULL;
}
