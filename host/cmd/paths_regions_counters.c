/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* `rivulet paths --regions` of counters that `rivulet insert --regions` put into a program. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/order.h"
#include "host/cmd/counters.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/paths_regions.h"
#include "host/cmd/profiled.h"
#include "host/insert/counted.h"
#include "host/insert/regions_map.h"

struct counted_regions {
	struct map *map;
	struct regions_map *of; /* by function; regions.count 0: not counted */
	struct regions_traffic *traffic;
	uint32_t *first; /* by function: its regions in traffic */
	uint64_t *insns; /* by block: its instructions, without padding behind it */
	uint64_t region_count, strange;
	size_t room;
};

void regions_counters_close(struct counted_regions *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; c->of != NULL && i < c->map->function_count; i++) {
		if (c->of[i].regions.count > 0)
			regions_map_close(&c->of[i]);
	}
	map_close(c->map);
	free(c->of);
	free(c->traffic);
	free(c->first);
	free(c->insns);
	free(c);
}

/* Whether paths begin at a node only because there would be too many otherwise, not behind a back edge. What goes back
 * to a region from itself is no edge of the graph. */
static bool is_cut_node(const struct regions *r, const struct region *own, uint32_t node)
{
	const struct numbering *n = &own->numbering;
	bool cut = false;
	for (uint32_t e = 0; e < own->edge_count; e++) {
		if (n->graph.to[e] == node && (n->kind[e] == NUMBERING_BACK || n->kind[e] == NUMBERING_SELF))
			return false;
		cut = cut || (n->graph.to[e] == node && n->kind[e] == NUMBERING_CUT);
	}
	return cut && r->nodes[own->nodes + node].region == REGIONS_NONE;
}

/* Whether calls begin at a node of the outermost region. */
static bool is_way_in(const struct regions *r, uint32_t node)
{
	const struct numbering_graph *g = &r->graph;
	for (uint32_t v = 0; v < g->count; v++) {
		if ((v == g->entry || (g->root != NULL && g->root[v])) && regions_node_of(r, 0, v) == node)
			return true;
	}
	return false;
}

/* Instructions of the nodes of a path, or of those that a piece has. */
static uint64_t nest_insns(const struct counted_regions *c, uint32_t function, const struct counted_nest *nest,
    const uint32_t *nodes, uint32_t length)
{
	const struct regions *r = &c->of[function].regions;
	const uint32_t region = nest->region, blocks = c->map->functions[function].blocks;
	uint64_t insns = 0;
	for (uint32_t i = 0; i < length; i++) {
		const uint32_t vertex = r->nodes[r->all[region].nodes + nodes[i]].vertex;
		if (vertex == REGIONS_NONE)
			continue;
		const uint64_t skipped = i == 0 ? nest->skipped : 0;
		uint64_t own = c->insns[blocks + vertex];
		if (i + 1 == length && nest->ran < own)
			own = nest->ran;
		insns += own > skipped ? own - skipped : 0;
	}
	return insns;
}

/* What a path adds to its blocks and to the regions inside. */
static void take_region_nodes(struct regions_source *s, uint32_t function, const struct counted_nest *nest,
    const uint32_t *nodes, uint32_t length)
{
	struct counted_regions *c = s->counted;
	const struct regions *r = &c->of[function].regions;
	const struct region *own = &r->all[nest->region];
	const uint32_t blocks = c->map->functions[function].blocks;
	struct regions_traffic *traffic = c->traffic + c->first[function];
	for (uint32_t i = 0; i < length; i++) {
		const struct regions_node node = r->nodes[own->nodes + nodes[i]];
		struct counted_nest one = *nest;
		if (i > 0)
			one.skipped = 0;
		if (i + 1 < length)
			one.ran = UINT32_MAX;
		if (node.region == REGIONS_NONE) {
			s->spent[blocks + node.vertex] += nest->count * nest_insns(c, function, &one, nodes + i, 1);
			s->runs[blocks + node.vertex] += i > 0 || nest->begins ? nest->count : 0;
		} else if (i > 0 || nest->begins)
			traffic[node.region].entered += nest->count;
	}
}

/* A path of a region, or a piece of one. */
static int take_region_path(
    struct regions_source *s, uint32_t function, const struct counted_nest *nest, uint32_t *nodes, uint32_t max)
{
	struct counted_regions *c = s->counted;
	const struct regions *r = &c->of[function].regions;
	const struct region *own = &r->all[nest->region];
	struct regions_entry entry = {.function = function,
	    .region = nest->region,
	    .from = nest->from,
	    .to = nest->to,
	    .begins = nest->begins,
	    .sum = nest->sum,
	    .number = nest->number,
	    .count = nest->count};
	uint32_t length = 0;
	if (nest->number == NUMBERING_NONE)
		length = regions_entry_nodes(r, &entry, nodes, max);
	else if (regions_path(r, nest->region, nest->number, nodes, max, &length) == REGIONS_OK) {
		entry.from = nodes[0];
		entry.number = regions_map_number(r, nest->region, nodes, length, &entry.sum);
	}
	if (length == 0) {
		c->strange += nest->count;
		return STATUS_OK;
	}
	if (!array_room(&s->entries, s->count + 1, &c->room))
		return STATUS_FAILED;
	entry.spent = nest->count * nest_insns(c, function, nest, nodes, length);
	s->entries[s->count++] = entry;
	struct regions_traffic *t = &c->traffic[c->first[function] + nest->region];
	t->pieces += nest->number == NUMBERING_NONE ? nest->count : 0;
	if (nest->begins && nest->region == 0 && is_way_in(r, nodes[0]))
		t->entered += nest->count;
	else if (nest->begins && nest->region == 0 && !is_cut_node(r, own, nodes[0]))
		t->turns += nest->count;
	take_region_nodes(s, function, nest, nodes, length);
	return STATUS_OK;
}

static int counted_regions_by_place(const void *a, const void *b)
{
	const struct regions_entry *x = a, *y = b;
	return order_then(ORDER_UP(x->function, y->function),
	    order_then(ORDER_UP(x->region, y->region), ORDER_UP(x->number, y->number)));
}

/* The function of the map at hand that one of another map of the same program is; GRAPH_NONE: it has none. */
static uint32_t same_function(const struct map *map, const struct map *other, uint32_t function)
{
	const struct map_object *o = &other->objects[other->functions[function].object];
	const struct map_object *own = map_object(map, o->id);
	const uint32_t index = function - o->functions;
	return own != NULL && index < own->function_count ? own->functions + index : GRAPH_NONE;
}

/* As they stand in the program, where the linker has made one of two. */
static bool count_region_insns(struct counted_regions *c, const struct counted *counted)
{
	const struct map *m = c->map, *other = counted->map;
	c->insns = calloc(m->block_count + 1, sizeof *c->insns);
	for (uint32_t i = 0; c->insns != NULL && i < other->function_count; i++) {
		const struct map_function *f = &other->functions[i];
		const uint32_t own = same_function(m, other, i);
		if (f->address == 0 || own == GRAPH_NONE || m->functions[own].block_count != f->block_count)
			continue;
		for (uint32_t b = 0; b < f->block_count; b++)
			c->insns[m->functions[own].blocks + b] = counted_block_insns(counted, f->blocks + b);
	}
	return c->insns != NULL;
}

static int take_region_paths(struct regions_source *s, const struct counted *counted)
{
	const struct map *map = s->counted->map;
	uint32_t longest = 1;
	for (uint32_t i = 0; i < map->function_count; i++)
		longest = map->functions[i].block_count > longest ? map->functions[i].block_count : longest;
	uint32_t *nodes = malloc((longest + 1u) * sizeof *nodes);
	int status = nodes == NULL || !count_region_insns(s->counted, counted) ? STATUS_FAILED : STATUS_OK;
	for (size_t k = 0; k < counted->nest_count && status == STATUS_OK; k++) {
		const struct counted_nest *nest = &counted->nests[k];
		const uint32_t function = same_function(map, counted->map, nest->function);
		if (function == GRAPH_NONE || s->counted->of[function].regions.count <= nest->region)
			s->counted->strange += nest->count;
		else
			status = take_region_path(s, function, nest, nodes, longest);
	}
	free(nodes);
	if (status == STATUS_OK && s->count > 0)
		qsort(s->entries, s->count, sizeof *s->entries, counted_regions_by_place);
	return status;
}

/* Turns: paths beyond those that the entries of the region began. */
static void finish_turns(struct regions_source *s)
{
	struct counted_regions *c = s->counted;
	for (uint32_t i = 0; i < s->function_count; i++) {
		struct regions_function *f = &s->functions[i];
		const struct map_function *of = &c->map->functions[i];
		if (f->regions == NULL)
			continue;
		for (uint32_t v = 0; v < of->block_count; v++)
			s->total += s->spent[of->blocks + v];
		for (uint32_t k = 1; k < f->regions->count; k++) {
			struct regions_traffic *t = &c->traffic[c->first[i] + k];
			uint64_t all = 0;
			size_t end;
			for (size_t e = regions_entries(s, i, k, &end); e < end; e++) {
				const struct region *own = &f->regions->all[k];
				uint32_t node = s->entries[e].from;
				if (s->entries[e].begins &&
				    (f->regions->entry[own->nodes + node] || !is_cut_node(f->regions, own, node)))
					all += s->entries[e].count;
			}
			t->turns = all > t->entered ? all - t->entered : 0;
		}
	}
}

static int make_region_counts(struct regions_source *s)
{
	struct counted_regions *c = s->counted;
	struct map *map = c->map;
	c->of = calloc(map->function_count + 1, sizeof *c->of);
	c->first = calloc(map->function_count + 1, sizeof *c->first);
	s->functions = calloc(map->function_count + 1, sizeof *s->functions);
	s->address = calloc(map->block_count + 1, sizeof *s->address);
	s->runs = calloc(map->block_count + 1, sizeof *s->runs);
	s->spent = calloc(map->block_count + 1, sizeof *s->spent);
	if (c->of == NULL || c->first == NULL || s->functions == NULL || s->address == NULL || s->runs == NULL ||
	    s->spent == NULL)
		return STATUS_FAILED;
	s->function_count = (uint32_t)map->function_count;
	for (uint32_t i = 0; i < map->function_count; i++) {
		const struct map_function *f = &map->functions[i];
		c->first[i] = (uint32_t)c->region_count;
		if (f->address == 0)
			continue;
		if ((f->flags & MAP_COUNTED) == 0)
			continue;
		int error = map_number(map, i);
		if (error == MAP_OK)
			error = regions_map_open(&c->of[i], map, i);
		if (error == MAP_EFORMAT)
			complain("%s: what its counters mean is damaged: %s", image_path(s->image), f->name);
		if (error != MAP_OK)
			return STATUS_FAILED;
		c->region_count += c->of[i].regions.count;
	}
	c->traffic = calloc(c->region_count + 1, sizeof *c->traffic);
	if (c->traffic == NULL)
		return STATUS_FAILED;
	for (uint32_t i = 0; i < map->function_count; i++) {
		const struct map_function *f = &map->functions[i];
		struct regions_function *own = &s->functions[i];
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++)
			s->address[b] = map->blocks[b].first;
		*own = (struct regions_function){.name = f->name,
		    .start = f->address,
		    .regions = c->of[i].regions.count > 0 ? &c->of[i].regions : NULL,
		    .names = c->of[i].names,
		    .traffic = c->traffic + c->first[i],
		    .address = s->address + f->blocks,
		    .spent = s->spent + f->blocks,
		    .runs = s->runs + f->blocks};
	}
	return STATUS_OK;
}

static int use_region_counts(struct regions_source *s, const struct profile *profile)
{
	size_t size;
	const uint8_t *bytes = image_section(s->image, ".debug_rivulet", &size);
	const char *program = image_path(s->image);
	if (!is_counters(profile) || profile->header.ctrl != INSERT_REGIONS) {
		complain(
		    "%s: --regions needs the records in order (rivulet run --records, or run) or counters of rivulet "
		    "insert --regions; this has %s",
		    s->input, is_counters(profile) ? "other counters" : "traces without their order");
		return STATUS_FAILED;
	}
	if (strcmp(s->what, "loops") != 0) {
		complain(
		    "%s: which regions its counters are of was said to rivulet insert; use --regions alone", s->input);
		return STATUS_FAILED;
	}
	s->counted = calloc(1, sizeof *s->counted);
	if (s->counted == NULL)
		return STATUS_FAILED;
	if (bytes == NULL || map_open(&s->counted->map, bytes, size) != MAP_OK) {
		complain(
		    "%s: its section .debug_rivulet, which says what counters mean, %s: give the program that ran, not "
		    "stripped",
		    program, bytes == NULL ? "is missing" : "is damaged");
		return STATUS_FAILED;
	}
	uint32_t known = 0;
	for (size_t k = 0; k < profile->used; k++)
		known += map_object(s->counted->map, profile->entries[k].start) != NULL;
	if (profile->used > 0 && known == 0) {
		complain("%s: is of another build: its objects are not in %s", s->input, program);
		return STATUS_FAILED;
	}
	shown_by_counters(&s->source.counted, s->image, NULL);
	s->source.counters = true;
	return make_region_counts(s);
}

/* The paths; and what is missing, as of all counters: calls of which it is not known what they ran, lost counts,
 * functions without. */
static int take_region_counters(struct regions_source *s, const struct source_options *o, const struct profile *profile)
{
	int status;
	struct counted *counted =
	    open_counters(profile, s->input, o->ran, o->image != o->ran ? o->image : NULL, &status);
	if (counted == NULL)
		return status;
	shown_by_counters(&s->source.counted, s->image, counted);
	status = worse_status(status, take_region_paths(s, counted));
	if (status != STATUS_FAILED)
		finish_turns(s);
	counted_close(counted);
	return status;
}

int regions_counters_open(struct regions_source *s, const char *text, const struct source_options *options)
{
	struct loaded loaded;
	int status = load_profile(&loaded, text);
	if (status == STATUS_NO && options->partial)
		status = STATUS_OK;
	if (status != STATUS_FAILED)
		status = worse_status(use_region_counts(s, &loaded.profile), status);
	if (status != STATUS_FAILED)
		status = worse_status(take_region_counters(s, options, &loaded.profile), status);
	free_profile(&loaded);
	if (status != STATUS_FAILED && options->rules != NULL &&
	    regions_counters_cost(s, s->counted->map, options->rules) == STATUS_FAILED)
		status = STATUS_FAILED;
	if (status == STATUS_OK && s->counted->strange > 0) {
		complain("%s: %s of its counts are of no path in %s: it is not the program that ran, nor a twin made "
			 "with the same options",
		    text, with_commas(s->counted->strange), options->program);
		status = STATUS_NO;
	}
	return status;
}
