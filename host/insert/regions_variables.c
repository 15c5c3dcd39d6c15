/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
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
 */
#include <stdlib.h>
#include "host/insert/regions_plan.h"
#include "host/base/order.h"

/* Cost of codes in instructions, about; more if the variable is a word of the stack. */
enum { COST_COUNT = 4, COST_COUNT_AT = 3, COST_SET = 2, COST_ADD = 1, COST_WORD = 1, COST_BUCKET = 12 };

static bool is_word(const struct inserter *in, int variable)
{
	return variable >= 0 && variable < INSERTER_VARIABLES && inserter_kind_of(in, variable) == INSERTER_SLOT;
}

uint64_t regions_codes_cost(const struct inserter *in, const struct inserter_code *codes, size_t count)
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
	return order_then(ORDER_DOWN(x->use, y->use), ORDER_UP(x->region, y->region));
}

/* Counting turns in a register pays if there are some, and if the region is left in the end. */
static bool counts_turns(const struct plan *p, uint32_t region)
{
	const struct region *own = &p->regions.all[region];
	bool leaves = false;
	for (uint32_t n = 0; n < own->node_count; n++)
		leaves = leaves || p->regions.leaves[own->nodes + n];
	return !p->is_global && !p->again && region > 0 && own->numbering.paths == 1 && own->numbering.cut == 0 &&
	       leaves && p->own[region].use > p->own[region].into;
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

/* longjmp() brings a register back to what it was; a word would have steps of another path. */
static int regions_variable(const struct plan *p, struct inserter *in, const char **reason)
{
	const int variable = inserter_variable(in, reason);
	if (variable < 0 || !p->again || !is_word(in, variable))
		return variable;
	*reason = "setjmp() returns again, and no register is free for its paths";
	return OBJECT_EUNSUPPORTED;
}

/* A variable for a region's sum. OBJECT_EUNSUPPORTED: there is none. */
static int give(struct plan *p, struct inserter *in, uint32_t region, const char **reason)
{
	int *at = p->is_stack ? &p->shared : &p->levels[p->regions.all[region].depth];
	if (*at == NONE) {
		int variable = regions_variable(p, in, reason);
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
			int variable = regions_variable(p, in, reason);
			if (variable < 0)
				return variable;
			*at = variable;
		}
		own->kept = outer ? *at : NONE;
	}
	return OBJECT_OK;
}

int regions_give_variables(struct plan *p, struct inserter *in, const char **reason)
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
	free(order);
	free(inside);
	return error;
}
