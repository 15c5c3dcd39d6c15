/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cfg/private.h"
#include "host/base/order.h"
#include "host/base/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cfg_edge_name(unsigned kind)
{
	static const char *const names[CFG_EDGE_KINDS] = {"fall", "taken", "jump", "after call", "table", "return",
	    "tail call", "indirect tail call", "no return", "trap return", "stop", "unresolved", "outside"};
	return kind < CFG_EDGE_KINDS ? names[kind] : "unknown";
}

const char *cfg_origin_name(unsigned origin)
{
	static const char *const names[] = {"symbol", "entry", "called", "pointer", "shared", "gap"};
	return origin < sizeof names / sizeof names[0] ? names[origin] : "unknown";
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	return ORDER_UP(x->start, y->start);
}

static int make_ranges(struct cfg_map *map)
{
	struct image_text text;
	size_t count = 0;
	while (image_text(map->image, count, &text))
		count++;
	map->ranges = calloc(count + 1, sizeof *map->ranges);
	if (map->ranges == NULL)
		return CFG_ENOMEM;
	for (size_t i = 0; i < count && image_text(map->image, i, &text); i++) {
		/* whole halfwords of it */
		uint64_t start = text.start + (text.start & 1), skipped = text.start & 1;
		map->sections = text.section;
		if (text.size > skipped + 1)
			map->ranges[map->range_count++] =
			    (struct range){start, (text.size - skipped) & ~UINT64_C(1), 0};
	}
	qsort(map->ranges, map->range_count, sizeof *map->ranges, compare_ranges);
	uint64_t end = 0; /* damaged files: sections may overlap */
	size_t kept = 0;
	for (size_t i = 0; i < map->range_count; i++) {
		struct range r = map->ranges[i];
		if (r.start < end) {
			if (r.start + r.size <= end)
				continue;
			r.size -= end - r.start;
			r.start = end;
		}
		r.slot = map->slots;
		map->slots += r.size / 2;
		end = r.start + r.size;
		map->ranges[kept++] = r;
	}
	map->range_count = kept;
	map->ones = image_xlen(map->image) == 64 ? UINT64_MAX : UINT32_MAX;
	map->stripped = image_symbol_count(map->image) == 0;
	map->owner = calloc(map->slots + 1, sizeof *map->owner);
	map->flags = calloc(map->slots + 1, sizeof *map->flags);
	map->block = calloc(map->slots + 1, sizeof *map->block);
	return map->owner == NULL || map->flags == NULL || map->block == NULL ? CFG_ENOMEM : CFG_OK;
}

struct order { /* functions by address */
	uint64_t start;
	uint32_t maker;
};

static int compare_order(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	return ORDER_UP(x->start, y->start);
}

static void count_function(struct cfg *cfg, struct cfg_function *function)
{
	struct cfg_counts *counts = &cfg->counts;
	counts->functions++;
	counts->origins[function->origin]++;
	for (uint32_t b = function->blocks; b < function->blocks + function->block_count; b++) {
		const struct cfg_block *block = &cfg->blocks[b];
		function->insns += block->insns;
		function->edge_count += block->edge_count;
		counts->code_bytes += (uint32_t)(block->end - block->start);
		counts->calls += block->call == CFG_CALL;
		counts->indirect_calls += block->call == CFG_CALL_INDIRECT;
		if (block->root && b != function->entry)
			function->leftover++;
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			unsigned kind = cfg->edges[e].kind;
			counts->tail_calls += kind == CFG_TAIL;
			counts->indirect_tail_calls += kind == CFG_TAIL_INDIRECT;
			counts->no_return_calls += kind == CFG_NO_RETURN;
			counts->stops += kind == CFG_STOP;
			counts->outside += kind == CFG_OUTSIDE;
			function->unresolved += kind == CFG_UNRESOLVED;
		}
	}
	counts->blocks += function->block_count;
	counts->edges += function->edge_count;
	counts->insns += function->insns;
	counts->unresolved += function->unresolved;
	counts->leftover += function->leftover;
}

/* Functions, blocks and edges from what discovery found. */
static int make_graph(struct cfg *cfg)
{
	struct cfg_map *map = cfg->map;
	struct graph graph = {0};
	size_t count = map->maker_count;
	struct order *order = malloc((count + 1) * sizeof *order);
	uint32_t *place = malloc((count + 1) * sizeof *place);
	cfg->functions = calloc(count + 1, sizeof *cfg->functions);
	int error = order == NULL || place == NULL || cfg->functions == NULL ? CFG_ENOMEM : CFG_OK;
	for (uint32_t i = 0; i < count && error == CFG_OK; i++)
		order[i] = (struct order){map->makers[i].start, i};
	if (error == CFG_OK)
		qsort(order, count, sizeof *order, compare_order);
	for (uint32_t i = 0; i < count && error == CFG_OK; i++) {
		struct maker *maker = &map->makers[order[i].maker];
		struct cfg_function *function = &cfg->functions[i];
		place[order[i].maker] = i;
		*function = (struct cfg_function){.name = maker->name,
		    .start = maker->start,
		    .blocks = (uint32_t)graph.block_count,
		    .entry = CFG_NONE,
		    .origin = maker->origin,
		    .returns = maker->returns};
		error = cfg_blocks(map, order[i].maker, &graph);
		function->block_count = (uint32_t)graph.block_count - function->blocks;
		if (function->name == NULL) { /* a label, if it is just there */
			uint64_t start;
			const char *name = image_function(cfg->image, maker->start, &start);
			function->name = name != NULL && start == maker->start ? name : NULL;
		}
	}
	cfg->blocks = graph.blocks;
	cfg->edges = graph.edges;
	for (uint32_t i = 0; i < count && error == CFG_OK; i++) {
		struct cfg_function *function = &cfg->functions[i];
		for (uint32_t b = function->blocks; b < function->blocks + function->block_count; b++) {
			struct cfg_block *block = &cfg->blocks[b];
			block->function = i;
			if (block->callee != CFG_NONE)
				block->callee = place[block->callee];
			if (block->start == function->start)
				function->entry = b;
			for (uint64_t pc = block->start; pc < block->end; pc += 2) {
				size_t slot = map_slot(map, pc);
				if (slot != SIZE_MAX && (pc == block->start || map->block[slot] == 0))
					map->block[slot] = b + 1;
			}
		}
		count_function(cfg, function);
	}
	for (size_t i = 0; i < map->slots && error == CFG_OK; i++)
		map->owner[i] = map->owner[i] == 0 ? 0 : place[map->owner[i] - 1] + 1;
	free(order);
	free(place);
	return error;
}

static int make_tables(struct cfg *cfg)
{
	struct cfg_map *map = cfg->map;
	uint32_t count = 0;
	cfg->tables = calloc(map->jump_count + 1, sizeof *cfg->tables);
	if (cfg->tables == NULL)
		return CFG_ENOMEM;
	for (size_t i = 0; i < map->jump_count; i++) {
		const struct jump *jump = &map->jumps[i];
		uint32_t block = cfg_block_at(cfg, jump->site);
		if (jump->call || jump->tail || block == CFG_NONE)
			if (jump->count == 0 || jump->call)
				continue;
		cfg->tables[count++] = (struct cfg_table){.site = jump->site,
		    .address = jump->table,
		    .targets = jump->count,
		    .entries = jump->entries,
		    .bounded = jump->bounded,
		    .function = block == CFG_NONE ? CFG_NONE : cfg->blocks[block].function};
		cfg->counts.tables += jump->count > 0;
		cfg->counts.guessed += jump->count > 0 && !jump->bounded;
	}
	cfg->table_count = count;
	return CFG_OK;
}

/* Frees the members that are needed only while the graph is made. */
static void free_making(struct cfg_map *map)
{
	for (size_t i = 0; i < map->maker_count; i++)
		free(map->makers[i].leaders);
	free(map->makers);
	free(map->waiters);
	free(map->next_waiter);
	free(map->jumps);
	free(map->targets);
	free(map->work);
	map->makers = NULL;
	map->maker_count = 0;
	map->waiters = NULL;
	map->next_waiter = NULL;
	map->jumps = NULL;
	map->targets = NULL;
	map->work = NULL;
}

int cfg_open(struct cfg **out, const struct image *image)
{
	struct cfg *cfg = calloc(1, sizeof *cfg);
	struct cfg_map *map = calloc(1, sizeof *map);
	*out = NULL;
	if (cfg == NULL || map == NULL) {
		free(cfg);
		free(map);
		return CFG_ENOMEM;
	}
	cfg->image = map->image = image;
	cfg->map = map;
	int error = make_ranges(map);
	if (error == CFG_OK)
		error = cfg_discover(map);
	if (error == CFG_OK)
		error = make_graph(cfg);
	if (error == CFG_OK)
		error = make_tables(cfg);
	if (error == CFG_OK)
		error = cfg_loops(cfg);
	for (size_t i = 0; i < map->range_count; i++)
		cfg->counts.text_bytes += (uint32_t)map->ranges[i].size;
	cfg->counts.stripped = map->stripped;
	cfg->counts.sections = map->sections;
	cfg->counts.unsettled = !map->settled;
	free_making(map);
	if (error != CFG_OK) {
		cfg_close(cfg);
		return error;
	}
	*out = cfg;
	return CFG_OK;
}

void cfg_close(struct cfg *cfg)
{
	if (cfg == NULL)
		return;
	free_making(cfg->map);
	free(cfg->map->ranges);
	free(cfg->map->owner);
	free(cfg->map->flags);
	free(cfg->map->block);
	free(cfg->map);
	free(cfg->functions);
	free(cfg->blocks);
	free(cfg->edges);
	free(cfg->loops);
	free(cfg->tables);
	free(cfg);
}

uint32_t cfg_block_at(const struct cfg *cfg, uint64_t address)
{
	size_t slot = map_slot(cfg->map, address);
	return slot == SIZE_MAX ? CFG_NONE : cfg->map->block[slot] - 1; /* 0 becomes CFG_NONE */
}

uint32_t cfg_function_at(const struct cfg *cfg, uint64_t start)
{
	return map_function(cfg->map, start);
}

uint32_t cfg_function_named(const struct cfg *cfg, const char *name)
{
	uint64_t address;
	char text[CFG_NAME];
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		if (demangle_means(name, cfg_function_name(cfg, i, text)))
			return i;
	}
	/* another name of the same code */
	return image_symbol(cfg->image, name, &address) == IMAGE_OK ? cfg_function_at(cfg, address) : CFG_NONE;
}

const char *cfg_function_name(const struct cfg *cfg, uint32_t function, char text[CFG_NAME])
{
	if (function >= cfg->counts.functions)
		return "(unknown)";
	if (cfg->functions[function].name != NULL)
		return cfg->functions[function].name;
	if (image_place(cfg->image, cfg->functions[function].start, text) != NULL)
		return text;
	snprintf(text, CFG_NAME, "at_%08" PRIx64, cfg->functions[function].start);
	return text;
}

static int call_edges_by_site(const void *a, const void *b)
{
	const struct cfg_call_edge *x = a, *y = b;
	return order_then(ORDER_UP(x->caller, y->caller), ORDER_UP(x->callee, y->callee));
}

int cfg_call_graph(const struct cfg *cfg, struct cfg_call_edge **calls, size_t *count)
{
	size_t used = 0, kept = 0;
	struct cfg_call_edge *all = malloc(((size_t)cfg->counts.blocks + cfg->counts.edges + 1) * sizeof *all);
	*calls = NULL;
	*count = 0;
	if (all == NULL)
		return CFG_ENOMEM;
	for (uint32_t b = 0; b < cfg->counts.blocks; b++) {
		const struct cfg_block *block = &cfg->blocks[b];
		if (block->call != CFG_NO_CALL)
			all[used++] = (struct cfg_call_edge){block->function, block->callee, 1, 0};
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			const struct cfg_edge *edge = &cfg->edges[e];
			if (edge->kind == CFG_TAIL || edge->kind == CFG_TAIL_INDIRECT)
				all[used++] = (struct cfg_call_edge){block->function,
				    edge->kind == CFG_TAIL ? cfg_function_at(cfg, edge->target) : CFG_NONE, 1, 1};
		}
	}
	qsort(all, used, sizeof *all, call_edges_by_site);
	for (size_t i = 0; i < used; i++) {
		if (kept > 0 && call_edges_by_site(&all[kept - 1], &all[i]) == 0) {
			all[kept - 1].sites += all[i].sites;
			all[kept - 1].tails += all[i].tails;
		} else
			all[kept++] = all[i];
	}
	*calls = all;
	*count = kept;
	return CFG_OK;
}
