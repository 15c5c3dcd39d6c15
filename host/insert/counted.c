/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted.h"
#include "host/base/order.h"
#include "host/insert/counted_regions.h"

#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "host/base/array.h"
#include "host/insert/counted_joined.h"
#include "host/insert/counted_nested.h"
#include "host/insert/counted_solve.h"
#include "host/insert/counted_stacks.h"
#include "host/insert/counted_stops.h"
#include "host/insert/counted_tails.h"
#include "host/insert/flow.h"
#include "host/insert/insert.h"

const char *counted_strerror(int error)
{
	switch (error) {
	case COUNTED_OK:
		return "no error";
	case COUNTED_ENOMEM:
		return "out of memory";
	case COUNTED_ENOMAP:
		return "it has no section .debug_rivulet, which says what the counters mean: give the program that "
		       "ran, "
		       "before strip, or its twin (rivulet insert --map)";
	case COUNTED_EFORMAT:
		return "its section .debug_rivulet is damaged, or of another version of rivulet";
	case COUNTED_EOTHER:
		return "the counters are of objects that it does not have: give the program that ran";
	default:
		return "unknown error";
	}
}

/* ---------------------------------------------------------------- counters */
int counted_take_path(struct counted *c, uint32_t function, uint64_t number, uint64_t count)
{
	const struct map_function *f = &c->map->functions[function];
	struct numbering_path path;
	if (!array_room(&c->path_edges, c->edge_count + f->block_count + 1, &c->edge_room) ||
	    !array_room(&c->paths, c->path_count + 1, &c->path_room))
		return COUNTED_ENOMEM;
	uint32_t *edges = c->path_edges + c->edge_count;
	if (numbering_path(&f->numbering, number, &path, edges, f->block_count) != NUMBERING_OK ||
	    path.length > f->block_count) {
		c->strange += count;
		return COUNTED_OK;
	}
	struct counted_path *p = &c->paths[c->path_count++];
	*p = (struct counted_path){.function = function,
	    .first = f->blocks + path.first,
	    .last = f->blocks + path.last,
	    .edges = (uint32_t)c->edge_count,
	    .length = path.length,
	    .exit = path.to_exit ? f->edges + path.exit : GRAPH_NONE,
	    .number = number,
	    .count = count};
	c->blocks[p->first] += count;
	for (uint32_t i = 0; i < path.length; i++) {
		edges[i] += f->edges;
		c->edges[edges[i]] += count;
		c->blocks[f->blocks + c->map->edges[edges[i]].to] += count;
	}
	if (path.to_exit)
		c->edges[p->exit] += count;
	c->edge_count += path.length;
	return COUNTED_OK;
}

void counted_self(struct counted *c, const struct map_function *f, uint64_t number, uint64_t count)
{
	for (uint32_t e = 0; e < f->edge_count; e++) {
		if (f->numbering.kind[e] != NUMBERING_SELF || number-- != 0)
			continue;
		c->edges[f->edges + e] += count;
		c->blocks[f->blocks + c->map->edges[f->edges + e].to] += count;
		return;
	}
	c->strange += count;
}

/* The function of an object that a counter belongs to. */
static uint32_t function_of(const struct map *m, const struct map_object *o, uint64_t index)
{
	for (uint32_t i = o->functions; i < o->functions + o->function_count; i++) {
		const struct map_function *f = &m->functions[i];
		if ((f->flags & MAP_COUNTED) != 0 && f->address != 0 && index >= f->first &&
		    index - f->first < f->counters)
			return i;
	}
	return GRAPH_NONE;
}

/* The sum of a path, whose count came before: entries are taken in the order of the counters. */
static void take_metric(struct counted *c, uint32_t function, uint64_t number, uint64_t sum)
{
	for (size_t i = c->path_count; i-- > 0 && c->paths[i].function == function;) {
		if (c->paths[i].number == number) {
			c->paths[i].metric += sum;
			return;
		}
	}
	c->strange += sum;
}

/* A path in the hash table of its function. */
static int take_hashed(struct counted *c, const struct map_object *o, uint64_t index, uint64_t count)
{
	uint64_t function = (index >> MAP_HASH_SHIFT) - 1;
	const struct map_function *f = &c->map->functions[o->functions + function];
	if (function >= o->function_count || f->address == 0 || (f->flags & MAP_HASHED) == 0) {
		c->strange += count;
		return COUNTED_OK;
	}
	c->hashed += count;
	if (o->mode == INSERT_REGIONS)
		return counted_regions_take(c, (uint32_t)(o->functions + function), true, index & UINT32_MAX, count);
	if (map_number(c->map, (uint32_t)(o->functions + function)) != MAP_OK)
		return COUNTED_ENOMEM;
	return counted_take_path(c, (uint32_t)(o->functions + function), index & UINT32_MAX, count);
}

bool counted_by_chords(const struct map_object *object)
{
	return object->mode == INSERT_EDGES || object->mode == INSERT_BLOCKS;
}

static int take_counter(struct counted *c, const struct map_object *o, uint64_t index, uint64_t count)
{
	if (index >> MAP_HASH_SHIFT != 0 && (o->mode == INSERT_PATHS || o->mode == INSERT_REGIONS))
		return take_hashed(c, o, index, count);
	uint32_t function = function_of(c->map, o, index);
	if (function == GRAPH_NONE) {
		c->strange += count;
		return COUNTED_OK;
	}
	struct map_function *f = &c->map->functions[function];
	uint64_t number = index - f->first;
	if (o->mode == INSERT_REGIONS)
		return counted_regions_take(c, function, false, number, count);
	if (counted_by_chords(o)) { /* by number of the counter, until take_flow() */
		c->chords[c->chord_of[function] + number] += count;
		return COUNTED_OK;
	}
	if (map_number(c->map, function) != MAP_OK)
		return COUNTED_ENOMEM;
	const uint64_t paths = map_counted_paths(f);
	if (number < paths)
		return counted_take_path(c, function, number, count);
	if ((f->flags & MAP_METRIC) != 0 && number >= paths + f->numbering.self) {
		c->metric = f->word_count > 0 ? c->map->words[f->words] : 0;
		take_metric(c, function, number - paths - f->numbering.self, count);
		return COUNTED_OK;
	}
	counted_self(c, f, number - paths, count);
	return COUNTED_OK;
}

/* ---------------------------------------------------------------- flow */
/* What was begun and not left by a call or a counted edge has left by the only way out that is not counted. */
static void leave_by_rest(struct counted *c, uint32_t b)
{
	const struct map_block *own = &c->map->blocks[b];
	uint64_t rest = c->blocks[b] + counted_surplus(c, b);
	uint32_t missing = 0, last = 0;
	for (uint32_t e = own->edges; e < own->edges + own->edge_count; e++) {
		missing += c->edges[e] == COUNTED_UNKNOWN;
		last = c->edges[e] == COUNTED_UNKNOWN ? e : last;
		rest -= c->edges[e] == COUNTED_UNKNOWN ? 0 : c->edges[e];
	}
	if (missing == 1)
		c->edges[last] = (int64_t)rest > 0 ? rest : 0;
}

/* Counters of chords: all edges follow, and the blocks from these. */
static int take_flow(struct counted *c, uint32_t function)
{
	const struct map *m = c->map;
	const struct map_function *f = &m->functions[function];
	uint64_t *intos = calloc(f->block_count + 1u, sizeof *intos);
	if (intos == NULL)
		return COUNTED_ENOMEM;
	bool blocks = m->objects[f->object].mode == INSERT_BLOCKS;
	int error = flow_edges(m, function,
	    &(struct flow_counters){c->chords + c->chord_of[function], c->stopped + f->blocks, blocks},
	    c->edges + f->edges, intos);
	for (uint32_t b = 0; b < f->block_count && error == MAP_OK; b++)
		c->blocks[f->blocks + b] = intos[b];
	for (uint32_t e = f->edges; e < f->edges + f->edge_count && error == MAP_OK; e++) {
		if (m->edges[e].to != GRAPH_NONE)
			c->blocks[f->blocks + m->edges[e].to] += c->edges[e];
	}
	/* what goes from calls out of the function is counted by no block */
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && blocks; b++) {
		const struct map_block *own = &m->blocks[b];
		for (uint32_t e = own->edges; e < own->edges + own->edge_count; e++) {
			if ((own->flags & MAP_LEAVES) != 0 && m->edges[e].to == GRAPH_NONE)
				c->edges[e] = COUNTED_UNKNOWN;
		}
	}
	free(intos);
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && blocks && error == MAP_OK; b++)
		leave_by_rest(c, b);
	if (error == MAP_OK && blocks)
		return counted_solve(c, f);
	if (error == MAP_OK)
		return COUNTED_OK;
	return error == MAP_ENOMEM ? COUNTED_ENOMEM : COUNTED_EFORMAT;
}

/* What a function's numbers are before anything is taken: 0, or not known without a counter. */
static int begin(struct counted *c, uint32_t function)
{
	struct map *m = c->map;
	const struct map_function *f = &m->functions[function];
	unsigned mode = m->objects[f->object].mode;
	if (counted_by_chords(&m->objects[f->object]))
		return COUNTED_OK;
	if (mode == INSERT_REGIONS)
		return counted_regions_begin(c, function);
	if (map_number(m, function) != MAP_OK)
		return COUNTED_ENOMEM;
	for (uint32_t e = 0; e < f->edge_count; e++) {
		unsigned kind = f->numbering.kind[e];
		c->edges[f->edges + e] = kind == NUMBERING_BACK || kind == NUMBERING_CUT ? COUNTED_UNKNOWN : 0;
	}
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++)
		c->blocks[b] = 0;
	return COUNTED_OK;
}

static int begin_chords(struct counted *c)
{
	size_t all = 0;
	c->chord_of = calloc(c->map->function_count + 1, sizeof *c->chord_of);
	for (size_t i = 0; i < c->map->function_count && c->chord_of != NULL; i++) {
		const struct map_function *f = &c->map->functions[i];
		c->chord_of[i] = all;
		if (!counted_by_chords(&c->map->objects[f->object]) || (f->flags & MAP_COUNTED) == 0)
			continue;
		if (f->counters > (uint64_t)f->word_count + f->edge_count)
			return COUNTED_EFORMAT; /* one for each word */
		all += f->counters > f->word_count ? f->counters : f->word_count;
	}
	c->chords = calloc(all + 1, sizeof *c->chords);
	return c->chord_of == NULL || c->chords == NULL ? COUNTED_ENOMEM : COUNTED_OK;
}

/* ---------------------------------------------------------------- shared libraries */
/* A library has a sum of its own in the profile: what is not in this program can be told from what is nowhere. */
static void take_library(struct counted *c, uint64_t salt, uint64_t sum)
{
	for (size_t i = 0; i < c->salt_count; i++) {
		if (c->salts[i] == salt)
			return;
	}
	c->elsewhere += sum;
	c->libraries++;
}

int counted_map(struct counted *c, const struct image *image)
{
	int error = COUNTED_OK;
	c->map = calloc(1, sizeof *c->map);
	if (c->map == NULL)
		return COUNTED_ENOMEM;
	const struct image *part = image;
	for (size_t i = 0; part != NULL && error == COUNTED_OK; part = image_library(image, i++)) {
		size_t size;
		const uint8_t *bytes = image_section(part, ".debug_rivulet", &size);
		if (bytes == NULL)
			return COUNTED_ENOMAP;
		if (!array_room(&c->salts, c->salt_count + 1, &c->salt_room))
			return COUNTED_ENOMEM;
		int why = map_add(c->map, bytes, size, image_bias(part), &c->salts[c->salt_count++]);
		if (why == MAP_OK)
			error = COUNTED_OK;
		else if (why == MAP_ENOMEM)
			error = COUNTED_ENOMEM;
		else
			error = COUNTED_EFORMAT;
	}
	return error;
}

static int compare_entries(const void *a, const void *b)
{
	const struct record *x = *(const struct record *const *)a, *y = *(const struct record *const *)b;
	return order_then(ORDER_UP(x->start, y->start), ORDER_UP(x->hist, y->hist));
}

static int take_entry(struct counted *c, const struct map_object *object, const struct record *entry)
{
	if (entry->start == RIVULET_PROBE_STACK_ID)
		return counted_stop(c, entry->hist - 1, entry->count, false);
	if (entry->start == RIVULET_PROBE_LIBRARY_ID)
		take_library(c, entry->hist - 1, entry->count);
	else if (object == NULL)
		c->strange += entry->count;
	else if ((entry->hist - 1) >> MAP_HASH_SHIFT != 0)
		return take_counter(c, object, entry->hist - 1, entry->count);
	else
		return take_counter(
		    c, object, map_counter(c->map, object, entry->start, entry->hist - 1), entry->count);
	return COUNTED_OK;
}

/* All entries; where they became paths, which of these follows which. */
static int take_sorted(struct counted *c, const struct record *const *sorted, size_t count, bool *any)
{
	struct counted_joined joined;
	uint32_t *path = calloc(count + 1, sizeof *path); /* by entry: + 1 */
	int error = counted_joined_find(&joined, c, sorted, count);
	error = path == NULL ? COUNTED_ENOMEM : error;
	for (size_t i = 0; i < count && error == COUNTED_OK; i++) {
		const size_t before = c->path_count;
		*any |= joined.object[i] != NULL;
		error = take_entry(c, joined.object[i], sorted[i]);
		path[i] = c->path_count > before ? (uint32_t)c->path_count : 0;
	}
	for (size_t i = 0; i < count && error == COUNTED_OK; i++) {
		if (path[i] == 0)
			continue;
		struct counted_path *p = &c->paths[path[i] - 1];
		if (joined.before[i] != COUNTED_NO_PART)
			p->before = path[joined.before[i]];
		if (joined.lost[i] || (joined.before[i] != COUNTED_NO_PART && p->before == 0))
			p->before = COUNTED_LOST;
	}
	counted_joined_free(&joined);
	free(path);
	return error;
}

static int take_all(struct counted *c, const struct profile *profile)
{
	const struct record **sorted = malloc((profile->used + 1) * sizeof *sorted);
	bool any = false;
	if (sorted == NULL)
		return COUNTED_ENOMEM;
	for (size_t i = 0; i < profile->used; i++)
		sorted[i] = &profile->entries[i];
	qsort(sorted, profile->used, sizeof *sorted, compare_entries);
	int error = take_sorted(c, sorted, profile->used, &any);
	c->strange -= c->strange < c->elsewhere ? c->strange : c->elsewhere;
	free(sorted);
	return error == COUNTED_OK && !any && profile->used > 0 ? COUNTED_EOTHER : error;
}

int counted_open(struct counted **out, const struct image *image, const struct profile *profile)
{
	struct counted *c = calloc(1, sizeof *c);
	int error = c == NULL ? COUNTED_ENOMEM : counted_map(c, image);
	*out = NULL;
	if (error == COUNTED_OK)
		error = counted_nested_open(c);
	if (error == COUNTED_OK) {
		c->image = image;
		c->begin = GRAPH_NONE;
		c->run_cycles = profile->has_end ? profile->end.cycles : 0;
		c->lost_stacks = profile->has_end ? profile->end.lost : 0;
		c->edges = calloc(c->map->edge_count + 1, sizeof *c->edges);
		c->blocks = calloc(c->map->block_count + 1, sizeof *c->blocks);
		c->stopped = calloc(c->map->block_count + 1, sizeof *c->stopped);
		error = c->edges == NULL || c->blocks == NULL || c->stopped == NULL ? COUNTED_ENOMEM : COUNTED_OK;
	}
	for (uint32_t i = 0; error == COUNTED_OK && i < c->map->function_count; i++) {
		const struct map_function *f = &c->map->functions[i];
		if (f->address == 0)
			continue;
		if ((f->flags & MAP_COUNTED) != 0)
			c->functions++;
		else
			c->left++;
		error = begin(c, i);
	}
	if (error == COUNTED_OK)
		error = begin_chords(c);
	if (error == COUNTED_OK)
		error = counted_places(c);
	if (error == COUNTED_OK)
		error = take_all(c, profile);
	if (error == COUNTED_OK)
		error = counted_stacks(c, profile);
	if (error == COUNTED_OK)
		error = counted_nested_done(c);
	for (uint32_t i = 0; error == COUNTED_OK && i < c->map->function_count; i++) {
		const struct map_function *f = &c->map->functions[i];
		if (f->address == 0 || (f->flags & MAP_COUNTED) == 0)
			continue;
		error = counted_by_chords(&c->map->objects[f->object]) ? take_flow(c, i) : counted_solve(c, f);
	}
	if (error != COUNTED_OK) {
		counted_close(c);
		return error;
	}
	for (size_t i = 0; i < c->map->object_count; i++) {
		c->edited |= c->map->objects[i].form == MAP_EDITED;
		c->mode = c->map->objects[0].mode;
		c->narrow |= c->map->objects[i].width == 4;
	}
	*out = c;
	return COUNTED_OK;
}

void counted_close(struct counted *c)
{
	if (c == NULL)
		return;
	counted_nested_close(c);
	counted_regions_close(c);
	map_close(c->map);
	free(c->nested);
	free(c->nested_first);
	free(c->parts);
	free(c->nests);
	free(c->salts);
	free(c->edges);
	free(c->blocks);
	free(c->paths);
	free(c->path_edges);
	free(c->chords);
	free(c->chord_of);
	free(c->gains);
	free(c->again);
	free(c->stops);
	free(c->runs);
	free(c->unfinished);
	free(c->stopped);
	free(c);
}
