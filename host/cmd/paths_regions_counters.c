/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* `rivulet paths --regions` of counters that `rivulet insert --regions` put into a program. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/cmd/counters.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/paths_regions.h"
#include "host/cmd/profiled.h"
#include "host/insert/counted_stops.h"
#include "host/insert/regions_map.h"

struct counted_regions {
	struct map *map;
	struct regions_map *of; /* by function; regions.count 0: not counted */
	struct regions_traffic *traffic;
	uint32_t *first; /* by function: its regions in traffic */
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
	free(c);
}

/* The number of a path in the region-based embodiment, from its nodes. */
static uint64_t region_number_of(const struct region *own, const uint32_t *nodes, uint32_t length, bool exit)
{
	const struct numbering *n = &own->numbering;
	uint64_t sum = 0;
	for (uint32_t i = 0; i + 1 < length; i++) {
		for (uint32_t e = n->graph.first[nodes[i]]; e < n->graph.first[nodes[i] + 1]; e++) {
			if (n->graph.to[e] == nodes[i + 1] && n->kind[e] == NUMBERING_PLAIN) {
				sum += n->value[e];
				break;
			}
		}
	}
	return sum + (exit ? n->value[n->graph.first[nodes[length - 1]]] : n->leave[nodes[length - 1]]);
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

/* A counter's path: an entry, and executions of its blocks and of the regions inside. */
static int take_region_counter(
    struct regions_source *s, uint32_t function, bool in_table, uint64_t number, uint64_t count, uint32_t *nodes)
{
	struct counted_regions *c = s->counted;
	const struct regions_map *m = &c->of[function];
	const struct regions *r = &m->regions;
	uint32_t region, length;
	uint64_t *runs = s->runs + c->map->functions[function].blocks;
	if (r->count == 0 || regions_map_path(m, &(struct regions_map_counter){in_table, number}, &region, nodes,
				 c->map->functions[function].block_count, &length) != REGIONS_OK) {
		c->strange += count;
		return STATUS_OK;
	}
	const struct region *own = &r->all[region];
	if (!array_room(&s->entries, s->count + 1, &c->room))
		return STATUS_FAILED;
	uint64_t sum = region_number_of(own, nodes, length, r->exit[own->nodes + nodes[length - 1]]);
	s->entries[s->count++] = (struct regions_entry){.function = function,
	    .region = region,
	    .from = nodes[0],
	    .to = REGIONS_NONE,
	    .begins = true,
	    .sum = sum,
	    .number = own->numbering.enter[nodes[0]] + sum,
	    .count = count};
	if (region == 0 && is_way_in(r, nodes[0]))
		c->traffic[c->first[function]].entered += count;
	else if (region == 0 && !is_cut_node(r, own, nodes[0]))
		c->traffic[c->first[function]].turns += count;
	for (uint32_t i = 0; i < length; i++) {
		struct regions_node node = r->nodes[own->nodes + nodes[i]];
		if (node.region == REGIONS_NONE)
			runs[node.vertex] += count;
		else
			c->traffic[c->first[function] + node.region].entered += count;
	}
	return STATUS_OK;
}

static int counted_regions_by_place(const void *a, const void *b)
{
	const struct regions_entry *x = a, *y = b;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int take_region_counters(struct regions_source *s, const struct profile *profile)
{
	const struct map *map = s->counted->map;
	uint32_t longest = 1;
	for (uint32_t i = 0; i < map->function_count; i++)
		longest = map->functions[i].block_count > longest ? map->functions[i].block_count : longest;
	uint32_t *nodes = malloc((longest + 1u) * sizeof *nodes);
	int status = nodes == NULL ? STATUS_FAILED : STATUS_OK;
	for (size_t k = 0; k < profile->used && status == STATUS_OK; k++) {
		const struct record *entry = &profile->entries[k];
		if (entry->start == RIVULET_PROBE_STACK_ID) /* calls that had not ended: their paths are not counted */
			continue;
		const struct map_object *object = map_object(map, entry->start);
		uint64_t index = object == NULL ? 0 : map_counter(map, object, entry->start, entry->hist - 1);
		bool found = false;
		for (uint32_t i = 0; object != NULL && i < object->function_count && !found; i++) {
			const struct map_function *f = &map->functions[object->functions + i];
			bool in_table = (f->flags & MAP_HASHED) != 0 && index >> MAP_HASH_SHIFT == i + 1;
			found = in_table || (index >= f->first && index - f->first < f->counters);
			if (found)
				status = take_region_counter(s, object->functions + i, in_table,
				    in_table ? index & UINT32_MAX : index - f->first, entry->count, nodes);
		}
		s->counted->strange += found ? 0 : entry->count;
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
		for (uint32_t v = 0; v < of->block_count; v++) {
			uint64_t value = f->runs[v] * c->of[i].insns[v];
			s->spent[of->blocks + v] = value;
			s->total += value;
		}
		for (uint32_t k = 1; k < f->regions->count; k++) {
			struct regions_traffic *t = &c->traffic[c->first[i] + k];
			uint64_t all = 0;
			size_t end;
			for (size_t e = regions_entries(s, i, k, &end); e < end; e++) {
				const struct region *own = &f->regions->all[k];
				uint32_t node = s->entries[e].from;
				if (f->regions->entry[own->nodes + node] || !is_cut_node(f->regions, own, node))
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
	int status = make_region_counts(s);
	if (status == STATUS_OK)
		status = take_region_counters(s, profile);
	if (status == STATUS_OK)
		finish_turns(s);
	return status;
}

/* What is missing, as of all counters: calls that were left or had not ended, lost counts, functions without. */
static int tell_region_counters(struct regions_source *s, const struct source_options *o, const struct profile *profile)
{
	int status;
	struct counted *counted =
	    open_counters(profile, s->input, o->ran, o->image != o->ran ? o->image : NULL, &status);
	if (counted != NULL)
		shown_by_counters(&s->source.counted, s->image, counted);
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
		status = worse_status(tell_region_counters(s, options, &loaded.profile), status);
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
