/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/regions/profile.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/hash.h"

struct nest {           /* the open path of a region, and those around it; its number is its index + 1 */
	uint32_t below; /* number of the nest around it; 0: it is the outermost */
	uint32_t function, region;
	uint32_t from, node; /* first node of the path or piece, present one */
	uint64_t sum, spent; /* spent: cycles of it so far */
	bool begins;
};

struct counter {
	uint32_t function, region, from, to;
	bool begins;
	uint64_t sum, count, spent;
};

struct function {
	struct regions regions;
	struct regions_values values;
	bool any;
	uint32_t first; /* region 0 of it, over all functions */
};

struct regions_profile {
	struct paths *paths;
	const struct cfg *cfg;
	struct function *functions;
	struct regions_traffic *traffic; /* by region, over all functions */
	uint32_t region_count;
	struct nest *nests;
	size_t nest_count, nest_room;
	struct hash nest_table;
	struct counter *counters;
	size_t counter_count, counter_room;
	struct hash counter_table;
	struct nest *old; /* while they are collected */
	size_t old_count;
};

/* ---- nests */

struct nest_wanted {
	const struct regions_profile *p;
	const struct nest *nest;
};

static bool same_nest(const void *context, uint32_t index)
{
	const struct nest_wanted *w = context;
	const struct nest *a = &w->p->nests[index], *b = w->nest;
	return a->below == b->below && a->function == b->function && a->region == b->region && a->from == b->from &&
	       a->node == b->node && a->sum == b->sum && a->begins == b->begins && a->spent == b->spent;
}

static int keep_nest(struct regions_profile *p, const struct nest *nest, uint32_t *number)
{
	const struct nest_wanted wanted = {p, nest};
	uint32_t hash = hash_of_two(
	    (uint64_t)nest->below << 32 ^ nest->region ^ (uint64_t)nest->function << 12 ^ (uint64_t)nest->begins << 63,
	    nest->sum ^ (uint64_t)nest->from << 32 ^ (uint64_t)nest->node << 44 ^ nest->spent << 20);
	uint32_t index = hash_find(&p->nest_table, hash, same_nest, &wanted);
	if (index == HASH_NONE) {
		if (p->nest_count >= HASH_NONE - 1 || !array_room(&p->nests, p->nest_count + 1, &p->nest_room) ||
		    !hash_add(&p->nest_table, hash, (uint32_t)p->nest_count))
			return PATHS_ENOMEM;
		index = (uint32_t)p->nest_count++;
		p->nests[index] = *nest;
	}
	*number = index + 1;
	return PATHS_OK;
}

/* ---- counts */

struct counter_wanted {
	const struct regions_profile *p;
	const struct counter *counter;
};

static bool same_region_counter(const void *context, uint32_t index)
{
	const struct counter_wanted *w = context;
	const struct counter *a = &w->p->counters[index], *b = w->counter;
	return a->function == b->function && a->region == b->region && a->from == b->from && a->to == b->to &&
	       a->begins == b->begins && a->sum == b->sum;
}

static int count_nest(struct regions_profile *p, const struct nest *nest, uint32_t to, uint64_t sum, uint64_t times)
{
	const struct counter wanted = {nest->function, nest->region, nest->from, to, nest->begins, sum, 0, 0};
	const struct counter_wanted look = {p, &wanted};
	uint32_t hash = hash_of_two(
	    sum ^ (uint64_t)to << 40, (uint64_t)nest->function << 40 ^ (uint64_t)nest->region << 24 ^ nest->from);
	if (times == 0)
		return PATHS_OK;
	uint32_t index = hash_find(&p->counter_table, hash, same_region_counter, &look);
	if (index == HASH_NONE) {
		if (!array_room(&p->counters, p->counter_count + 1, &p->counter_room) ||
		    !hash_add(&p->counter_table, hash, (uint32_t)p->counter_count))
			return PATHS_ENOMEM;
		index = (uint32_t)p->counter_count++;
		p->counters[index] = wanted;
	}
	p->counters[index].count += times;
	p->counters[index].spent += times * nest->spent;
	if (to != REGIONS_NONE || !nest->begins)
		p->traffic[p->functions[nest->function].first + nest->region].pieces += times;
	return PATHS_OK;
}

/* ---- what happens in a frame */

/* All paths of the nest are cut off where they are. */
static int nest_lost(void *context, uint64_t times, uint32_t *word)
{
	struct regions_profile *p = context;
	int error = PATHS_OK;
	for (uint32_t at = *word; at != 0 && error == PATHS_OK; at = p->nests[at - 1].below) {
		const struct nest nest = p->nests[at - 1];
		error = count_nest(p, &nest, nest.node, nest.sum, times);
	}
	*word = 0;
	return error;
}

struct region_steps {
	struct regions_step all[REGIONS_STEPS_MAX];
	uint32_t count;
};

static int apply_steps(struct regions_profile *p, uint32_t function, const struct region_steps *steps, bool begins,
    uint64_t times, uint32_t *word)
{
	const struct function *f = &p->functions[function];
	int error = PATHS_OK;
	for (uint32_t i = 0; i < steps->count && error == PATHS_OK; i++) {
		const struct regions_step *s = &steps->all[i];
		const struct region *own = &f->regions.all[s->region];
		struct regions_traffic *traffic = &p->traffic[f->first + s->region];
		uint64_t end = s->edge == REGIONS_NONE || s->move == REGIONS_LEAVES
				   ? f->values.leave[own->nodes + s->node]
				   : f->values.cut[own->nodes + s->node];
		if (s->move == REGIONS_ENTERS) {
			const struct nest nest = {.below = *word,
			    .function = function,
			    .region = s->region,
			    .from = s->node,
			    .node = s->node,
			    .begins = begins};
			traffic->entered += times;
			error = keep_nest(p, &nest, word);
			continue;
		}
		struct nest nest = p->nests[*word - 1];
		if (s->move == REGIONS_MOVES) {
			nest.sum += f->values.value[own->edges + s->edge];
			nest.node = s->to;
			error = keep_nest(p, &nest, word);
			continue;
		}
		error = count_nest(p, &nest, REGIONS_NONE, nest.sum + end, times);
		*word = nest.below;
		if (s->move == REGIONS_TURNS && error == PATHS_OK) {
			const struct nest next = {.below = nest.below,
			    .function = function,
			    .region = s->region,
			    .from = s->to,
			    .node = s->to,
			    .begins = true};
			traffic->turns += times;
			error = keep_nest(p, &next, word);
		}
	}
	return error;
}

static int nest_enter(void *context, uint32_t block, bool begins, uint64_t times, uint32_t *word)
{
	struct regions_profile *p = context;
	struct region_steps steps;
	uint32_t function = p->cfg->blocks[block].function, vertex = block - p->cfg->functions[function].blocks;
	const struct function *f = &p->functions[function];
	*word = 0;
	if (!f->any || !f->regions.reached[vertex])
		return PATHS_OK;
	begins = begins && (vertex == f->regions.graph.entry || p->cfg->blocks[block].root);
	steps.count = regions_enter_steps(&f->regions, vertex, steps.all);
	return apply_steps(p, function, &steps, begins, times, word);
}

static int nest_edge(void *context, uint32_t e, uint32_t from, uint64_t times, uint32_t *word)
{
	struct regions_profile *p = context;
	struct region_steps steps;
	uint32_t function = p->cfg->blocks[from].function;
	const struct function *f = &p->functions[function];
	uint32_t base = p->cfg->blocks[p->cfg->functions[function].blocks].edges;
	if (*word == 0)
		return PATHS_OK;
	steps.count = regions_edge_steps(&f->regions, e - base, steps.all);
	return apply_steps(p, function, &steps, true, times, word);
}

/* The innermost region has it. */
static int nest_spend(void *context, uint64_t cycles, uint32_t *word)
{
	struct regions_profile *p = context;
	struct nest nest = p->nests[*word - 1];
	nest.spent += cycles;
	return keep_nest(p, &nest, word);
}

/* Only the nests that frames still have are kept. */
static void collect_nests(void *context)
{
	struct regions_profile *p = context;
	free(p->old);
	p->old = p->nests;
	p->old_count = p->nest_count;
	p->nests = NULL;
	p->nest_count = p->nest_room = 0;
	hash_clear(&p->nest_table);
}

static int collected_nest(void *context, uint32_t *word)
{
	struct regions_profile *p = context;
	uint32_t chain[REGIONS_DEPTH_MAX + 2], depth = 0, number = 0;
	int error = PATHS_OK;
	for (uint32_t at = *word; at != 0; at = p->old[at - 1].below)
		chain[depth++] = at;
	while (depth > 0 && error == PATHS_OK) {
		struct nest nest = p->old[chain[--depth] - 1];
		nest.below = number;
		error = keep_nest(p, &nest, &number);
	}
	*word = number;
	return error;
}

/* ---- open, close, list */

int regions_profile_open(
    struct regions_profile **out, struct paths *paths, regions_choose *choose, void *context, uint64_t limit)
{
	struct regions_profile *p = calloc(1, sizeof *p);
	const struct cfg *cfg = paths_graph(paths);
	int error = p == NULL ? REGIONS_ENOMEM : REGIONS_OK;
	*out = NULL;
	if (p == NULL)
		return error;
	p->paths = paths;
	p->cfg = cfg;
	p->functions = calloc(cfg->counts.functions + 1u, sizeof *p->functions);
	if (p->functions == NULL)
		error = REGIONS_ENOMEM;
	for (uint32_t i = 0; i < cfg->counts.functions && error == REGIONS_OK; i++) {
		const struct numbering *n = paths_numbering(paths, i);
		struct function *f = &p->functions[i];
		f->first = p->region_count;
		if (n == NULL)
			continue;
		error = regions_open(&f->regions, &n->graph, limit);
		f->any = error == REGIONS_OK;
		if (error == REGIONS_OK)
			error = choose(context, i, &f->regions);
		if (error == REGIONS_OK)
			error = regions_close(&f->regions);
		if (error == REGIONS_OK)
			error = regions_values_make(&f->values, &f->regions);
		if (error ==
		    REGIONS_ESIZE) /* sums over all its regions pass 64 bits: by the values alone they do not */
			error = REGIONS_ENOMEM;
		p->region_count += f->regions.count;
	}
	p->traffic = calloc(p->region_count + 1u, sizeof *p->traffic);
	if (error == REGIONS_OK && p->traffic == NULL)
		error = REGIONS_ENOMEM;
	if (error != REGIONS_OK) {
		regions_profile_close(p);
		return error;
	}
	paths_observe(paths,
	    &(struct paths_observer){p, nest_enter, nest_edge, nest_spend, nest_lost, collect_nests, collected_nest});
	*out = p;
	return REGIONS_OK;
}

void regions_profile_close(struct regions_profile *p)
{
	if (p == NULL)
		return;
	for (uint32_t i = 0; p->functions != NULL && i < p->cfg->counts.functions; i++) {
		regions_values_free(&p->functions[i].values);
		regions_free(&p->functions[i].regions);
	}
	free(p->functions);
	free(p->traffic);
	free(p->nests);
	free(p->old);
	hash_free(&p->nest_table);
	free(p->counters);
	hash_free(&p->counter_table);
	free(p);
}

const struct regions *regions_profile_regions(const struct regions_profile *p, uint32_t function)
{
	return p->functions[function].any ? &p->functions[function].regions : NULL;
}

const struct regions_traffic *regions_profile_traffic(
    const struct regions_profile *p, uint32_t function, uint32_t region)
{
	return &p->traffic[p->functions[function].first + region];
}

static int region_counters_by_count(const void *a, const void *b)
{
	const struct regions_entry *x = a, *y = b;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	if (x->number != y->number) /* that of pieces is the largest */
		return x->number < y->number ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->begins != y->begins)
		return x->begins ? 1 : -1;
	return ORDER_UP(x->sum, y->sum);
}

int regions_profile_list(const struct regions_profile *p, struct regions_entry **out, size_t *n)
{
	struct regions_entry *entries = malloc((p->counter_count + 1) * sizeof *entries);
	*out = entries;
	*n = p->counter_count;
	if (entries == NULL)
		return REGIONS_ENOMEM;
	for (size_t i = 0; i < p->counter_count; i++) {
		const struct counter *c = &p->counters[i];
		const struct function *f = &p->functions[c->function];
		bool whole = c->begins && c->to == REGIONS_NONE;
		entries[i] = (struct regions_entry){.function = c->function,
		    .region = c->region,
		    .from = c->from,
		    .to = c->to,
		    .begins = c->begins,
		    .sum = c->sum,
		    .number =
			whole ? f->values.enter[f->regions.all[c->region].nodes + c->from] + c->sum : NUMBERING_NONE,
		    .count = c->count,
		    .spent = c->spent};
	}
	qsort(entries, *n, sizeof *entries, region_counters_by_count);
	return REGIONS_OK;
}

uint32_t regions_entry_nodes(const struct regions *r, const struct regions_entry *entry, uint32_t *nodes, uint32_t max)
{
	const struct region *own = &r->all[entry->region];
	struct numbering_path path;
	uint32_t *edges = malloc((own->node_count + 1u) * sizeof *edges);
	uint32_t length = 0;
	if (edges != NULL && numbering_piece(&own->numbering,
				 &(struct numbering_span){
				     entry->from, entry->to == REGIONS_NONE ? NUMBERING_EXIT : entry->to, entry->sum},
				 &path, edges, own->node_count) == NUMBERING_OK) {
		length = path.length + 1;
		if (max > 0)
			nodes[0] = path.first;
		for (uint32_t i = 0; i < path.length && i + 1 < max; i++)
			nodes[i + 1] = own->numbering.graph.to[edges[i]];
	}
	free(edges);
	return length;
}

uint32_t regions_profile_nodes(
    const struct regions_profile *p, const struct regions_entry *entry, uint32_t *nodes, uint32_t max)
{
	return regions_entry_nodes(&p->functions[entry->function].regions, entry, nodes, max);
}
