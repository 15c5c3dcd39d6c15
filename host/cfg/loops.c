/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The loops and dominators of each function (host/graph), with indexes into cfg->blocks and cfg->loops. */
#include <stdlib.h>
#include "host/cfg/private.h"
#include "host/graph/dominators.h"
#include "host/graph/loops.h"

struct shape_room { /* for the largest function */
	uint32_t *first, *to, *dominator;
	bool *root;
};

static int make_shape_room(struct shape_room *room, const struct cfg *cfg)
{
	size_t blocks = 0, edges = 0;
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		const struct cfg_function *f = &cfg->functions[i];
		blocks = f->block_count > blocks ? f->block_count : blocks;
		edges = f->edge_count > edges ? f->edge_count : edges;
	}
	*room = (struct shape_room){.first = malloc((blocks + 1) * sizeof *room->first),
	    .to = malloc((edges + 1) * sizeof *room->to),
	    .dominator = malloc((blocks + 1) * sizeof *room->dominator),
	    .root = malloc(blocks + 1)};
	bool made = room->first != NULL && room->to != NULL && room->dominator != NULL && room->root != NULL;
	return made ? CFG_OK : CFG_ENOMEM;
}

static void free_shape_room(struct shape_room *room)
{
	free(room->first);
	free(room->to);
	free(room->dominator);
	free(room->root);
}

static struct graph_shape shape_of_function(
    const struct cfg *cfg, const struct cfg_function *f, const struct shape_room *room)
{
	uint32_t edges = 0;
	for (uint32_t b = 0; b < f->block_count; b++) {
		const struct cfg_block *block = &cfg->blocks[f->blocks + b];
		room->first[b] = edges;
		room->root[b] = block->root;
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++)
			room->to[edges++] = cfg->edges[e].to == CFG_NONE ? GRAPH_EXIT : cfg->edges[e].to - f->blocks;
	}
	room->first[f->block_count] = edges;
	return (struct graph_shape){.count = f->block_count,
	    .entry = f->entry == CFG_NONE ? GRAPH_VERTEX : f->entry - f->blocks,
	    .first = room->first,
	    .to = room->to,
	    .root = room->root};
}

static int store_function_loops(
    struct cfg *cfg, uint32_t function, const struct graph_loops *loops, const uint32_t *dominator, size_t *size)
{
	struct cfg_function *f = &cfg->functions[function];
	uint32_t base = cfg->counts.loops;
	f->loops = base;
	f->loop_count = loops->count;
	f->reducible = loops->irreducible == 0;
	cfg->counts.irreducible += loops->irreducible;
	if (!array_room(&cfg->loops, (size_t)base + loops->count, size))
		return CFG_ENOMEM;
	for (uint32_t b = 0; b < f->block_count; b++) {
		struct cfg_block *block = &cfg->blocks[f->blocks + b];
		block->loop = loops->loop[b] == GRAPH_VERTEX ? CFG_NONE : base + loops->loop[b];
		block->dominator = dominator[b] == GRAPH_VERTEX ? CFG_NONE : f->blocks + dominator[b];
	}
	for (uint32_t i = 0; i < loops->count; i++) {
		const struct graph_loop *loop = &loops->loops[i];
		cfg->loops[cfg->counts.loops++] = (struct cfg_loop){.function = function,
		    .head = f->blocks + loop->head,
		    .parent = loop->parent == GRAPH_VERTEX ? CFG_NONE : base + loop->parent,
		    .depth = loop->depth,
		    .block_count = loop->vertices,
		    .latches = loop->latches,
		    .reducible = loop->reducible};
	}
	return CFG_OK;
}

int cfg_loops(struct cfg *cfg)
{
	struct shape_room room;
	size_t size = 0;
	int error = make_shape_room(&room, cfg);
	for (uint32_t i = 0; i < cfg->counts.functions && error == CFG_OK; i++) {
		struct graph_search search = {0};
		struct graph_loops loops = {0};
		struct graph_shape shape = shape_of_function(cfg, &cfg->functions[i], &room);
		if (shape.count == 0)
			continue;
		if (graph_search_make(&search, &shape) && graph_dominators(&search, room.dominator) &&
		    graph_loops_make(&loops, &search))
			error = store_function_loops(cfg, i, &loops, room.dominator, &size);
		else
			error = CFG_ENOMEM;
		graph_loops_free(&loops);
		graph_search_free(&search);
	}
	free_shape_room(&room);
	return error;
}

bool cfg_dominates(const struct cfg *cfg, uint32_t a, uint32_t b)
{
	while (b != CFG_NONE && b != a)
		b = cfg->blocks[b].dominator;
	return b == a;
}

bool cfg_in_loop(const struct cfg *cfg, uint32_t block, uint32_t loop)
{
	uint32_t at = block == CFG_NONE ? CFG_NONE : cfg->blocks[block].loop;
	while (at != CFG_NONE && at != loop)
		at = cfg->loops[at].parent;
	return at == loop;
}
