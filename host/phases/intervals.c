/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/intervals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

const char *detector_name(unsigned detector)
{
	static const char *const names[DETECTORS] = {"branches", "working-set", "subroutine", "blocks", "table"};
	return detector < DETECTORS ? names[detector] : "unknown";
}

struct share { /* instructions of one function in a path */
	uint64_t function;
	uint64_t instructions;
};

struct known { /* a path, as intervals add it up */
	bool made;
	uint32_t first, count; /* shares */
	uint64_t branches;
	float vector[INTERVAL_DIMENSIONS]; /* instructions */
	uint64_t set[INTERVAL_SET_WORDS];
};

struct making {
	struct intervals *out;
	const struct interval_lengths *lengths; /* NULL: all are as long */
	struct phases_file *file;
	interval_look *look;
	void *context;
	uint32_t epoch;
	struct known *known;
	size_t known_count, known_room;
	struct share *shares;
	size_t share_count, share_room;
	/* functions of the interval under way: a small table that is searched from its hottest entry */
	struct share *functions;
	size_t function_count, function_room;
	size_t room;
	struct interval *now;
	uint64_t end; /* sum of the lengths so far */
};

/* A place in the vector and a bit of the set: pseudo-random, the same for a block in each run. */
static uint64_t scramble_block(const struct phases_block *block)
{
	uint64_t x = (block->address + block->context * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
	x ^= x >> 32;
	x *= 0xD6E8FEB86659FD93u;
	return x ^ x >> 32;
}

static int add_share(struct share **shares, size_t *count, size_t *room, size_t from, uint64_t function, uint64_t insns)
{
	for (size_t i = from; i < *count; i++)
		if ((*shares)[i].function == function) {
			(*shares)[i].instructions += insns;
			return PHASES_OK;
		}
	if (!array_room(shares, *count + 1, room))
		return PHASES_ENOMEM;
	(*shares)[(*count)++] = (struct share){function, insns};
	return PHASES_OK;
}

static int know_path(struct making *m, const struct phases_step *step, struct known **known)
{
	if (m->epoch != step->epoch) {
		m->epoch = step->epoch;
		m->known_count = m->share_count = 0;
	}
	if (!array_room(&m->known, (size_t)step->path + 1, &m->known_room))
		return PHASES_ENOMEM;
	for (; m->known_count <= step->path; m->known_count++)
		m->known[m->known_count].made = false;
	struct known *k = *known = &m->known[step->path];
	if (k->made)
		return PHASES_OK;
	*k = (struct known){.made = true, .first = (uint32_t)m->share_count};
	for (uint32_t i = 0; i < step->what.count; i++) {
		const struct phases_block *block = phases_block(m->file, step->what.blocks[i]);
		struct interval_block what = {0};
		const uint64_t random = scramble_block(block);
		m->look(m->context, block, &what);
		k->branches += what.branch;
		k->vector[random % INTERVAL_DIMENSIONS] += (float)block->instructions;
		k->set[random >> 8 & (INTERVAL_SET_WORDS - 1)] |= (uint64_t)1 << (random >> 16 & 63);
		int error = add_share(
		    &m->shares, &m->share_count, &m->share_room, k->first, what.function, block->instructions);
		if (error != PHASES_OK)
			return error;
	}
	k->count = (uint32_t)(m->share_count - k->first);
	return PHASES_OK;
}

static void close_interval(struct making *m)
{
	struct interval *now = m->now;
	if (now == NULL)
		return;
	float sum = 0;
	for (unsigned d = 0; d < INTERVAL_DIMENSIONS; d++)
		sum += now->vector[d];
	for (unsigned d = 0; d < INTERVAL_DIMENSIONS && sum > 0; d++)
		now->vector[d] /= sum;
	for (size_t i = 0; i < m->function_count; i++)
		if (m->functions[i].instructions > now->function_instructions) {
			now->function = m->functions[i].function;
			now->function_instructions = m->functions[i].instructions;
		}
	m->function_count = 0;
	m->now = NULL;
}

static int open_interval(struct making *m, const struct phases_place *place)
{
	if (!array_room(&m->out->interval, m->out->count + 1, &m->room))
		return PHASES_ENOMEM;
	m->now = &m->out->interval[m->out->count++];
	memset(m->now, 0, sizeof *m->now);
	m->now->place = *place;
	if (m->lengths != NULL && m->out->count <= m->lengths->count)
		m->end += m->lengths->length[m->out->count - 1];
	return PHASES_OK;
}

static int add_interval_trips(struct making *m, const struct known *k, const struct phases_step *step, uint64_t trips)
{
	struct interval *now = m->now;
	now->instructions += trips * step->what.instructions;
	now->branches += trips * k->branches;
	for (unsigned d = 0; d < INTERVAL_DIMENSIONS; d++)
		now->vector[d] += (float)trips * k->vector[d];
	for (unsigned w = 0; w < INTERVAL_SET_WORDS; w++)
		now->set[w] |= k->set[w];
	for (uint32_t i = 0; i < k->count; i++) {
		const struct share *s = &m->shares[k->first + i];
		int error = add_share(
		    &m->functions, &m->function_count, &m->function_room, 0, s->function, trips * s->instructions);
		if (error != PHASES_OK)
			return error;
	}
	return PHASES_OK;
}

/* Instructions of the interval under way, if it becomes whole. It ends with a trip: what that has too much, the next
 * interval has less. The last one has what is left. */
static uint64_t wanted_length(const struct making *m)
{
	const uint64_t begin = m->now->place.at[PHASES_INSTRUCTION];
	if (m->lengths == NULL)
		return m->out->size;
	if (m->out->count >= m->lengths->count)
		return UINT64_MAX;
	return m->end > begin ? m->end - begin : 1;
}

/* A repeated path belongs to the intervals in which its trips begin. */
static int add_interval_step(struct making *m, const struct phases_step *step)
{
	struct known *k = NULL;
	int error = know_path(m, step, &k);
	struct phases_place place = step->place;
	for (uint64_t left = step->trips; left > 0 && error == PHASES_OK;) {
		if (m->now != NULL && m->now->instructions >= wanted_length(m))
			close_interval(m);
		if (m->now == NULL && (error = open_interval(m, &place)) != PHASES_OK)
			return error;
		const uint64_t room = wanted_length(m) - m->now->instructions;
		const uint64_t each = step->what.instructions + (step->what.instructions == 0);
		uint64_t trips = room / each + (room % each != 0);
		if (trips == 0)
			trips = 1;
		else if (trips > left)
			trips = left;
		error = add_interval_trips(m, k, step, trips);
		place.at[PHASES_INSTRUCTION] += trips * step->what.instructions;
		place.at[PHASES_BLOCK] += trips * step->what.count;
		place.at[PHASES_PATH] += trips;
		left -= trips;
	}
	return error;
}

static int add_marks(struct making *m)
{
	const struct phases_mark *marks;
	size_t count;
	int error = phases_marks(m->file, &marks, &count);
	uint32_t i = 0;
	for (size_t k = 0; k < count && error == PHASES_OK && m->out->count > 0; k++) {
		while (i + 1 < m->out->count &&
		       m->out->interval[i + 1].place.at[PHASES_INSTRUCTION] <= marks[k].instruction)
			i++;
		m->out->interval[i].changes += marks[k].kind == PHASES_CHANGE;
		m->out->interval[i].lost += marks[k].kind == PHASES_GAP;
	}
	return error;
}

/* The cycles at which intervals begin: the file is asked once for each. */
static int add_times(struct making *m)
{
	for (uint32_t i = 0; i < m->out->count; i++)
		m->out->interval[i].place.at[PHASES_CYCLE] =
		    phases_cycle_of(m->file, m->out->interval[i].place.at[PHASES_INSTRUCTION]);
	return PHASES_OK;
}

static int cut_run(struct intervals *intervals, struct phases_file *file, const struct interval_lengths *lengths,
    const struct intervals_watch *watch)
{
	struct phases_place total;
	struct phases_step step;
	struct making m = {.out = intervals,
	    .lengths = lengths,
	    .file = file,
	    .look = watch->look,
	    .context = watch->context,
	    .epoch = UINT32_MAX};
	phases_total(file, &total);
	int error = total.at[PHASES_REPEATED] == 0 ? PHASES_OK : phases_seek(file, PHASES_REPEATED, 0);
	int more = error == PHASES_OK && total.at[PHASES_REPEATED] > 0;
	for (uint64_t n = 0; more == 1; n++) {
		more = phases_next(file, &step);
		if (more == 1 && step.lost) {
			if (m.now != NULL)
				m.now->lost++;
		} else if (more == 1 && (error = add_interval_step(&m, &step)) != PHASES_OK)
			more = error;
		if (more == 1 && watch->progress != NULL && n % 65536 == 0 &&
		    watch->progress(
			watch->progress_context, step.place.at[PHASES_INSTRUCTION], total.at[PHASES_INSTRUCTION]) != 0)
			more = PHASES_EVALUE;
	}
	close_interval(&m);
	error = more < 0 ? more : error;
	if (error == PHASES_OK)
		error = add_marks(&m);
	if (error == PHASES_OK)
		error = add_times(&m);
	free(m.known);
	free(m.shares);
	free(m.functions);
	if (error != PHASES_OK)
		intervals_free(intervals);
	return error;
}

int intervals_make(
    struct intervals *intervals, struct phases_file *file, uint32_t wanted, const struct intervals_watch *watch)
{
	struct phases_place total;
	*intervals = (struct intervals){0};
	if (wanted < 10 || wanted > 10000)
		return PHASES_EVALUE;
	phases_total(file, &total);
	intervals->size = total.at[PHASES_INSTRUCTION] / wanted + 1;
	return cut_run(intervals, file, NULL, watch);
}

int intervals_make_of(struct intervals *intervals, struct phases_file *file, const struct interval_lengths *lengths,
    const struct intervals_watch *watch)
{
	struct phases_place total;
	*intervals = (struct intervals){0};
	if (lengths->count < 1)
		return PHASES_EVALUE;
	phases_total(file, &total);
	intervals->size = total.at[PHASES_INSTRUCTION] / lengths->count + 1;
	return cut_run(intervals, file, lengths, watch);
}

void intervals_free(struct intervals *intervals)
{
	free(intervals->interval);
	*intervals = (struct intervals){0};
}

/* ---------------------------------------------------------------- detectors */

void detector_limits_default(struct detector_limits *limits)
{
	*limits = (struct detector_limits){.branches = 0.05, .working_set = 0.5, .subroutine = 0.5, .blocks = 0.5};
}

double interval_distance(const float a[INTERVAL_DIMENSIONS], const float b[INTERVAL_DIMENSIONS])
{
	double sum = 0;
	for (unsigned d = 0; d < INTERVAL_DIMENSIONS; d++)
		sum += fabs((double)a[d] - (double)b[d]);
	return sum;
}

static double set_distance(const struct interval *a, const struct interval *b)
{
	unsigned differ = 0, all = 0;
	for (unsigned w = 0; w < INTERVAL_SET_WORDS; w++) {
		differ += (unsigned)__builtin_popcountll(a->set[w] ^ b->set[w]);
		all += (unsigned)__builtin_popcountll(a->set[w] | b->set[w]);
	}
	return all == 0 ? 0 : (double)differ / all;
}

static double rate_of(uint64_t part, uint64_t of)
{
	return of == 0 ? 0 : (double)part / (double)of;
}

bool detector_change(
    const struct intervals *intervals, uint32_t i, enum detector detector, const struct detector_limits *limits)
{
	const struct interval *a = &intervals->interval[i - 1], *b = &intervals->interval[i];
	switch (detector) {
	case DETECT_BRANCHES:
		return fabs(rate_of(a->branches, a->instructions) - rate_of(b->branches, b->instructions)) >
		       limits->branches;
	case DETECT_WORKING_SET:
		return set_distance(a, b) > limits->working_set;
	case DETECT_SUBROUTINE:
		return a->function != b->function &&
		       rate_of(b->function_instructions, b->instructions) > limits->subroutine;
	case DETECT_BLOCKS:
		return interval_distance(a->vector, b->vector) > limits->blocks;
	default:
		return b->changes > 0;
	}
}

double detector_agreement(const struct intervals *intervals, enum detector a, enum detector b,
    const struct detector_limits *limits, uint32_t apart)
{
	uint32_t changes = 0, both = 0;
	for (uint32_t i = 1; i < intervals->count; i++) {
		if (!detector_change(intervals, i, a, limits))
			continue;
		changes++;
		bool found = false;
		for (uint32_t k = i > apart ? i - apart : 1; k <= i + apart && k < intervals->count && !found; k++)
			found = detector_change(intervals, k, b, limits);
		both += found;
	}
	return changes == 0 ? -1 : (double)both / changes;
}
