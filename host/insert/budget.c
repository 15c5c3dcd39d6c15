/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/budget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/graph/sets.h"
#include "host/image/image.h"

bool budget_parse(const char *text, uint64_t *bytes)
{
	char *end;
	*bytes = 0;
	if (strcmp(text, "none") == 0)
		return true;
	if (*text < '0' || *text > '9')
		return false;
	uint64_t number = strtoull(text, &end, 10);
	unsigned shift = 0;
	if (*end == 'k' || *end == 'K')
		shift = 10;
	else if (*end == 'M')
		shift = 20;
	if (end[shift > 0] != '\0' || number > UINT32_MAX >> shift)
		return false;
	*bytes = number << shift;
	return true;
}

/* An earlier profile has it, and it was not executed. */
static bool never_ran(const struct insert_job *job, const struct graph_function *f)
{
	const uint32_t number = insert_function_number(job, f);
	const uint64_t *known = weights_of(job->options->weights, job->id, number, f->edge_count);
	for (uint32_t e = 0; known != NULL && e < f->edge_count; e++) {
		if (known[e] != 0)
			return false;
	}
	return known != NULL;
}

/* What a limit would mean. */
struct trial {
	uint64_t paths;
	double cuts;     /* how often one call comes over edges that are cut, as guessed */
	uint32_t doubts; /* edges of which the count would not follow from that of the paths */
};

/*
 * Where a path ends at one vertex and the next begins at another, only the sums are counted: ends of v, beginnings of
 * w. The edges between them follow as long as they close no circle (of vertices, once as an end and once as a
 * beginning; all that is entered from outside stands for one more).
 */
static int find_doubts(const struct graph_function *f, const struct insert_numbered *n, uint32_t *doubts)
{
	const uint32_t outside = 2 * f->block_count;
	uint32_t *set = malloc((outside + 1u) * sizeof *set);
	*doubts = 0;
	if (set == NULL)
		return OBJECT_ENOMEM;
	sets_single(set, outside + 1);
	for (uint32_t b = 0; b < f->block_count; b++) {
		const uint32_t begins = f->block_count + b;
		if (n->root[b]) {
			*doubts += sets_of(set, begins) == sets_of(set, outside);
			sets_join(set, begins, outside);
		}
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
			const unsigned kind = n->numbering.kind[e];
			if (kind != NUMBERING_BACK && kind != NUMBERING_CUT)
				continue;
			*doubts += sets_of(set, b) == sets_of(set, f->block_count + n->to[e]);
			sets_join(set, b, f->block_count + n->to[e]);
		}
	}
	free(set);
	return OBJECT_OK;
}

static int try_limit(const struct insert_job *job, const struct graph_function *f, uint64_t limit, struct trial *t)
{
	struct insert_numbered n;
	double cut = 0, calls = 0;
	int error = insert_number(job, f, limit, &n);
	for (uint32_t e = 0; error == OBJECT_OK && e < f->edge_count; e++) {
		cut += n.numbering.kind[e] == NUMBERING_CUT ? (double)n.weights[e] : 0;
		calls += n.to[e] == NUMBERING_EXIT ? (double)n.weights[e] : 0;
	}
	if (error == OBJECT_OK)
		error = find_doubts(f, &n, &t->doubts);
	t->paths = error == OBJECT_OK ? n.numbering.paths : 0;
	t->cuts = cut / (calls > 0 ? calls : 1);
	insert_number_free(&n);
	return error;
}

uint64_t budget_limit(const struct insert_job *job, const struct graph_function *f, uint64_t limit)
{
	const unsigned level = job->options->level;
	const uint64_t most = never_ran(job, f) ? 1 : (uint64_t)INSERT_PATHS_MAX >> 2 * level / 3;
	struct trial t = {.paths = UINT64_MAX};
	uint64_t chosen = limit < INSERT_PATHS_MAX ? limit : INSERT_PATHS_MAX;
	uint32_t doubts = UINT32_MAX; /* that there are anyway */
	double least = INFINITY;
	if (level == 0)
		return limit;
	for (uint64_t tried = chosen; tried > 0; tried /= 2) {
		if (t.paths < tried) /* the same again */
			continue;
		if (try_limit(job, f, tried, &t) != OBJECT_OK)
			return tried; /* the profiler finds the same, and says why */
		double worth = (double)t.paths + ldexp(log2(1 + t.cuts), 14 - (int)level);
		doubts = doubts == UINT32_MAX ? t.doubts : doubts;
		if (t.doubts > doubts)
			continue;
		if (tried > most || worth < least)
			chosen = tried;
		least = tried > most || worth > least ? least : worth;
	}
	return chosen;
}

uint64_t budget_sure_limit(const struct insert_job *job, const struct graph_function *f, uint64_t limit)
{
	struct trial most, t;
	if (limit >= INSERT_PATHS_MAX || try_limit(job, f, INSERT_PATHS_MAX, &most) != OBJECT_OK)
		return limit;
	while (limit < INSERT_PATHS_MAX && try_limit(job, f, limit, &t) == OBJECT_OK && t.doubts > most.doubts)
		limit *= 2;
	return limit < INSERT_PATHS_MAX ? limit : INSERT_PATHS_MAX;
}

/* ---------------------------------------------------------------- an object */
/* Bytes of its counters at a level. */
static int try_object_level(const struct object *object, const char *name, const struct insert_options *trial,
    uint64_t *bytes, char *detail, size_t size)
{
	struct insert_counts counts = {0};
	struct object *copy;
	int error = object_open(&copy, object->file, object->file_size, detail, size);
	if (error != OBJECT_OK)
		return error;
	error = insert_object(copy, name, trial, &counts, detail, size);
	*bytes = counts.counter_bytes;
	object_close(copy);
	return error;
}

int budget_insert(const struct budget_job *job, struct object *object, const char *name, char *detail, size_t size)
{
	struct insert_options chosen = *job->options;
	unsigned low = chosen.level, high = BUDGET_LEVELS;
	while (job->budget > 0 && low < high) {
		uint64_t bytes;
		chosen.level = low == job->options->level ? low : low + (high - low) / 2;
		int error = try_object_level(object, name, &chosen, &bytes, detail, size);
		if (error != OBJECT_OK)
			return error;
		if (bytes <= job->budget)
			high = chosen.level;
		else
			low = chosen.level + 1;
	}
	chosen.level = low;
	*job->level = low > *job->level ? low : *job->level;
	return job->twin ? insert_twin(object, name, &chosen, job->counts, detail, size)
			 : insert_object(object, name, &chosen, job->counts, detail, size);
}

/* ---------------------------------------------------------------- a program */
static void use_counter(struct map *map, uint32_t number, struct budget_used *used)
{
	struct map_function *f = &map->functions[number];
	if ((f->flags & MAP_COUNTED) == 0)
		return;
	used->functions++;
	if (map->objects[f->object].mode != INSERT_PATHS) /* paths of regions have numberings of their own */
		return;
	if ((f->flags & MAP_HASHED) != 0) {
		used->hashed++;
		return;
	}
	if (map_number(map, number) != MAP_OK || f->numbering.cut == 0)
		return;
	used->cut++;
	used->apart += f->limit == 1;
	used->least = used->least == 0 || f->limit < used->least ? f->limit : used->least;
}

bool budget_of_program(const char *path, struct budget_used *used)
{
	struct image *image;
	struct map *map = NULL;
	char detail[256];
	size_t size;
	*used = (struct budget_used){0};
	if (image_open(&image, path, detail, sizeof detail) != 0)
		return false;
	const uint8_t *bytes = image_section(image, ".debug_rivulet", &size);
	bool good = bytes == NULL || map_open(&map, bytes, size) == MAP_OK;
	for (uint32_t i = 0; good && map != NULL && i < map->object_count; i++)
		used->bytes += (uint64_t)map->objects[i].counters * map->objects[i].width;
	for (uint32_t i = 0; good && map != NULL && i < map->function_count; i++)
		use_counter(map, i, used);
	map_close(map);
	image_close(image);
	return good;
}
