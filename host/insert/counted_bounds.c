/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_bounds.h"

#include <stdlib.h>
#include "host/insert/counted_stops.h"

/* Whether a call may go on over an edge without a loop: cuts too, for parts of one way may have been counted apart. */
static bool goes_over(const struct map_function *f, uint32_t edge)
{
	const struct numbering *n = &f->numbering;
	return n->graph.to[edge] != NUMBERING_EXIT &&
	       (n->kind[edge] == NUMBERING_PLAIN || n->kind[edge] == NUMBERING_CUT);
}

/* longest: by vertex, instructions of the longest way to it, or on from it, without its own. */
static void find_longest(const struct counted *c, const struct map_function *f, bool onward, uint64_t *longest)
{
	const struct numbering *n = &f->numbering;
	for (uint32_t i = 0; i < n->ordered; i++) { /* each vertex comes before its predecessors */
		const uint32_t v = n->order[onward ? i : n->ordered - 1 - i];
		const uint64_t own = counted_index(c, f->blocks + v, UINT64_MAX);
		for (uint32_t e = n->graph.first[v]; e < n->graph.first[v + 1]; e++) {
			if (!goes_over(f, e))
				continue;
			const uint32_t to = n->graph.to[e];
			const uint64_t way =
			    onward ? longest[to] + counted_index(c, f->blocks + to, UINT64_MAX) : longest[v] + own;
			uint64_t *at = &longest[onward ? v : to];
			*at = way > *at ? way : *at;
		}
	}
}

void counted_unknown(struct counted *c, uint32_t function, uint32_t block, uint64_t place, uint64_t count)
{
	const struct map_function *f = &c->map->functions[function];
	const uint64_t before = counted_index(c, block, place), all = counted_index(c, block, UINT64_MAX);
	uint64_t *to = calloc(f->block_count + 1u, sizeof *to), *on = calloc(f->block_count + 1u, sizeof *on);
	c->unknown_prefixes += count;
	if (to == NULL || on == NULL || map_number(c->map, function) != MAP_OK)
		c->no_bounds += count;
	else {
		find_longest(c, f, false, to);
		find_longest(c, f, true, on);
		c->few_at_most += count * (to[block - f->blocks] + before);
		c->many_at_most += count * (on[block - f->blocks] + all - before);
	}
	free(to);
	free(on);
}

void counted_unknown_way(struct counted *c, uint32_t function, uint32_t block, uint64_t place, uint64_t count)
{
	const uint64_t few = c->few_at_most, many = c->many_at_most;
	counted_unknown(c, function, block, place, count);
	const uint64_t whole =
	    c->few_at_most - few + c->many_at_most - many; /* what follows was counted by a way too */
	c->few_at_most = few + whole;
	c->many_at_most = many + whole;
}

void counted_unknown_return(struct counted *c, uint32_t function, uint32_t block, uint64_t place, uint64_t count)
{
	const struct counted before = *c;
	counted_unknown(c, function, block, place, count);
	const uint64_t few = c->few_at_most - before.few_at_most, many = c->many_at_most - before.many_at_most;
	c->unknown_prefixes = before.unknown_prefixes + (c->no_bounds - before.no_bounds);
	c->few_at_most = before.few_at_most + many; /* what was counted before that place is not counted behind it */
	c->many_at_most = before.many_at_most + few;
}

void counted_unknown_begin(struct counted *c, uint32_t function, uint32_t block, uint64_t place)
{
	struct counted before = *c;
	counted_unknown(c, function, block, place, 1);
	if (c->no_bounds > before.no_bounds)
		return;
	c->begin = function;
	c->begin_at_most += c->few_at_most - before.few_at_most;
	c->unknown_prefixes = before.unknown_prefixes;
	c->few_at_most = before.few_at_most;
	c->many_at_most = before.many_at_most;
}
