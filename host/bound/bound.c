/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/bound/bound.h"

#include <stdlib.h>
#include "host/base/array.h"
#include "host/bound/private.h"

#define NESTING_MAX 2000 /* calls inside of each other */

int bound_lacks(struct bound_maker *m, uint32_t function, uint64_t address, unsigned lack)
{
	struct bound_result *r = m->result;
	for (size_t i = 0; i < r->missing_count; i++) {
		if (r->missing[i].address == address && r->missing[i].lack == lack)
			return BOUND_OK;
	}
	if (!array_room(&r->missing, r->missing_count + 1, &r->missing_room))
		return BOUND_ENOMEM;
	r->missing[r->missing_count++] = (struct bound_missing){function, address, (uint8_t)lack};
	return BOUND_OK;
}

/* ---- which functions can call themselves */

struct reach { /* calls, by caller */
	uint32_t *first, *to;
	uint32_t *pending;
	bool *seen;
};

static void find_recursive(struct bound_maker *m, struct reach *reach)
{
	const uint32_t functions = m->cfg->counts.functions;
	for (uint32_t f = 0; f < functions; f++) {
		size_t pending = 0;
		for (uint32_t i = 0; i < functions; i++)
			reach->seen[i] = false;
		reach->pending[pending++] = f;
		while (pending > 0 && !m->recursive[f]) {
			uint32_t at = reach->pending[--pending];
			for (uint32_t i = reach->first[at]; i < reach->first[at + 1]; i++) {
				uint32_t to = reach->to[i];
				m->recursive[f] = m->recursive[f] || to == f;
				if (!reach->seen[to])
					reach->pending[pending++] = to;
				reach->seen[to] = true;
			}
		}
	}
}

/* Calls by a register go to what the user or runs say. */
static size_t calls_by_register(const struct bound_maker *m, struct cfg_call_edge *edges, size_t room)
{
	const struct flow_facts *facts = m->options->facts;
	size_t n = 0, count = 0;
	for (size_t i = 0; i < facts->call_count; i++) {
		uint32_t block = cfg_block_at(m->cfg, facts->calls[i].site);
		if (block != CFG_NONE && n++ < room)
			edges[n - 1] = (struct cfg_call_edge){
			    .caller = m->cfg->blocks[block].function, .callee = facts->calls[i].function};
	}
	const struct seen_context *contexts =
	    m->options->seen == NULL ? NULL : seen_flow_contexts(m->options->seen, &count);
	for (size_t c = 1; c < count; c++) {
		uint32_t caller = contexts[contexts[c].parent].function;
		if (!contexts[c].trap && caller != CFG_NONE && contexts[c].function != CFG_NONE && n++ < room)
			edges[n - 1] = (struct cfg_call_edge){.caller = caller, .callee = contexts[c].function};
	}
	return n;
}

static int mark_recursive(struct bound_maker *m)
{
	const uint32_t functions = m->cfg->counts.functions;
	struct cfg_call_edge *direct = NULL;
	size_t count = 0, more = calls_by_register(m, NULL, 0);
	if (cfg_call_graph(m->cfg, &direct, &count) != CFG_OK)
		return BOUND_ENOMEM;
	struct cfg_call_edge *all = realloc(direct, (count + more + 1) * sizeof *all);
	struct reach reach = {calloc(functions + 2u, sizeof *reach.first), calloc(count + more + 1, sizeof *reach.to),
	    calloc(functions + 1u, sizeof *reach.pending), calloc(functions + 1u, sizeof *reach.seen)};
	bool good =
	    all != NULL && reach.first != NULL && reach.to != NULL && reach.pending != NULL && reach.seen != NULL;
	if (good) {
		count += calls_by_register(m, all + count, more);
		for (size_t i = 0; i < count; i++)
			reach.first[all[i].caller + 2] += all[i].callee != CFG_NONE;
		for (uint32_t f = 1; f < functions; f++)
			reach.first[f + 1] += reach.first[f];
		for (size_t i = 0; i < count; i++) {
			if (all[i].callee != CFG_NONE)
				reach.to[reach.first[all[i].caller + 1]++] = all[i].callee;
		}
		find_recursive(m, &reach);
	}
	free(all != NULL ? all : direct);
	free(reach.first);
	free(reach.to);
	free(reach.pending);
	free(reach.seen);
	return good ? BOUND_OK : BOUND_ENOMEM;
}

/* ---- parts */

struct wanted_part {
	const struct bound_maker *maker;
	struct bound_key key;
};

static bool is_wanted_part(const void *context, uint32_t index)
{
	const struct wanted_part *w = context;
	const struct bound_key *key = &w->maker->keys[index];
	return key->function == w->key.function && key->set == w->key.set && key->state == w->key.state &&
	       key->open == w->key.open;
}

/* Which calls of recursive functions are open, as a number: what a call may do depends on it. */
static uint32_t open_number(const struct bound_maker *m)
{
	uint32_t number = 0;
	for (size_t i = 0; i < m->stack_count; i++)
		number += m->recursive[m->stack[i].function] ? hash_of_two(m->stack[i].function, m->stack[i].set) : 0;
	return number;
}

/* Whether a call of it can be at all. */
static bool can_be_called(struct bound_maker *m, uint32_t function, uint32_t set, int *error)
{
	const uint64_t depth = m->options->facts->depths[function];
	*error = BOUND_OK;
	if (depth != 0)
		return m->open[function] < depth;
	for (size_t i = 0; i < m->stack_count; i++) {
		if (m->stack[i].function == function && m->stack[i].set == set) {
			*error = bound_lacks(m, function, m->cfg->functions[function].start, BOUND_DEPTH);
			return false;
		}
	}
	return true;
}

static int make_part(struct bound_maker *m, uint32_t set, struct core_state state, struct bound_part *part)
{
	struct bound_graph graph = {0};
	const uint32_t function = part->function;
	if (m->options->stopped != NULL && m->options->stopped())
		return BOUND_ESTOPPED;
	if (!array_room(&m->stack, m->stack_count + 1, &m->stack_room))
		return BOUND_ENOMEM;
	m->stack[m->stack_count++] = (struct bound_open){function, set};
	m->open[function]++;
	int error = m->stack_count > NESTING_MAX
			? bound_lacks(m, function, m->cfg->functions[function].start, BOUND_DEPTH)
			: bound_expand(m, &graph, function, set, state);
	part->trap_return = graph.trap_return;
	m->open[function]--;
	m->stack_count--;
	if (error == BOUND_OK && graph.vertex_count > 0 && graph.edge_count > 0)
		error = bound_solve(m, &graph, set, part);
	else if (error == BOUND_OK && graph.vertex_count > 0)
		error = bound_lacks(m, function, m->cfg->functions[function].start, BOUND_ENDLESS);
	bound_graph_free(&graph);
	return error;
}

int bound_part(struct bound_maker *m, uint32_t function, uint32_t set, struct core_state state, uint32_t *number)
{
	struct bound_result *r = m->result;
	const struct cfg_function *f = &m->cfg->functions[function];
	struct wanted_part wanted = {
	    m, {function, set, core_state_number(&state), m->recursive[function] ? open_number(m) : 0}};
	const uint32_t hash =
	    hash_of_two((uint64_t)function << 32 | set, (uint64_t)wanted.key.state << 32 | wanted.key.open);
	int error;
	*number = UINT32_MAX;
	if (f->entry == CFG_NONE || m->options->facts->never[f->entry])
		return f->entry == CFG_NONE ? bound_lacks(m, function, f->start, BOUND_OUTSIDE) : BOUND_OK;
	if (m->options->ran_only && !seen_flow_ran(m->options->seen, f->entry))
		return BOUND_OK;
	uint32_t found = hash_find(&m->by_key, hash, is_wanted_part, &wanted);
	if (found != HASH_NONE) {
		*number = found;
		return BOUND_OK;
	}
	if (!can_be_called(m, function, set, &error))
		return error;
	struct bound_part part = {.function = function};
	error = make_part(m, set, state, &part);
	if (error == BOUND_OK && (!array_room(&r->parts, r->part_count + 1, &r->part_room) ||
				     !array_room(&m->keys, r->part_count + 1, &m->key_room) ||
				     !hash_add(&m->by_key, hash, (uint32_t)r->part_count)))
		error = BOUND_ENOMEM;
	if (error != BOUND_OK) {
		free(part.blocks);
		free(part.calls);
		return error;
	}
	m->keys[r->part_count] = wanted.key;
	r->parts[r->part_count] = part;
	*number = (uint32_t)r->part_count++;
	return BOUND_OK;
}

/* How often each part is called in the longest path; a part's callees were made before it. */
static void count_part_calls(struct bound_result *r)
{
	r->parts[r->root].times = 1;
	for (size_t i = r->root + 1; i-- > 0;) {
		for (size_t c = 0; c < r->parts[i].call_count; c++)
			r->parts[r->parts[i].calls[c].part].times += r->parts[i].times * r->parts[i].calls[c].times;
	}
}

static int solve_all(struct bound_maker *m, uint32_t function)
{
	struct bound_result *r = m->result;
	uint32_t set = 0;
	int error = bound_contexts_begin(m);
	if (error == BOUND_OK)
		error = mark_recursive(m);
	if (error == BOUND_OK)
		error = bound_contexts_all(m, function, &set);
	if (error == BOUND_OK)
		error = bound_part(m, function, set, CORE_START, &r->root);
	if (error == BOUND_OK && r->missing_count == 0 && r->root == UINT32_MAX)
		error = bound_lacks(m, function, m->cfg->functions[function].start, BOUND_ENDLESS);
	if (error == BOUND_OK && r->missing_count > 0)
		error = BOUND_EMISSING;
	if (error == BOUND_OK) {
		r->cycles = r->parts[r->root].cycles;
		count_part_calls(r);
	}
	return error;
}

int bound_function(
    struct bound_result *r, const struct cfg *cfg, uint32_t function, const struct bound_options *options)
{
	*r = (struct bound_result){.root = UINT32_MAX};
	struct bound_maker m = {.cfg = cfg, .options = options, .result = r};
	m.facts = calloc(cfg->counts.blocks + 1u, sizeof *m.facts);
	m.recursive = calloc(cfg->counts.functions + 1u, sizeof *m.recursive);
	m.expanded = calloc(cfg->counts.functions + 1u, sizeof *m.expanded);
	m.open = calloc(cfg->counts.functions + 1u, sizeof *m.open);
	r->unmeasured = calloc(cfg->counts.blocks + 1u, sizeof *r->unmeasured);
	r->loop_given = calloc(cfg->counts.loops + 1u, sizeof *r->loop_given);
	r->loop_seen = calloc(cfg->counts.loops + 1u, sizeof *r->loop_seen);
	int error = BOUND_ENOMEM;
	if (m.facts != NULL && m.recursive != NULL && m.expanded != NULL && m.open != NULL && r->loop_given != NULL &&
	    r->unmeasured != NULL && r->loop_seen != NULL)
		error = solve_all(&m, function);
	for (uint32_t b = 0; m.facts != NULL && b < cfg->counts.blocks; b++)
		free(m.facts[b]);
	for (uint32_t b = 0; options->ran_only && b < cfg->counts.blocks; b++)
		r->not_run += !seen_flow_ran(options->seen, b);
	free(m.facts);
	free(m.recursive);
	free(m.expanded);
	free(m.open);
	free(m.stack);
	free(m.sets);
	free(m.members);
	free(m.keys);
	hash_free(&m.by_set);
	hash_free(&m.by_key);
	return error;
}

void bound_result_free(struct bound_result *r)
{
	for (size_t i = 0; i < r->part_count; i++) {
		free(r->parts[i].blocks);
		free(r->parts[i].calls);
	}
	free(r->parts);
	free(r->missing);
	free(r->loop_given);
	free(r->unmeasured);
	free(r->loop_seen);
	*r = (struct bound_result){0};
}
