/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_stops.h"

#include "host/base/array.h"

#define STOPS_MAX 4096 /* the runtime sends 1,024 at most */

/* Whether an address is in a block of the program as it was written. */
static bool in_block(const struct map *m, const struct map_block *block, uint64_t address)
{
	for (uint32_t i = block->runs; i < block->runs + block->run_count; i++) {
		if (address >= m->runs[i].start && address < m->runs[i].end)
			return true;
	}
	return false;
}

int counted_stop(struct counted *c, uint64_t address, uint64_t count)
{
	const struct map *m = c->map;
	struct counted_stop stop = {.address = address, .count = count, .function = GRAPH_NONE, .block = GRAPH_NONE};
	if (c->stop_count == STOPS_MAX) {
		c->strange += count;
		return COUNTED_OK;
	}
	for (uint32_t i = 0; i < m->function_count && stop.function == GRAPH_NONE; i++) {
		const struct map_function *f = &m->functions[i];
		/* a twin has other addresses */
		bool there = f->address != 0 && m->objects[f->object].form == MAP_EDITED;
		for (uint32_t b = f->blocks; there && b < f->blocks + f->block_count; b++) {
			if (!in_block(m, &m->blocks[b], address))
				continue;
			stop.function = i;
			stop.block = b;
			break;
		}
	}
	if (!array_room(&c->stops, c->stop_count + 1, &c->stop_room))
		return COUNTED_ENOMEM;
	c->stops[c->stop_count++] = stop;
	if (stop.block == GRAPH_NONE)
		return COUNTED_OK;
	/* a call that never returns has been counted as a way out */
	const struct map_block *block = &m->blocks[stop.block];
	bool out = false;
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++)
		out = out || (m->edges[e].kind == GRAPH_NO_RETURN && address >= block->last);
	if (!out)
		c->stopped[stop.block] += count;
	return COUNTED_OK;
}
