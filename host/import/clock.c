/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/import/clock.h"

#include <stdlib.h>
#include "common/sizes.h"
#include "host/base/array.h"
#include "host/import/import.h"

#define WAITING_MAX SIZED(1u << 20, 1u << 8) /* records without a time behind them; then the oldest goes untimed */
#define POINTS_MAX SIZED(1u << 20, 1u << 6)  /* times without a record behind them; then every second goes */
#define PORT_DELAY 8                         /* instructions that may retire before a record has left the unit */

struct waiting {
	struct record record;
	double begin, end; /* places on the axis of weights */
	uint64_t insns;
	bool begun;
	uint64_t from; /* clock at its begin */
};

struct point { /* a time, and its place on the axis of weights once it is known */
	uint64_t index, time;
	double place;
};

struct import_clock {
	struct estimate estimate;
	const struct core *core;
	uint64_t tick;
	import_clock_sink *sink;
	void *context;
	struct import_clock_counts counts;
	bool began; /* a record has come: the kind is known */
	enum import_clock_kind kind;
	/* in order, from first on */
	struct waiting *waiting;
	size_t waiting_first, waiting_count, waiting_room;
	struct point *points;
	size_t point_first, point_count, point_room;
	struct point last; /* the last one whose place is known */
	bool has_last;
	uint64_t index; /* instructions up to the end of the last record */
	double place;   /* weights up to it */
	uint64_t now;   /* cycles, or instructions, up to the last record that left */
};

struct import_clock *import_clock_open(const struct image *image, const struct core *core, uint64_t tick, unsigned hist,
    import_clock_sink *sink, void *context)
{
	struct import_clock *clock = calloc(1, sizeof *clock);
	if (clock == NULL)
		return NULL;
	clock->core = core;
	clock->tick = tick;
	clock->sink = sink;
	clock->context = context;
	if (!estimate_open(&clock->estimate, image, core, hist)) {
		import_clock_close(clock);
		return NULL;
	}
	return clock;
}

void import_clock_close(struct import_clock *clock)
{
	if (clock == NULL)
		return;
	estimate_close(&clock->estimate);
	free(clock->waiting);
	free(clock->points);
	free(clock);
}

enum import_clock_kind import_clock_kind(const struct import_clock *clock)
{
	return clock->kind;
}

const struct import_clock_counts *import_clock_counts(const struct import_clock *clock)
{
	return &clock->counts;
}

/* ---- records leave ---- */

static int send_record(struct import_clock *clock, struct record *record, uint64_t cycles, uint64_t passed)
{
	clock->now += passed;
	record->timed = cycles == 0 ? 0 : record->count;
	record->cycles = cycles;
	if (cycles > UINT32_MAX) { /* a record file has no room for more */
		clock->counts.clipped += cycles - UINT32_MAX;
		record->cycles = UINT32_MAX;
	}
	return clock->sink(clock->context, record, clock->now) == 0 ? IMPORT_OK : IMPORT_ESTOPPED;
}

/* The oldest one that waits, without cycles. */
static int send_untimed(struct import_clock *clock)
{
	struct waiting *w = &clock->waiting[clock->waiting_first++];
	clock->counts.untimed += w->insns;
	return send_record(clock, &w->record, 0, 0);
}

/* The clock at a place between two points. */
static uint64_t clock_at(const struct point *from, const struct point *to, double place)
{
	const double share = (place - from->place) / (to->place - from->place), all = (double)(to->time - from->time);
	const double part = all * share + 0.5;
	const uint64_t cycles = part < all ? (uint64_t)part : to->time - from->time;
	return cycles < to->time - from->time ? from->time + cycles : to->time;
}

/* All records that end between two points get their cycles. */
static int send_between(struct import_clock *clock, const struct point *from, const struct point *to)
{
	int error = IMPORT_OK;
	while (error == IMPORT_OK && clock->waiting_first < clock->waiting_count) {
		struct waiting *w = &clock->waiting[clock->waiting_first];
		if (!w->begun && w->begin < to->place) {
			w->begun = w->begin >= from->place;
			w->from = w->begun ? clock_at(from, to, w->begin) : 0;
		}
		if (w->end > to->place)
			break;
		if (!w->begun) {
			error = send_untimed(clock);
			continue;
		}
		const uint64_t end = w->end == to->place ? to->time : clock_at(from, to, w->end);
		clock->waiting_first++;
		clock->counts.instructions += w->insns;
		const uint64_t before = clock->counts.cycles, all = end - clock->last.time + before;
		error = send_record(clock, &w->record, end - w->from, all - clock->now);
	}
	return error;
}

/* The clock was set: what began before it and ends behind it has no cycles. */
static void forget_begins(struct import_clock *clock)
{
	for (size_t i = clock->waiting_first; i < clock->waiting_count; i++)
		clock->waiting[i].begun = false;
}

/* A point whose place has become known. */
static int take_point(struct import_clock *clock, const struct point *point)
{
	int error = IMPORT_OK;
	if (clock->has_last && point->time < clock->last.time) {
		clock->counts.backwards++;
		forget_begins(clock);
	} else if (clock->has_last) {
		error = send_between(clock, &clock->last, point);
		clock->counts.cycles += point->time - clock->last.time;
	}
	clock->last = *point;
	clock->has_last = true;
	while (error == IMPORT_OK && clock->waiting_first < clock->waiting_count &&
	       clock->waiting[clock->waiting_first].end <= point->place)
		error = send_untimed(clock);
	return error;
}

/* Points up to the instructions that records hold; they lie in the last record, or before it. */
static int take_points(struct import_clock *clock, uint64_t begin, double begin_place)
{
	int error = IMPORT_OK;
	while (error == IMPORT_OK && clock->point_first < clock->point_count &&
	       clock->points[clock->point_first].index <= clock->index) {
		struct point *p = &clock->points[clock->point_first++];
		const double weight = clock->place - begin_place, length = (double)(clock->index - begin);
		if (p->index == clock->index)
			p->place = clock->place;
		else if (p->index > begin)
			p->place = begin_place + weight * (double)(p->index - begin) / length;
		else
			p->place = begin_place - (double)(begin - p->index);
		error = take_point(clock, p);
	}
	return error;
}

/* ---- what comes in ---- */

/* The points that wait begin the array. Of many without a record, every second goes, but for the first and the last. */
static void tidy_points(struct import_clock *clock)
{
	const size_t waiting = clock->point_count - clock->point_first;
	size_t kept = 0;
	if (clock->point_first <= clock->point_count / 2 && waiting < POINTS_MAX)
		return;
	for (size_t i = 0; i < waiting; i++) {
		if (waiting < POINTS_MAX || i % 2 == 0 || i + 1 == waiting)
			clock->points[kept++] = clock->points[clock->point_first + i];
	}
	clock->point_first = 0;
	clock->point_count = kept;
}

/* Of several times between two instructions the first and the last are asked for. */
static bool replaces_last(const struct import_clock *clock, const struct point *point)
{
	if (clock->point_count - clock->point_first < 2)
		return false;
	const struct point *last = &clock->points[clock->point_count - 1], *before = last - 1;
	return before->index == point->index && last->index == point->index && last->time >= before->time &&
	       point->time >= last->time;
}

bool import_clock_time(struct import_clock *clock, uint64_t index, uint64_t time)
{
	const struct point point = {.index = index, .time = time * clock->tick};
	clock->counts.times++;
	tidy_points(clock);
	if (replaces_last(clock, &point)) {
		clock->points[clock->point_count - 1] = point;
		return true;
	}
	if (!array_room(&clock->points, clock->point_count + 1, &clock->point_room))
		return false;
	clock->points[clock->point_count++] = point;
	return true;
}

static void decide_kind(struct import_clock *clock)
{
	if (clock->began)
		return;
	clock->began = true;
	if (clock->counts.times > 0)
		clock->kind = IMPORT_BY_TIMES;
	else if (clock->core != NULL)
		clock->kind = IMPORT_BY_RULES;
}

/* The record waits at the end of the queue, whose front has been sent. False: out of memory. */
static bool put_waiting(struct import_clock *clock, const struct record *record, uint64_t insns, double begin)
{
	if (clock->waiting_first == clock->waiting_count)
		clock->waiting_first = clock->waiting_count = 0;
	else if (clock->waiting_first > WAITING_MAX / 2) {
		for (size_t i = clock->waiting_first; i < clock->waiting_count; i++)
			clock->waiting[i - clock->waiting_first] = clock->waiting[i];
		clock->waiting_count -= clock->waiting_first;
		clock->waiting_first = 0;
	}
	if (!array_room(&clock->waiting, clock->waiting_count + 1, &clock->waiting_room))
		return false;
	clock->waiting[clock->waiting_count++] =
	    (struct waiting){.record = *record, .begin = begin, .end = clock->place, .insns = insns};
	return true;
}

int import_clock_record(struct import_clock *clock, const struct record *record, uint64_t index)
{
	const uint64_t insns = (uint64_t)record->insns * record->count;
	const uint64_t joined = clock->index + insns;
	const uint64_t end = joined <= index && joined + PORT_DELAY >= index ? joined : index;
	uint64_t weight = 0;
	decide_kind(clock);
	if (!estimate_cycles(&clock->estimate, record, &weight))
		return IMPORT_ENOMEM;
	if (clock->kind == IMPORT_UNTIMED)
		return clock->sink(clock->context, record, index) == 0 ? IMPORT_OK : IMPORT_ESTOPPED;
	weight = clock->core == NULL ? insns : weight * record->count;
	if (clock->kind == IMPORT_BY_RULES) {
		clock->counts.cycles += weight;
		struct record copy = *record;
		return send_record(clock, &copy, weight, weight);
	}
	const uint64_t begin = end - insns;
	const double begin_place = clock->place + (double)(begin - clock->index);
	clock->place = begin_place + (double)(weight + (weight == 0));
	clock->index = end;
	if (!put_waiting(clock, record, insns, begin_place))
		return IMPORT_ENOMEM;
	int error = take_points(clock, begin, begin_place);
	if (error == IMPORT_OK && clock->waiting_count - clock->waiting_first > WAITING_MAX)
		error = send_untimed(clock);
	return error;
}

int import_clock_finish(struct import_clock *clock)
{
	/* behind the last record there is nothing but instructions of which no record tells */
	for (size_t i = clock->point_first; i < clock->point_count; i++) {
		if (clock->points[i].index > clock->index)
			clock->points[i].index = clock->index;
	}
	int error = take_points(clock, clock->index, clock->place);
	while (error == IMPORT_OK && clock->waiting_first < clock->waiting_count)
		error = send_untimed(clock);
	return error;
}
