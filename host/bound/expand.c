/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A function's graph with what the core has in hand in each vertex, and the cycles of each edge. */
#include <stdlib.h>
#include "host/base/array.h"
#include "host/bound/private.h"
#include "isa/isa.h"

#define OUTCOMES_MAX CORE_STATES /* each state is there once */
#define EXTRA_MAX 16u            /* cycles by which a longer instruction can let the fetch get further ahead */

struct core_outcome {
	struct core_state state;
	uint64_t cycles; /* the most with which the core comes to this state */
};
struct core_outcomes {
	struct core_outcome all[OUTCOMES_MAX];
	size_t count;
};

struct expansion {
	struct bound_maker *maker;
	struct bound_graph *graph;
	uint32_t function, set;
	uint32_t from; /* the vertex at hand */
	struct core_outcomes *before,
	    *behind; /* its last instruction: on the heap, as calls are expanded inside of each other */
};

/* ---- blocks */

/* An environment call and a breakpoint take what their handler takes, and the core goes on as behind a jump; or the
 * host serves them, and the core goes on as if nothing had been. */
static bool is_call_of_host(const struct core_insn *insn)
{
	return insn->op == ISA_ECALL || insn->op == ISA_EBREAK;
}

/* The facts of a block's instructions, with what the user says of their cost. NULL: out of memory. */
static const struct core_insn *facts_of(struct bound_maker *m, uint32_t number)
{
	const struct cfg_block *block = &m->cfg->blocks[number];
	if (m->facts[number] != NULL)
		return m->facts[number];
	struct core_insn *facts = calloc(block->insns + 1u, sizeof *facts);
	uint64_t at = block->start, cycles;
	for (uint32_t i = 0; facts != NULL && i < block->insns; i++) {
		struct isa_insn insn;
		if (!image_insn(m->cfg->image, at, 0, &insn))
			break;
		core_facts(m->options->core, &insn, at, &facts[i]);
		bool known = flow_facts_cost(m->options->facts, at, &cycles);
		if (known) {
			facts[i].most = cycles < CORE_UNBOUNDED ? (uint16_t)cycles : CORE_UNBOUNDED - 1;
			facts[i].least = facts[i].least < facts[i].most ? facts[i].least : facts[i].most;
		}
		if (!known && (facts[i].most == CORE_UNBOUNDED || is_call_of_host(&facts[i])) &&
		    bound_lacks(m, block->function, at, BOUND_COST) != BOUND_OK) {
			free(facts);
			return NULL;
		}
		if (facts[i].most == CORE_UNBOUNDED)
			facts[i].most = facts[i].least;
		at += insn.length;
	}
	if (facts != NULL && bound_stack_from(m, number) != BOUND_OK) {
		free(facts);
		return NULL;
	}
	m->facts[number] = facts;
	return facts;
}

static void merge_outcome(struct core_outcomes *to, const struct core_state *state, uint64_t cycles)
{
	for (size_t i = 0; i < to->count; i++) {
		if (core_state_number(&to->all[i].state) == core_state_number(state)) {
			to->all[i].cycles = cycles > to->all[i].cycles ? cycles : to->all[i].cycles;
			return;
		}
	}
	to->all[to->count++] = (struct core_outcome){*state, cycles};
}

/* One instruction more, from each state that the core can be in. */
static void run_insn(const struct core *core, struct core_outcomes *now, const struct core_insn *insn, bool taken)
{
	struct core_outcomes next = {.count = 0};
	const unsigned room = insn->most - insn->least;
	for (size_t i = 0; i < now->count; i++) {
		for (unsigned extra = 0; extra <= room; extra++) {
			if (extra == EXTRA_MAX)
				extra = room; /* what lies between comes to the same state, sooner */
			struct core_state state = now->all[i].state;
			unsigned cycles = core_next(core, &state, insn, taken, extra);
			merge_outcome(&next, &state, now->all[i].cycles + cycles);
			if (is_call_of_host(insn))
				merge_outcome(&next, &CORE_START, now->all[i].cycles + cycles);
		}
	}
	*now = next;
}

/* ---- vertices */

struct wanted_vertex {
	const struct bound_graph *graph;
	uint32_t block;
	unsigned state;
};

static bool is_wanted_vertex(const void *context, uint32_t index)
{
	const struct wanted_vertex *w = context;
	const struct bound_vertex *vertex = &w->graph->vertices[index];
	return vertex->block == w->block && core_state_number(&vertex->state) == w->state;
}

static int state_vertex_of(struct bound_graph *graph, uint32_t block, const struct core_state *state, uint32_t *vertex)
{
	const struct wanted_vertex wanted = {graph, block, core_state_number(state)};
	const uint32_t hash = hash_of_two(block, wanted.state);
	*vertex = hash_find(&graph->by_vertex, hash, is_wanted_vertex, &wanted);
	if (*vertex != HASH_NONE)
		return BOUND_OK;
	*vertex = (uint32_t)graph->vertex_count;
	if (!array_room(&graph->vertices, graph->vertex_count + 1, &graph->vertex_room) ||
	    !hash_add(&graph->by_vertex, hash, *vertex))
		return BOUND_ENOMEM;
	graph->vertices[graph->vertex_count++] = (struct bound_vertex){block, *state};
	return BOUND_OK;
}

static bool left_out(const struct bound_maker *m, uint32_t block)
{
	return m->options->facts->never[block] || (m->options->ran_only && !seen_flow_ran(m->options->seen, block));
}

/* The most cycles that runs showed of a block that `next` follows, in the contexts at hand or else in any. */
static bool seen_most(const struct expansion *x, uint32_t block, uint32_t next, uint64_t *most)
{
	const struct bound_maker *m = x->maker;
	const struct seen_block *found;
	size_t count;
	bool here = false, any = false;
	*most = 0;
	for (uint32_t i = 0; i < m->sets[x->set].count; i++) {
		found = seen_flow_block(m->options->seen, m->members[m->sets[x->set].first + i], block, next);
		here = here || found != NULL;
		*most = found != NULL && found->most > *most ? found->most : *most;
	}
	seen_flow_contexts(m->options->seen, &count);
	for (uint32_t c = 1; c < count && !here; c++) {
		found = seen_flow_block(m->options->seen, c, block, next);
		any = any || found != NULL;
		*most = found != NULL && found->most > *most ? found->most : *most;
	}
	return here || any;
}

/* What the core is said to take up to the end of the block, for what runs showed. */
static void take_observed(const struct expansion *x, uint32_t block, uint32_t next, struct core_outcomes *outcomes)
{
	uint64_t most;
	if (!x->maker->options->observed)
		return;
	if (!seen_most(x, block, next, &most) && !seen_most(x, block, SEEN_ANY, &most)) {
		x->maker->result->unmeasured[block] = true;
		return;
	}
	for (size_t i = 0; i < outcomes->count; i++)
		outcomes->all[i].cycles = most;
}

/* Edges from the vertex at hand with these outcomes to a block, or out. call: what happens in between. */
static int add_outcome_edges(
    struct expansion *x, const struct core_outcome *outcomes, size_t count, uint32_t to, const struct bound_edge *call)
{
	struct bound_graph *graph = x->graph;
	if (to != BOUND_SINK && left_out(x->maker, to))
		return BOUND_OK;
	for (size_t i = 0; i < count; i++) {
		struct bound_edge edge = {x->from, BOUND_SINK, outcomes[i].cycles, 0, UINT32_MAX};
		if (call != NULL) {
			edge.cost += call->called;
			edge.called = call->called;
			edge.part = call->part;
		}
		if (to != BOUND_SINK && state_vertex_of(graph, to, &outcomes[i].state, &edge.to) != BOUND_OK)
			return BOUND_ENOMEM;
		if (!array_room(&graph->edges, graph->edge_count + 1, &graph->edge_room))
			return BOUND_ENOMEM;
		graph->edges[graph->edge_count++] = edge;
	}
	return BOUND_OK;
}

/* ---- calls */

/* One of those that a block calls or jumps to: `call` has the longest; its part stays UINT32_MAX if there is none that
 * can be. */
static int call_one(
    struct expansion *x, uint32_t block, uint32_t callee, bool tail, struct core_state state, struct bound_edge *call)
{
	struct bound_maker *m = x->maker;
	uint32_t set, part;
	int error = bound_contexts_called(m, x->set, m->cfg->blocks[block].last, callee, tail, &set);
	if (error == BOUND_OK && set == 0 && m->options->seen != NULL && m->open[callee] == 0) {
		m->result->elsewhere++;
		error = bound_contexts_all(m, callee, &set);
	}
	/* a function that calls itself, deeper than any run: not so deep, unless the user says how deep it may be */
	const bool deeper = set == 0 && m->open[callee] > 0 && m->options->facts->depths[callee] == 0;
	if (error != BOUND_OK || (deeper && m->options->seen != NULL)) {
		m->result->depth_seen = true;
		return error;
	}
	error = bound_part(m, callee, set, state, &part);
	if (error == BOUND_OK && part != UINT32_MAX && m->result->parts[part].trap_return) {
		/* what is called comes back by a return */
		x->graph->trap_return = x->graph->trap_return || tail;
		error = tail ? BOUND_OK : bound_lacks(m, x->function, m->cfg->blocks[block].last, BOUND_ELSEWHERE);
	}
	if (error == BOUND_OK && part != UINT32_MAX &&
	    (call->part == UINT32_MAX || m->result->parts[part].cycles > call->called)) {
		call->part = part;
		call->called = m->result->parts[part].cycles;
	}
	return error;
}

static int call_any(struct expansion *x, uint32_t block, bool tail, struct core_state state, struct bound_edge *call)
{
	struct bound_maker *m = x->maker;
	uint32_t *targets = malloc((m->cfg->counts.functions + 1u) * sizeof *targets);
	if (targets == NULL)
		return BOUND_ENOMEM;
	size_t n = bound_targets(m, x->set, m->cfg->blocks[block].last, targets, m->cfg->counts.functions);
	int error = n > 0 ? BOUND_OK : bound_lacks(m, x->function, m->cfg->blocks[block].last, BOUND_TARGET);
	for (size_t i = 0; i < n && error == BOUND_OK; i++)
		error = call_one(x, block, targets[i], tail, state, call);
	free(targets);
	return error;
}

/* ---- edges */

static bool leaves_by_transfer(const struct core_insn *last, const struct cfg_block *block, const struct cfg_edge *edge)
{
	if (!last->transfer)
		return false;
	return !last->conditional || (edge->kind != CFG_FALL && edge->target != block->end);
}

/* An edge that leaves the function. */
static int leave_function(
    struct expansion *x, uint32_t number, const struct cfg_edge *edge, const struct core_outcomes *outcomes)
{
	const struct cfg_block *block = &x->maker->cfg->blocks[number];
	struct bound_edge call = {.part = UINT32_MAX};
	uint32_t callee;
	int error = BOUND_OK;
	switch (edge->kind) {
	case CFG_TAIL:
		callee = cfg_function_at(x->maker->cfg, edge->target);
		if (callee == CFG_NONE)
			return bound_lacks(x->maker, x->function, block->last, BOUND_OUTSIDE);
		for (size_t i = 0; i < outcomes->count && error == BOUND_OK; i++) {
			call = (struct bound_edge){.part = UINT32_MAX};
			error = call_one(x, number, callee, true, outcomes->all[i].state, &call);
			if (error == BOUND_OK && call.part != UINT32_MAX)
				error = add_outcome_edges(x, &outcomes->all[i], 1, BOUND_SINK, &call);
		}
		return error;
	case CFG_TAIL_INDIRECT:
		error = call_any(x, number, true, CORE_START, &call);
		return error != BOUND_OK || call.part == UINT32_MAX
			   ? error
			   : add_outcome_edges(x, outcomes->all, outcomes->count, BOUND_SINK, &call);
	case CFG_UNRESOLVED:
		return bound_lacks(x->maker, x->function, block->last, BOUND_TARGET);
	case CFG_XRET:
		x->graph->trap_return = true;
		return add_outcome_edges(x, outcomes->all, outcomes->count, BOUND_SINK, NULL);
	case CFG_OUTSIDE:
		return bound_lacks(x->maker, x->function, block->last, BOUND_OUTSIDE);
	default: /* it returns, or the program ends */
		return add_outcome_edges(x, outcomes->all, outcomes->count, BOUND_SINK, NULL);
	}
}

/* All ways out of the vertex at hand. */
static int expand_vertex(struct expansion *x)
{
	struct bound_maker *m = x->maker;
	const struct bound_vertex vertex = x->graph->vertices[x->from];
	const struct cfg_block *block = &m->cfg->blocks[vertex.block];
	const struct core_insn *facts = facts_of(m, vertex.block);
	struct bound_edge call = {.part = UINT32_MAX};
	int error = BOUND_OK;
	if (facts == NULL)
		return BOUND_ENOMEM;
	x->before->all[0] = (struct core_outcome){vertex.state, 0};
	x->before->count = 1;
	for (uint32_t i = 0; i + 1 < block->insns; i++)
		run_insn(m->options->core, x->before, &facts[i], true);
	if (block->call == CFG_CALL && block->callee != CFG_NONE)
		error = call_one(x, vertex.block, block->callee, false, CORE_START, &call);
	else if (block->call == CFG_CALL_INDIRECT)
		error = call_any(x, vertex.block, false, CORE_START, &call);
	else if (block->call == CFG_CALL)
		error = bound_lacks(m, x->function, block->last, BOUND_OUTSIDE);
	if (error != BOUND_OK || (block->call != CFG_NO_CALL && call.part == UINT32_MAX))
		return error; /* what cannot be called ends no way */
	for (uint32_t e = block->edges; e < block->edges + block->edge_count && error == BOUND_OK; e++) {
		const struct cfg_edge *edge = &m->cfg->edges[e];
		const struct core_insn *last = &facts[block->insns - 1];
		struct core_outcomes *behind = x->behind;
		*behind = *x->before;
		run_insn(m->options->core, behind, last, leaves_by_transfer(last, block, edge));
		take_observed(x, vertex.block, edge->to, behind);
		if (block->call != CFG_NO_CALL)
			error = add_outcome_edges(
			    x, behind->all, behind->count, edge->kind == CFG_AFTER_CALL ? edge->to : BOUND_SINK, &call);
		else if (edge->to != CFG_NONE)
			error = add_outcome_edges(x, behind->all, behind->count, edge->to, NULL);
		else
			error = leave_function(x, vertex.block, edge, behind);
	}
	return error;
}

/* Jump tables of which the end was guessed: a way may be missing. */
static void count_guessed(struct bound_maker *m, uint32_t function)
{
	for (uint32_t i = 0; i < m->cfg->table_count; i++) {
		const struct cfg_table *table = &m->cfg->tables[i];
		m->result->guessed += table->function == function && table->targets > 0 && !table->bounded;
	}
}

int bound_expand(
    struct bound_maker *m, struct bound_graph *graph, uint32_t function, uint32_t set, struct core_state state)
{
	struct expansion x = {.maker = m, .graph = graph, .function = function, .set = set};
	const uint32_t entry = m->cfg->functions[function].entry;
	uint32_t first;
	if (entry == CFG_NONE || left_out(m, entry))
		return BOUND_OK;
	if (!m->expanded[function])
		count_guessed(m, function);
	m->expanded[function] = true;
	x.before = malloc(sizeof *x.before);
	x.behind = malloc(sizeof *x.behind);
	int error = x.before == NULL || x.behind == NULL ? BOUND_ENOMEM : state_vertex_of(graph, entry, &state, &first);
	for (; error == BOUND_OK && x.from < graph->vertex_count; x.from++)
		error = expand_vertex(&x);
	free(x.before);
	free(x.behind);
	return error;
}

void bound_graph_free(struct bound_graph *graph)
{
	free(graph->vertices);
	free(graph->edges);
	hash_free(&graph->by_vertex);
	*graph = (struct bound_graph){0};
}
