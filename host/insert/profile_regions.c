/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * --regions: how often each path of each region of each function was taken (HPP).
 *
 * Region-based: each region has an array of counters, chords and a placement of its own (EPP section 3.4), so a region
 * of one path needs no sum at all, and one whose paths do not meet again counts where they part. Global-based: one
 * array, sums by increments of chords of the augmented graph.
 *
 * Where the sums are. What HPP pushes and pops is the outer path's sum. Ways to keep it, best first:
 *
 *   local    a register that is dead over the blocks of a region without calls
 *   levels   a variable for each level of nesting: registers as long as there are free ones, then words of the stack.
 *            Nothing is pushed
 *   stack    one register for all levels; on the edges into a region the outer sum goes to a word of the stack, on
 *            those out of it back. Pays where registers are few and inner loops run long
 *
 * A loop of one path need not count in memory at every turn: its variable counts the turns, or holds the induction
 * register (induction.h) from before the loop, and the difference is added to its counter when it is left.
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

/* Cost of codes in instructions, about; more if the variable is a word of the stack. */
enum { COST_COUNT = 4, COST_COUNT_AT = 3, COST_SET = 2, COST_ADD = 1, COST_WORD = 1, COST_SAVED = 4, COST_BUCKET = 12 };

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
	*p = (struct plan){.job = p->job, .f = p->f, .base = p->base, .array = p->array};
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
			named_choose(o->named, p->job->id, (uint32_t)(p->f - p->job->graph->functions), &p->regions) ==
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

/* ---- variables */

static bool is_word(const struct inserter *in, int variable)
{
	return variable >= 0 && variable < INSERTER_VARIABLES && inserter_kind_of(in, variable) == INSERTER_SLOT;
}

static uint64_t cost_of(const struct inserter *in, const struct inserter_code *codes, size_t count)
{
	uint64_t cost = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t word = is_word(in, codes[i].var) ? COST_WORD : 0;
		switch (codes[i].op) {
		case INSERTER_COUNT:
			cost += COST_COUNT;
			break;
		case INSERTER_COUNT_FROM:
			cost += COST_COUNT;
			break;
		case INSERTER_COUNT_AT:
			cost += COST_COUNT_AT + word;
			break;
		case INSERTER_BUCKET:
			cost += COST_BUCKET + word;
			break;
		case INSERTER_SET_COUNTER:
			cost += COST_SET + word;
			break;
		case INSERTER_MOVE:
			cost += COST_ADD;
			break;
		default:
			cost += COST_ADD + 2 * word;
			break;
		}
	}
	return cost;
}

/* Whether a sum is needed, and how much its codes weigh. */
static void weigh_uses(struct plan *p)
{
	struct regions_step steps[REGIONS_STEPS_MAX];
	struct inserter_code codes[8];
	for (uint32_t i = 0; i < p->regions.count; i++) {
		p->own[i].uses = p->is_global || p->own[i].placement.uses_register;
		p->own[i].use = 0;
		p->own[i].variable = p->own[i].kept = NONE;
		p->own[i].turns = p->own[i].difference = false;
	}
	for (uint32_t e = 0; e < p->f->edge_count; e++) {
		uint32_t count = regions_edge_steps(&p->regions, e, steps);
		for (uint32_t k = 0; k < count; k++) {
			size_t n = p->is_global ? global_codes(p, &steps[k], codes) : region_codes(p, &steps[k], codes);
			p->own[steps[k].region].use += n * p->n.weights[e];
		}
	}
}

struct order {
	uint64_t use;
	uint32_t region;
};

static int by_use(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	if (x->use != y->use)
		return x->use < y->use ? 1 : -1;
	return (x->region > y->region) - (x->region < y->region);
}

/* Counting turns in a register pays if there are some, and if the region is left in the end. */
static bool counts_turns(const struct plan *p, uint32_t region)
{
	const struct region *own = &p->regions.all[region];
	bool leaves = false;
	for (uint32_t n = 0; n < own->node_count; n++)
		leaves = leaves || p->regions.leaves[own->nodes + n];
	return !p->is_global && region > 0 && own->numbering.paths == 1 && own->numbering.cut == 0 && leaves &&
	       p->own[region].use > p->own[region].into;
}

static int try_local(struct plan *p, struct inserter *in, uint32_t region, bool *inside)
{
	for (uint32_t b = 0; b < p->f->block_count; b++)
		inside[b] = regions_within(&p->regions, p->regions.of[b], region);
	int variable = inserter_local(in, inside);
	if (variable >= 0)
		p->own[region].variable = variable;
	if (variable == OBJECT_EUNSUPPORTED)
		return OBJECT_OK;
	return variable < 0 ? variable : OBJECT_OK;
}

/* The induction register of a region that is one block with one edge to itself. */
static bool finds_difference(const struct plan *p, uint32_t region, struct insert_induction *found)
{
	const struct region *own = &p->regions.all[region];
	const struct graph_block *block = &p->job->graph->blocks[p->f->blocks + own->head];
	uint32_t selves = 0;
	for (uint32_t e = p->n.first[own->head]; e < p->n.first[own->head + 1]; e++)
		selves += p->n.to[e] == own->head;
	return own->size == 1 && selves == 1 && block->section != GRAPH_NONE &&
	       insert_induction(p->job->graph, block, found);
}

/* A variable for a region's sum. OBJECT_EUNSUPPORTED: there is none. */
static int give(struct plan *p, struct inserter *in, uint32_t region, const char **reason)
{
	int *at = p->is_stack ? &p->shared : &p->levels[p->regions.all[region].depth];
	if (*at == NONE) {
		int variable = inserter_variable(in, reason);
		if (variable < 0)
			return variable;
		*at = variable;
	}
	p->own[region].variable = *at;
	return OBJECT_OK;
}

/* Where outer sums go while inner regions use the one register. */
static int give_stack(struct plan *p, struct inserter *in, const char **reason)
{
	for (uint32_t i = 1; i < p->regions.count; i++) {
		struct own *own = &p->own[i];
		bool outer = false;
		if (own->variable != p->shared)
			continue;
		for (uint32_t q = p->regions.all[i].parent; q != REGIONS_NONE; q = p->regions.all[q].parent)
			outer = outer || p->own[q].variable == p->shared;
		int *at = &p->levels[p->regions.all[i].depth];
		if (outer && *at == NONE) {
			int variable = inserter_variable(in, reason);
			if (variable < 0)
				return variable;
			*at = variable;
		}
		own->kept = outer ? *at : NONE;
	}
	return OBJECT_OK;
}

static int give_variables(struct plan *p, struct inserter *in, const char **reason)
{
	struct order *order = malloc(p->regions.count * sizeof *order);
	bool *inside = malloc((p->f->block_count + 1u) * sizeof *inside);
	int error = order == NULL || inside == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	uint32_t count = 0;
	p->shared = NONE;
	p->hashed = p->is_global ? p->global_hashed : p->regions_hashed;
	for (unsigned i = 0; i <= REGIONS_DEPTH_MAX; i++)
		p->levels[i] = NONE;
	if (error == OBJECT_OK)
		weigh_uses(p);
	for (uint32_t i = 0; i < p->regions.count && error == OBJECT_OK; i++) {
		if (p->own[i].uses || counts_turns(p, i))
			order[count++] = (struct order){p->own[i].use, i};
	}
	if (error == OBJECT_OK)
		qsort(order, count, sizeof *order, by_use);
	for (uint32_t i = 0; i < count && error == OBJECT_OK; i++) {
		uint32_t region = order[i].region;
		if (region > 0)
			error = try_local(p, in, region, inside);
		p->own[region].difference = finds_difference(p, region, &p->own[region].induction);
		p->own[region].turns = error == OBJECT_OK && !p->own[region].uses && p->own[region].variable != NONE;
	}
	for (uint32_t i = 0; i < count && error == OBJECT_OK; i++) {
		if (p->own[order[i].region].uses && p->own[order[i].region].variable == NONE)
			error = give(p, in, order[i].region, reason);
	}
	/* one path and no dead register: in a variable of the function, unless that is a word of the stack */
	for (uint32_t i = 0; i < count && error == OBJECT_OK; i++) {
		struct own *own = &p->own[order[i].region];
		if (own->uses || own->variable != NONE)
			continue;
		error = give(p, in, order[i].region, reason);
		own->turns = error == OBJECT_OK && (own->difference || !is_word(in, own->variable));
		if (!own->turns)
			own->variable = NONE;
		error = error == OBJECT_EUNSUPPORTED ? OBJECT_OK : error;
	}
	if (error == OBJECT_OK && p->is_stack && p->shared != NONE)
		error = give_stack(p, in, reason);
	if (error == OBJECT_OK && p->hashed) {
		p->last = inserter_variable(in, reason);
		error = p->last < 0 ? p->last : OBJECT_OK;
	}
	free(order);
	free(inside);
	return error;
}

/* ---- the function */

/* What all codes cost, or puts them in. */
static int walk(struct plan *p, struct inserter *in, bool put, uint64_t *cost)
{
	struct regions_step steps[REGIONS_STEPS_MAX];
	struct inserter_code codes[CODES_MAX];
	const struct inserter_code no_bucket = {.op = INSERTER_SET_SYMBOL, .var = (uint8_t)p->last, .symbol = p->none};
	int error = OBJECT_OK;
	*cost = 0;
	for (uint32_t b = 0; b < p->f->block_count && error == OBJECT_OK; b++) {
		if (!p->regions.reached[b])
			continue;
		if (p->n.root[b]) {
			size_t count = codes_of(p, steps, regions_enter_steps(&p->regions, b, steps), codes);
			*cost += 4 * cost_of(in, codes, count);
			if (put && p->hashed)
				error = inserter_enter(in, p->f->blocks + b, &no_bucket, 1);
			if (put && count > 0 && error == OBJECT_OK)
				error = inserter_enter(in, p->f->blocks + b, codes, count);
		}
		for (uint32_t e = p->n.first[b]; e < p->n.first[b + 1] && error == OBJECT_OK; e++) {
			size_t count = codes_of(p, steps, regions_edge_steps(&p->regions, e, steps), codes);
			*cost += p->n.weights[e] * cost_of(in, codes, count);
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
		error = give_variables(p, in, reason);
	if (error == OBJECT_OK)
		error = walk(p, in, false, cost);
	bool saved[INSERTER_VARIABLES] = {false};
	for (uint32_t i = 0; i < p->regions.count && error == OBJECT_OK; i++) {
		int variable = p->own[i].variable;
		if (variable != NONE && !saved[variable] && inserter_kind_of(in, variable) == INSERTER_SAVED) {
			saved[variable] = true;
			*cost += 4 * COST_SAVED;
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
		error = give_variables(p, in, reason);
	*kind = INSERTER_NO_REGISTER;
	for (uint32_t i = 0; i < p->regions.count && error == OBJECT_OK; i++) {
		if (p->own[i].variable != NONE && *kind == INSERTER_NO_REGISTER)
			*kind = inserter_kind_of(in, p->own[i].variable);
	}
	if (error == OBJECT_OK && p->hashed)
		error = inserter_symbol(p->job->object, "rivulet_probe_hash", &p->hook);
	if (error == OBJECT_OK && p->hashed)
		error = inserter_symbol(p->job->object, "rivulet_probe_none", &p->none);
	if (error == OBJECT_OK && p->hashed)
		error = insert_table(p->job, function, false, &p->table, &p->offset);
	if (error == OBJECT_OK) {
		inserter_weights(in, p->n.weights);
		error = walk(p, in, true, &cost);
	}
	if (error == OBJECT_OK)
		error = inserter_commit(in, reason);
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
	const struct graph *g = p->job->graph;
	uint32_t *insns = calloc(p->f->block_count + 1u, sizeof *insns);
	if (insns == NULL)
		return OBJECT_ENOMEM;
	for (uint32_t b = 0; b < p->f->block_count; b++) {
		const struct graph_block *block = &g->blocks[p->f->blocks + b];
		for (uint32_t at = block->first; block->section != GRAPH_NONE && at <= block->last; at++) {
			uint8_t kind = g->edit->sections[block->section].atoms[at].kind;
			insns[b] += kind != EDIT_PAD; /* a far call too: the linker makes it near where it can */
		}
	}
	const struct regions_map_how how = {embodiment, REGIONS_FEWEST_PATHS, p->hashed ? p->array : REGIONS_NO_TABLE,
	    p->job->options->named != NULL ? p->job->options->named->names : NULL};
	int error = regions_map_write(result, &p->regions, &how, insns);
	free(insns);
	return error;
}

static int regions(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result)
{
	struct plan p = {.job = job,
	    .f = &job->graph->functions[function],
	    .base = first,
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
