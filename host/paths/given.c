/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Paths that come with their counts, instead of from blocks in order of execution. */
#include "host/paths/private.h"

#include <stdlib.h>

static const struct numbering *given_numbering_of(const struct paths *p, uint32_t block, uint32_t *own, uint32_t *base)
{
	const struct cfg_function *f = &p->cfg->functions[p->cfg->blocks[block].function];
	*own = block - f->blocks;
	*base = p->cfg->blocks[f->blocks].edges;
	return &p->functions[p->cfg->blocks[block].function].numbering;
}

static bool can_begin(const struct paths *p, uint32_t block)
{
	uint32_t own, base;
	const struct numbering *n = given_numbering_of(p, block, &own, &base);
	return n->enter != NULL && n->enter[own] != NUMBERING_NONE;
}

int paths_give_edge(struct paths *p, uint32_t from, uint32_t to, uint64_t times)
{
	uint32_t own, base, e = paths_find_edge(p->cfg, from, to, 0, 0);
	const struct numbering *n = given_numbering_of(p, from, &own, &base);
	if (e == CFG_NONE || n->kind == NULL || n->kind[e - base] == NUMBERING_PLAIN)
		return PATHS_OK;
	p->edge_counts[e] += times;
	if (n->kind[e - base] == NUMBERING_SELF) {
		p->counts.self += times;
		p->counts.insns += p->cfg->blocks[to].insns * times;
	}
	return PATHS_OK;
}

/* The exit of a block; of several the one of this kind. CFG_NONE: there is none, or it is not clear which. */
static uint32_t exit_of(const struct cfg *cfg, uint32_t block, unsigned kind)
{
	const struct cfg_block *b = &cfg->blocks[block];
	uint32_t found = CFG_NONE, same = CFG_NONE, exits = 0, sames = 0;
	for (uint32_t e = b->edges; e < b->edges + b->edge_count; e++) {
		if (cfg->edges[e].to != CFG_NONE)
			continue;
		found = e;
		exits++;
		if (cfg->edges[e].kind == kind) {
			same = e;
			sames++;
		}
	}
	if (exits == 1)
		return found;
	return sames == 1 ? same : CFG_NONE;
}

static bool ends_back(const struct numbering *n, const struct cfg_block *b, uint32_t base)
{
	for (uint32_t e = b->edges; e < b->edges + b->edge_count; e++) {
		if (n->kind[e - base] == NUMBERING_BACK || n->kind[e - base] == NUMBERING_CUT)
			return true;
	}
	return false;
}

int paths_give(struct paths *p, const struct paths_given *given)
{
	const struct cfg *cfg = p->cfg;
	uint32_t own, base, from = given->blocks[0], at = from;
	bool begins = given->begins && can_begin(p, from);
	uint64_t sum = 0;
	int error = PATHS_OK;
	p->counts.insns += cfg->blocks[from].insns * given->times;
	for (size_t i = 1; i < given->count && error == PATHS_OK; i++) {
		uint32_t to = given->blocks[i], e = paths_find_edge(cfg, at, to, 0, 0);
		const struct numbering *n = given_numbering_of(p, at, &own, &base);
		p->counts.insns += cfg->blocks[to].insns * given->times;
		if (e != CFG_NONE && n->kind[e - base] == NUMBERING_PLAIN) {
			sum += n->value[e - base];
			at = to;
			continue;
		}
		if (e != CFG_NONE) { /* the path ends here */
			p->edge_counts[e] += given->times;
			error = paths_count(p, &(struct counter_key){p, from, CFG_NONE, begins, sum + n->leave[own], 0},
			    0, given->times);
		} else {
			p->counts.irregular += given->times;
			error = paths_count(p, &(struct counter_key){p, from, at, begins, sum, 0}, 0, given->times);
		}
		begins = e != CFG_NONE && can_begin(p, to);
		from = at = to;
		sum = 0;
	}
	if (error != PATHS_OK)
		return error;
	const struct numbering *n = given_numbering_of(p, at, &own, &base);
	uint32_t e = given->end == PATHS_GIVEN_EXIT ? exit_of(cfg, at, given->kind) : CFG_NONE;
	if (e != CFG_NONE)
		return paths_count(
		    p, &(struct counter_key){p, from, CFG_NONE, begins, sum + n->value[e - base], 0}, 0, given->times);
	if (given->end == PATHS_GIVEN_BACK && ends_back(n, &cfg->blocks[at], base))
		return paths_count(
		    p, &(struct counter_key){p, from, CFG_NONE, begins, sum + n->leave[own], 0}, 0, given->times);
	p->counts.irregular += given->end == PATHS_GIVEN_PIECE ? 0 : given->times;
	return paths_count(p, &(struct counter_key){p, from, at, begins, sum, 0}, 0, given->times);
}

/* ---------------------------------------------------------------- by number */

int paths_give_number(struct paths *p, uint32_t function, uint64_t number, uint64_t times)
{
	const struct numbering *n = &p->functions[function].numbering;
	const struct cfg_function *f = &p->cfg->functions[function];
	struct numbering_path path;
	uint32_t *edges = malloc((f->block_count + 1u) * sizeof *edges);
	if (edges == NULL)
		return PATHS_ENOMEM;
	int error = numbering_path(n, number, &path, edges, f->block_count) == NUMBERING_OK ? PATHS_OK : PATHS_ENOMEM;
	if (error == PATHS_OK) {
		uint64_t insns = p->cfg->blocks[f->blocks + path.first].insns;
		for (uint32_t i = 0; i < path.length; i++)
			insns += p->cfg->blocks[f->blocks + n->graph.to[edges[i]]].insns;
		p->counts.insns += insns * times;
		if (insns > 0) /* else it lies between two ends of paths at a table */
			error = paths_count(p,
			    &(struct counter_key){
				p, f->blocks + path.first, CFG_NONE, true, number - n->enter[path.first], 0},
			    0, times);
	}
	free(edges);
	return error;
}

void paths_give_turns(struct paths *p, uint32_t from, uint32_t edge, uint64_t times)
{
	uint32_t own, base;
	const struct numbering *n = given_numbering_of(p, from, &own, &base);
	p->edge_counts[edge] += times;
	if (n->kind[edge - base] != NUMBERING_SELF)
		return;
	p->counts.self += times;
	for (uint32_t b = p->cfg->edges[edge].to; b <= from; b++)
		p->counts.insns += p->cfg->blocks[b].insns * times;
}

void paths_give_unknown(struct paths *p, uint32_t edge)
{
	p->edge_unknown[edge] = true;
}

int paths_give_piece(struct paths *p, const struct paths_piece *piece)
{
	p->counts.insns += piece->insns * piece->times;
	return piece->from == CFG_NONE
		   ? PATHS_OK
		   : paths_count(p, &(struct counter_key){p, piece->from, piece->to, piece->begins, piece->sum, 0}, 0,
			 piece->times);
}
