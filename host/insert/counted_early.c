/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_early.h"

#include "host/insert/counted_bounds.h"
#include "host/insert/counted_cuts.h"
#include "host/insert/counted_stacks.h"

/* How r says which of them it was. A part of a path in a hash table that is counted where it begins has its number in
 * r: no code sets r then. */
enum early_way { EARLY_BY_SUM, EARLY_BY_NUMBER, EARLY_ANY };

static bool is_candidate(
    const struct counted *c, const struct counted_path *p, const struct counted_early *early, enum early_way way)
{
	const struct map_function *f = &c->map->functions[early->u.path.function];
	uint32_t edges;
	int64_t r;
	if (p->function != early->u.path.function || p->count == 0 ||
	    !counted_comes_to(c, p, early->u.path.last, &edges))
		return false;
	if (way == EARLY_ANY)
		return true;
	const bool known =
	    pending_sum(early->pending, p->first - f->blocks, c->path_edges + p->edges, edges, f->edges, &r);
	if (way == EARLY_BY_NUMBER)
		return !known && (f->flags & MAP_HASHED) != 0 && p->number == (uint64_t)early->r->r;
	return known && r == early->r->r && counted_place_of(c->map, f, p->number) == early->r->place;
}

/* Takes back up to `*count` of the paths that were counted before they came to the block. */
static int take_back_some(struct counted *c, const struct counted_early *early, enum early_way way, uint64_t *count)
{
	uint32_t edges, candidates = 0;
	for (size_t i = 0; i < c->path_count; i++)
		candidates += is_candidate(c, &c->paths[i], early, way);
	for (size_t i = 0; i < c->path_count; i++) {
		struct counted_path *p = &c->paths[i];
		if (*count == 0)
			return COUNTED_OK;
		if (!is_candidate(c, p, early, way) || !counted_comes_to(c, p, early->u.path.last, &edges))
			continue;
		uint64_t times = p->count < *count ? p->count : *count;
		counted_path_add(c, p, -times);
		p->count -= times;
		*count -= times;
		struct counted_unfinished one = early->u;
		one.path = *p;
		one.path.last = early->u.path.last;
		one.path.length = edges;
		one.path.exit = GRAPH_NONE;
		one.path.count = times;
		one.path.metric = 0;
		one.one_of = candidates;
		int error = counted_back_cut(c, &one, early->back);
		if (error == COUNTED_OK)
			error = counted_add_unfinished(c, one);
		if (error != COUNTED_OK)
			return error;
	}
	return COUNTED_OK;
}

int counted_early_take(struct counted *c, const struct counted_early *early, uint64_t count)
{
	int error = COUNTED_OK;
	for (enum early_way way = early->r != NULL ? EARLY_BY_SUM : EARLY_ANY; way <= EARLY_ANY; way++) {
		if (error == COUNTED_OK)
			error = take_back_some(c, early, way, &count);
	}
	const uint64_t before = count;
	if (error == COUNTED_OK)
		error = counted_fork_end(c, &early->u, &count);
	if (error == COUNTED_OK && count < before) { /* its way to setjmp() was run by the parent */
		struct counted_back back = *early->back;
		back.count = before - count;
		error = counted_back_alone(c, early->u.path.function, &back);
	}
	if (count > 0)
		counted_unknown(c, early->u.path.function, early->u.path.last, early->u.stop, count);
	return error;
}
