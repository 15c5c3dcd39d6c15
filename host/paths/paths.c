/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The counters, and what can be read from them. */
#include "host/paths/private.h"
#include "host/base/order.h"

#include <stdlib.h>

/* The array of a function that has one. */
static bool make_counters(struct function *own)
{
	const uint64_t paths = own->numbering.paths;
	if (own->numbering.count == NULL || paths > PATHS_ARRAY_MAX)
		return true;
	own->counts = calloc(paths, sizeof *own->counts);
	own->spent = calloc(paths, sizeof *own->spent);
	return own->counts != NULL && own->spent != NULL;
}

static int number_functions(struct paths *paths, uint64_t limit)
{
	const struct cfg *cfg = paths->cfg;
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		const struct cfg_function *function = &cfg->functions[i];
		if (function->block_count == 0 || function->entry == CFG_NONE)
			continue;
		uint32_t *first = paths->first + function->blocks + i, base = cfg->blocks[function->blocks].edges;
		for (uint32_t b = 0; b < function->block_count; b++) {
			const struct cfg_block *block = &cfg->blocks[function->blocks + b];
			first[b] = block->edges - base;
			paths->root[function->blocks + b] = block->root;
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++)
				paths->to[e] =
				    cfg->edges[e].to == CFG_NONE ? NUMBERING_EXIT : cfg->edges[e].to - function->blocks;
		}
		first[function->block_count] = function->edge_count;
		const struct numbering_graph graph = {.count = function->block_count,
		    .entry = function->entry - function->blocks,
		    .first = first,
		    .to = paths->to + base,
		    .root = paths->root + function->blocks};
		struct function *own = &paths->functions[i];
		if (numbering_make(&own->numbering, &graph, limit) != NUMBERING_OK)
			return PATHS_ENOMEM;
		if (!make_counters(own))
			return PATHS_ENOMEM;
	}
	return PATHS_OK;
}

/* Where a record that starts with a block can only have got there by beginning a path: at entries, and at targets of
 * back edges to which nothing else leads that ends a record (a branch, which may fill the history; a backward jump; a
 * return; an indirect jump). */
static void find_certain(struct paths *paths)
{
	const struct cfg *cfg = paths->cfg;
	for (uint32_t b = 0; b < cfg->counts.blocks; b++) {
		const struct cfg_function *function = &cfg->functions[cfg->blocks[b].function];
		const struct numbering *n = &paths->functions[cfg->blocks[b].function].numbering;
		paths->certain[b] = n->enter != NULL && n->enter[b - function->blocks] != NUMBERING_NONE;
	}
	for (uint32_t b = 0; b < cfg->counts.blocks; b++) {
		const struct cfg_block *block = &cfg->blocks[b];
		const struct cfg_function *function = &cfg->functions[block->function];
		const struct numbering *n = &paths->functions[block->function].numbering;
		bool branches = block->edge_count > 1;
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			const struct cfg_edge *edge = &cfg->edges[e];
			if (edge->to == CFG_NONE || n->kind == NULL ||
			    n->kind[e - cfg->blocks[function->blocks].edges] == NUMBERING_BACK ||
			    n->kind[e - cfg->blocks[function->blocks].edges] == NUMBERING_CUT)
				continue;
			bool quiet = !branches &&
				     (edge->kind == CFG_FALL || (edge->kind == CFG_JUMP && edge->target > block->last));
			if (!quiet)
				paths->certain[edge->to] = false;
		}
	}
}

/* All but the numbers. */
static struct paths *make_paths(const struct cfg *cfg)
{
	struct paths *paths = calloc(1, sizeof *paths);
	size_t functions = cfg->counts.functions, blocks = cfg->counts.blocks, edges = cfg->counts.edges;
	if (paths == NULL)
		return NULL;
	paths->cfg = cfg;
	shelf_init(&paths->shelf, sizeof *paths->frames, paths_hash_frame, paths_same_frame);
	paths->functions = calloc(functions + 1, sizeof *paths->functions);
	paths->first = calloc(blocks + functions + 1, sizeof *paths->first);
	paths->to = calloc(edges + 1, sizeof *paths->to);
	paths->root = calloc(blocks + 1, sizeof *paths->root);
	paths->certain = calloc(blocks + 1, sizeof *paths->certain);
	paths->edge_counts = calloc(edges + 1, sizeof *paths->edge_counts);
	paths->edge_spent = calloc(edges + 1, sizeof *paths->edge_spent);
	paths->edge_unknown = calloc(edges + 1, sizeof *paths->edge_unknown);
	paths->cut_behind = calloc(blocks + 1, sizeof *paths->cut_behind);
	paths->cut_before = calloc(blocks + 1, sizeof *paths->cut_before);
	paths->block_spent = calloc(blocks + 1, sizeof *paths->block_spent);
	paths->times = 1;
	paths->continuity = PATHS_UNRELATED;
	paths->begun = true;
	if (paths->functions == NULL || paths->first == NULL || paths->to == NULL || paths->root == NULL ||
	    paths->certain == NULL || paths->edge_counts == NULL || paths->edge_spent == NULL ||
	    paths->block_spent == NULL || paths->edge_unknown == NULL || paths->cut_behind == NULL ||
	    paths->cut_before == NULL) {
		paths_close(paths);
		return NULL;
	}
	return paths;
}

int paths_open(struct paths **out, const struct cfg *cfg, uint64_t limit)
{
	struct paths *paths = make_paths(cfg);
	*out = NULL;
	if (paths == NULL || number_functions(paths, limit) != PATHS_OK) {
		paths_close(paths);
		return PATHS_ENOMEM;
	}
	find_certain(paths);
	*out = paths;
	return PATHS_OK;
}

int paths_open_numbered(struct paths **out, const struct cfg *cfg, struct numbering *numberings)
{
	struct paths *paths = make_paths(cfg);
	*out = paths;
	if (paths == NULL)
		return PATHS_ENOMEM;
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		paths->functions[i].numbering = numberings[i];
		numberings[i] = (struct numbering){0};
	}
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		if (!make_counters(&paths->functions[i])) {
			paths_close(paths);
			*out = NULL;
			return PATHS_ENOMEM;
		}
	}
	return PATHS_OK;
}

void paths_close(struct paths *paths)
{
	if (paths == NULL)
		return;
	for (size_t i = 0; paths->functions != NULL && i < paths->cfg->counts.functions; i++) {
		numbering_free(&paths->functions[i].numbering);
		free(paths->functions[i].counts);
		free(paths->functions[i].spent);
	}
	free(paths->functions);
	free(paths->first);
	free(paths->to);
	free(paths->root);
	free(paths->certain);
	free(paths->edge_counts);
	free(paths->edge_spent);
	free(paths->edge_unknown);
	free(paths->cut_behind);
	free(paths->cut_before);
	free(paths->block_spent);
	free(paths->counters);
	free(paths->parts);
	hash_free(&paths->part_table);
	hash_free(&paths->table);
	free(paths->frames);
	shelf_free(&paths->shelf);
	free(paths);
}

void paths_observe(struct paths *paths, const struct paths_observer *observer)
{
	paths->observer = *observer;
}

const struct cfg *paths_graph(const struct paths *paths)
{
	return paths->cfg;
}

const struct numbering *paths_numbering(const struct paths *paths, uint32_t function)
{
	const struct numbering *n = &paths->functions[function].numbering;
	return n->count == NULL ? NULL : n;
}

static bool same_path_counter(const void *context, uint32_t index)
{
	const struct counter_key *key = context;
	const struct counter *c = &key->paths->counters[index];
	return c->from == key->from && c->to == key->to && c->begins == key->begins && c->sum == key->sum &&
	       c->joined == key->joined;
}

int paths_count_key(struct paths *paths, const struct counter_key *key, uint64_t spent, uint64_t count)
{
	uint32_t hash = hash_of_two(
	    key->sum ^ (uint64_t)key->joined << 40, (uint64_t)key->from << 32 ^ key->to ^ (uint64_t)key->begins << 63);
	uint32_t index = hash_find(&paths->table, hash, same_path_counter, key);
	if (index == HASH_NONE) {
		if (!array_room(&paths->counters, paths->counter_count + 1, &paths->counter_room) ||
		    !hash_add(&paths->table, hash, (uint32_t)paths->counter_count))
			return PATHS_ENOMEM;
		index = (uint32_t)paths->counter_count++;
		paths->counters[index] = (struct counter){
		    .from = key->from, .to = key->to, .begins = key->begins, .sum = key->sum, .joined = key->joined};
	}
	paths->counters[index].count += count;
	paths->counters[index].spent += count * spent;
	return PATHS_OK;
}

int paths_count(struct paths *paths, const struct counter_key *key, uint64_t spent, uint64_t count)
{
	const struct cfg *cfg = paths->cfg;
	uint32_t function = cfg->blocks[key->from].function;
	struct function *own = &paths->functions[function];
	bool whole = key->begins && key->to == CFG_NONE;
	if (count == 0)
		return PATHS_OK;
	if (whole) {
		paths->counts.whole += count;
		if (own->counts != NULL) {
			uint64_t number = own->numbering.enter[key->from - cfg->functions[function].blocks] + key->sum;
			own->counts[number] += count;
			own->spent[number] += count * spent;
			return PATHS_OK;
		}
	} else
		paths->counts.pieces += count;
	return paths_count_key(paths, key, spent, count);
}

static int path_entries_by_count(const void *a, const void *b)
{
	const struct paths_entry *x = a, *y = b;
	if (x->function != y->function)
		return x->function > y->function ? 1 : -1;
	if (x->number != y->number) /* that of pieces is the largest */
		return x->number > y->number ? 1 : -1;
	if (x->key != y->key)
		return x->key > y->key ? 1 : -1;
	if (x->from != y->from)
		return x->from > y->from ? 1 : -1;
	if (x->to != y->to)
		return x->to > y->to ? 1 : -1;
	if (x->begins != y->begins)
		return x->begins ? 1 : -1;
	return ORDER_UP(x->sum, y->sum);
}

static void add_cuts(uint64_t *sum, uint64_t count, bool unknown)
{
	*sum = unknown || *sum == UINT64_MAX ? UINT64_MAX : *sum + count;
}

/* Where cuts were taken, and how often. */
static void find_cuts(const struct paths *paths)
{
	const struct cfg *cfg = paths->cfg;
	for (uint32_t b = 0; b < cfg->counts.blocks; b++)
		paths->cut_behind[b] = paths->cut_before[b] = 0;
	for (uint32_t b = 0; b < cfg->counts.blocks; b++) {
		const struct cfg_block *own = &cfg->blocks[b];
		const struct numbering *n = &paths->functions[own->function].numbering;
		const uint32_t base = cfg->blocks[cfg->functions[own->function].blocks].edges;
		for (uint32_t e = own->edges; n->cut > 0 && e < own->edges + own->edge_count; e++) {
			if (n->kind[e - base] != NUMBERING_CUT)
				continue;
			add_cuts(&paths->cut_behind[b], paths->edge_counts[e], paths->edge_unknown[e]);
			add_cuts(&paths->cut_before[cfg->edges[e].to], paths->edge_counts[e], paths->edge_unknown[e]);
		}
	}
}

uint64_t paths_cut_behind(const struct paths *paths, uint32_t block)
{
	return paths->cut_behind[block];
}

uint64_t paths_cut_before(const struct paths *paths, uint32_t block)
{
	return paths->cut_before[block];
}

int paths_list(const struct paths *paths, struct paths_entry **out, size_t *count)
{
	const struct cfg *cfg = paths->cfg;
	size_t used = 0, total = paths->counter_count;
	find_cuts(paths);
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		const struct function *own = &paths->functions[i];
		for (uint64_t n = 0; own->counts != NULL && n < own->numbering.paths; n++)
			total += own->counts[n] > 0;
	}
	struct paths_entry *entries = malloc((total + 1) * sizeof *entries);
	*out = entries;
	*count = total;
	if (entries == NULL)
		return PATHS_ENOMEM;
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		const struct function *own = &paths->functions[i];
		const struct numbering *n = &own->numbering;
		if (own->counts == NULL)
			continue;
		for (uint32_t k = 0; k < n->enter_count; k++) {
			uint32_t v = n->enters[k];
			for (uint64_t sum = 0; sum < n->count[v]; sum++) {
				uint64_t times = own->counts[n->enter[v] + sum];
				if (times > 0)
					entries[used++] = (struct paths_entry){.function = i,
					    .from = cfg->functions[i].blocks + v,
					    .to = CFG_NONE,
					    .begins = true,
					    .sum = sum,
					    .number = n->enter[v] + sum,
					    .count = times,
					    .spent = own->spent[n->enter[v] + sum]};
			}
		}
	}
	for (size_t i = 0; i < paths->counter_count; i++) {
		const struct counter *s = &paths->counters[i];
		uint32_t function = cfg->blocks[s->from].function;
		const struct numbering *n = &paths->functions[function].numbering;
		entries[used++] = (struct paths_entry){.function = function,
		    .from = s->from,
		    .to = s->to,
		    .begins = s->begins,
		    .sum = s->sum,
		    .number = s->begins && s->to == CFG_NONE
				  ? n->enter[s->from - cfg->functions[function].blocks] + s->sum
				  : NUMBERING_NONE,
		    .count = s->count,
		    .spent = s->spent};
		paths_begin_joined(paths, s->joined, &entries[used - 1]);
	}
	qsort(entries, used, sizeof *entries, path_entries_by_count);
	return PATHS_OK;
}

uint64_t paths_edge_count(const struct paths *paths, uint32_t edge)
{
	return paths->edge_counts[edge];
}

uint64_t paths_edge_spent(const struct paths *paths, uint32_t edge)
{
	return paths->edge_spent[edge];
}

uint64_t paths_block_spent(const struct paths *paths, uint32_t block)
{
	return paths->block_spent[block];
}

const struct paths_counts *paths_counts(const struct paths *paths)
{
	return &paths->counts;
}

/* The turns of a block's self loops, which are in no path. */
static void add_block_turns(const struct paths *paths, uint32_t block, uint64_t *blocks, uint64_t *edges)
{
	const struct cfg *cfg = paths->cfg;
	const struct cfg_block *own = &cfg->blocks[block];
	const struct numbering *n = &paths->functions[own->function].numbering;
	const uint32_t base = cfg->blocks[cfg->functions[own->function].blocks].edges;
	for (uint32_t e = own->edges; n->kind != NULL && e < own->edges + own->edge_count; e++) {
		if (n->kind[e - base] != NUMBERING_SELF)
			continue;
		for (uint32_t b = cfg->edges[e].to; b <= block; b++) {
			blocks[b] += paths->edge_counts[e];
			if (b < block)
				edges[cfg->blocks[b].edges] += paths->edge_counts[e];
		}
	}
}

/* A cut in the midst of a joined path, of which it is known how often it was taken. */
static bool is_counted(const struct paths *paths, uint32_t function, uint32_t edge)
{
	const uint32_t base = paths->cfg->blocks[paths->cfg->functions[function].blocks].edges;
	return paths->functions[function].numbering.kind[edge - base] == NUMBERING_CUT && !paths->edge_unknown[edge];
}

int paths_block_profile(
    const struct paths *paths, const struct paths_entry *entries, size_t count, uint64_t *blocks, uint64_t *edges)
{
	const struct cfg *cfg = paths->cfg;
	size_t longest = 1;
	for (uint32_t i = 0; i < cfg->counts.functions; i++)
		longest = cfg->functions[i].block_count > longest ? cfg->functions[i].block_count : longest;
	uint32_t *path = malloc(longest * sizeof *path);
	if (path == NULL)
		return PATHS_ENOMEM;
	for (uint32_t b = 0; b < cfg->counts.blocks; b++)
		blocks[b] = 0;
	for (uint32_t e = 0; e < cfg->counts.edges; e++)
		edges[e] = paths->edge_counts[e];
	for (uint32_t b = 0; b < cfg->counts.blocks; b++)
		add_block_turns(paths, b, blocks, edges);
	for (size_t i = 0; i < count; i++) {
		size_t length;
		uint32_t exit;
		if (paths_edges(paths, &entries[i], path, longest, &length, &exit) != NUMBERING_OK)
			continue;
		blocks[entries[i].from] += entries[i].count;
		for (size_t k = 0; k < length; k++) {
			edges[path[k]] += is_counted(paths, entries[i].function, path[k]) ? 0 : entries[i].count;
			blocks[cfg->edges[path[k]].to] += entries[i].count;
		}
		if (exit != CFG_NONE)
			edges[exit] += entries[i].count;
	}
	free(path);
	return PATHS_OK;
}
