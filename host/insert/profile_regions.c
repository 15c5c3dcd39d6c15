/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * --regions: how often each path of each region of each function was taken (HPP).
 *
 * Region-based: each region has an array of counters, chords and a placement of its own (EPP section 3.4), so a region
 * of one path needs no sum at all, and one whose paths do not meet again counts where they part. Global-based: one
 * array, sums by increments of chords of the augmented graph.
 *
 * Where the sums are: regions_variables.c.
 *
 * Both embodiments with levels and with stack are estimated by the weights of the edges, and the cheapest is put in.
 *
 * With a hash table (HPP: "when the profile indicator array is very sparse") no path is cut. Region-based, regions with
 * more paths than an array may have are in the function's table; global-based, all paths are if the one array would be
 * too large, or much larger than those of all regions together.
 */
#include <stdlib.h>
#include <string.h>
#include "common/joined.h"
#include "host/insert/budget.h"
#include "host/insert/regions_plan.h"
#include "host/regions/find.h"

#define GLOBAL_ARRAY_TIMES 8u /* the one array is at most so many times the arrays of all regions */
#define TABLE_MAX (1 << 30)   /* numbers in a hash table */

static void forget(struct plan *p)
{
	for (uint32_t i = 0; p->own != NULL && i < p->regions.count; i++) {
		chords_free(&p->own[i].chords);
		place_free(&p->own[i].placement);
	}
	free(p->own);
	if (p->global.regions != NULL)
		regions_global_free(&p->global);
	regions_values_free(&p->values);
	regions_free(&p->regions);
	insert_number_free(&p->n);
	*p = (struct plan){.job = p->job, .f = p->f, .base = p->base, .array = p->array, .again = p->again};
}

/* ---- regions and what they need */

/* Weights of the edges of all CFG(R), from those of the program's. */
static void weigh(const struct plan *p, uint64_t *weights)
{
	const struct regions *r = &p->regions;
	struct regions_step steps[REGIONS_STEPS_MAX];
	for (uint32_t e = 0; e < p->f->edge_count; e++) {
		uint32_t count = regions_edge_steps(r, e, steps);
		for (uint32_t i = 0; i < count; i++) {
			const struct regions_step *s = &steps[i];
			const struct region *own = &r->all[s->region];
			uint32_t end = own->numbering.graph.first[s->node];
			if (s->move == REGIONS_ENTERS)
				p->own[s->region].into += p->n.weights[e];
			else if (s->move == REGIONS_MOVES || (s->move == REGIONS_TURNS && s->edge != REGIONS_NONE))
				weights[own->edges + s->edge] += p->n.weights[e];
			else if (r->exit[own->nodes + s->node]) /* its first edge leads to Rx */
				weights[own->edges + end] += p->n.weights[e];
		}
	}
	for (uint32_t b = 0; b < p->f->block_count; b++) {
		uint32_t count = p->n.root[b] ? regions_enter_steps(r, b, steps) : 0;
		for (uint32_t i = 0; i < count; i++)
			p->own[steps[i].region].into += 4; /* as an edge outside of all loops */
	}
}

/* Where the regions' counters are. */
static int give_places(struct plan *p)
{
	uint64_t *places = malloc((p->regions.count + 1u) * sizeof *places);
	if (places == NULL)
		return OBJECT_ENOMEM;
	p->arrays =
	    regions_map_places(&p->regions, &p->values, p->job->options->hash ? p->array : REGIONS_NO_TABLE, places);
	p->regions_hashed = false;
	for (uint32_t i = 0; i < p->regions.count; i++) {
		p->own[i].place = places[i];
		p->regions_hashed = p->regions_hashed || places[i] == REGIONS_HASHED;
	}
	free(places);
	return OBJECT_OK;
}

/* apart: no variable can be had; paths are cut so that each is counted where it begins (profile_paths.c). */
static int prepare(struct plan *p, uint64_t limit, bool apart)
{
	const struct insert_options *o = p->job->options;
	int error = insert_number(p->job, p->f, limit, &p->n);
	if (error != OBJECT_OK)
		return error;
	const struct numbering_graph graph = {
	    .count = p->f->block_count, .entry = 0, .first = p->n.first, .to = p->n.to, .root = p->n.root};
	unsigned find;
	if (o->named != NULL)
		find = o->named->names->find;
	else if (o->find != 0)
		find = o->find;
	else
		find = REGIONS_FIND_LOOPS;
	error = regions_open(&p->regions, &graph, limit) == REGIONS_OK &&
			named_choose(o->named, p->job->id, insert_function_number(p->job, p->f), &p->regions) ==
			    REGIONS_OK &&
			(find == 0 || regions_find(&p->regions, find, NULL) == REGIONS_OK) &&
			regions_close(&p->regions) == REGIONS_OK
		    ? OBJECT_OK
		    : OBJECT_ENOMEM;
	if (error == OBJECT_OK && regions_values_make(&p->values, &p->regions) != REGIONS_OK)
		error = OBJECT_ENOMEM;
	uint64_t *weights = calloc(p->regions.edge_count + 1u, sizeof *weights);
	p->own = calloc(p->regions.count + 1u, sizeof *p->own);
	if (error == OBJECT_OK && (weights == NULL || p->own == NULL))
		error = OBJECT_ENOMEM;
	if (error == OBJECT_OK)
		weigh(p, weights);
	for (uint32_t e = 0; e < p->regions.edge_count && error == OBJECT_OK && apart; e++)
		weights[e] = 0;
	for (uint32_t i = 0; i < p->regions.count && error == OBJECT_OK; i++) {
		struct region *region = &p->regions.all[i];
		for (uint32_t e = 0; e < region->edge_count && apart; e++)
			weights[region->edges + e] =
			    region->numbering.kind[e] == NUMBERING_PLAIN ? UINT64_C(1) << 40 : 1;
		if (chords_make(&p->own[i].chords, &region->numbering, weights + region->edges) != NUMBERING_OK ||
		    place_make(&p->own[i].placement, &region->numbering, &p->own[i].chords, false) != NUMBERING_OK)
			error = OBJECT_ENOMEM;
		p->own[i].uses = p->own[i].placement.uses_register;
	}
	free(weights);
	return error == OBJECT_OK ? give_places(p) : error;
}

/* Whether the numbers of all paths, and what is added on the way to one, have room in a table. */
static bool fits_table(const struct plan *p)
{
	bool fits = p->values.counters <= TABLE_MAX;
	for (uint32_t i = 0; i < p->regions.count; i++) {
		if (p->own[i].place == REGIONS_HASHED)
			fits = fits && place_within(&p->own[i].placement, &p->regions.all[i].numbering,
					   -JOINED_SLACK_64, TABLE_MAX);
	}
	return fits;
}

/* With the largest limit for which there is room. */
static int prepare_all(struct plan *p, struct insert_result *result)
{
	const struct insert_options *o = p->job->options;
	if (o->hash)
		result->limit = o->limit == 0 ? INSERT_HASHED_MAX : o->limit;
	for (;;) {
		int error = prepare(p, result->limit, false);
		if (error != OBJECT_OK || !o->hash || result->limit <= p->array || fits_table(p))
			return error;
		forget(p);
		result->limit /= 16;
	}
}

static bool within(uint64_t value)
{
	return value + TABLE_MAX <= UINT64_C(2) * TABLE_MAX;
}

/* Whether all that is added to a sum of the one numbering is small enough for a number in a table. */
static bool global_within(const struct plan *p)
{
	const struct regions_values *v = &p->global.values;
	bool fits = true;
	for (uint32_t i = 0; i < p->regions.node_count; i++)
		fits = fits && within(v->pass[i]) && (v->leave[i] == NUMBERING_NONE || within(v->leave[i])) &&
		       (v->enter[i] == NUMBERING_NONE || (within(v->enter[i] + v->pass[i]) &&
							     (int64_t)(v->enter[i] + v->pass[i]) >= -JOINED_SLACK_64));
	for (uint32_t i = 0; i < p->regions.count; i++) {
		const struct region *own = &p->regions.all[i];
		for (uint32_t e = 0; e < own->edge_count; e++) {
			uint32_t to = own->numbering.graph.to[e];
			if (own->numbering.kind[e] == NUMBERING_PLAIN && to != NUMBERING_EXIT)
				fits = fits && within(v->value[own->edges + e] + v->pass[own->nodes + to]);
		}
	}
	return fits;
}

static int prepare_global(struct plan *p, uint64_t limit)
{
	bool hash = p->job->options->hash;
	uint64_t most = GLOBAL_ARRAY_TIMES * p->values.counters;
	if (hash)
		limit = TABLE_MAX;
	else if (most < limit)
		limit = most;
	const struct regions_global_options options = {.representative = REGIONS_FEWEST_PATHS, .limit = limit};
	int error = regions_global_make(&p->global, &p->regions, &options);
	if (error == REGIONS_OK)
		error = regions_global_weigh(&p->global, p->n.weights);
	p->has_global = error == REGIONS_OK;
	p->global_hashed =
	    p->has_global && hash && (p->global.values.counters > p->array || p->global.values.counters > most);
	if (p->global_hashed)
		p->has_global = global_within(p);
	return error == REGIONS_ENOMEM ? OBJECT_ENOMEM : OBJECT_OK;
}

/* ---- the function */

/* What all codes cost, or puts them in. */
static int walk(struct plan *p, struct inserter *in, bool put, uint64_t *cost)
{
	struct regions_step steps[REGIONS_STEPS_MAX];
	struct inserter_code codes[CODES_MAX];
	int error = OBJECT_OK;
	*cost = 0;
	for (uint32_t b = 0; b < p->f->block_count && error == OBJECT_OK; b++) {
		if (!p->regions.reached[b])
			continue;
		if (p->n.root[b]) {
			size_t count = codes_of(p, steps, regions_enter_steps(&p->regions, b, steps), codes);
			*cost += 4 * regions_codes_cost(in, codes, count);
			if (put && count > 0)
				error = inserter_enter(in, p->f->blocks + b, codes, count);
		}
		for (uint32_t e = p->n.first[b]; e < p->n.first[b + 1] && error == OBJECT_OK; e++) {
			size_t count = codes_of(p, steps, regions_edge_steps(&p->regions, e, steps), codes);
			*cost += p->n.weights[e] * regions_codes_cost(in, codes, count);
			if (put && count > 0)
				error = inserter_edge(in, p->f->edge_first + e, codes, count);
		}
	}
	return error;
}

/* One way to do it: its cost, or OBJECT_EUNSUPPORTED. */
static int estimate(struct plan *p, size_t function, bool global, bool stack, uint64_t *cost, const char **reason)
{
	struct inserter *in;
	p->is_global = global;
	p->is_stack = stack;
	int error = inserter_open(&in, &p->job->target, function);
	if (error == OBJECT_OK)
		error = regions_give_variables(p, in, reason);
	if (error == OBJECT_OK)
		error = walk(p, in, false, cost);
	bool saved[INSERTER_VARIABLES] = {false};
	for (uint32_t i = 0; i < p->regions.count && error == OBJECT_OK; i++) {
		int variable = p->own[i].variable;
		if (variable != NONE && !saved[variable] && inserter_kind_of(in, variable) == INSERTER_SAVED) {
			saved[variable] = true;
			*cost += 4 * REGIONS_COST_SAVED;
		}
	}
	inserter_close(in);
	return error;
}

static int put_in(struct plan *p, size_t function, const char **reason, int *kind)
{
	struct inserter *in;
	uint64_t cost;
	int error = inserter_open(&in, &p->job->target, function);
	if (error == OBJECT_OK)
		error = regions_give_variables(p, in, reason);
	*kind = INSERTER_NO_REGISTER;
	for (uint32_t i = 0; i < p->regions.count && error == OBJECT_OK; i++) {
		if (p->own[i].variable != NONE && *kind == INSERTER_NO_REGISTER)
			*kind = inserter_kind_of(in, p->own[i].variable);
	}
	if (error == OBJECT_OK && p->hashed)
		error = insert_table(p->job, function, false, &p->table);
	if (error == OBJECT_OK) {
		inserter_weights(in, p->n.weights);
		error = walk(p, in, true, &cost);
	}
	if (error == OBJECT_OK)
		error = inserter_keep_return(in);
	if (error == OBJECT_OK)
		error = inserter_commit(in, reason);
	if (error == OBJECT_OK)
		regions_pending_find(p, in);
	inserter_close(in);
	return error;
}

static int choose(struct plan *p, size_t function, struct insert_result *result, unsigned *embodiment, bool *stack)
{
	unsigned wanted = p->job->options->embodiment;
	uint64_t best = UINT64_MAX, cost;
	const char *reason = NULL;
	int error = OBJECT_EUNSUPPORTED;
	if (wanted != INSERT_REGION_BASED && prepare_global(p, result->limit) != OBJECT_OK)
		return OBJECT_ENOMEM;
	for (unsigned way = 0; way < 4; way++) {
		bool global = way >= 2, stacked = way % 2 != 0;
		/* where there is no global one, the region-based one is what there is */
		if ((global && !p->has_global) || (!global && wanted == INSERT_GLOBAL_BASED && p->has_global))
			continue;
		int got = estimate(p, function, global, stacked, &cost, &reason);
		if (got != OBJECT_OK && got != OBJECT_EUNSUPPORTED)
			return got;
		if (got == OBJECT_EUNSUPPORTED) {
			result->reason = reason;
			continue;
		}
		error = OBJECT_OK;
		/* the estimate is of guessed weights, and the one array larger: it must be cheaper by a quarter */
		cost += global ? cost / 3 : 0;
		if (cost < best) {
			best = cost;
			*embodiment = global ? INSERT_GLOBAL_BASED : INSERT_REGION_BASED;
			*stack = stacked;
		}
	}
	return error;
}

static int describe(const struct plan *p, struct insert_result *result, unsigned embodiment)
{
	const struct regions_map_how how = {embodiment, REGIONS_FEWEST_PATHS, p->hashed ? p->array : REGIONS_NO_TABLE,
	    p->job->options->named != NULL ? p->job->options->named->names : NULL};
	const int error = regions_map_write(result, &p->regions, &how);
	return error == OBJECT_OK ? regions_pending_put(p, result) : error;
}

static int regions(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result)
{
	struct plan p = {.job = job,
	    .f = &job->graph->functions[function],
	    .base = first,
	    .again = insert_calls_setjmp(job, &job->graph->functions[function]),
	    .array = budget_limit(job, &job->graph->functions[function],
		job->options->array != 0 ? job->options->array : INSERT_ARRAY_MAX)};
	unsigned embodiment = INSERT_REGION_BASED;
	bool stack = false, apart = false;
	int kind = INSERTER_NO_REGISTER;
	int error = prepare_all(&p, result);
	if (error == OBJECT_OK)
		error = choose(&p, function, result, &embodiment, &stack);
	if (error == OBJECT_EUNSUPPORTED) {
		forget(&p);
		p.array = REGIONS_NO_TABLE;
		result->limit = 1;
		apart = true;
		error = prepare(&p, 1, true);
		for (uint32_t i = 0; i < p.regions.count && error == OBJECT_OK; i++)
			error = p.own[i].uses ? OBJECT_EUNSUPPORTED : OBJECT_OK;
	}
	p.is_global = embodiment == INSERT_GLOBAL_BASED;
	p.is_stack = stack;
	if (error == OBJECT_OK)
		error = put_in(&p, function, &result->reason, &kind);
	if (error == OBJECT_OK) {
		if (!p.is_global)
			result->counters = p.arrays;
		else if (p.hashed)
			result->counters = 0;
		else
			result->counters = p.global.values.counters;
		result->flags = p.hashed ? MAP_HASHED : 0;
		result->arrays = result->counters;
		error = describe(&p, result, embodiment);
	}
	if (error == OBJECT_OK) {
		struct insert_counts *c = job->counts;
		bool cut = false;
		c->registers[kind]++;
		c->apart += apart;
		c->hashed += p.hashed;
		c->regions += p.regions.count;
		c->global_functions += p.is_global;
		c->stack_functions += stack;
		for (uint32_t i = 0; i < p.regions.count; i++) {
			c->region_paths += p.regions.all[i].numbering.paths;
			c->turn_regions += p.own[i].turns;
			c->cut += p.regions.all[i].numbering.cut;
			cut = cut || p.regions.all[i].numbering.cut > 0;
			c->chords += p.own[i].chords.chords;
		}
		c->cut_functions += cut;
	}
	forget(&p);
	return error;
}

const struct insert_profiler insert_profile_regions = {INSERT_REGIONS, "regions", regions, NULL};
