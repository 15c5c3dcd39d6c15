/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/cached.h"

#include <stdlib.h>
#include <string.h>
#include "host/graph/sets.h"

#define DEPTH_MAX 8
#define WORTH_USED 4 /* cycles: load, wait for it, store */
#define COST_CROSSED 3

struct cacher {
	struct cached *out;
	struct inserter *in;
	const struct graph *g;
	const struct graph_function *f;
	const uint64_t *weights;
	const bool *used, *calls;
	uint8_t variable;
	uint32_t *set;
	bool *inside;
};

static bool free_at(const struct cacher *c, uint32_t b, uint32_t depth)
{
	const struct graph_block *block = &c->g->blocks[c->f->blocks + b];
	return !c->calls[b] && block->section != GRAPH_NONE && block->depth >= depth && c->out->var[b] == c->variable &&
	       (b == 0 || !block->root);
}

/* Blocks of that depth that edges join. */
static void join_depth(struct cacher *c, uint32_t depth)
{
	sets_single(c->set, c->f->block_count);
	for (uint32_t b = 0; b < c->f->block_count; b++) {
		const struct graph_block *block = &c->g->blocks[c->f->blocks + b];
		for (uint32_t e = block->edges; e < block->edges + block->edge_count && free_at(c, b, depth); e++) {
			uint32_t to = c->g->edges[e].to;
			if (to != GRAPH_NONE && free_at(c, to - c->f->blocks, depth))
				sets_join(c->set, b, to - c->f->blocks);
		}
	}
}

/* What is saved over the set of `inside`; edges that go by a table cannot all carry code. */
static bool caching_pays(const struct cacher *c)
{
	double saved = 0;
	for (uint32_t b = 0; b < c->f->block_count; b++) {
		const struct graph_block *block = &c->g->blocks[c->f->blocks + b];
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			const struct graph_edge *edge = &c->g->edges[e];
			uint32_t at = e - c->f->edge_first;
			bool leaves = edge->to == GRAPH_NONE, to = !leaves && c->inside[edge->to - c->f->blocks];
			double weight = (double)c->weights[at];
			if (edge->kind == GRAPH_NO_RETURN || (!c->inside[b] && !to))
				continue;
			if (c->inside[b] && (to || leaves))
				saved += c->used[at] ? weight * WORTH_USED : 0;
			else if (edge->kind == GRAPH_TABLE || edge->kind == GRAPH_INTO)
				return false;
			else if (!c->used[at])
				saved -= weight * (edge->kind == GRAPH_TAKEN ? COST_CROSSED + 2 : COST_CROSSED);
		}
	}
	return saved > 0;
}

static int keep_cached(struct cacher *c, uint32_t depth)
{
	int error = OBJECT_OK;
	join_depth(c, depth);
	for (uint32_t root = 0; root < c->f->block_count && error == OBJECT_OK; root++) {
		bool any = false;
		if (c->set[root] != root)
			continue;
		for (uint32_t b = 0; b < c->f->block_count; b++) {
			c->inside[b] = free_at(c, b, depth) && sets_of(c->set, b) == root;
			any = any || c->inside[b];
		}
		if (!any || !caching_pays(c))
			continue;
		int local = inserter_local(c->in, c->inside);
		for (uint32_t b = 0; b < c->f->block_count && local >= 0; b++)
			c->out->var[b] = c->inside[b] ? (uint8_t)local : c->out->var[b];
		error = local == OBJECT_ENOMEM ? OBJECT_ENOMEM : OBJECT_OK;
	}
	return error;
}

int cached_make(struct cached *out, const struct cached_function *function, uint8_t variable)
{
	const struct graph_function *f = function->f;
	struct cacher c = {.out = out,
	    .in = function->in,
	    .g = function->g,
	    .f = f,
	    .weights = function->weights,
	    .used = function->used,
	    .calls = function->calls,
	    .variable = variable,
	    .set = malloc((f->block_count + 1u) * sizeof *c.set),
	    .inside = calloc(f->block_count + 1u, sizeof *c.inside)};
	int error = OBJECT_OK;
	out->var = malloc(f->block_count + 1u);
	if (c.set == NULL || c.inside == NULL || out->var == NULL)
		error = OBJECT_ENOMEM;
	else
		memset(out->var, variable, f->block_count + 1u);
	bool slot = error == OBJECT_OK && inserter_kind_of(c.in, variable) == INSERTER_SLOT;
	for (uint32_t depth = 0; depth < DEPTH_MAX && error == OBJECT_OK && slot; depth++)
		error = keep_cached(&c, depth);
	free(c.set);
	free(c.inside);
	return error;
}

void cached_free(struct cached *cached)
{
	free(cached->var);
	cached->var = NULL;
}
