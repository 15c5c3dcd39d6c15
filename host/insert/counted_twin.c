/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_twin.h"

#include <stdlib.h>
#include <string.h>
#include "host/insert/counted_stops.h"

/* The addresses of what had not ended become indexes of instructions, and these addresses again. */
struct spots {
	uint32_t *stops, *unfinished, *from;
};

static bool take_spots(struct counted *c, struct spots *s)
{
	s->stops = malloc((c->stop_count + 1) * sizeof *s->stops);
	s->unfinished = malloc((c->unfinished_count + 1) * sizeof *s->unfinished);
	s->from = malloc((c->unfinished_count + 1) * sizeof *s->from);
	if (s->stops == NULL || s->unfinished == NULL || s->from == NULL)
		return false;
	for (size_t i = 0; i < c->stop_count; i++)
		s->stops[i] = c->stops[i].block == GRAPH_NONE
				  ? GRAPH_NONE
				  : counted_index(c, c->stops[i].block, c->stops[i].address);
	for (size_t i = 0; i < c->unfinished_count; i++) {
		const struct counted_unfinished *u = &c->unfinished[i];
		s->unfinished[i] = u->stop != 0 ? counted_index(c, u->path.last, u->stop) : GRAPH_NONE;
		s->from[i] = u->from != 0 ? counted_index(c, u->path.first, u->from) : GRAPH_NONE;
	}
	return true;
}

static bool in_twin(const struct counted *c, uint32_t function)
{
	return function != GRAPH_NONE && c->map->functions[function].address != 0;
}

static void give_spots(struct counted *c, const struct spots *s)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->stop_count; i++) {
		struct counted_stop stop = c->stops[i];
		if (!in_twin(c, stop.function))
			continue;
		stop.address = counted_address(c, stop.block, s->stops[i]);
		c->stops[kept++] = stop;
	}
	c->stop_count = kept;
	kept = 0;
	for (size_t i = 0; i < c->unfinished_count; i++) {
		struct counted_unfinished u = c->unfinished[i];
		if (!in_twin(c, u.path.function))
			continue;
		u.stop = s->unfinished[i] != GRAPH_NONE ? counted_address(c, u.path.last, s->unfinished[i]) : 0;
		u.from = s->from[i] != GRAPH_NONE ? counted_address(c, u.path.first, s->from[i]) : 0;
		c->unfinished[kept++] = u;
	}
	c->unfinished_count = kept;
	kept = 0;
	for (size_t i = 0; i < c->path_count; i++) {
		if (in_twin(c, c->paths[i].function))
			c->paths[kept++] = c->paths[i];
		else
			c->strange += c->paths[i].count;
	}
	c->path_count = kept;
}

/* A function at its place in the twin, whose runs are behind all others from `runs` on. */
static int move_function(
    struct map *m, struct map_function *f, const struct map *t, const struct map_function *g, uint32_t runs)
{
	if (f->block_count != g->block_count || f->edge_count != g->edge_count || f->counters != g->counters)
		return COUNTED_EOTHER;
	f->address = g->address;
	for (uint32_t i = 0; i < f->edge_count; i++) {
		if (m->edges[f->edges + i].to != t->edges[g->edges + i].to)
			return COUNTED_EOTHER;
	}
	for (uint32_t i = 0; i < f->block_count; i++) {
		struct map_block *mine = &m->blocks[f->blocks + i];
		const struct map_block *its = &t->blocks[g->blocks + i];
		if (mine->edge_count != its->edge_count)
			return COUNTED_EOTHER;
		mine->first = its->first;
		mine->last = its->last;
		mine->flags = its->flags;
		mine->runs = runs + its->runs;
		mine->run_count = its->run_count;
	}
	return COUNTED_OK;
}

int counted_move(struct counted *c, const struct image *twin)
{
	struct counted other = {0};
	struct spots spots = {0};
	struct map *m = c->map;
	int error = counted_map(&other, twin);
	const struct map *t = other.map;
	if (error == COUNTED_OK && !take_spots(c, &spots))
		error = COUNTED_ENOMEM;
	struct map_run *runs =
	    error == COUNTED_OK ? realloc(m->runs, (m->run_count + t->run_count + 1) * sizeof *runs) : NULL;
	if (error == COUNTED_OK && runs == NULL)
		error = COUNTED_ENOMEM;
	c->edited = false;
	if (error == COUNTED_OK) {
		const uint32_t behind = (uint32_t)m->run_count;
		memcpy(runs + behind, t->runs, t->run_count * sizeof *runs);
		m->runs = runs;
		m->run_count = m->run_size = behind + t->run_count;
		for (size_t i = 0; i < m->object_count && error == COUNTED_OK; i++) {
			struct map_object *mine = &m->objects[i];
			const struct map_object *its = map_object(t, mine->id);
			if (its != NULL && its->function_count != mine->function_count)
				error = COUNTED_EOTHER;
			for (uint32_t k = 0; k < mine->function_count && error == COUNTED_OK; k++) {
				struct map_function *f = &m->functions[mine->functions + k];
				if (its == NULL)
					f->address = 0;
				else
					error = move_function(m, f, t, &t->functions[its->functions + k], behind);
			}
			mine->form = its == NULL ? MAP_TWIN : its->form;
			c->edited |= mine->form == MAP_EDITED;
		}
	}
	if (error == COUNTED_OK) {
		c->image = twin;
		c->functions = c->left = 0;
		for (size_t i = 0; i < m->function_count; i++) {
			bool has = (m->functions[i].flags & MAP_COUNTED) != 0;
			c->functions += m->functions[i].address != 0 && has;
			c->left += m->functions[i].address != 0 && !has;
		}
		give_spots(c, &spots);
	}
	free(spots.stops);
	free(spots.unfinished);
	free(spots.from);
	map_close(other.map);
	free(other.salts);
	return error;
}
