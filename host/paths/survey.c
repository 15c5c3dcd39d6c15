/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/paths/survey.h"
#include "host/base/order.h"

#include <stdlib.h>

uint32_t survey_predict(const struct numbering *n, const uint64_t *counts, uint32_t v)
{
	const struct numbering_graph *g = &n->graph;
	uint32_t best = UINT32_MAX;
	for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
		if (n->kind[e] != NUMBERING_SELF && counts[e] > 0 && (best == UINT32_MAX || counts[e] >= counts[best]))
			best = e;
	}
	return best;
}

struct measured {                      /* one path */
	uint64_t edges, insns;         /* all of it */
	uint64_t hit_edges, hit_insns; /* as far as predicted */
	bool correct;
};

struct edge_list { /* of one path */
	const uint32_t *edges;
	size_t length;
	uint32_t exit;
};

static void measure_path(const struct paths *paths, const struct cfg *cfg, const uint64_t *edge_counts,
    const struct paths_entry *entry, const struct edge_list *list, struct measured *m)
{
	const uint32_t *edges = list->edges;
	const size_t length = list->length;
	const uint32_t exit = list->exit;
	const struct cfg_function *function = &cfg->functions[entry->function];
	const struct numbering *n = paths_numbering(paths, entry->function);
	uint32_t base = cfg->blocks[function->blocks].edges, block = entry->from;
	bool hit = true;
	*m = (struct measured){.edges = length + 1};
	for (size_t k = 0; k <= length; k++) {
		m->insns += cfg->blocks[block].insns;
		if (hit)
			m->hit_insns += cfg->blocks[block].insns;
		uint32_t guess = survey_predict(n, edge_counts + base, block - function->blocks);
		if (k < length)
			hit = hit && guess == edges[k] - base;
		else if (exit != CFG_NONE)
			hit = hit && guess == exit - base;
		else /* it ends here by a back edge or cut, or because there is no way on but a self loop */
			hit = hit && (guess == UINT32_MAX || n->kind[guess] == NUMBERING_BACK ||
					 n->kind[guess] == NUMBERING_CUT);
		m->hit_edges += hit;
		if (k < length)
			block = cfg->edges[edges[k]].to;
	}
	m->correct = hit;
}

static uint64_t larger_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void add_survey_path(struct paths_row *row, const struct paths_entry *entry, const struct measured *m)
{
	row->functions = 1;
	row->executed++;
	row->count += entry->count;
	row->insns += m->insns * entry->count;
	row->spent += entry->spent;
	row->edges += m->edges * entry->count;
	row->longest_edges = larger_of(row->longest_edges, m->edges);
	row->longest_insns = larger_of(row->longest_insns, m->insns);
	row->hit_edges += m->hit_edges * entry->count;
	row->hit_insns += m->hit_insns * entry->count;
	row->hit_longest_edges = larger_of(row->hit_longest_edges, m->hit_edges);
	row->hit_longest_insns = larger_of(row->hit_longest_insns, m->hit_insns);
	row->correct += m->correct ? entry->count : 0;
	row->correct_paths += m->correct;
	if (entry->count > row->hottest) {
		row->hottest = entry->count;
		row->missed = !m->correct;
	} else if (entry->count == row->hottest && m->correct)
		row->missed = 0; /* one of the hottest is the predicted one */
}

static void add_survey_row(struct paths_row *total, const struct paths_row *row)
{
	total->pieces += row->pieces;
	total->self_insns += row->self_insns;
	total->self_spent += row->self_spent;
	if (row->functions == 0)
		return;
	total->saturated = total->saturated || total->possible > UINT64_MAX - row->possible;
	total->possible = total->saturated ? UINT64_MAX : total->possible + row->possible;
	total->functions++;
	total->executed += row->executed;
	total->count += row->count;
	total->insns += row->insns;
	total->parts += row->parts;
	total->part_insns += row->part_insns;
	total->cut_functions += row->parts > 0;
	total->spent += row->spent;
	total->edges += row->edges;
	total->longest_edges = larger_of(total->longest_edges, row->longest_edges);
	total->longest_insns = larger_of(total->longest_insns, row->longest_insns);
	total->hottest = larger_of(total->hottest, row->hottest);
	total->correct += row->correct;
	total->correct_paths += row->correct_paths;
	total->hit_edges += row->hit_edges;
	total->hit_insns += row->hit_insns;
	total->hit_longest_edges = larger_of(total->hit_longest_edges, row->hit_longest_edges);
	total->hit_longest_insns = larger_of(total->hit_longest_insns, row->hit_longest_insns);
	total->missed += row->missed;
	total->most = larger_of(total->most, row->most);
	total->truncated = total->truncated || row->truncated;
}

/* Of what begins or ends at a block, the share that a cut does. */
static double cut_share(uint64_t cuts, uint64_t all)
{
	return cuts >= all ? cuts > 0 : (double)cuts / (double)all;
}

/* Whether paths end at a block by cuts alone. */
static bool only_cuts(const struct paths *paths, uint32_t block)
{
	const struct cfg *cfg = paths_graph(paths);
	const struct cfg_block *own = &cfg->blocks[block];
	const struct numbering *n = paths_numbering(paths, own->function);
	const uint32_t base = cfg->blocks[cfg->functions[own->function].blocks].edges;
	bool cut = false, back = false;
	for (uint32_t e = own->edges; e < own->edges + own->edge_count; e++) {
		cut = cut || n->kind[e - base] == NUMBERING_CUT;
		back = back || n->kind[e - base] == NUMBERING_BACK;
	}
	return cut && !back;
}

/* Which numbered paths begin or end at a cut, and how often: back edges may lead to the same blocks, and of each path
 * there it is not known by which of them it was begun. All of them have the same share then; the sum is at most too
 * large, by those that cuts both begin and end. last: of each entry, CFG_NONE: it ends by an exit. */
static int find_parts(
    struct survey *s, const struct paths *paths, const struct paths_entry *entries, size_t count, const uint32_t *last)
{
	const struct cfg *cfg = paths_graph(paths);
	uint64_t *begun = calloc(cfg->counts.blocks + 1u, sizeof *begun);
	uint64_t *ended = calloc(cfg->counts.blocks + 1u, sizeof *ended);
	for (size_t i = 0; i < count && begun != NULL && ended != NULL; i++) {
		begun[entries[i].from] += entries[i].begins ? entries[i].count : 0;
		if (last[i] != CFG_NONE)
			ended[last[i]] += entries[i].count;
	}
	for (size_t i = 0; i < count && begun != NULL && ended != NULL; i++) {
		struct paths_row *row = &s->rows[entries[i].function];
		double share = 0;
		if (!paths_whole(&entries[i]))
			continue;
		if (paths_joined(paths, entries[i].function))
			share = entries[i].joined == PATHS_LOST || (last[i] != CFG_NONE && only_cuts(paths, last[i]));
		else
			share += cut_share(paths_cut_before(paths, entries[i].from), begun[entries[i].from]);
		if (last[i] != CFG_NONE && !paths_joined(paths, entries[i].function))
			share += cut_share(paths_cut_behind(paths, last[i]), ended[last[i]]);
		s->part[i] = share > 0;
		row->parts += (share < 1 ? share : 1) * (double)entries[i].count;
		row->part_insns += (share < 1 ? share : 1) * (double)(entries[i].count * s->insns[i]);
	}
	const bool room = begun != NULL && ended != NULL;
	free(begun);
	free(ended);
	return room ? PATHS_OK : PATHS_ENOMEM;
}

/* The turns of a block's self loops. */
static void add_survey_turns(
    struct paths_row *row, const struct paths *paths, const struct numbering *n, uint32_t block)
{
	const struct cfg *cfg = paths_graph(paths);
	const struct cfg_block *own = &cfg->blocks[block];
	const uint32_t base = cfg->blocks[cfg->functions[own->function].blocks].edges;
	for (uint32_t e = own->edges; e < own->edges + own->edge_count; e++) {
		if (n->kind[e - base] != NUMBERING_SELF)
			continue;
		for (uint32_t b = cfg->edges[e].to; b <= block; b++)
			row->self_insns += paths_edge_count(paths, e) * cfg->blocks[b].insns;
		row->self_spent += paths_edge_spent(paths, e);
	}
}

/* Entry number i. The block that it ends in by a back edge or cut; CFG_NONE: it ends otherwise. */
static uint32_t survey_entry(struct survey *s, const struct paths *paths, size_t i, const struct paths_entry *entry,
    const struct edge_list *list)
{
	const struct cfg *cfg = paths_graph(paths);
	struct measured m;
	measure_path(paths, cfg, s->edges, entry, list, &m);
	s->insns[i] = m.insns;
	s->correct[i] = paths_whole(entry) && m.correct;
	if (!paths_whole(entry)) {
		s->rows[entry->function].pieces += entry->count;
		return CFG_NONE;
	}
	add_survey_path(&s->rows[entry->function], entry, &m);
	if (list->exit != CFG_NONE)
		return CFG_NONE;
	return list->length == 0 ? entry->from : cfg->edges[list->edges[list->length - 1]].to;
}

/* What is known of a function besides the paths that ran; its row goes into the total. */
static void survey_function(struct survey *s, const struct paths *paths, uint32_t index)
{
	const struct numbering *n = paths_numbering(paths, index);
	const struct cfg_function *function = &paths_graph(paths)->functions[index];
	struct paths_row *row = &s->rows[index];
	row->most = row->executed;
	if (n == NULL)
		return;
	row->possible = n->paths;
	row->truncated = n->cut > 0;
	for (uint32_t b = function->blocks; b < function->blocks + function->block_count && n->self > 0; b++)
		add_survey_turns(row, paths, n, b);
	add_survey_row(&s->total, row);
}

int survey_make(struct survey *s, const struct paths *paths, const struct paths_entry *entries, size_t count)
{
	const struct cfg *cfg = paths_graph(paths);
	size_t longest = 1;
	for (uint32_t i = 0; i < cfg->counts.functions; i++)
		longest = larger_of(longest, cfg->functions[i].block_count);
	uint32_t *edges = malloc(longest * sizeof *edges), *last = malloc((count + 1) * sizeof *last);
	*s = (struct survey){.rows = calloc(cfg->counts.functions + 1u, sizeof *s->rows),
	    .blocks = calloc(cfg->counts.blocks + 1u, sizeof *s->blocks),
	    .edges = calloc(cfg->counts.edges + 1u, sizeof *s->edges),
	    .part = calloc(count + 1, sizeof *s->part),
	    .correct = calloc(count + 1, sizeof *s->correct),
	    .insns = calloc(count + 1, sizeof *s->insns)};
	if (edges == NULL || last == NULL || s->rows == NULL || s->blocks == NULL || s->edges == NULL ||
	    s->part == NULL || s->correct == NULL || s->insns == NULL ||
	    paths_block_profile(paths, entries, count, s->blocks, s->edges) != PATHS_OK) {
		free(edges);
		free(last);
		survey_free(s);
		return PATHS_ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		struct edge_list list = {.edges = edges};
		last[i] = CFG_NONE;
		if (paths_edges(paths, &entries[i], edges, longest, &list.length, &list.exit) == NUMBERING_OK)
			last[i] = survey_entry(s, paths, i, &entries[i], &list);
	}
	if (find_parts(s, paths, entries, count, last) != PATHS_OK) {
		free(edges);
		free(last);
		survey_free(s);
		return PATHS_ENOMEM;
	}
	for (uint32_t i = 0; i < cfg->counts.functions; i++)
		survey_function(s, paths, i);
	free(edges);
	free(last);
	return PATHS_OK;
}

void survey_free(struct survey *s)
{
	free(s->rows);
	free(s->blocks);
	free(s->edges);
	free(s->part);
	free(s->correct);
	free(s->insns);
	*s = (struct survey){0};
}

static uint64_t sum_executions(const struct paths_entry *entries, size_t count)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += paths_whole(&entries[i]) ? entries[i].count : 0;
	return sum;
}

static int order_of_entries(const struct paths_entry *a, const struct paths_entry *b)
{
	return order_then(
	    ORDER_UP(a->function, b->function), order_then(ORDER_UP(a->number, b->number), ORDER_UP(a->key, b->key)));
}

void survey_common(const struct paths_entry *a, size_t a_count, const struct paths_entry *b, size_t b_count,
    const uint64_t *insns, struct common *common)
{
	size_t at = 0;
	*common = (struct common){.all = sum_executions(b, b_count)};
	double a_all = (double)sum_executions(a, a_count), b_all = (double)common->all;
	for (size_t i = 0; i < b_count; i++) {
		if (!paths_whole(&b[i]))
			continue;
		common->of++;
		common->all_insns += insns[i] * b[i].count;
		while (at < a_count && order_of_entries(&a[at], &b[i]) < 0)
			at++;
		if (at == a_count || order_of_entries(&a[at], &b[i]) != 0)
			continue;
		common->paths++;
		common->count += b[i].count;
		common->insns += insns[i] * b[i].count;
		double x = (double)a[at].count / a_all, y = (double)b[i].count / b_all;
		common->overlap += x < y ? x : y;
	}
}
