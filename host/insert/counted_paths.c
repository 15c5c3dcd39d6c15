/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_paths.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

struct giver {
	const struct counted *counted;
	struct paths *paths;
	const struct cfg *cfg;
	uint32_t *blocks; /* of the graph */
	size_t count, room;
	uint64_t unknown;
};

static bool is_fall(unsigned kind)
{
	return kind == GRAPH_FALL || kind == GRAPH_TAIL_FALL;
}

/* The graph's blocks of a run. False: there is code without a block. */
static bool add_run(struct giver *g, const struct map_run *run)
{
	for (uint64_t pc = run->start; pc < run->end;) {
		uint32_t b = cfg_block_at(g->cfg, pc);
		if (b == CFG_NONE || !array_room(&g->blocks, g->count + 1, &g->room))
			return false;
		bool inside = pc != g->cfg->blocks[b].start;
		if (inside && (g->count == 0 || g->blocks[g->count - 1] != b))
			return false;
		if (!inside)
			g->blocks[g->count++] = b;
		pc = g->cfg->blocks[b].end;
	}
	return true;
}

static bool add_block(struct giver *g, uint32_t block, unsigned kind)
{
	const struct map *m = g->counted->map;
	const struct map_block *b = &m->blocks[block];
	uint32_t count = b->run_count;
	if ((b->flags & MAP_PADDED) != 0 && !is_fall(kind))
		count--;
	for (uint32_t i = 0; i < count; i++) {
		if (!add_run(g, &m->runs[b->runs + i]))
			return false;
	}
	return true;
}

/* How the graph calls a way out. */
static unsigned kind_of(unsigned kind)
{
	switch (kind) {
	case GRAPH_RETURN:
		return CFG_RETURN;
	case GRAPH_NO_RETURN:
		return CFG_NO_RETURN;
	default:
		return CFG_TAIL;
	}
}

static int give(struct giver *g, bool begins, enum paths_given_end end, unsigned kind, uint64_t times)
{
	if (g->count == 0 || times == 0)
		return PATHS_OK;
	const struct paths_given given = {g->blocks, g->count, begins, end, kind, times};
	int error = paths_give(g->paths, &given);
	g->count = 0;
	return error;
}

/* Turns of the self loops at a block, if the graph sees them as another kind of loop. */
static uint64_t turns_of(const struct giver *g, uint32_t block, const struct map_function *f)
{
	const struct map_block *b = &g->counted->map->blocks[block];
	uint64_t turns = 0;
	for (uint32_t e = b->edges; e < b->edges + b->edge_count; e++) {
		if (f->numbering.kind[e - f->edges] == NUMBERING_SELF)
			turns += g->counted->edges[e];
	}
	if (turns == 0 || b->run_count == 0)
		return 0;
	uint32_t first = cfg_block_at(g->cfg, b->first), last = cfg_block_at(g->cfg, b->last);
	return first == last ? 0 : turns;
}

static int give_path(struct giver *g, const struct counted_path *p)
{
	const struct counted *c = g->counted;
	const uint64_t times = p->count;
	const struct map_function *f = &c->map->functions[p->function];
	uint32_t b = p->first, first = cfg_block_at(g->cfg, f->address);
	const struct numbering *graph =
	    first == CFG_NONE ? NULL : paths_numbering(g->paths, g->cfg->blocks[first].function);
	/* where too many paths are cut, the graph may cut at other places: then where they begin and end is not sure */
	bool sure = f->numbering.cut == 0 && graph != NULL && graph->cut == 0, begins = sure;
	int error = PATHS_OK;
	g->count = 0;
	for (uint32_t i = 0; i <= p->length && error == PATHS_OK; i++) {
		uint32_t e = i < p->length ? c->path_edges[p->edges + i] : p->exit;
		unsigned kind = e == GRAPH_NONE ? GRAPH_JUMP : c->map->edges[e].kind;
		bool turns = turns_of(g, b, f) > 0;
		if (turns) {
			error = give(g, begins, PATHS_GIVEN_PIECE, 0, times);
			begins = false;
		}
		if (error == PATHS_OK && !add_block(g, b, kind)) {
			g->unknown += p->count;
			return PATHS_OK;
		}
		if (turns && error == PATHS_OK && i < p->length)
			error = give(g, false, PATHS_GIVEN_PIECE, 0, times);
		if (i < p->length)
			b = f->blocks + c->map->edges[e].to;
	}
	if (error != PATHS_OK)
		return error;
	return p->exit == GRAPH_NONE ? give(g, begins, PATHS_GIVEN_BACK, 0, times)
				     : give(g, begins, PATHS_GIVEN_EXIT, kind_of(c->map->edges[p->exit].kind), times);
}

/* Leaves out blocks of which what stands before an address was not run. */
static void skip_before(struct giver *g, uint64_t address)
{
	size_t first = 0;
	while (first < g->count && g->cfg->blocks[g->blocks[first]].start < address)
		first++;
	memmove(g->blocks, g->blocks + first, (g->count - first) * sizeof *g->blocks);
	g->count -= first;
}

/* A path of which a part was run: its blocks but those that are not whole, as a piece. */
static int give_unfinished(struct giver *g, const struct counted_unfinished *u)
{
	const struct counted *c = g->counted;
	const struct map_function *f = &c->map->functions[u->path.function];
	const uint32_t stop = u->stop != 0 ? cfg_block_at(g->cfg, u->stop) : CFG_NONE;
	uint32_t b = u->path.first;
	g->count = 0;
	for (uint32_t i = 0; i <= u->path.length; i++) {
		const uint32_t e = i < u->path.length ? c->path_edges[u->path.edges + i] : GRAPH_NONE;
		if (!add_block(g, b, e == GRAPH_NONE ? GRAPH_JUMP : c->map->edges[e].kind)) {
			g->unknown += u->path.count;
			g->count = 0;
			return PATHS_OK;
		}
		if (i == 0 && u->from != 0)
			skip_before(g, u->from);
		b = e == GRAPH_NONE ? b : f->blocks + c->map->edges[e].to;
	}
	/* the graph's block that it stopped in is not whole */
	for (size_t i = 0; stop != CFG_NONE && i < g->count; i++) {
		if (g->blocks[i] == stop)
			g->count =
			    g->cfg->blocks[stop].start < u->stop && g->cfg->blocks[stop].end <= u->stop ? i + 1 : i;
	}
	return give(g, false, PATHS_GIVEN_PIECE, 0, u->path.count);
}

/* Self loops, back edges and cuts of a function. */
static int give_edges(struct giver *g, const struct map_function *f)
{
	const struct counted *c = g->counted;
	int error = PATHS_OK;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct map_block *own = &c->map->blocks[b];
		for (uint32_t e = own->edges; e < own->edges + own->edge_count && error == PATHS_OK; e++) {
			unsigned kind = f->numbering.kind[e - f->edges];
			if (kind == NUMBERING_PLAIN || c->edges[e] == COUNTED_UNKNOWN || c->edges[e] == 0 ||
			    c->map->edges[e].to == GRAPH_NONE || own->run_count == 0)
				continue;
			uint32_t to = cfg_block_at(g->cfg, c->map->blocks[f->blocks + c->map->edges[e].to].first);
			uint32_t from = cfg_block_at(g->cfg, own->last);
			g->count = 0;
			if (from == CFG_NONE || to == CFG_NONE)
				continue;
			if (kind == NUMBERING_SELF && turns_of(g, b, f) > 0 && add_block(g, b, c->map->edges[e].kind))
				error = give(g, false, PATHS_GIVEN_BACK, 0, c->edges[e]);
			if (error == PATHS_OK)
				error = paths_give_edge(g->paths, from, to, c->edges[e]);
		}
	}
	return error;
}

int counted_give(const struct counted *c, struct paths *paths, uint64_t *unknown)
{
	struct giver g = {.counted = c, .paths = paths, .cfg = paths_graph(paths)};
	int error = PATHS_OK;
	for (size_t i = 0; i < c->path_count && error == PATHS_OK; i++)
		error = give_path(&g, &c->paths[i]);
	for (size_t i = 0; i < c->unfinished_count && error == PATHS_OK; i++)
		error = give_unfinished(&g, &c->unfinished[i]);
	for (uint32_t i = 0; i < c->map->function_count && error == PATHS_OK; i++) {
		const struct map_function *f = &c->map->functions[i];
		if (f->address != 0 && (f->flags & MAP_COUNTED) != 0 && f->numbering.kind != NULL)
			error = give_edges(&g, f);
	}
	*unknown = g.unknown;
	free(g.blocks);
	return error;
}
