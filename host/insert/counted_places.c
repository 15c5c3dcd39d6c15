/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_places.h"

#include "common/joined.h"
#include "host/insert/counted_stacks.h"
#include "host/insert/insert.h"

static uint32_t run_of(const struct map *m, const struct map_object *o, uint64_t counter)
{
	for (uint32_t i = 0; i < o->near_count; i++) {
		if (counter - m->nears[o->nears + i].first < m->nears[o->nears + i].count)
			return 1 + i;
	}
	return 0;
}

uint32_t counted_place_of(const struct map *m, const struct map_function *f, uint64_t number)
{
	const struct map_object *o = &m->objects[f->object];
	const bool paths = o->mode == INSERT_PATHS;
	/* regions have theirs together; in a hash table a path has none of them */
	if (paths && (f->flags & MAP_FIRST) != 0 && number >= map_counted_paths(f))
		return 0;
	return run_of(m, o, f->first + (paths && number < map_counted_paths(f) ? number : 0));
}

uint32_t counted_place_of_all(const struct map *m, const struct map_function *f)
{
	const struct map_object *o = &m->objects[f->object];
	const uint32_t first = counted_place_of(m, f, 0);
	const uint64_t paths = map_counted_paths(f);
	if (o->mode != INSERT_PATHS || paths == 0)
		return first;
	if ((f->flags & MAP_FIRST) != 0 && first != 0)
		return COUNTED_PLACES;
	for (uint32_t i = 0; i < o->near_count; i++) {
		const struct map_near *run = &m->nears[o->nears + i];
		if (1 + i != first && run->first < f->first + paths && f->first < (uint64_t)run->first + run->count)
			return COUNTED_PLACES;
	}
	return first == counted_place_of(m, f, paths - 1) ? first : COUNTED_PLACES;
}

/* r as a number, if it is of this place. False: it is none. */
static bool number_in(const struct counted *c, const struct profile_stack *stack, const struct map_function *f,
    uint32_t place, struct counted_r *r)
{
	const struct map *m = c->map;
	const struct map_object *o = &m->objects[f->object];
	const uint64_t mask = m->xlen == 32 ? UINT32_MAX : UINT64_MAX;
	uint64_t value = r->value, id = o->id, at = f->first;
	const bool odd = (f->flags & MAP_FIRST) != 0 && (value & 1) != 0;
	if (odd) {
		value -= (uint64_t)insert_odd_key(m->xlen);
		const int64_t bytes = m->xlen == 32 ? (int32_t)(uint32_t)value : (int64_t)value;
		r->r = bytes / o->width;
		return place == 0 && bytes % o->width == 0;
	}
	if ((f->flags & (MAP_HASHED | MAP_FIRST)) == MAP_HASHED) {
		unsigned above = 32; /* bits of r that are not r's, or the context's */
		if (m->xlen == 32 && (f->flags & MAP_JOINED) != 0)
			above = 64 - JOINED_SHIFT_32;
		value -= m->xlen == 64 ? (uint64_t)JOINED_BASE_64 : JOINED_BASE_32;
		r->r = ((int64_t)(value << above) >> above) - (int64_t)f->above;
		return true;
	}
	if (place > 0) { /* of an object of its own; number 0 would lie where the run's first counter says */
		id ^= MAP_NEAR;
		at -= m->nears[o->nears + place - 1].first;
		for (uint32_t i = 0; i + 1 < place; i++)
			at += m->nears[o->nears + i].count;
	}
	for (size_t i = 0; i < stack->object_count; i++) {
		if (stack->objects[i].id != id)
			continue;
		const uint64_t first = stack->objects[i].counters + stack->thread + at * o->width;
		const int64_t bytes =
		    m->xlen == 32 ? (int32_t)(uint32_t)(value - first) : (int64_t)((value - first) & mask);
		r->r = bytes / o->width;
		return bytes % o->width == 0;
	}
	return false;
}

/* Whether a counted path that begins in r's place has r where it comes to the block. */
static bool path_has_r(const struct counted *c, const struct pending *p, const struct counted_r *r)
{
	const struct map_function *f = &c->map->functions[r->function];
	for (size_t i = 0; i < c->path_count; i++) {
		const struct counted_path *path = &c->paths[i];
		uint32_t edges;
		int64_t sum;
		if (path->function == r->function && counted_place_of(c->map, f, path->number) == r->place &&
		    counted_comes_to(c, path, r->block, &edges) &&
		    pending_sum(p, path->first - f->blocks, c->path_edges + path->edges, edges, f->edges, &sum) &&
		    sum == r->r)
			return true;
	}
	return false;
}

/* Whether r may be what it was read as. COUNTED_ENOMEM. */
static int place_fits(struct counted *c, const struct pending *p, const struct counted_r *r)
{
	const struct map_function *f = &c->map->functions[r->function];
	struct counted_path path;
	int64_t number;
	if (pending_number(p, &f->numbering, r->block - f->blocks, &r->r, &number) != PENDING_NUMBER)
		return path_has_r(c, p, r);
	if (number < 0 || (uint64_t)number >= f->numbering.paths ||
	    counted_place_of(c->map, f, (uint64_t)number) != r->place)
		return 0;
	const size_t edges = c->edge_count;
	const int error = counted_path_to(c, r->function, (uint64_t)number, r->block, &path);
	c->edge_count = edges;
	return error == COUNTED_ENOMEM ? error : error == COUNTED_OK;
}

int counted_r_read(struct counted *c, const struct profile_stack *stack, const struct pending *p, struct counted_r *r)
{
	const struct map_function *f = &c->map->functions[r->function];
	const uint32_t only = counted_place_of_all(c->map, f), places = c->map->objects[f->object].near_count + 1;
	struct counted_r found = *r;
	unsigned count = 0;
	if (only != COUNTED_PLACES) {
		r->place = only;
		return number_in(c, stack, f, only, r);
	}
	for (r->place = 0; r->place < places; r->place++) {
		const int fits = number_in(c, stack, f, r->place, r) ? place_fits(c, p, r) : 0;
		if (fits < 0)
			return fits;
		found = fits > 0 ? *r : found;
		count += fits > 0;
	}
	*r = found;
	return count == 1;
}
