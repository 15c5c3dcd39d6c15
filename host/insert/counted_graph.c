/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_graph.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "isa/isa.h"

struct builder {
	struct counted_graph *graph;
	const struct counted *counted;
	const struct cfg *base;
	uint32_t function; /* at hand */
};

static bool is_fall(unsigned kind)
{
	return kind == GRAPH_FALL || kind == GRAPH_TAIL_FALL;
}

static struct cfg_block *add_block(struct builder *b, uint64_t start)
{
	struct cfg *cfg = &b->graph->cfg;
	if (!array_room(&cfg->blocks, (size_t)cfg->counts.blocks + 1, &b->graph->block_room))
		return NULL;
	struct cfg_block *block = &cfg->blocks[cfg->counts.blocks++];
	*block = (struct cfg_block){.start = start,
	    .end = start,
	    .last = start,
	    .function = b->function,
	    .callee = CFG_NONE,
	    .loop = CFG_NONE,
	    .dominator = CFG_NONE};
	return block;
}

/* The call at the end of a block, as the program's graph has it. */
static void take_call(const struct builder *b, struct cfg_block *block)
{
	uint32_t own = cfg_block_at(b->base, block->last);
	if (own == CFG_NONE || b->base->blocks[own].last != block->last)
		return;
	block->call = b->base->blocks[own].call;
	block->callee = b->base->blocks[own].callee;
}

/* Blocks of a run; the first one goes on where the one before ended, unless `apart`. */
static bool add_run(struct builder *b, const struct map_run *run, bool apart)
{
	struct cfg *cfg = &b->graph->cfg;
	struct cfg_block *block = apart ? NULL : &cfg->blocks[cfg->counts.blocks - 1];
	struct isa_insn insn;
	for (uint64_t pc = run->start; pc < run->end && image_insn(b->counted->image, pc, 0, &insn);
	     pc += insn.length) {
		uint32_t own = cfg_block_at(b->base, pc);
		bool starts = own != CFG_NONE && b->base->blocks[own].start == pc;
		if (block == NULL || block->end != pc || starts) {
			if (block != NULL)
				take_call(b, block);
			block = add_block(b, pc);
			if (block == NULL)
				return false;
		}
		block->last = pc;
		block->end = pc + insn.length;
		block->insns++;
	}
	if (block != NULL)
		take_call(b, block);
	return true;
}

/* Whether there is padding that only one of several ways runs through. */
static bool has_pad(const struct map_block *block)
{
	return (block->flags & MAP_PADDED) != 0 && block->edge_count > 1;
}

/* The blocks of a block of the map; padding of a way of its own is behind them. */
static bool add_blocks(struct builder *b, uint32_t at)
{
	struct counted_graph *g = b->graph;
	const struct map *m = b->counted->map;
	const struct map_block *block = &m->blocks[at];
	uint32_t runs = block->run_count - (has_pad(block) ? 1 : 0);
	g->first[at] = g->cfg.counts.blocks;
	for (uint32_t i = 0; i < runs; i++) {
		if (!add_run(b, &m->runs[block->runs + i], g->cfg.counts.blocks == g->first[at]))
			return false;
	}
	if (g->cfg.counts.blocks == g->first[at] && add_block(b, block->first) == NULL) /* a table's vertex */
		return false;
	g->last[at] = g->cfg.counts.blocks - 1;
	g->cfg.blocks[g->first[at]].root = (block->flags & MAP_ROOT) != 0;
	return !has_pad(block) || add_run(b, &m->runs[block->runs + runs], true);
}

/* ---------------------------------------------------------------- edges */

static uint32_t add_edge(struct builder *b, uint32_t to, unsigned kind, uint64_t value, unsigned numbered)
{
	struct cfg *cfg = &b->graph->cfg;
	struct numbering *n = &b->graph->numberings[b->function];
	uint32_t base = cfg->blocks[cfg->functions[b->function].blocks].edges, e = cfg->counts.edges;
	if (!array_room(&cfg->edges, (size_t)e + 1, &b->graph->edge_room))
		return CFG_NONE;
	cfg->edges[e] =
	    (struct cfg_edge){.to = to, .target = to == CFG_NONE ? 0 : cfg->blocks[to].start, .kind = (uint8_t)kind};
	n->value[e - base] = value;
	n->kind[e - base] = (uint8_t)numbered;
	cfg->counts.edges++;
	return e;
}

/* How the program's graph calls a way out of the function; else by what the map says. */
static unsigned exit_kind(const struct builder *b, const struct cfg_block *block, unsigned kind)
{
	uint32_t own = cfg_block_at(b->base, block->last);
	unsigned found = CFG_EDGE_KINDS, exits = 0;
	for (uint32_t e = 0; own != CFG_NONE && e < b->base->blocks[own].edge_count; e++) {
		const struct cfg_edge *edge = &b->base->edges[b->base->blocks[own].edges + e];
		if (edge->to == CFG_NONE && b->base->blocks[own].last == block->last) {
			found = edge->kind;
			exits++;
		}
	}
	if (exits == 1)
		return found;
	if (kind == GRAPH_RETURN)
		return CFG_RETURN;
	return kind == GRAPH_NO_RETURN ? CFG_NO_RETURN : CFG_TAIL;
}

static unsigned kind_of(const struct builder *b, const struct cfg_block *block, unsigned kind)
{
	switch (kind) {
	case GRAPH_FALL:
		return block->call == CFG_NO_CALL ? CFG_FALL : CFG_AFTER_CALL;
	case GRAPH_TAKEN:
		return CFG_TAKEN;
	case GRAPH_JUMP:
	case GRAPH_INTO:
		return CFG_JUMP;
	case GRAPH_TABLE:
		return CFG_TABLE;
	default:
		return exit_kind(b, block, kind);
	}
}

static bool ends_path(unsigned kind)
{
	return kind == NUMBERING_BACK || kind == NUMBERING_CUT;
}

/* Block v leads to the next one only. */
static bool lead_on(struct builder *b, uint32_t v)
{
	struct cfg_block *block = &b->graph->cfg.blocks[v];
	block->edges = b->graph->cfg.counts.edges;
	block->edge_count = 1;
	return add_edge(b, v + 1, block->call == CFG_NO_CALL ? CFG_FALL : CFG_AFTER_CALL, 0, NUMBERING_PLAIN) !=
	       CFG_NONE;
}

/* Padding, blocks `pad` to `behind`, of an edge of the map. */
static bool add_pad(struct builder *b, const struct map_function *f, uint32_t edge, uint32_t pad, uint32_t behind)
{
	struct counted_graph *g = b->graph;
	const uint32_t to = b->counted->map->edges[edge].to, base = g->cfg.functions[b->function].blocks;
	const unsigned kind = f->numbering.kind[edge - f->edges];
	struct numbering *n = &g->numberings[b->function];
	struct cfg_block *last = &g->cfg.blocks[behind - 1];
	for (uint32_t v = pad; v < behind; v++) {
		n->count[v - base] = ends_path(kind) || to == GRAPH_NONE ? 1 : f->numbering.count[to];
		if (v + 1 < behind && !lead_on(b, v))
			return false;
	}
	if (ends_path(kind))
		n->leave[behind - 1 - base] = 0;
	last->edges = g->cfg.counts.edges;
	last->edge_count = 1;
	g->edge_of[edge] = add_edge(b, to == GRAPH_NONE ? CFG_NONE : g->first[f->blocks + to],
	    kind_of(b, last, b->counted->map->edges[edge].kind), 0, kind);
	return g->edge_of[edge] != CFG_NONE;
}

/* The ways out of one block of the map; its padding: blocks `pad` to `behind`, which may be none. */
static bool add_edges(struct builder *b, const struct map_function *f, uint32_t at, uint32_t pad, uint32_t behind)
{
	struct counted_graph *g = b->graph;
	struct cfg *cfg = &g->cfg;
	const struct map *m = b->counted->map;
	const struct map_block *block = &m->blocks[at];
	const struct numbering *n = &f->numbering;
	struct numbering *own = &g->numberings[b->function];
	const uint32_t base = cfg->functions[b->function].blocks;
	uint32_t ends = 0, fall = GRAPH_NONE;
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++)
		ends += ends_path(n->kind[e - f->edges]);
	for (uint32_t v = g->first[at]; v <= g->last[at]; v++) {
		own->count[v - base] = n->count[at - f->blocks];
		if (v < g->last[at] && !lead_on(b, v))
			return false;
	}
	struct cfg_block *last = &cfg->blocks[g->last[at]];
	uint64_t *leave = &own->leave[g->last[at] - base];
	last->edges = cfg->counts.edges;
	last->edge_count = block->edge_count;
	own->enter[g->first[at] - base] = n->enter[at - f->blocks];
	*leave = n->leave[at - f->blocks];
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		uint32_t to = m->edges[e].to == GRAPH_NONE ? CFG_NONE : g->first[f->blocks + m->edges[e].to];
		unsigned kind = n->kind[e - f->edges];
		uint64_t value = n->value[e - f->edges];
		if (pad == behind || !is_fall(m->edges[e].kind)) {
			g->edge_of[e] = g->way_of[e] = add_edge(b, to, kind_of(b, last, m->edges[e].kind), value, kind);
		} else {
			fall = e;
			if (ends_path(kind) && ends == 1) { /* the path ends behind the padding */
				value = *leave;
				*leave = NUMBERING_NONE;
				kind = NUMBERING_PLAIN;
			}
			g->way_of[e] = add_edge(b, pad, CFG_FALL, value, kind);
		}
		if (g->way_of[e] == CFG_NONE)
			return false;
	}
	return fall == GRAPH_NONE || add_pad(b, f, fall, pad, behind);
}

/* ---------------------------------------------------------------- numbers */

/* Arrays by vertex and edge; how many edges there will be is known from blocks and edges of the map. */
static bool make_numbering(struct numbering *n, const struct map_function *f, uint32_t blocks)
{
	size_t edges = (size_t)blocks + f->edge_count;
	*n = (struct numbering){.paths = f->numbering.paths, .limit = f->numbering.limit};
	n->value = calloc(edges + 1, sizeof *n->value);
	n->kind = calloc(edges + 1, sizeof *n->kind);
	n->count = calloc(blocks + 1u, sizeof *n->count);
	n->enter = malloc((blocks + 1u) * sizeof *n->enter);
	n->leave = malloc((blocks + 1u) * sizeof *n->leave);
	n->enters = malloc((f->numbering.enter_count + 1u) * sizeof *n->enters);
	for (uint32_t v = 0; v < blocks && n->enter != NULL && n->leave != NULL; v++)
		n->enter[v] = n->leave[v] = NUMBERING_NONE;
	return n->value != NULL && n->kind != NULL && n->count != NULL && n->enter != NULL && n->leave != NULL &&
	       n->enters != NULL;
}

/* The numbering's own graph. */
static void take_graph(struct builder *b, const struct map_function *f)
{
	struct counted_graph *g = b->graph;
	struct cfg *cfg = &g->cfg;
	struct cfg_function *own = &cfg->functions[b->function];
	struct numbering *n = &g->numberings[b->function];
	const uint32_t edges = cfg->blocks[own->blocks].edges;
	n->enter_count = f->numbering.enter_count;
	for (uint32_t k = 0; k < n->enter_count; k++)
		n->enters[k] = g->first[f->blocks + f->numbering.enters[k]] - own->blocks;
	own->edge_count = cfg->counts.edges - edges;
	for (uint32_t e = 0; e < own->edge_count; e++) {
		n->back += n->kind[e] == NUMBERING_BACK;
		n->self += n->kind[e] == NUMBERING_SELF;
		n->cut += n->kind[e] == NUMBERING_CUT;
	}
	n->graph = (struct numbering_graph){.count = own->block_count, .entry = own->entry - own->blocks};
}

static bool add_function(struct builder *b, const struct map_function *f)
{
	struct counted_graph *g = b->graph;
	struct cfg *cfg = &g->cfg;
	struct cfg_function *own = &cfg->functions[b->function];
	own->blocks = cfg->counts.blocks;
	for (uint32_t i = f->blocks; i < f->blocks + f->block_count; i++) {
		if (!add_blocks(b, i))
			return false;
	}
	own->block_count = cfg->counts.blocks - own->blocks;
	own->entry = g->first[f->blocks];
	if (!make_numbering(&g->numberings[b->function], f, own->block_count))
		return false;
	for (uint32_t i = f->blocks; i < f->blocks + f->block_count; i++) {
		uint32_t behind = i + 1 < f->blocks + f->block_count ? g->first[i + 1] : cfg->counts.blocks;
		if (!add_edges(b, f, i, g->last[i] + 1, behind))
			return false;
	}
	for (uint32_t v = own->blocks; v < cfg->counts.blocks; v++)
		own->insns += cfg->blocks[v].insns;
	take_graph(b, f);
	return true;
}

/* All numberings' graphs, when nothing grows any more. */
static bool make_graphs(struct counted_graph *g)
{
	const struct cfg *cfg = &g->cfg;
	g->graph_first = malloc(((size_t)cfg->counts.blocks + cfg->counts.functions + 1) * sizeof *g->graph_first);
	g->graph_to = malloc(((size_t)cfg->counts.edges + 1) * sizeof *g->graph_to);
	g->graph_root = malloc(((size_t)cfg->counts.blocks + 1) * sizeof *g->graph_root);
	if (g->graph_first == NULL || g->graph_to == NULL || g->graph_root == NULL)
		return false;
	for (uint32_t b = 0; b < cfg->counts.blocks; b++)
		g->graph_root[b] = cfg->blocks[b].root;
	uint32_t *first = g->graph_first;
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		const struct cfg_function *f = &cfg->functions[i];
		struct numbering_graph *graph = &g->numberings[i].graph;
		if (f->block_count == 0)
			continue;
		const uint32_t edges = cfg->blocks[f->blocks].edges;
		graph->first = first;
		graph->to = g->graph_to + edges;
		graph->root = g->graph_root + f->blocks;
		for (uint32_t v = 0; v < f->block_count; v++)
			*first++ = cfg->blocks[f->blocks + v].edges - edges;
		*first++ = f->edge_count;
		for (uint32_t e = edges; e < edges + f->edge_count; e++)
			g->graph_to[e] = cfg->edges[e].to == CFG_NONE ? NUMBERING_EXIT : cfg->edges[e].to - f->blocks;
	}
	return true;
}

/* Where a function of the map stands among the functions: that of the program's graph with its entry, unless another
 * one has it already; else one of its own. */
static uint32_t place_function(struct builder *b, const struct map_function *f)
{
	struct cfg *cfg = &b->graph->cfg;
	uint32_t own = cfg_function_at(b->base, f->address);
	if (own != CFG_NONE && b->base->functions[own].start == f->address && cfg->functions[own].block_count == 0)
		return own;
	own = cfg->counts.functions++;
	cfg->functions[own] = (struct cfg_function){.name = f->name, .start = f->address, .entry = CFG_NONE};
	return own;
}

static bool make_room(struct counted_graph *g, const struct map *m, const struct cfg *base)
{
	size_t functions = (size_t)base->counts.functions + m->function_count;
	g->cfg.functions = calloc(functions + 1, sizeof *g->cfg.functions);
	g->numberings = calloc(functions + 1, sizeof *g->numberings);
	g->function_of = malloc((m->function_count + 1) * sizeof *g->function_of);
	g->first = calloc(m->block_count + 1, sizeof *g->first);
	g->last = calloc(m->block_count + 1, sizeof *g->last);
	g->edge_of = calloc(m->edge_count + 1, sizeof *g->edge_of);
	g->way_of = calloc(m->edge_count + 1, sizeof *g->way_of);
	return g->cfg.functions != NULL && g->numberings != NULL && g->function_of != NULL && g->first != NULL &&
	       g->last != NULL && g->edge_of != NULL && g->way_of != NULL;
}

int counted_graph_open(struct counted_graph *g, const struct counted *c, const struct cfg *base)
{
	const struct map *m = c->map;
	struct builder b = {g, c, base, 0};
	*g = (struct counted_graph){.cfg = {.image = base->image}};
	if (!make_room(g, m, base))
		return COUNTED_ENOMEM;
	for (uint32_t i = 0; i < base->counts.functions; i++) {
		const struct cfg_function *f = &base->functions[i];
		g->cfg.functions[i] = (struct cfg_function){
		    .name = f->name, .start = f->start, .entry = CFG_NONE, .origin = f->origin, .returns = f->returns};
	}
	g->cfg.counts.functions = base->counts.functions;
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct map_function *f = &m->functions[i];
		bool counted = f->address != 0 && (f->flags & MAP_COUNTED) != 0 && f->numbering.kind != NULL;
		g->function_of[i] = CFG_NONE;
		if (!counted || f->block_count == 0)
			continue;
		b.function = g->function_of[i] = place_function(&b, f);
		if (!add_function(&b, f))
			return COUNTED_ENOMEM;
	}
	return make_graphs(g) ? COUNTED_OK : COUNTED_ENOMEM;
}

void counted_graph_close(struct counted_graph *g)
{
	for (uint32_t i = 0; g->numberings != NULL && i < g->cfg.counts.functions; i++)
		numbering_free(&g->numberings[i]);
	free(g->numberings);
	free(g->cfg.functions);
	free(g->cfg.blocks);
	free(g->cfg.edges);
	free(g->function_of);
	free(g->first);
	free(g->last);
	free(g->edge_of);
	free(g->way_of);
	free(g->graph_first);
	free(g->graph_to);
	free(g->graph_root);
	*g = (struct counted_graph){0};
}
