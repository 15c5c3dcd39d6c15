/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Cycles of counters of regions: counts, times what the rules of a core say of the blocks of the unedited program
 * (host/insert/cost.h), edge by edge along each path. What depends on operands is at its least, and waits are nothing.
 *
 * Where a path begins, it is known how often over a back edge and how often from outside; of several edges of a kind,
 * and of those out of a region inside, it is the cheapest one.
 */
#include <limits.h>
#include <stdlib.h>
#include "host/cmd/cmd.h"
#include "host/cmd/paths_regions.h"
#include "host/cmd/twin.h"
#include "host/insert/cost.h"

struct coster {
	const struct map *map;
	const struct map_function *f;
	const struct regions *r;
	const struct regions_traffic *traffic; /* by region */
	struct cost cost;
};

/* What a block takes behind its first call. */
static uint64_t behind_calls(const struct cost *cost, uint32_t vertex)
{
	const struct cost_block *b = &cost->blocks[vertex];
	uint64_t cycles = b->tail;
	for (uint32_t i = 0; i + 1 < b->calls; i++)
		cycles += cost->middles[b->middles + i];
	return cycles;
}

/* Over an edge into a block, in this way of the one before; *way: of this one. */
static uint64_t cost_over_edge(const struct coster *c, uint32_t edge, uint8_t *way)
{
	const struct cost_edge *e = &c->cost.edges[edge];
	uint64_t cycles = *way != 0 ? (uint64_t)((int64_t)e->head + e->more) : e->head;
	if (e->way != COST_WAY_SAME)
		*way = e->way == COST_WAY_1;
	return cycles;
}

/* Where the path comes from: FROM_OUTSIDE and FROM_BEHIND a back edge, if it begins there. */
enum from { FROM_OUTSIDE, FROM_BACK, FROM_INSIDE };

static bool edge_leads(const struct coster *c, enum from from, uint32_t region, uint32_t source, uint32_t edge)
{
	const struct regions *r = c->r;
	const bool within = regions_within(r, r->of[source], region);
	if (from != FROM_BACK)
		return within == (from == FROM_INSIDE);
	const uint32_t local = within ? r->local[edge] : 0;
	return within && (local == REGIONS_NONE || r->all[r->common[edge]].numbering.kind[local] != NUMBERING_PLAIN);
}

/* The cheapest way into a block, of those from there: of a region, or (FROM_INSIDE) from it. COST_NO_WAY: there is
 * none. */
#define COST_NO_WAY UINT64_MAX
static uint64_t cost_of_entering(const struct coster *c, enum from from, uint32_t region, uint32_t vertex, uint8_t *way)
{
	const bool root = vertex == 0 || (c->map->blocks[c->f->blocks + vertex].flags & MAP_ROOT) != 0;
	uint64_t best = COST_NO_WAY;
	*way = 0;
	if (from == FROM_OUTSIDE && root) {
		best = c->cost.enter[vertex];
		*way = c->cost.blocks[vertex].enter_way;
	}
	for (uint32_t b = 0; b < c->f->block_count; b++) {
		const struct map_block *block = &c->map->blocks[c->f->blocks + b];
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			uint8_t into = 0;
			if (c->map->edges[e].to != vertex || !edge_leads(c, from, region, b, e - c->f->edges))
				continue;
			const uint64_t cycles = cost_over_edge(c, e - c->f->edges, &into);
			if (cycles < best) {
				best = cycles;
				*way = into;
			}
		}
	}
	return best;
}

/* The first block of `count` executions: of those that came from outside, and over a back edge, as many as of all paths
 * of the region. */
static uint64_t cost_of_beginning(
    const struct coster *c, uint32_t region, uint32_t vertex, uint64_t count, uint8_t *way)
{
	const struct regions_traffic *t = &c->traffic[region];
	uint8_t other;
	uint64_t outside = cost_of_entering(c, FROM_OUTSIDE, region, vertex, &other);
	uint64_t back = cost_of_entering(c, FROM_BACK, region, vertex, way);
	if (back == COST_NO_WAY || (t->turns == 0 && outside != COST_NO_WAY)) {
		*way = other;
		back = outside != COST_NO_WAY ? outside : c->cost.enter[vertex];
	}
	if (outside == COST_NO_WAY || t->entered + t->turns == 0)
		outside = back;
	const unsigned __int128 all = t->entered + t->turns == 0 ? 1 : t->entered + t->turns;
	return (uint64_t)((unsigned __int128)count * back + (unsigned __int128)count * t->entered / all * outside -
			  (unsigned __int128)count * t->entered / all * back);
}

static uint32_t cost_edge_between(const struct coster *c, uint32_t from, uint32_t to)
{
	const struct map_block *block = &c->map->blocks[c->f->blocks + from];
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		if (c->map->edges[e].to == to)
			return e - c->f->edges;
	}
	return REGIONS_NONE;
}

/* All executions of a path; spent: by block of the function. A piece has at least what its whole blocks take, and the
 * last one as far as its first call. */
static uint64_t cost_path(
    const struct coster *c, const struct regions_entry *entry, const uint32_t *nodes, uint32_t length, uint64_t *spent)
{
	const uint32_t region = entry->region;
	const uint64_t count = entry->count;
	uint32_t before = REGIONS_NONE, inner = REGIONS_NONE;
	uint64_t all = 0;
	uint8_t way = 0;
	for (uint32_t i = 0; i < length; i++) {
		const struct regions_node n = c->r->nodes[c->r->all[region].nodes + nodes[i]];
		if (n.region != REGIONS_NONE) {
			before = REGIONS_NONE;
			inner = n.region;
			continue;
		}
		const uint32_t e = before == REGIONS_NONE ? REGIONS_NONE : cost_edge_between(c, before, n.vertex);
		uint64_t cycles;
		if (e != REGIONS_NONE)
			cycles = count * cost_over_edge(c, e, &way);
		else if (inner != REGIONS_NONE)
			cycles = cost_of_entering(c, FROM_INSIDE, inner, n.vertex, &way);
		else
			cycles = cost_of_beginning(c, region, n.vertex, count, &way);
		if (e == REGIONS_NONE && inner != REGIONS_NONE)
			cycles = count * (cycles == COST_NO_WAY ? c->cost.enter[n.vertex] : cycles);
		if (i + 1 < length || entry->to == REGIONS_NONE)
			cycles += count * behind_calls(&c->cost, n.vertex);
		if (i == 0 && !entry->begins)
			cycles = 0;
		all += cycles;
		spent[n.vertex] += cycles;
		before = n.vertex;
		inner = REGIONS_NONE;
	}
	return all;
}

/* The same function in the original; GRAPH_NONE: it is not there, or has another graph. */
static uint32_t in_original(const struct map *map, uint32_t function, const struct map *original)
{
	const struct map_function *f = &map->functions[function];
	const struct map_object *object = &map->objects[f->object], *other = map_object(original, object->id);
	const uint32_t index = function - object->functions;
	if (other == NULL || index >= other->function_count)
		return GRAPH_NONE;
	const struct map_function *same = &original->functions[other->functions + index];
	return same->address != 0 && same->block_count == f->block_count && same->edge_count == f->edge_count
		   ? other->functions + index
		   : GRAPH_NONE;
}

/* spent: by block of all functions. */
static int cost_function(struct regions_source *s, uint32_t function, const struct insert_original *o, uint32_t at,
    uint64_t *spent, bool *known)
{
	const struct regions *r = s->functions[function].regions;
	const struct map_function *f = &o->map->functions[at];
	struct coster c = {.map = o->map, .f = f, .r = r, .traffic = s->functions[function].traffic};
	uint32_t *nodes = malloc((f->block_count + 1u) * sizeof *nodes);
	int error = nodes == NULL ? COST_ENOMEM : cost_make(&c.cost, o, at);
	*known = error == COST_OK;
	for (size_t i = 0; i < s->count; i++) {
		struct regions_entry *e = &s->entries[i];
		if (e->function != function)
			continue;
		uint32_t length = *known ? regions_entry_nodes(r, e, nodes, f->block_count) : 0;
		e->spent = cost_path(&c, e, nodes, length, spent);
	}
	if (*known)
		cost_free(&c.cost);
	free(nodes);
	return error == COST_ENOMEM ? STATUS_FAILED : STATUS_OK;
}

/* The unedited program: the one at hand, or the twin beside it. */
static int open_original(const struct map *map, const char *program, const char *core, struct insert_original *o)
{
	char detail[1024], twin[PATH_MAX];
	const bool beside = map_is_edited(map);
	snprintf(twin, sizeof twin, "%s" TWIN_SUFFIX, program);
	if (insert_original_open(o, beside ? twin : program, core, detail, sizeof detail) != 0) {
		complain("%s%s",
		    beside ? "--core needs the unedited twin, which rivulet cc links beside the program: " : "",
		    detail);
		return STATUS_FAILED;
	}
	if (!map_is_edited(o->map))
		return STATUS_OK;
	complain("--core: %s has counters in its code: it is no twin", twin);
	insert_original_close(o);
	return STATUS_FAILED;
}

int regions_counters_cost(struct regions_source *s, const struct map *map, const char *core)
{
	struct insert_original o = {0};
	uint64_t unknown = 0;
	int status = open_original(map, image_path(s->image), core, &o);
	if (status != STATUS_OK)
		return status;
	for (uint32_t i = 0; i < s->function_count && status == STATUS_OK; i++) {
		const struct map_function *f = &map->functions[i];
		const uint32_t at = s->functions[i].regions == NULL ? GRAPH_NONE : in_original(map, i, o.map);
		bool known = false;
		for (uint32_t b = 0; b < f->block_count; b++)
			s->spent[f->blocks + b] = 0;
		if (at != GRAPH_NONE)
			status = cost_function(s, i, &o, at, s->spent + f->blocks, &known);
		unknown += s->functions[i].regions != NULL && !known;
	}
	s->total = 0;
	for (size_t i = 0; i < s->count; i++)
		s->total += s->entries[i].spent;
	s->timed = s->by_rules = true;
	if (unknown > 0 && status == STATUS_OK)
		complain("%s: the rules do not say what %s of its functions take: they have no cycles here",
		    image_path(s->image), with_commas(unknown));
	insert_original_close(&o);
	return status;
}
