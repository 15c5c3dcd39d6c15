/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What calls cost where only counts are known: gprof's shares, and what is not known of each. */
#include "host/export/edges_private.h"

#include <stdlib.h>
#include "isa/isa.h"

/* ---- a profile: shared out by counts ---- */

#define NONE UINT32_MAX
#define KIND_RUNS 0xFFu /* of an edge: goes on in another function without a call of it; none is given out */

struct sum {
	uint64_t count, cycles;
};

struct function { /* by spot; only functions of the program are used */
	struct sum own;
	uint64_t entries;        /* executions of its first instruction */
	uint64_t again;          /* jumps to it from within */
	uint32_t group;          /* functions that call each other: the spot of one of them */
	struct sum whole;        /* of a group: its members and all that they call */
	uint64_t outside, given; /* of a group: times entered from other groups; of these, with their share */
	uint64_t called, within; /* calls of it, all and from its own group */
	uint32_t user;           /* of a group: the group that calls it, NONE: none yet */
	uint8_t unknown;         /* of a group: enum edge_unknown, of what its members cost */
	bool many;               /* of a group: several groups call it, or nobody knows who */
	bool blind;              /* it calls by a register, and not all of these calls are known */
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
	uint8_t everywhere; /* enum edge_unknown: of all costs */
	bool unexplained;   /* functions were entered, and nobody knows from where */
};

static uint32_t edge_function_of(const struct estimate *e, uint64_t pc)
{
	const struct spot_place *place = spots_at(e->input->spots, pc);
	return place == NULL ? NONE : spots_function(e->input->spots, place->spot);
}

static void visit_estimated(struct estimate *e, uint32_t function, uint32_t caller)
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
static void search_component(struct estimate *e, uint32_t root)
{
	struct function *f = e->functions;
	uint32_t at = root;
	visit_estimated(e, root, NONE);
	while (at != NONE) {
		if (f[at].next < f[at].end) {
			uint32_t to = e->to[e->out[f[at].next++]];
			if (to == NONE)
				continue;
			if (f[to].order == 0) {
				visit_estimated(e, to, at);
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

/* Of a group's cost what `calls` of its calls have. The shares of all add up to the whole. */
static struct sum take_share(struct function *group, uint64_t calls)
{
	const uint64_t before = group->given, after = before + calls, all = group->outside;
	const struct sum whole = group->whole;
	group->given = after;
	if (all == 0)
		return (struct sum){0};
	return (struct sum){(uint64_t)((unsigned __int128)whole.count * after / all) -
				(uint64_t)((unsigned __int128)whole.count * before / all),
	    (uint64_t)((unsigned __int128)whole.cycles * after / all) -
		(uint64_t)((unsigned __int128)whole.cycles * before / all)};
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
		if ((place->class_bits & ISA_RET) != 0) /* of handlers nobody knows whom they interrupted */
			e->everywhere |= EDGE_MORE;
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
		e->from[i] = edge_function_of(e, e->edges->all[i].site);
		e->to[i] = edge_function_of(e, e->edges->all[i].target);
		if (e->from[i] != NONE)
			e->functions[e->from[i]].end++;
		const struct edge *edge = &e->edges->all[i];
		if (e->to[i] != NONE && edge->kind == KIND_RUNS && e->input->spots->all[e->to[i]].start != edge->target)
			e->functions[e->to[i]].entries += edge->calls; /* in its middle */
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
		const uint64_t calls = e->edges->all[i].calls;
		if (to != NONE)
			f[to].called += calls;
		if (from != NONE && to != NONE && f[from].group == f[to].group) {
			uint64_t *outside = &f[f[to].group].outside;
			*outside -= calls < *outside ? calls : *outside;
			f[to].within += calls;
		}
	}
	uint64_t *known = calloc(e->input->spots->count + 1, sizeof *known);
	if (known == NULL)
		return EXPORT_ENOMEM;
	for (size_t i = 0; i < e->edges->count; i++) {
		uint32_t from = e->from[i], to = e->to[i];
		if (to != NONE && (from == NONE || f[from].group != f[to].group)) {
			struct function *group = &f[f[to].group];
			uint64_t *sum = &known[f[to].group];
			*sum += e->edges->all[i].calls;
			if (*sum > group->outside) /* samples: more calls were seen than entries */
				group->outside = *sum;
			const uint32_t user = from == NONE ? NONE : f[from].group;
			group->many |= user == NONE || (group->user != NONE && group->user != user);
			group->user = user;
		}
	}
	for (size_t i = 0; i < e->input->spots->count; i++)
		f[i].many |= known[i] < f[i].outside;
	free(known);
	return EXPORT_OK;
}

/* How often a function was entered by nobody who is known. */
static uint64_t rest_of(const struct function *f)
{
	const uint64_t entered = f->entries > f->again ? f->entries - f->again : 0;
	return entered > f->called ? entered - f->called : 0;
}

/* Which functions call what nobody knows: by a register, more often than these calls are known. */
static void find_blind(struct estimate *e)
{
	const struct gather_result *result = e->input->result;
	const struct spots *spots = e->input->spots;
	for (size_t i = 0; i < spots->count; i++) {
		const struct spot *spot = &spots->all[i];
		e->unexplained |= spot->parent == SPOT_NONE && spot->start != image_entry(e->input->image) &&
				  rest_of(&e->functions[i]) > 0;
	}
	for (size_t i = 0; i < result->code_count; i++) {
		const struct gather_code *code = &result->code[i];
		const struct spot_place *place = spots_at(spots, code->pc);
		if (place == NULL || (place->class_bits & ISA_INDIRECT) == 0 || (place->class_bits & ISA_RETURN) != 0)
			continue;
		uint64_t known = 0;
		for (size_t k = edges_first(e->edges, code->pc);
		     k < e->edges->count && e->edges->all[k].site == code->pc; k++)
			known += e->edges->all[k].calls;
		if (known < code->count)
			e->functions[spots_function(spots, place->spot)].blind = true;
	}
}

/* What a call costs. Of a callee that never ran, as far as the profile knows, it is not known. */
static uint8_t pass_edge(struct estimate *e, size_t index, uint32_t group)
{
	struct function *f = e->functions;
	struct edge *edge = &e->edges->all[index];
	const uint32_t to = e->to[index];
	if (to == NONE || f[to].entries == 0)
		return edge->unknown = EDGE_MORE;
	if (f[to].group == group) {
		edge->unknown = EDGE_WITHIN;
		return 0;
	}
	struct function *callee = &f[f[to].group];
	const struct sum mine = take_share(callee, edge->calls);
	edge->count = mine.count;
	edge->cycles = mine.cycles;
	edge->unknown = callee->unknown | (edge->calls == callee->outside ? 0 : EDGE_SHARED);
	f[group].whole.count += edge->count;
	f[group].whole.cycles += edge->cycles;
	return callee->unknown | (callee->many ? EDGE_SHARED : 0);
}

/* Costs of the calls, callees before callers: a group is complete when a call to it is met. */
static void pass_up(struct estimate *e)
{
	struct function *f = e->functions;
	for (size_t i = 0; i < e->finished_count; i++) {
		uint32_t member = e->finished[i], group = f[member].group;
		f[group].unknown |= e->everywhere | (f[member].blind && e->unexplained ? EDGE_MORE : 0);
		for (size_t k = f[member].first; k < f[member].end; k++)
			f[group].unknown |= pass_edge(e, e->out[k], group);
	}
	for (size_t i = 0; i < e->edges->count; i++) { /* made by code that has no function */
		if (e->from[i] == NONE)
			(void)pass_edge(e, i, NONE);
	}
}

/* Of each function what it costs with all that it calls, and how often nobody knows who called it. */
static int give_functions(struct estimate *e)
{
	const struct spots *spots = e->input->spots;
	struct edges *edges = e->edges;
	edges->functions = calloc(spots->count + 1, sizeof *edges->functions);
	edges->roots = calloc(spots->count + 1, sizeof *edges->roots);
	if (edges->functions == NULL || edges->roots == NULL)
		return EXPORT_ENOMEM;
	for (size_t i = 0; i < spots->count; i++) {
		const struct function *f = &e->functions[i];
		if (f->order == 0)
			continue;
		struct function *group = &e->functions[f->group];
		const uint64_t rest = rest_of(f), begun = f->called - f->within + rest;
		edges->functions[i] = (struct edge_function){.count = group->whole.count,
		    .cycles = group->whole.cycles,
		    .unknown = group->unknown | (begun == group->outside ? 0 : EDGE_WITHIN)};
		const bool before = group->outside == 0 && group->whole.count > 0 && f->group == i;
		if (rest == 0 && !before) /* before: it was entered before the first trace */
			continue;
		const struct sum mine = before ? group->whole : take_share(group, rest);
		edges->roots[edges->root_count++] = (struct edge){.target = spots->all[i].start,
		    .calls = rest,
		    .count = mine.count,
		    .cycles = mine.cycles,
		    .kind = STACK_ROOT,
		    .unknown = group->unknown | (rest == group->outside ? 0 : EDGE_SHARED)};
	}
	return EXPORT_OK;
}

/* Where a jump or branch goes, also one that has its address from the AUIPC before it; 0: not known. */
static uint64_t target_of(const struct estimate *e, const struct spot_place *place)
{
	uint64_t target = place->target;
	if ((place->class_bits & (ISA_JUMP | ISA_BRANCH)) == 0 &&
	    !image_far_target(e->input->image, place->pc, &target))
		return 0;
	return target;
}

/* What a jump or branch out of its function is: STACK_TAIL to the start of another one, KIND_RUNS into the middle of
 * it; STACK_ROOT: it is none, or goes nobody knows where. */
static uint8_t jump_kind(const struct estimate *e, const struct spot_place *place, uint64_t *target)
{
	if (place == NULL || (place->class_bits & (ISA_JUMP | ISA_BRANCH | ISA_INDIRECT)) == 0 ||
	    (place->class_bits & (ISA_CALL | ISA_RETURN)) != 0)
		return STACK_ROOT;
	*target = target_of(e, place);
	const uint32_t to = *target == 0 ? NONE : edge_function_of(e, *target);
	if (to == NONE || to == spots_function(e->input->spots, place->spot))
		return STACK_ROOT;
	return e->input->spots->all[to].start == *target ? STACK_TAIL : KIND_RUNS;
}

/* Code that runs on into the function behind it, as __riscv_restore_12 does, costs what that costs, and is no call of
 * it: one for as long as costs are passed up. A call in the last place may be of a function that does not return. */
static void take_fall(struct estimate *e, size_t index)
{
	const struct spots *spots = e->input->spots;
	const struct spot_place *before = &spots->places[index - 1], *place = &spots->places[index];
	const uint32_t to = spots_function(spots, place->spot);
	if (spots->all[to].start != place->pc || before->pc + before->length != place->pc ||
	    spots_function(spots, before->spot) == to ||
	    (before->class_bits & (ISA_JUMP | ISA_INDIRECT | ISA_RET | ISA_TRAPS)) != 0)
		return;
	const struct gather_code *code = gather_at(e->input->result, before->pc);
	if (code == NULL || code->count == code->taken)
		return;
	e->edges->all[e->edges->count++] = (struct edge){
	    .site = before->pc, .target = place->pc, .calls = code->count - code->taken, .kind = KIND_RUNS};
}

/* Behind pass_up(): what code runs into is no call. */
static void drop_runs(struct edges *edges)
{
	size_t kept = 0;
	for (size_t i = 0; i < edges->count; i++) {
		if (edges->all[i].kind != KIND_RUNS)
			edges->all[kept++] = edges->all[i];
	}
	edges->count = kept;
}

/* Calls of a profile. Tail calls are known from the code: a trace may end at the jump. Those by a register are known
 * where a trace shows them. */
static int take_edge_calls(struct estimate *e)
{
	const struct gather_result *result = e->input->result;
	struct edges *edges = e->edges;
	edges->all = calloc(result->call_count + 2 * result->code_count + result->node_count, sizeof *edges->all);
	if (edges->all == NULL)
		return EXPORT_ENOMEM;
	for (size_t i = 0; i < result->call_count; i++) {
		const struct gather_call *call = &result->calls[i];
		edges->all[edges->count++] =
		    (struct edge){.site = call->site, .target = call->target, .calls = call->count, .kind = STACK_CALL};
	}
	for (size_t i = 0; i < result->code_count; i++) {
		const struct gather_code *code = &result->code[i];
		const struct spot_place *place = spots_at(e->input->spots, code->pc);
		uint64_t target = 0;
		const uint8_t kind = jump_kind(e, place, &target);
		uint64_t times;
		if (kind == STACK_ROOT)
			times = 0;
		else if ((place->class_bits & ISA_BRANCH) != 0)
			times = code->taken;
		else
			times = code->count;
		if (times > 0)
			edges->all[edges->count++] =
			    (struct edge){.site = code->pc, .target = target, .calls = times, .kind = kind};
	}
	for (size_t i = 1; i < result->node_count; i++) {
		const struct stack_node *node = &result->nodes[i];
		uint64_t target = 0;
		if (node->kind == STACK_TAIL &&
		    jump_kind(e, spots_at(e->input->spots, node->site), &target) == STACK_ROOT)
			edges->all[edges->count++] = (struct edge){
			    .site = node->site, .target = node->entry, .calls = node->entered, .kind = STACK_TAIL};
	}
	for (size_t i = 1; i < e->input->spots->place_count; i++)
		take_fall(e, i);
	edges_merge(edges);
	return EXPORT_OK;
}

int edges_estimate(struct edges *edges, const struct export_input *input)
{
	struct estimate e = {.input = input, .edges = edges};
	size_t functions = input->spots->count + 1;
	int error = take_edge_calls(&e);
	if (input->sampled || input->part)
		e.everywhere |= EDGE_SHARED;
	if (input->result->unfit > 0 || input->result->cut > 0)
		e.everywhere |= EDGE_MORE;
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
		for (size_t i = 0; i < functions; i++)
			e.functions[i].user = NONE;
		take_code(&e);
		sort_edges(&e);
		for (uint32_t i = 0; i < input->spots->count; i++) {
			if (input->spots->all[i].parent == SPOT_NONE && e.functions[i].order == 0)
				search_component(&e, i);
		}
		error = take_groups(&e);
	}
	if (error == EXPORT_OK) {
		find_blind(&e);
		pass_up(&e);
		error = give_functions(&e);
		drop_runs(edges);
	}
	free(e.functions);
	free(e.stack);
	free(e.finished);
	free(e.from);
	free(e.to);
	free(e.out);
	return error;
}
