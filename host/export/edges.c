/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/edges.h"

#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"

static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	if (x->site != y->site)
		return x->site > y->site ? 1 : -1;
	return (x->target > y->target) - (x->target < y->target);
}

/* Sorts, and adds up what has the same site and target. */
static void merge(struct edges *edges)
{
	size_t done = 0;
	if (edges->count > 0)
		qsort(edges->all, edges->count, sizeof *edges->all, compare_edges);
	for (size_t i = 0; i < edges->count; i++) {
		struct edge *last = done == 0 ? NULL : &edges->all[done - 1];
		const struct edge *edge = &edges->all[i];
		if (last != NULL && compare_edges(last, edge) == 0) {
			last->calls += edge->calls;
			last->count += edge->count;
			last->cycles += edge->cycles;
		} else
			edges->all[done++] = *edge;
	}
	edges->count = done;
}

size_t edges_first(const struct edges *edges, uint64_t site)
{
	size_t low = 0, high = edges->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (edges->all[middle].site < site)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void edges_free(struct edges *edges)
{
	free(edges->all);
	*edges = (struct edges){0};
}

/* ---- records in order: sums over contexts ---- */

struct sum {
	uint64_t count, cycles;
};

static bool inside_same(const struct stack_node *nodes, size_t index)
{
	const struct stack_node *node = &nodes[index];
	for (uint32_t i = node->parent; i != STACK_NOBODY; i = nodes[i].parent) {
		if (nodes[i].site == node->site && nodes[i].entry == node->entry)
			return true;
	}
	return false;
}

static int from_contexts(struct edges *edges, const struct gather_result *result)
{
	struct sum *below = calloc(result->node_count, sizeof *below);
	edges->all = calloc(result->node_count, sizeof *edges->all);
	if (below == NULL || edges->all == NULL) {
		free(below);
		return EXPORT_ENOMEM;
	}
	for (size_t i = 0; i < result->cell_count; i++) {
		below[result->cells[i].node].count += result->cells[i].count;
		below[result->cells[i].node].cycles += result->cells[i].cycles;
	}
	for (size_t i = result->node_count; i-- > 1;) { /* children have larger indices */
		const struct stack_node *node = &result->nodes[i];
		below[node->parent].count += below[i].count;
		below[node->parent].cycles += below[i].cycles;
		if (node->kind == STACK_ROOT)
			continue;
		bool again = inside_same(result->nodes, i);
		edges->all[edges->count++] = (struct edge){.site = node->site,
		    .target = node->entry,
		    .calls = node->entered,
		    .count = again ? 0 : below[i].count,
		    .cycles = again ? 0 : below[i].cycles};
	}
	free(below);
	merge(edges);
	return EXPORT_OK;
}

/* ---- a profile: shared out by counts ---- */

#define NONE UINT32_MAX

struct function { /* by spot; only functions of the program are used */
	struct sum own;
	uint64_t entries;        /* executions of its first instruction */
	uint64_t again;          /* jumps to it from within */
	uint32_t group;          /* functions that call each other: the spot of one of them */
	struct sum whole;        /* of a group: its members and all that they call */
	uint64_t outside;        /* of a group: times entered from other groups */
	size_t first, next, end; /* its edges, in `out`; next: of the search */
	uint32_t order, low, caller;
	bool open;
};

struct estimate {
	const struct export_input *input;
	struct edges *edges;
	struct function *functions;
	uint32_t *from, *to; /* functions of each edge */
	size_t *out;         /* edges by caller */
	uint32_t *stack;
	size_t depth;
	uint32_t *finished; /* functions, callees first */
	size_t finished_count;
	uint32_t order;
};

static uint32_t function_of(const struct estimate *e, uint64_t pc)
{
	const struct spot_place *place = spots_at(e->input->spots, pc);
	return place == NULL ? NONE : spots_function(e->input->spots, place->spot);
}

static void visit(struct estimate *e, uint32_t function, uint32_t caller)
{
	struct function *f = &e->functions[function];
	f->caller = caller;
	f->order = f->low = ++e->order;
	f->open = true;
	e->stack[e->depth++] = function;
}

/* All functions above the finished one on the stack call each other. */
static void close_group(struct estimate *e, uint32_t function)
{
	uint32_t member;
	do {
		member = e->stack[--e->depth];
		e->functions[member].open = false;
		e->functions[member].group = function;
		e->finished[e->finished_count++] = member;
	} while (member != function);
}

/* Strongly connected groups (Tarjan), without recursion. A group finishes after all that it calls. */
static void search(struct estimate *e, uint32_t root)
{
	struct function *f = e->functions;
	uint32_t at = root;
	visit(e, root, NONE);
	while (at != NONE) {
		if (f[at].next < f[at].end) {
			uint32_t to = e->to[e->out[f[at].next++]];
			if (to == NONE)
				continue;
			if (f[to].order == 0) {
				visit(e, to, at);
				at = to;
			} else if (f[to].open && f[to].order < f[at].low)
				f[at].low = f[to].order;
			continue;
		}
		if (f[at].low == f[at].order)
			close_group(e, at);
		uint32_t caller = f[at].caller;
		if (caller != NONE && f[at].low < f[caller].low)
			f[caller].low = f[at].low;
		at = caller;
	}
}

static uint64_t share(uint64_t whole, uint64_t part, uint64_t of)
{
	return of == 0 ? 0 : (uint64_t)((unsigned __int128)whole * part / of);
}

/* Own costs and entries of all functions. */
static void take_code(struct estimate *e)
{
	const struct gather_result *result = e->input->result;
	const struct spots *spots = e->input->spots;
	for (size_t i = 0; i < result->code_count; i++) {
		const struct gather_code *code = &result->code[i];
		const struct spot_place *place = spots_at(spots, code->pc);
		if (place == NULL)
			continue;
		uint32_t index = spots_function(spots, place->spot);
		struct function *f = &e->functions[index];
		f->own.count += code->count;
		f->own.cycles += code->cycles;
		if (code->pc == spots->all[index].start)
			f->entries += code->count;
		bool branch = (place->class_bits & ISA_BRANCH) != 0;
		if (place->target == spots->all[index].start && (place->class_bits & ISA_CALL) == 0 &&
		    (branch || (place->class_bits & ISA_JUMP) != 0))
			f->again += branch ? code->taken : code->count;
	}
}

/* By caller: e->out holds its edges from first to end. */
static void sort_edges(struct estimate *e)
{
	size_t at = 0;
	for (size_t i = 0; i < e->edges->count; i++) {
		e->from[i] = function_of(e, e->edges->all[i].site);
		e->to[i] = function_of(e, e->edges->all[i].target);
		if (e->from[i] != NONE)
			e->functions[e->from[i]].end++;
	}
	for (size_t i = 0; i < e->input->spots->count; i++) {
		struct function *f = &e->functions[i];
		size_t count = f->end;
		f->first = f->next = f->end = at;
		at += count;
	}
	for (size_t i = 0; i < e->edges->count; i++) {
		if (e->from[i] != NONE)
			e->out[e->functions[e->from[i]].end++] = i;
	}
}

static int take_groups(struct estimate *e)
{
	struct function *f = e->functions;
	for (size_t i = 0; i < e->finished_count; i++) {
		const struct function *member = &f[e->finished[i]];
		f[member->group].whole.count += member->own.count;
		f[member->group].whole.cycles += member->own.cycles;
		f[member->group].outside += member->entries > member->again ? member->entries - member->again : 0;
	}
	for (size_t i = 0; i < e->edges->count; i++) { /* calls inside a group do not enter it */
		uint32_t from = e->from[i], to = e->to[i];
		if (from != NONE && to != NONE && f[from].group == f[to].group) {
			uint64_t *outside = &f[f[to].group].outside, calls = e->edges->all[i].calls;
			*outside -= calls < *outside ? calls : *outside;
		}
	}
	uint64_t *known = calloc(e->input->spots->count + 1, sizeof *known);
	if (known == NULL)
		return EXPORT_ENOMEM;
	for (size_t i = 0; i < e->edges->count; i++) {
		uint32_t from = e->from[i], to = e->to[i];
		if (to != NONE && (from == NONE || f[from].group != f[to].group)) {
			uint64_t *sum = &known[f[to].group];
			*sum += e->edges->all[i].calls;
			if (*sum > f[f[to].group].outside) /* samples: more calls were seen than entries */
				f[f[to].group].outside = *sum;
		}
	}
	free(known);
	return EXPORT_OK;
}

/* Costs of the calls, callees before callers: a group is complete when a call to it is met. */
static void pass_up(struct estimate *e)
{
	struct function *f = e->functions;
	for (size_t i = 0; i < e->finished_count; i++) {
		uint32_t member = e->finished[i], group = f[member].group;
		for (size_t k = f[member].first; k < f[member].end; k++) {
			struct edge *edge = &e->edges->all[e->out[k]];
			uint32_t to = e->to[e->out[k]];
			if (to == NONE || f[to].group == group)
				continue;
			const struct function *callee = &f[f[to].group];
			edge->count = share(callee->whole.count, edge->calls, callee->outside);
			edge->cycles = share(callee->whole.cycles, edge->calls, callee->outside);
			f[group].whole.count += edge->count;
			f[group].whole.cycles += edge->cycles;
		}
	}
}

/* Calls of a profile, and the tail calls that its traces show. */
static int take_calls(struct edges *edges, const struct gather_result *result)
{
	edges->all = calloc(result->call_count + result->node_count, sizeof *edges->all);
	if (edges->all == NULL)
		return EXPORT_ENOMEM;
	for (size_t i = 0; i < result->call_count; i++) {
		const struct gather_call *call = &result->calls[i];
		edges->all[edges->count++] =
		    (struct edge){.site = call->site, .target = call->target, .calls = call->count};
	}
	for (size_t i = 1; i < result->node_count; i++) {
		const struct stack_node *node = &result->nodes[i];
		if (node->kind == STACK_TAIL)
			edges->all[edges->count++] =
			    (struct edge){.site = node->site, .target = node->entry, .calls = node->entered};
	}
	merge(edges);
	return EXPORT_OK;
}

static int estimate(struct edges *edges, const struct export_input *input)
{
	struct estimate e = {.input = input, .edges = edges};
	size_t functions = input->spots->count + 1;
	int error = take_calls(edges, input->result);
	e.functions = calloc(functions, sizeof *e.functions);
	e.stack = calloc(functions, sizeof *e.stack);
	e.finished = calloc(functions, sizeof *e.finished);
	e.from = calloc(edges->count + 1, sizeof *e.from);
	e.to = calloc(edges->count + 1, sizeof *e.to);
	e.out = calloc(edges->count + 1, sizeof *e.out);
	if (e.functions == NULL || e.stack == NULL || e.finished == NULL || e.from == NULL || e.to == NULL ||
	    e.out == NULL)
		error = EXPORT_ENOMEM;
	if (error == EXPORT_OK) {
		take_code(&e);
		sort_edges(&e);
		for (uint32_t i = 0; i < input->spots->count; i++) {
			if (input->spots->all[i].parent == SPOT_NONE && e.functions[i].order == 0)
				search(&e, i);
		}
		error = take_groups(&e);
	}
	if (error == EXPORT_OK)
		pass_up(&e);
	free(e.functions);
	free(e.stack);
	free(e.finished);
	free(e.from);
	free(e.to);
	free(e.out);
	return error;
}

int edges_make(struct edges *edges, const struct export_input *input)
{
	*edges = (struct edges){.estimated = !input->result->ordered};
	int error = input->result->ordered ? from_contexts(edges, input->result) : estimate(edges, input);
	if (error != EXPORT_OK)
		edges_free(edges);
	return error;
}
