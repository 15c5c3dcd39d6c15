/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * rivulet phases --simpoint PREFIX: the run as SimPoint's files, some intervals of each phase to stand for it.
 *
 *   PREFIX.bb         a line for each interval: T:block:instructions :block:instructions ...
 *   PREFIX.labels     part and distance of each interval
 *   PREFIX.simpoints  interval and part
 *   PREFIX.weights    share of the run and part
 *   PREFIX.markers    interval, address, and the how-many-eth execution of the block there begins it
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/order.h"
#include "host/base/hash.h"
#include "host/cmd/phases.h"

struct counted_block {
	uint64_t address, executions; /* so far */
	uint64_t instructions;        /* in the interval at hand */
	uint32_t context, length;
};

struct vectors { /* exact block vectors, interval by interval */
	const struct phases_view *view;
	FILE *bb, *markers;
	struct counted_block *blocks;
	size_t count, room;
	struct hash table; /* by address and context */
	uint32_t *touched; /* blocks of the interval at hand */
	size_t touched_count, touched_room;
	uint32_t interval;
};

struct wanted {
	const struct vectors *v;
	const struct phases_block *block;
};

static bool is_block(const void *context, uint32_t index)
{
	const struct wanted *w = context;
	const struct counted_block *b = &w->v->blocks[index];
	return b->address == w->block->address && b->context == w->block->context &&
	       b->length == w->block->instructions;
}

/* NULL: out of memory. */
static struct counted_block *find_counted_block(struct vectors *v, const struct phases_block *block)
{
	const struct wanted wanted = {v, block};
	uint32_t hash = hash_of_two(block->address, (uint64_t)block->context << 32 | block->instructions);
	uint32_t index = hash_find(&v->table, hash, is_block, &wanted);
	if (index != HASH_NONE)
		return &v->blocks[index];
	if (!array_room(&v->blocks, v->count + 1, &v->room) || !hash_add(&v->table, hash, (uint32_t)v->count))
		return NULL;
	v->blocks[v->count] =
	    (struct counted_block){.address = block->address, .context = block->context, .length = block->instructions};
	return &v->blocks[v->count++];
}

static uint64_t interval_end_of(const struct vectors *v, uint32_t interval)
{
	const struct intervals *all = &v->view->intervals;
	return interval + 1 < all->count ? all->interval[interval + 1].place.at[PHASES_INSTRUCTION] : UINT64_MAX;
}

static int counted_by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return ORDER_UP(*x, *y);
}

static void end_vector(struct vectors *v)
{
	if (v->touched_count > 0)
		qsort(v->touched, v->touched_count, sizeof *v->touched, counted_by_number);
	putc('T', v->bb);
	for (size_t i = 0; i < v->touched_count; i++) {
		struct counted_block *block = &v->blocks[v->touched[i]];
		fprintf(v->bb, ":%" PRIu32 ":%" PRIu64 " ", v->touched[i] + 1, block->instructions);
		block->instructions = 0;
	}
	putc('\n', v->bb);
	v->touched_count = 0;
}

static bool begin_vector(struct vectors *v, const struct phases_step *step)
{
	if (step->what.count == 0)
		return true;
	const struct counted_block *first = find_counted_block(v, phases_block(v->view->file, step->what.blocks[0]));
	if (first == NULL)
		return false;
	fprintf(v->markers, "%" PRIu32 " 0x%08" PRIx64 " %" PRIu64 "\n", v->interval, first->address,
	    first->executions + 1);
	return true;
}

static bool add_vector_trips(struct vectors *v, const struct phases_step *step, uint64_t trips)
{
	for (uint32_t i = 0; i < step->what.count; i++) {
		struct counted_block *block = find_counted_block(v, phases_block(v->view->file, step->what.blocks[i]));
		if (block == NULL)
			return false;
		if (block->instructions == 0) {
			if (!array_room(&v->touched, v->touched_count + 1, &v->touched_room))
				return false;
			v->touched[v->touched_count++] = (uint32_t)(block - v->blocks);
		}
		block->instructions += trips * block->length;
		block->executions += trips;
	}
	return true;
}

/* Trips belong to the interval in which they begin, as in host/phases/intervals.c. */
static bool add_vector_step(struct vectors *v, const struct phases_step *step)
{
	const struct intervals *all = &v->view->intervals;
	uint64_t at = step->place.at[PHASES_INSTRUCTION], each = step->what.instructions;
	for (uint64_t left = step->trips; left > 0 && each > 0;) {
		while (v->interval + 1 < all->count && at >= interval_end_of(v, v->interval)) {
			end_vector(v);
			v->interval++;
		}
		if (at == all->interval[v->interval].place.at[PHASES_INSTRUCTION] && !begin_vector(v, step))
			return false;
		uint64_t room = interval_end_of(v, v->interval) - at, trips = room / each + (room % each != 0);
		trips = trips > left ? left : trips;
		if (!add_vector_trips(v, step, trips))
			return false;
		at += trips * each;
		left -= trips;
	}
	return true;
}

static int write_vectors(const struct phases_view *view, FILE *bb, FILE *markers)
{
	struct vectors v = {.view = view, .bb = bb, .markers = markers};
	struct phases_step step;
	int got = 1;
	bool good = phases_seek(view->file, PHASES_INSTRUCTION, 0) == PHASES_OK;
	while (good && stop_signal == 0 && (got = phases_next(view->file, &step)) == 1)
		good = step.lost || add_vector_step(&v, &step);
	if (good)
		end_vector(&v);
	free(v.blocks);
	free(v.touched);
	hash_free(&v.table);
	if (!good || got < 0)
		complain("%s: %s", view->input, good ? phases_strerror(got) : "out of memory");
	return good && got >= 0 ? STATUS_OK : STATUS_FAILED;
}

/* ---- one interval for each part of a phase ---- */

#define PARTS 20u /* by the share of the run, and one more: what is alike in code may differ in cycles */

/* A difference of an eighth in cycles is as bad as code that is all other code: blocks alone took json, ref input, for
 * 3.67% faster than it is. */
#define CYCLES_WEIGHT 8

struct part {
	uint32_t chosen; /* interval */
	double distance; /* of the chosen one; below 0: none is chosen */
	uint64_t instructions, members;
	double vector[INTERVAL_DIMENSIONS]; /* sum of the members' */
	double cycles, timed;               /* of the members whose end is known: cycles, instructions */
};

struct parts {
	const struct phases_view *view;
	struct part *part;
	uint32_t *of;     /* part of each interval */
	double *distance; /* of each interval from its part, in blocks and cycles */
	uint32_t count;
	bool timed; /* the run has cycles */
};

/* From the beginning of one interval to that of another; 0: not known. */
static double cycles_between(const struct phases_view *view, uint32_t from, uint32_t to)
{
	const struct intervals *all = &view->intervals;
	const struct phases_place *end = to < all->count ? &all->interval[to].place : &view->total;
	return (double)(end->at[PHASES_CYCLE] - all->interval[from].place.at[PHASES_CYCLE]);
}

static uint32_t phase_at(const struct segments *s, uint32_t interval)
{
	uint32_t i = 0;
	while (i + 1 < s->count && s->segment[i + 1].first <= interval)
		i++;
	return s->segment[i].phase;
}

static void add_part_member(struct parts *p, uint32_t interval, uint32_t number)
{
	const struct interval *one = &p->view->intervals.interval[interval];
	struct part *part = &p->part[number];
	p->of[interval] = number;
	part->members++;
	part->instructions += one->instructions;
	for (unsigned d = 0; d < INTERVAL_DIMENSIONS; d++)
		part->vector[d] += (double)one->vector[d];
	if (interval + 1 < p->view->intervals.count) {
		part->cycles += cycles_between(p->view, interval, interval + 1);
		part->timed += (double)one->instructions;
	}
}

/* How far an interval's cycles an instruction are from those of its part, as a share of these, with its sign: what is
 * alike in code may differ in cycles. */
static double cycles_distance(const struct parts *p, const struct part *part, uint32_t interval)
{
	const double instructions = (double)p->view->intervals.interval[interval].instructions;
	if (!p->timed || part->cycles <= 0 || part->timed <= 0 || instructions <= 0)
		return 0;
	return cycles_between(p->view, interval, interval + 1) / instructions / (part->cycles / part->timed) - 1;
}

/* The intervals of a phase, in equal parts, one after the other in time. */
static void cut_phase(struct parts *p, uint32_t phase)
{
	const struct segments *s = &p->view->segments;
	uint32_t all = s->phase[phase].intervals, seen = 0;
	uint32_t parts = 1 + (uint32_t)((uint64_t)PARTS * all / p->view->intervals.count);
	parts = parts < all ? parts : all;
	for (uint32_t i = 0; i < p->view->intervals.count && all > 0; i++) {
		if (phase_at(s, i) == phase)
			add_part_member(p, i, p->count + (uint32_t)((uint64_t)seen++ * parts / all));
	}
	p->count += parts;
}

/* In each part the interval whose blocks and cycles are most like all of it. */
static void choose_points(struct parts *p, FILE *labels)
{
	for (uint32_t phase = 0; phase < p->view->segments.phases; phase++)
		cut_phase(p, phase);
	for (uint32_t i = 0; i < p->view->intervals.count; i++) {
		struct part *part = &p->part[p->of[i]];
		float mean[INTERVAL_DIMENSIONS];
		for (unsigned d = 0; d < INTERVAL_DIMENSIONS; d++)
			mean[d] = (float)(part->vector[d] / (double)part->members);
		double distance = interval_distance(p->view->intervals.interval[i].vector, mean);
		fprintf(labels, "%" PRIu32 " %.6f\n", p->of[i], distance);
		bool last = i + 1 == p->view->intervals.count; /* when it ended is not in the file */
		if (!last)
			distance += CYCLES_WEIGHT * fabs(cycles_distance(p, part, i));
		p->distance[i] = distance;
		if (part->distance < 0 || (distance < part->distance && !last)) {
			part->distance = distance;
			part->chosen = i;
		}
	}
}

/* Cycles that the chosen interval of a part says too many, for all of the part. */
static double part_error(const struct parts *p, const struct part *part, uint32_t chosen)
{
	return part->timed > 0
		   ? cycles_distance(p, part, chosen) * part->cycles / part->timed * (double)part->instructions
		   : 0;
}

/* Of the exchanges of one chosen interval for another of its part the one that gains most: the interval, or its count
 * if none gains. */
static uint32_t best_exchange(const struct parts *p, double error, double cycles, double instructions)
{
	uint32_t best = p->view->intervals.count;
	double most = 1e-9;
	for (uint32_t i = 0; i + 1 < p->view->intervals.count; i++) {
		const struct part *part = &p->part[p->of[i]];
		double after = error - part_error(p, part, part->chosen) + part_error(p, part, i);
		double gain = CYCLES_WEIGHT * (fabs(error) - fabs(after)) / cycles +
			      (part->distance - p->distance[i]) * (double)part->instructions / instructions;
		if (gain > most) {
			most = gain;
			best = i;
		}
	}
	return best;
}

/* Exchanges chosen intervals for others nearly as good, so that the parts' errors cancel: those of one sign add up. */
static void balance_points(struct parts *p)
{
	double error = 0, cycles = 0, instructions = 0;
	for (uint32_t i = 0; i < p->count; i++) {
		error += part_error(p, &p->part[i], p->part[i].chosen);
		cycles += p->part[i].cycles;
		instructions += (double)p->part[i].instructions;
	}
	if (!p->timed || cycles <= 0)
		return;
	for (uint32_t round = 0; round < p->count; round++) {
		uint32_t found = best_exchange(p, error, cycles, instructions);
		if (found == p->view->intervals.count)
			return;
		struct part *part = &p->part[p->of[found]];
		error += part_error(p, part, found) - part_error(p, part, part->chosen);
		part->chosen = found;
		part->distance = p->distance[found];
	}
}

static double instructions_of(const struct phases_view *view)
{
	double all = 0;
	for (uint32_t i = 0; i < view->intervals.count; i++)
		all += (double)view->intervals.interval[i].instructions;
	return all;
}

void phases_tell_estimate(const struct phases_view *view, const struct phases_point *point, uint32_t count)
{
	double estimate = 0, all = instructions_of(view), simulated = 0;
	uint32_t last = view->intervals.count > 1 ? view->intervals.count - 1 : 1;
	double cycles = cycles_between(view, 0, last), timed = all;
	if (view->intervals.count > 1)
		timed -= (double)view->intervals.interval[last].instructions;
	for (uint32_t i = 0; i < count; i++) {
		double own = (double)view->intervals.interval[point[i].interval].instructions;
		simulated += own;
		if (own > 0)
			estimate +=
			    point[i].weight * cycles_between(view, point[i].interval, point[i].interval + 1) / own;
	}
	complain("%s: %" PRIu32 " intervals of %" PRIu32 " stand for the run, %.2f%% of the instructions", view->input,
	    count, view->intervals.count, all > 0 ? 100 * simulated / all : 0);
	if (cycles > 0 && timed > 0 && phases_header(view->file)->cycles)
		complain("%s: by them it takes %.4f cycles an instruction; it took %.4f, an error of %+.2f%%",
		    view->input, estimate, cycles / timed, 100 * (estimate / (cycles / timed) - 1));
	else
		complain("%s: it has no cycles: how good they are is not known", view->input);
}

static int write_points(const struct parts *p, FILE *points, FILE *weights)
{
	struct phases_point *point = calloc((size_t)p->count + 1, sizeof *point);
	double all = instructions_of(p->view);
	for (uint32_t i = 0; point != NULL && i < p->count; i++) {
		point[i] =
		    (struct phases_point){p->part[i].chosen, all > 0 ? (double)p->part[i].instructions / all : 0};
		fprintf(points, "%" PRIu32 " %" PRIu32 "\n", point[i].interval, i);
		fprintf(weights, "%.9f %" PRIu32 "\n", point[i].weight, i);
	}
	if (point != NULL)
		phases_tell_estimate(p->view, point, p->count);
	else
		complain("out of memory");
	free(point);
	return point != NULL ? STATUS_OK : STATUS_FAILED;
}

enum { FILE_BB, FILE_MARKERS, FILE_LABELS, FILE_POINTS, FILE_WEIGHTS, FILES };

static int write_files(const struct phases_view *view, struct output *const files[FILES])
{
	struct parts parts = {.view = view, .timed = phases_header(view->file)->cycles};
	parts.part = calloc((size_t)view->segments.phases + PARTS + 1, sizeof *parts.part);
	parts.of = calloc((size_t)view->intervals.count + 1, sizeof *parts.of);
	parts.distance = calloc((size_t)view->intervals.count + 1, sizeof *parts.distance);
	bool room = parts.part != NULL && parts.of != NULL && parts.distance != NULL;
	int status = room ? STATUS_OK : STATUS_FAILED;
	if (status != STATUS_OK)
		complain("out of memory");
	for (size_t i = 0; status == STATUS_OK && i < (size_t)view->segments.phases + PARTS; i++)
		parts.part[i].distance = -1;
	if (status == STATUS_OK)
		status = write_vectors(view, output_file(files[FILE_BB]), output_file(files[FILE_MARKERS]));
	if (status == STATUS_OK) {
		choose_points(&parts, output_file(files[FILE_LABELS]));
		balance_points(&parts);
		status = write_points(&parts, output_file(files[FILE_POINTS]), output_file(files[FILE_WEIGHTS]));
	}
	free(parts.part);
	free(parts.of);
	free(parts.distance);
	return status;
}

int phases_simpoint(const struct phases_view *view, const char *prefix)
{
	static const char *const ends[FILES] = {"bb", "markers", "labels", "simpoints", "weights"};
	const char *const inputs[] = {view->input};
	struct output *files[FILES] = {NULL};
	char name[4096];
	int status = STATUS_OK;
	if (view->segments.count == 0) {
		complain("%s: has no interval", view->input);
		return STATUS_FAILED;
	}
	for (unsigned i = 0; i < FILES && status == STATUS_OK; i++) {
		snprintf(name, sizeof name, "%s.%s", prefix, ends[i]);
		files[i] = begin_output(name, OUTPUT_REPLACE, inputs, 1);
		status = files[i] == NULL ? STATUS_FAILED : STATUS_OK;
	}
	if (status == STATUS_OK)
		status = write_files(view, files);
	for (unsigned i = 0; i < FILES; i++) {
		int one = finish_output(files[i], status);
		status = status > one ? status : one;
	}
	return status;
}
