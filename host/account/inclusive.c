/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/account/inclusive.h"

#include <stdlib.h>

struct group { /* functions that call each other; most often one */
	double insns, cycles;
	uint64_t entered; /* from outside */
};

struct sharing {
	struct account *account;
	uint32_t *first, *call; /* calls by the row of their function */
	uint32_t *order, *low;  /* of the search; 0: not seen yet */
	uint32_t *group_of;     /* ACCOUNT_NONE: not known yet */
	uint32_t *stack, *path, *next;
	uint32_t seen, stacked, groups;
	struct group *group;
};

static uint32_t callee_of(const struct sharing *s, uint32_t call)
{
	return s->account->calls[call].callee_row;
}

/* Calls by function. */
static void sort_calls(struct sharing *s)
{
	const struct account *a = s->account;
	for (size_t i = 0; i < a->call_count; i++)
		s->first[a->calls[i].function + 2]++;
	for (size_t i = 0; i < a->function_count; i++)
		s->first[i + 1] += s->first[i];
	for (uint32_t i = 0; i < a->call_count; i++)
		s->call[s->first[a->calls[i].function + 1]++] = i;
}

/* All of a group are on top of the stack, `root` the lowest: what they cost, and how often they were entered. */
static void close_recursion(struct sharing *s, uint32_t root)
{
	const struct account *a = s->account;
	struct group *group = &s->group[s->groups];
	uint32_t bottom = s->stacked;
	do
		s->group_of[s->stack[--bottom]] = s->groups;
	while (s->stack[bottom] != root);
	for (uint32_t i = bottom; i < s->stacked; i++) {
		const uint32_t f = s->stack[i];
		group->insns += (double)a->functions[f].self.insns;
		group->cycles += (double)a->functions[f].self.cycles;
		group->entered += a->functions[f].begun;
	}
	for (uint32_t i = bottom; i < s->stacked; i++) {
		const uint32_t f = s->stack[i];
		for (uint32_t k = s->first[f]; k < s->first[f + 1]; k++) {
			const struct account_call *call = &a->calls[s->call[k]];
			if (call->callee_row == ACCOUNT_NONE)
				continue;
			const struct group *of = &s->group[s->group_of[call->callee_row]];
			if (of == group) /* it is not entered by this */
				group->entered -= call->count < group->entered ? call->count : group->entered;
		}
	}
	for (uint32_t i = bottom; i < s->stacked; i++) {
		for (uint32_t k = s->first[s->stack[i]]; k < s->first[s->stack[i] + 1]; k++) {
			const struct account_call *call = &a->calls[s->call[k]];
			const struct group *of =
			    call->callee_row == ACCOUNT_NONE ? group : &s->group[s->group_of[call->callee_row]];
			if (of == group || call->count == 0)
				continue;
			const uint64_t all = of->entered > call->count ? of->entered : call->count;
			group->insns += of->insns * (double)call->count / (double)all;
			group->cycles += of->cycles * (double)call->count / (double)all;
		}
	}
	s->stacked = bottom;
	s->groups++;
}

static void begin_component(struct sharing *s, uint32_t function, uint32_t depth)
{
	s->order[function] = s->low[function] = ++s->seen;
	s->stack[s->stacked++] = function;
	s->path[depth] = function;
	s->next[depth] = s->first[function];
}

/* Tarjan's strongly connected components from one function on; callees are done before their callers. */
static void search_components(struct sharing *s, uint32_t function)
{
	uint32_t depth = 0;
	begin_component(s, function, depth);
	for (;;) {
		const uint32_t f = s->path[depth];
		if (s->next[depth] < s->first[f + 1]) {
			const uint32_t to = callee_of(s, s->call[s->next[depth]++]);
			if (to == ACCOUNT_NONE || s->group_of[to] != ACCOUNT_NONE)
				continue;
			if (s->order[to] == 0)
				begin_component(s, to, ++depth);
			else if (s->order[to] < s->low[f])
				s->low[f] = s->order[to];
			continue;
		}
		if (s->low[f] == s->order[f])
			close_recursion(s, f);
		if (depth == 0)
			return;
		depth--;
		if (s->low[f] < s->low[s->path[depth]])
			s->low[s->path[depth]] = s->low[f];
	}
}

static void take_results(const struct sharing *s)
{
	struct account *a = s->account;
	for (size_t i = 0; i < a->function_count; i++) {
		a->functions[i].inclusive_insns = (uint64_t)(s->group[s->group_of[i]].insns + 0.5);
		a->functions[i].inclusive_cycles = (uint64_t)(s->group[s->group_of[i]].cycles + 0.5);
	}
	for (size_t i = 0; i < a->call_count; i++) {
		struct account_call *call = &a->calls[i];
		if (call->callee_row == ACCOUNT_NONE || s->group_of[call->callee_row] == s->group_of[call->function])
			continue;
		const struct group *of = &s->group[s->group_of[call->callee_row]];
		const uint64_t all = of->entered > call->count ? of->entered : call->count;
		if (all == 0)
			continue;
		call->insns = (uint64_t)(of->insns * (double)call->count / (double)all + 0.5);
		call->cycles = (uint64_t)(of->cycles * (double)call->count / (double)all + 0.5);
	}
}

int account_count_inclusive(struct account *a)
{
	const size_t functions = a->function_count;
	struct sharing s = {.account = a,
	    .first = calloc(functions + 2, sizeof *s.first),
	    .call = calloc(a->call_count + 1, sizeof *s.call),
	    .order = calloc(functions + 1, sizeof *s.order),
	    .low = calloc(functions + 1, sizeof *s.low),
	    .group_of = malloc((functions + 1) * sizeof *s.group_of),
	    .stack = malloc((functions + 1) * sizeof *s.stack),
	    .path = malloc((functions + 1) * sizeof *s.path),
	    .next = malloc((functions + 1) * sizeof *s.next),
	    .group = calloc(functions + 1, sizeof *s.group)};
	const bool room = s.first != NULL && s.call != NULL && s.order != NULL && s.low != NULL && s.group_of != NULL &&
			  s.stack != NULL && s.path != NULL && s.next != NULL && s.group != NULL;
	for (size_t i = 0; room && i < functions; i++)
		s.group_of[i] = ACCOUNT_NONE;
	if (room)
		sort_calls(&s);
	for (uint32_t i = 0; room && i < functions; i++) {
		if (s.order[i] == 0)
			search_components(&s, i);
	}
	if (room)
		take_results(&s);
	free(s.first);
	free(s.call);
	free(s.order);
	free(s.low);
	free(s.group_of);
	free(s.stack);
	free(s.path);
	free(s.next);
	free(s.group);
	a->counted_calls = room;
	return room ? ACCOUNT_OK : ACCOUNT_ENOMEM;
}
