/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Paths that were cut, because their function has more than one number holds, and are put together again: a part before
 * another is kept once, with what came before it.
 *
 *   part 12 ◄── part 7 ◄── counter of part 30
 *          ◄── counter of part 8
 */
#include "host/paths/private.h"

#include <stdlib.h>
#include "common/joined.h"

struct part_key {
	const struct paths *paths;
	uint32_t before, function;
	uint64_t number;
};

static bool same_part(const void *context, uint32_t index)
{
	const struct part_key *key = context;
	const struct joined_part *p = &key->paths->parts[index];
	return p->before == key->before && p->function == key->function && p->number == key->number;
}

static uint64_t key_before(const struct paths *p, uint32_t joined)
{
	if (joined == 0)
		return 0;
	return joined == PATHS_LOST ? 1 : p->parts[joined - 1].key;
}

/* The part with this number behind `before`, + 1. 0: there is no memory. */
static uint32_t find_part(struct paths *p, uint32_t before, uint32_t function, uint64_t number, uint32_t first)
{
	const struct part_key key = {p, before, function, number};
	const uint32_t hash = hash_of_two(number, (uint64_t)before << 32 | function);
	uint32_t index = hash_find(&p->part_table, hash, same_part, &key);
	if (index != HASH_NONE)
		return index + 1;
	const uint32_t base = p->cfg->functions[function].blocks;
	index = (uint32_t)p->part_count;
	if (!array_room(&p->parts, p->part_count + 1, &p->part_room) || !hash_add(&p->part_table, hash, index))
		return 0;
	p->parts[p->part_count++] = (struct joined_part){.before = before,
	    .function = function,
	    .from = base + first,
	    .number = number,
	    .sum = number - p->functions[function].numbering.enter[first],
	    .key = joined_key(key_before(p, before), number)};
	return index + 1;
}

/* Where a path with this number begins; its instructions. */
static bool measure_joined(const struct paths *p, uint32_t function, uint64_t number, uint32_t *first, uint64_t *insns)
{
	const struct numbering *n = &p->functions[function].numbering;
	const struct cfg_function *f = &p->cfg->functions[function];
	struct numbering_path path;
	uint32_t *edges = malloc((f->block_count + 1u) * sizeof *edges);
	bool found = edges != NULL && numbering_path(n, number, &path, edges, f->block_count) == NUMBERING_OK;
	if (found) {
		*first = path.first;
		*insns += p->cfg->blocks[f->blocks + path.first].insns;
	}
	for (uint32_t i = 0; found && i < path.length; i++)
		*insns += p->cfg->blocks[f->blocks + n->graph.to[edges[i]]].insns;
	free(edges);
	return found;
}

int paths_give_joined(
    struct paths *p, uint32_t function, const uint64_t *numbers, size_t count, bool begins, uint64_t times)
{
	struct function *own = &p->functions[function];
	uint32_t joined = begins ? 0 : PATHS_LOST, first = 0;
	uint64_t insns = 0;
	own->joined = true;
	for (size_t i = 0; i < count; i++) {
		if (!measure_joined(p, function, numbers[i], &first, &insns))
			return PATHS_ENOMEM;
		if (i + 1 < count && (joined = find_part(p, joined, function, numbers[i], first)) == 0)
			return PATHS_ENOMEM;
	}
	p->counts.insns += insns * times;
	if (insns == 0) /* it lies between two ends of paths at a table */
		return PATHS_OK;
	const uint32_t from = p->cfg->functions[function].blocks + first;
	const uint64_t sum = numbers[count - 1] - own->numbering.enter[first];
	if (joined == 0)
		return paths_count(p, &(struct counter_key){p, from, CFG_NONE, true, sum, 0}, 0, times);
	p->counts.whole += times;
	return paths_count_key(p, &(struct counter_key){p, from, CFG_NONE, true, sum, joined}, 0, times);
}

bool paths_joined(const struct paths *p, uint32_t function)
{
	return p->functions[function].joined;
}

void paths_begin_joined(const struct paths *p, uint32_t joined, struct paths_entry *entry)
{
	entry->joined = joined;
	entry->tail = entry->from;
	entry->key = key_before(p, joined);
	for (uint32_t part = joined; part != 0 && part != PATHS_LOST; part = p->parts[part - 1].before)
		entry->from = p->parts[part - 1].from;
}

/* The parts before the last one, in order: their indexes + 1. To be freed. */
static uint32_t *parts_of(const struct paths *p, uint32_t joined, size_t *count)
{
	*count = 0;
	for (uint32_t part = joined; part != 0 && part != PATHS_LOST; part = p->parts[part - 1].before)
		++*count;
	uint32_t *parts = malloc((*count + 1) * sizeof *parts);
	size_t at = *count;
	for (uint32_t part = joined; parts != NULL && at > 0; part = p->parts[part - 1].before)
		parts[--at] = part;
	return parts;
}

size_t paths_numbers(const struct paths *p, const struct paths_entry *entry, uint64_t *numbers, size_t max)
{
	size_t count;
	uint32_t *parts = parts_of(p, entry->joined, &count);
	for (size_t i = 0; parts != NULL && i < count && i < max; i++)
		numbers[i] = p->parts[parts[i] - 1].number;
	if (count < max)
		numbers[count] = entry->number;
	free(parts);
	return count + 1;
}

/* ---------------------------------------------------------------- edges */
struct way { /* edges so far; at most max are stored */
	uint32_t *edges;
	size_t max, length;
	uint32_t last, exit; /* last: block */
};

static void add_way_edge(struct way *way, uint32_t edge)
{
	if (way->length < way->max)
		way->edges[way->length] = edge;
	way->length++;
}

/* Those of a path from block `from` with this sum. */
static int add_way_part(
    const struct paths *p, uint32_t function, uint32_t from, uint32_t to, uint64_t sum, struct way *way)
{
	const struct cfg_function *f = &p->cfg->functions[function];
	const uint32_t base = p->cfg->blocks[f->blocks].edges;
	const size_t room = way->length < way->max ? way->max - way->length : 0;
	uint32_t *edges = room > 0 ? way->edges + way->length : way->edges;
	struct numbering_path path;
	int error = numbering_piece(&p->functions[function].numbering,
	    &(struct numbering_span){from - f->blocks, to == CFG_NONE ? NUMBERING_EXIT : to - f->blocks, sum}, &path,
	    edges, room);
	if (error != NUMBERING_OK)
		return error;
	for (size_t i = 0; i < path.length && i < room; i++)
		edges[i] += base;
	way->length += path.length;
	way->last = f->blocks + path.last;
	way->exit = path.to_exit ? path.exit + base : CFG_NONE;
	return NUMBERING_OK;
}

/* Padding on an edge: no path begins there, and it leads nowhere else. */
static bool is_padding(const struct paths *p, uint32_t function, uint32_t block)
{
	return block != CFG_NONE && p->cfg->blocks[block].edge_count == 1 &&
	       p->functions[function].numbering.enter[block - p->cfg->functions[function].blocks] == NUMBERING_NONE;
}

/* The cut from where the way is to a block; padding may lie on it. */
static int add_cut(const struct paths *p, uint32_t function, uint32_t to, struct way *way)
{
	const struct cfg *cfg = p->cfg;
	const struct numbering *n = &p->functions[function].numbering;
	const uint32_t base = cfg->blocks[cfg->functions[function].blocks].edges;
	const struct cfg_block *last = &cfg->blocks[way->last];
	for (uint32_t e = last->edges; e < last->edges + last->edge_count; e++) {
		uint32_t at = cfg->edges[e].to;
		if (n->kind[e - base] != NUMBERING_CUT)
			continue;
		for (uint32_t left = cfg->counts.blocks; at != to && is_padding(p, function, at) && left > 0; left--)
			at = cfg->edges[cfg->blocks[at].edges].to;
		if (at != to)
			continue;
		add_way_edge(way, e);
		for (at = cfg->edges[e].to; at != to; at = cfg->edges[cfg->blocks[at].edges].to)
			add_way_edge(way, cfg->blocks[at].edges);
		way->last = to;
		return NUMBERING_OK;
	}
	return NUMBERING_EPATH;
}

int paths_edges(
    const struct paths *p, const struct paths_entry *entry, uint32_t *edges, size_t max, size_t *length, uint32_t *exit)
{
	struct way way = {.edges = edges, .max = max};
	size_t count;
	uint32_t *parts = parts_of(p, entry->joined, &count);
	int error = parts == NULL ? NUMBERING_ENOMEM : NUMBERING_OK;
	for (size_t i = 0; i < count && error == NUMBERING_OK; i++) {
		const struct joined_part *part = &p->parts[parts[i] - 1];
		const uint32_t next = i + 1 < count ? p->parts[parts[i + 1] - 1].from : entry->tail;
		error = add_way_part(p, part->function, part->from, CFG_NONE, part->sum, &way);
		if (error == NUMBERING_OK)
			error = add_cut(p, part->function, next, &way);
	}
	if (error == NUMBERING_OK)
		error = add_way_part(
		    p, entry->function, count > 0 ? entry->tail : entry->from, entry->to, entry->sum, &way);
	free(parts);
	*length = way.length;
	*exit = way.exit;
	return error;
}
