/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What was counted, on the graph of the map: each path by its number. */
#include <stdlib.h>
#include "host/base/array.h"
#include "host/insert/counted_graph.h"
#include "isa/isa.h"

struct giver {
	const struct counted_graph *graph;
	const struct counted *counted;
	struct paths *paths;
	const struct numbering *numbering; /* of the function at hand, */
	uint32_t edges;                    /* whose first edge this is */
	struct step {                      /* a block of a path that did not end; value: of the edge to it */
		uint32_t block;
		uint64_t value;
	} * steps;
	size_t count, room;
	uint64_t insns; /* of these, and of blocks that were run in part */
};

static void choose(struct giver *g, uint32_t function)
{
	const struct cfg *cfg = &g->graph->cfg;
	const uint32_t own = g->graph->function_of[function];
	g->numbering = paths_numbering(g->paths, own);
	g->edges = cfg->blocks[cfg->functions[own].blocks].edges;
}

static bool padded(const struct giver *g, uint32_t edge)
{
	return g->graph->way_of[edge] != g->graph->edge_of[edge];
}

static uint64_t value_of(const struct giver *g, uint32_t edge)
{
	return g->numbering->value[g->graph->way_of[edge] - g->edges];
}

/* Whether a block lies between two addresses, 0: no bound. If only a part of it does, its instructions are counted. */
static bool lies_between(struct giver *g, const struct cfg_block *block, uint64_t from, uint64_t stop)
{
	struct isa_insn insn;
	if (block->start >= from && (stop == 0 || block->end <= stop))
		return true;
	for (uint64_t pc = block->start; pc < block->end && image_insn(g->counted->image, pc, 0, &insn);
	     pc += insn.length)
		g->insns += pc >= from && (stop == 0 || pc < stop);
	return false;
}

static bool add_step(struct giver *g, uint32_t block, uint64_t value)
{
	if (!array_room(&g->steps, g->count + 1, &g->room))
		return false;
	g->insns += g->graph->cfg.blocks[block].insns;
	g->steps[g->count].block = block;
	g->steps[g->count++].value = value;
	return true;
}

/* The blocks of a block of the map, as far as they lie between two addresses. */
static bool add_steps(struct giver *g, uint32_t at, uint64_t value, uint64_t from, uint64_t stop)
{
	for (uint32_t b = g->graph->first[at]; b <= g->graph->last[at]; b++) {
		if (lies_between(g, &g->graph->cfg.blocks[b], from, stop) && !add_step(g, b, value))
			return false;
		value = 0;
	}
	return true;
}

/* The padding on an edge. */
static bool add_pad(struct giver *g, uint32_t edge)
{
	const struct cfg *cfg = &g->graph->cfg;
	uint64_t value = value_of(g, edge);
	for (uint32_t b = cfg->edges[g->graph->way_of[edge]].to; add_step(g, b, value); b++) {
		value = 0;
		if (cfg->blocks[b].edges == g->graph->edge_of[edge])
			return true;
	}
	return false;
}

static int give_steps(struct giver *g, bool begins, uint64_t times)
{
	struct paths_piece piece = {
	    .from = CFG_NONE, .to = CFG_NONE, .begins = begins, .insns = g->insns, .times = times};
	if (g->count > 0) {
		piece.from = g->steps[0].block;
		piece.to = g->steps[g->count - 1].block;
	}
	for (size_t i = 1; i < g->count; i++)
		piece.sum += g->steps[i].value;
	g->count = 0;
	g->insns = 0;
	return paths_give_piece(g->paths, &piece);
}

/* A path that did not end: its blocks that were run. */
static int give_unfinished(struct giver *g, const struct counted_unfinished *u)
{
	const struct counted *c = g->counted;
	const struct map_function *f = &c->map->functions[u->path.function];
	uint32_t at = u->path.first;
	uint64_t value = 0;
	choose(g, u->path.function);
	for (uint32_t i = 0; i < u->path.length; i++) {
		const uint32_t e = c->path_edges[u->path.edges + i];
		if (!add_steps(g, at, value, i == 0 ? u->from : 0, 0) || (padded(g, e) && !add_pad(g, e)))
			return PATHS_ENOMEM;
		value = padded(g, e) ? 0 : value_of(g, e);
		at = f->blocks + c->map->edges[e].to;
	}
	if (!add_steps(g, at, value, u->path.length == 0 ? u->from : 0, u->stop))
		return PATHS_ENOMEM;
	return give_steps(g, u->from == 0, u->path.count);
}

/* An edge that is in no path, out of block `from` or of the padding behind it. */
static int give_edge(struct giver *g, uint32_t from, uint32_t edge, bool joined, uint64_t times)
{
	const uint32_t way = g->graph->way_of[edge], end = g->graph->edge_of[edge];
	paths_give_turns(g->paths, from, end, times);
	if (!padded(g, edge) || g->numbering->kind[way - g->edges] == NUMBERING_PLAIN)
		return PATHS_OK;
	/* of several ends at one block, this one has padding, which is in no path */
	paths_give_turns(g->paths, from, way, times);
	bool room = add_pad(g, edge);
	if (joined) /* it lies on the paths that went over it: only its instructions are not counted yet */
		g->count = 0;
	return room ? give_steps(g, false, times) : PATHS_ENOMEM;
}

/* Self loops, back edges and cuts of a function. */
static int give_edges(struct giver *g, uint32_t function)
{
	const struct counted *c = g->counted;
	const struct map_function *f = &c->map->functions[function];
	int error = PATHS_OK;
	choose(g, function);
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && error == PATHS_OK; b++) {
		const struct map_block *own = &c->map->blocks[b];
		for (uint32_t e = own->edges; e < own->edges + own->edge_count && error == PATHS_OK; e++) {
			const uint64_t times = c->edges[e];
			if (f->numbering.kind[e - f->edges] == NUMBERING_PLAIN || times == 0)
				continue;
			if (times == COUNTED_UNKNOWN)
				paths_give_unknown(g->paths, g->graph->edge_of[e]);
			else
				error = give_edge(g, g->graph->last[b], e,
				    (f->flags & MAP_JOINED) != 0 && f->numbering.kind[e - f->edges] == NUMBERING_CUT,
				    times);
		}
	}
	return error;
}

/* ---------------------------------------------------------------- joined paths */
/* How often the path of a part went on over a cut; by path. NULL: there is no memory. */
static uint64_t *count_onward(const struct counted *c)
{
	uint64_t *onward = calloc(c->path_count + 1, sizeof *onward);
	for (size_t i = 0; onward != NULL && i < c->path_count; i++) {
		const uint32_t before = c->paths[i].before;
		if (before != 0 && before != COUNTED_LOST)
			onward[before - 1] += c->paths[i].count;
	}
	return onward;
}

/* A part that ended a path so many times, with those before it. */
static int give_joined(struct giver *g, const struct counted_path *p, uint64_t times)
{
	const struct counted *c = g->counted;
	size_t count = 1;
	const struct counted_path *at = p;
	for (; at->before != 0 && at->before != COUNTED_LOST; at = &c->paths[at->before - 1])
		count++;
	const bool begins = at->before == 0;
	uint64_t *numbers = malloc(count * sizeof *numbers);
	if (numbers == NULL)
		return PATHS_ENOMEM;
	at = p;
	for (size_t i = count; i-- > 0; at = i > 0 ? &c->paths[at->before - 1] : at)
		numbers[i] = at->number;
	int error = paths_give_joined(g->paths, g->graph->function_of[p->function], numbers, count, begins, times);
	free(numbers);
	return error;
}

static int give_paths(struct giver *g)
{
	const struct counted *c = g->counted;
	uint64_t *onward = count_onward(c);
	int error = onward == NULL ? PATHS_ENOMEM : PATHS_OK;
	for (size_t i = 0; i < c->path_count && error == PATHS_OK; i++) {
		const struct counted_path *p = &c->paths[i];
		const uint64_t ended = p->count > onward[i] ? p->count - onward[i] : 0;
		if (ended == 0)
			continue;
		if ((c->map->functions[p->function].flags & MAP_JOINED) != 0)
			error = give_joined(g, p, ended);
		else
			error = paths_give_number(g->paths, g->graph->function_of[p->function], p->number, ended);
	}
	free(onward);
	return error;
}

int counted_graph_give(const struct counted_graph *graph, const struct counted *c, struct paths *paths)
{
	struct giver g = {.graph = graph, .counted = c, .paths = paths};
	int error = give_paths(&g);
	for (size_t i = 0; i < c->unfinished_count && error == PATHS_OK; i++)
		error = give_unfinished(&g, &c->unfinished[i]);
	for (uint32_t i = 0; i < c->map->function_count && error == PATHS_OK; i++) {
		if (graph->function_of[i] != CFG_NONE)
			error = give_edges(&g, i);
	}
	free(g.steps);
	return error;
}
