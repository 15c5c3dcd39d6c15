/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tests/insert_judge_regions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct open { /* the path of a region so far */
	uint32_t region, *nodes, length, size;
};
struct judge_nest {
	uint32_t function, depth;
	bool dead; /* the function has no counters */
	struct open open[REGIONS_DEPTH_MAX + 2];
};
struct item {
	uint32_t function, region, *nodes, length;
	uint64_t hash, count, counted;
};
struct judge_regions {
	const struct map *map;
	struct regions_map *of; /* by function */
	bool *known;
	struct item *items;
	size_t size, used;
	uint64_t turns;
};

static void *must(void *memory)
{
	if (memory == NULL) {
		fprintf(stderr, "insert-judge: out of memory\n");
		exit(2);
	}
	return memory;
}

struct judge_regions *judge_regions_open(const struct map *map)
{
	struct judge_regions *j = must(calloc(1, sizeof *j));
	j->map = map;
	j->of = must(calloc(map->function_count + 1, sizeof *j->of));
	j->known = must(calloc(map->function_count + 1, sizeof *j->known));
	for (uint32_t i = 0; i < map->function_count; i++) {
		const struct map_function *f = &map->functions[i];
		if (f->address == 0 || (f->flags & MAP_COUNTED) == 0)
			continue;
		int error = regions_map_open(&j->of[i], map, i);
		if (error != MAP_OK) {
			fprintf(stderr, "insert-judge: %s: its regions cannot be made again (%d)\n", f->name, error);
			exit(2);
		}
		j->known[i] = true;
	}
	return j;
}

static struct item *find(
    struct judge_regions *j, uint32_t function, uint32_t region, const uint32_t *nodes, uint32_t length)
{
	uint64_t hash = UINT64_C(14695981039346656037) ^ (uint64_t)function << 20 ^ region;
	for (uint32_t i = 0; i < length; i++)
		hash = (hash ^ nodes[i]) * UINT64_C(1099511628211);
	hash ^= hash >> 31;
	if (2 * (j->used + 1) > j->size) {
		size_t size = j->size == 0 ? 4096 : 2 * j->size;
		struct item *items = must(calloc(size, sizeof *items));
		for (size_t i = 0; i < j->size; i++) {
			size_t at = j->items[i].hash & (size - 1);
			if (j->items[i].nodes == NULL)
				continue;
			while (items[at].nodes != NULL)
				at = (at + 1) & (size - 1);
			items[at] = j->items[i];
		}
		free(j->items);
		j->items = items;
		j->size = size;
	}
	size_t at = hash & (j->size - 1);
	for (; j->items[at].nodes != NULL; at = (at + 1) & (j->size - 1)) {
		struct item *t = &j->items[at];
		if (t->hash == hash && t->function == function && t->region == region && t->length == length &&
		    memcmp(t->nodes, nodes, length * sizeof *nodes) == 0)
			return t;
	}
	struct item *t = &j->items[at];
	*t = (struct item){.function = function, .region = region, .length = length, .hash = hash};
	t->nodes = must(malloc((length + 1) * sizeof *nodes));
	memcpy(t->nodes, nodes, length * sizeof *nodes);
	j->used++;
	return t;
}

static void add(struct open *o, uint32_t node)
{
	if (o->length == o->size) {
		o->size = o->size == 0 ? 16 : 2 * o->size;
		o->nodes = must(realloc(o->nodes, o->size * sizeof *o->nodes));
	}
	o->nodes[o->length++] = node;
}

static void end(struct judge_regions *j, const struct judge_nest *n, const struct open *o)
{
	find(j, n->function, o->region, o->nodes, o->length)->count++;
}

static bool holds(const struct regions *r, uint32_t region, uint32_t vertex)
{
	uint32_t q = r->of[vertex];
	while (q != region && q != 0)
		q = r->all[q].parent;
	return q == region;
}

/* Opens the regions of a vertex that are not open. */
static void open_inside(const struct regions *r, struct judge_nest *n, uint32_t vertex)
{
	for (uint32_t i = 0; i < r->count; i++) { /* outer ones come first */
		if (!holds(r, i, vertex) || (n->depth > 0 && i <= n->open[n->depth - 1].region))
			continue;
		struct open *o = &n->open[n->depth++];
		o->region = i;
		o->length = 0;
		add(o, regions_node_of(r, i, vertex));
	}
}

void judge_regions_enter(struct judge_regions *j, struct judge_nest **nest, uint32_t block)
{
	uint32_t function = 0, low = 0, high = (uint32_t)j->map->function_count;
	while (high - low > 1) { /* blocks are by function */
		function = low + (high - low) / 2;
		if (j->map->functions[function].blocks <= block)
			low = function;
		else
			high = function;
	}
	function = low;
	if (*nest == NULL)
		*nest = must(calloc(1, sizeof **nest));
	struct judge_nest *n = *nest;
	n->function = function;
	n->depth = 0;
	n->dead = !j->known[function];
	if (!n->dead)
		open_inside(&j->of[function].regions, n, block - j->map->functions[function].blocks);
}

void judge_regions_edge(struct judge_regions *j, struct judge_nest *n, uint32_t from, uint32_t edge)
{
	if (n == NULL || n->dead || n->depth == 0)
		return;
	const struct map_function *f = &j->map->functions[n->function];
	const struct regions *r = &j->of[n->function].regions;
	uint32_t to = edge == GRAPH_NONE ? GRAPH_NONE : j->map->edges[edge].to;
	(void)from;
	while (n->depth > 0 && (to == GRAPH_NONE || !holds(r, n->open[n->depth - 1].region, to)))
		end(j, n, &n->open[--n->depth]);
	if (n->depth == 0)
		return;
	struct open *o = &n->open[n->depth - 1];
	uint32_t local = r->local[edge - f->edges];
	if (local == REGIONS_NONE || r->all[o->region].numbering.kind[local] != NUMBERING_PLAIN) {
		end(j, n, o);
		o->length = 0;
		j->turns++;
	}
	add(o, regions_node_of(r, o->region, to));
	open_inside(r, n, to);
}

bool judge_regions_counter(struct judge_regions *j, uint32_t function, bool in_table, uint64_t number, uint64_t count)
{
	uint32_t region, length;
	uint32_t *nodes = must(malloc((j->map->functions[function].block_count + 1u) * sizeof *nodes));
	bool good =
	    j->known[function] && regions_map_path(&j->of[function], &(struct regions_map_counter){in_table, number},
				      &region, nodes, j->map->functions[function].block_count, &length) == REGIONS_OK;
	if (good)
		find(j, function, region, nodes, length)->counted += count;
	free(nodes);
	return good;
}

uint64_t judge_regions_compare(
    struct judge_regions *j, uint64_t *paths, uint64_t *executions, uint64_t *turns, uint64_t *skipped)
{
	uint64_t wrong = 0;
	for (size_t i = 0; i < j->size; i++) {
		const struct item *t = &j->items[i];
		if (t->nodes == NULL)
			continue;
		const struct map_function *f = &j->map->functions[t->function];
		const struct regions *r = &j->of[t->function].regions;
		++*paths;
		*executions += t->count;
		if (t->count == t->counted || wrong++ >= 8)
			continue;
		fprintf(stderr, "insert-judge: %s, %s, region %u at 0x%" PRIx64 ":", f->name,
		    j->of[t->function].global.regions != NULL ? "one array" : "array for each region", t->region,
		    j->map->blocks[f->blocks + r->all[t->region].head].first);
		for (uint32_t k = 0; k < t->length && k < 20; k++) {
			struct regions_node n = r->nodes[r->all[t->region].nodes + t->nodes[k]];
			if (n.region != REGIONS_NONE)
				fprintf(stderr, " [%u]", n.region);
			else
				fprintf(stderr, " %" PRIx64, j->map->blocks[f->blocks + n.vertex].first);
		}
		fprintf(stderr, ": %" PRIu64 " by records, %" PRIu64 " by counters\n", t->count, t->counted);
	}
	*turns = j->turns;
	*skipped = 0;
	return wrong;
}
