/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/heat.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>

static int room_for_heat(struct heat *heat, size_t paths)
{
	if (paths <= heat->room)
		return PHASES_OK;
	const size_t room = 2 * paths + 64;
	uint64_t *trips = realloc(heat->trips, room * heat->phases * sizeof *trips);
	if (trips != NULL)
		heat->trips = trips;
	uint64_t *first = realloc(heat->first, room * sizeof *first);
	if (first != NULL)
		heat->first = first;
	uint64_t *insns = realloc(heat->insns, room * sizeof *insns);
	if (insns != NULL)
		heat->insns = insns;
	uint64_t *heats = realloc(heat->heats, room * sizeof *heats);
	if (heats != NULL)
		heat->heats = heats;
	if (trips == NULL || first == NULL || insns == NULL || heats == NULL)
		return PHASES_ENOMEM;
	memset(trips + heat->room * heat->phases, 0, (room - heat->room) * heat->phases * sizeof *trips);
	heat->room = room;
	return PHASES_OK;
}

/* The trips of a step belong to the phases in which they begin. segment: the one that the step begins in. */
static void share_out(struct heat *heat, uint32_t path, const struct phases_step *step,
    const struct intervals *intervals, const struct segments *segments, uint32_t segment)
{
	uint64_t at = step->place.at[PHASES_INSTRUCTION];
	for (uint64_t left = step->trips; left > 0;) {
		uint64_t trips = left;
		if (segment + 1 < segments->count) {
			const uint64_t end =
			    intervals->interval[segments->segment[segment + 1].first].place.at[PHASES_INSTRUCTION];
			uint64_t fit;
			if (end <= at)
				fit = 0;
			else if (step->what.instructions == 0)
				fit = left;
			else
				fit = (end - at + step->what.instructions - 1) / step->what.instructions;
			trips = fit < left ? fit : left;
		}
		heat->trips[(size_t)path * heat->phases + segments->segment[segment].phase] += trips;
		at += trips * step->what.instructions;
		left -= trips;
		segment += left > 0;
	}
}

int heat_make(struct heat *heat, struct phases_file *file, const struct intervals *intervals,
    const struct segments *segments, heat_weigh *weigh, void *context)
{
	struct sorted_config config;
	struct phases_step step;
	uint32_t segment = 0, path;
	*heat = (struct heat){.phases = segments->phases};
	sorted_config_default(&config);
	config.period = 0;
	config.symbols_max = UINT32_MAX;
	if (sorted_open(&heat->table, &config) != SORTED_OK)
		return PHASES_ENOMEM;
	int more = segments->count == 0 ? 0 : phases_seek(file, PHASES_REPEATED, 0);
	more = more == PHASES_OK && segments->count > 0;
	while (more == 1 && (more = phases_next(file, &step)) == 1) {
		if (step.lost)
			continue;
		const int is_new = sorted_enter(heat->table, step.what.blocks, step.what.count,
		    sorted_hash(step.what.blocks, step.what.count), step.trips, &path);
		if (is_new < 0 || room_for_heat(heat, (size_t)path + 1) != PHASES_OK) {
			heat_free(heat);
			return PHASES_ENOMEM;
		}
		if (is_new == 1) {
			heat->first[path] = step.place.at[PHASES_INSTRUCTION];
			heat->insns[path] = step.what.instructions;
			heat->heats[path] =
			    weigh == NULL ? step.what.instructions : weigh(context, step.what.blocks, step.what.count);
			heat->paths = path + 1;
		}
		while (segment + 1 < segments->count &&
		       intervals->interval[segments->segment[segment + 1].first].place.at[PHASES_INSTRUCTION] <=
			   step.place.at[PHASES_INSTRUCTION])
			segment++;
		share_out(heat, path, &step, intervals, segments, segment);
	}
	if (more < 0)
		heat_free(heat);
	return more < 0 ? more : PHASES_OK;
}

void heat_free(struct heat *heat)
{
	sorted_close(heat->table);
	free(heat->trips);
	free(heat->first);
	free(heat->insns);
	free(heat->heats);
	*heat = (struct heat){0};
}

void heat_path(const struct heat *heat, uint32_t path, struct heat_path *what)
{
	what->blocks = sorted_symbols(heat->table, path, &what->count);
	what->instructions = heat->insns[path];
	what->heat = heat->heats[path];
	what->first = heat->first[path];
}

uint64_t heat_trips(const struct heat *heat, uint32_t path, uint32_t phase)
{
	const uint64_t *trips = heat->trips + (size_t)path * heat->phases;
	uint64_t sum = 0;
	for (uint32_t p = 0; p < heat->phases; p++)
		sum += p == phase || phase == heat->phases ? trips[p] : 0;
	return sum;
}

uint64_t heat_value(const struct heat *heat, uint32_t path, uint32_t phase)
{
	return heat_trips(heat, path, phase) * heat->heats[path];
}

struct rank {
	uint64_t value;
	uint32_t path;
};

static int hotter_path(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;
	return order_then(ORDER_DOWN(x->value, y->value), ORDER_UP(x->path, y->path));
}

uint32_t *heat_order(const struct heat *heat, uint32_t phase, uint32_t *count)
{
	struct rank *rank = malloc(heat->paths * sizeof *rank + 1);
	uint32_t *order = malloc(heat->paths * sizeof *order + 1);
	*count = 0;
	for (uint32_t p = 0; p < heat->paths && rank != NULL && order != NULL; p++) {
		rank[*count] = (struct rank){heat_value(heat, p, phase), p};
		*count += rank[*count].value > 0;
	}
	if (rank == NULL || order == NULL || *count == 0) {
		free(rank);
		free(order);
		return NULL;
	}
	qsort(rank, *count, sizeof *rank, hotter_path);
	for (uint32_t i = 0; i < *count; i++)
		order[i] = rank[i].path;
	free(rank);
	return order;
}

/* The trips of a step that begins in this interval. */
static void spread_trips(
    uint64_t *row, const struct intervals *intervals, uint32_t interval, const struct phases_step *step)
{
	uint64_t at = step->place.at[PHASES_INSTRUCTION], left = step->trips;
	const uint64_t length = step->what.instructions;
	for (uint32_t i = interval; left > 0; i++) {
		uint64_t trips = left;
		if (i + 1 < intervals->count) {
			const uint64_t end = intervals->interval[i + 1].place.at[PHASES_INSTRUCTION];
			const uint64_t fit = end <= at ? 0 : (end - at + length - 1) / length;
			trips = fit < left ? fit : left;
		}
		row[i] += trips * length;
		at += trips * length;
		left -= trips;
	}
}

uint64_t *heat_over_time(const struct heat *heat, struct phases_file *file, const struct intervals *intervals,
    const uint32_t *order, uint32_t rows)
{
	uint64_t *over = calloc((size_t)rows * intervals->count + 1, sizeof *over);
	uint32_t *row_of = malloc((heat->paths + 1) * sizeof *row_of);
	struct phases_step step;
	uint32_t path, i = 0;
	if (over == NULL || row_of == NULL) {
		free(over);
		free(row_of);
		return NULL;
	}
	memset(row_of, 0xFF, (heat->paths + 1) * sizeof *row_of);
	for (uint32_t r = 0; r < rows; r++)
		row_of[order[r]] = r;
	int more = intervals->count > 0 && phases_seek(file, PHASES_REPEATED, 0) == PHASES_OK;
	while (more == 1 && (more = phases_next(file, &step)) == 1) {
		if (step.lost || step.what.instructions == 0 ||
		    sorted_enter(heat->table, step.what.blocks, step.what.count,
			sorted_hash(step.what.blocks, step.what.count), 0, &path) != 0)
			continue;
		while (i + 1 < intervals->count &&
		       intervals->interval[i + 1].place.at[PHASES_INSTRUCTION] <= step.place.at[PHASES_INSTRUCTION])
			i++;
		if (row_of[path] != UINT32_MAX)
			spread_trips(over + (size_t)row_of[path] * intervals->count, intervals, i, &step);
	}
	free(row_of);
	return over;
}
