/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_regions.h"

#include <stdlib.h>
#include "host/insert/counted_nested.h"

int counted_regions_begin(struct counted *c, uint32_t function)
{
	const struct map *m = c->map;
	const struct map_function *f = &m->functions[function];
	for (uint32_t b = 0; b < f->block_count; b++)
		c->blocks[f->blocks + b] = 0;
	for (uint32_t e = f->edges; e < f->edges + f->edge_count; e++)
		c->edges[e] = COUNTED_UNKNOWN;
	if ((f->flags & MAP_COUNTED) == 0)
		return COUNTED_OK;
	for (uint32_t b = 0; b < f->block_count; b++) {
		const struct map_block *block = &m->blocks[f->blocks + b];
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			const uint32_t known = m->edges[e].to == GRAPH_NONE
						   ? GRAPH_NONE
						   : counted_nested_edge(c, function, b, m->edges[e].to);
			if (known != GRAPH_NONE)
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
	uint32_t region, length;
	uint64_t sum;
	uint32_t *nodes = malloc((f->block_count + 1u) * sizeof *nodes);
	int error = nodes == NULL ? COUNTED_ENOMEM : COUNTED_OK;
	if (error == COUNTED_OK &&
	    (r->count == 0 || regions_map_path(map, &(struct regions_map_counter){in_table, number}, &region, nodes,
				  f->block_count, &length) != REGIONS_OK))
		c->strange += count;
	else if (error == COUNTED_OK)
		error = counted_take_path(c, counted_nested_of(c, function, region),
		    regions_map_number(r, region, nodes, length, &sum), count);
	free(nodes);
	return error;
}

void counted_regions_close(struct counted *c)
{
	for (size_t i = 0; c->regions != NULL && i < c->whole_functions; i++) {
		if (c->regions[i].regions.count > 0)
			regions_map_close(&c->regions[i]);
	}
	free(c->regions);
	c->regions = NULL;
}
