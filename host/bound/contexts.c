/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What is known of a function in a set of contexts: contexts of runs that are taken together. */
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/order.h"
#include "host/bound/private.h"

struct wanted_set {
	const struct bound_maker *maker;
	const uint32_t *members;
	uint32_t count;
};

static bool is_wanted_set(const void *context, uint32_t index)
{
	const struct wanted_set *w = context;
	const struct bound_contexts *set = &w->maker->sets[index];
	return set->count == w->count &&
	       memcmp(&w->maker->members[set->first], w->members, w->count * sizeof *w->members) == 0;
}

/* The set of the members behind `first`, which are its own or go again. */
static int close_set(struct bound_maker *m, size_t first, uint32_t *set)
{
	const uint32_t count = (uint32_t)(m->member_count - first);
	const struct wanted_set wanted = {m, &m->members[first], count};
	*set = 0;
	if (count == 0)
		return BOUND_OK;
	uint32_t hash = hash_of_bytes(&m->members[first], count * sizeof *m->members);
	*set = hash_find(&m->by_set, hash, is_wanted_set, &wanted);
	if (*set != HASH_NONE) {
		m->member_count = first;
		return BOUND_OK;
	}
	*set = (uint32_t)m->set_count;
	if (!array_room(&m->sets, m->set_count + 1, &m->set_room) || !hash_add(&m->by_set, hash, *set))
		return BOUND_ENOMEM;
	m->sets[m->set_count++] = (struct bound_contexts){(uint32_t)first, count};
	return BOUND_OK;
}

static bool add_context_member(struct bound_maker *m, uint32_t context)
{
	if (!array_room(&m->members, m->member_count + 1, &m->member_room))
		return false;
	m->members[m->member_count++] = context;
	return true;
}

int bound_contexts_begin(struct bound_maker *m)
{
	if (!array_room(&m->sets, 1, &m->set_room))
		return BOUND_ENOMEM;
	m->sets[m->set_count++] = (struct bound_contexts){0};
	return BOUND_OK;
}

int bound_contexts_all(struct bound_maker *m, uint32_t function, uint32_t *set)
{
	size_t count = 0, first = m->member_count;
	const struct seen_context *contexts =
	    m->options->seen == NULL ? NULL : seen_flow_contexts(m->options->seen, &count);
	for (uint32_t c = 1; c < count; c++) {
		if (contexts[c].function == function && !add_context_member(m, c))
			return BOUND_ENOMEM;
	}
	return close_set(m, first, set);
}

static int compare_members(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return ORDER_UP(*x, *y);
}

int bound_contexts_called(
    struct bound_maker *m, uint32_t from, uint64_t site, uint32_t callee, bool tail, uint32_t *set)
{
	size_t count, first = m->member_count;
	*set = 0;
	if (m->options->seen == NULL || from == 0)
		return BOUND_OK;
	const struct seen_context *contexts = seen_flow_contexts(m->options->seen, &count);
	for (uint32_t i = 0; i < m->sets[from].count; i++) {
		uint32_t c = contexts[m->members[m->sets[from].first + i]].child;
		for (; c != 0; c = contexts[c].next) {
			if (contexts[c].site == site && contexts[c].function == callee && !contexts[c].trap &&
			    !add_context_member(m, c))
				return BOUND_ENOMEM;
		}
	}
	if (m->member_count > first)
		qsort(&m->members[first], m->member_count - first, sizeof *m->members, compare_members);
	int error = close_set(m, first, set);
	if (error == BOUND_OK && *set == 0 && tail)
		*set = from;
	return error;
}

/* ---- targets */

static size_t add_call_target(uint32_t *functions, size_t count, size_t room, uint32_t function)
{
	for (size_t i = 0; i < count; i++) {
		if (functions[i] == function)
			return count;
	}
	if (function != CFG_NONE && count < room)
		functions[count++] = function;
	return count;
}

size_t bound_targets(struct bound_maker *m, uint32_t set, uint64_t site, uint32_t *functions, size_t room)
{
	const struct flow_facts *facts = m->options->facts;
	const struct seen_context *contexts;
	size_t n = 0, count;
	for (size_t i = 0; i < facts->call_count; i++) {
		if (facts->calls[i].site == site)
			n = add_call_target(functions, n, room, facts->calls[i].function);
	}
	if (n > 0 || m->options->seen == NULL)
		return n;
	contexts = seen_flow_contexts(m->options->seen, &count);
	for (uint32_t i = 0; i < m->sets[set].count; i++) {
		uint32_t c = contexts[m->members[m->sets[set].first + i]].child;
		for (; c != 0; c = contexts[c].next)
			n = contexts[c].site == site ? add_call_target(functions, n, room, contexts[c].function) : n;
	}
	const bool anywhere = n == 0;
	for (uint32_t c = 1; c < count && anywhere; c++)
		n = contexts[c].site == site ? add_call_target(functions, n, room, contexts[c].function) : n;
	m->result->target_seen = m->result->target_seen || n > 0;
	return n;
}

/* ---- loops */

static void take_more(struct flow_loop *bound, const struct seen_loop *loop)
{
	bound->most = loop->most > bound->most ? loop->most : bound->most;
	bound->total = loop->total > bound->total ? loop->total : bound->total;
}

bool bound_loop(struct bound_maker *m, uint32_t set, uint32_t loop, struct flow_loop *bound)
{
	const struct seen_flow *seen = m->options->seen;
	size_t count;
	*bound = m->options->facts->loops[loop];
	if (bound->most != 0) {
		m->result->loop_given[loop] = true;
		return true;
	}
	if (seen == NULL)
		return false;
	for (uint32_t i = 0; i < m->sets[set].count; i++) {
		const struct seen_loop *found = seen_flow_loop(seen, m->members[m->sets[set].first + i], loop);
		if (found != NULL)
			take_more(bound, found);
	}
	if (bound->most == 0) {
		seen_flow_contexts(seen, &count);
		for (uint32_t c = 1; c < count; c++) {
			const struct seen_loop *found = seen_flow_loop(seen, c, loop);
			if (found != NULL)
				take_more(bound, found);
		}
	}
	m->result->loop_seen[loop] = m->result->loop_seen[loop] || bound->most != 0;
	return bound->most != 0;
}
