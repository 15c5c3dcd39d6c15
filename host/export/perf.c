/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * perf.data with branch stacks, from records in order: every taken branch of the run, PERF_STACK in a sample, of which
 * the first is the last of the sample before. So no straight range between two branches is lost at a sample's edge.
 *
 *   branches:  1 2 3 ... 31 32 33 ... 62 63 ...
 *   samples:   └────────────┘
 *                           └────────────┘
 *
 * Where tracing stopped, a stack ends, and the next begins anew: what ran up to its first branch is in no range.
 *
 * It is made of steps (host/base/steps.h): the branches of each are kept when it comes first, and taken from there each
 * time that it comes again.
 *
 *   steps    0 │ 1 │ ...      events   [stop] [branch at 3] [branch at 9] │ [branch at 4] │ ...
 */
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/export/encode.h"
#include "host/export/export.h"
#include "host/export/perf_data.h"

struct perf_encoder {
	struct perf_data *data;
	struct perf_branch stack[PERF_STACK]; /* the oldest first */
	unsigned used, fresh;                 /* of them; of these, in no sample yet */
	uint64_t time, branch_time, sample_time;
	bool timed; /* else time is instructions, and branches have none */
};

/* A sample's period is what ran since the one before it: the periods of all are the whole run, but for what follows the
 * last branch. */
static void put_sample(struct perf_encoder *e)
{
	if (e->fresh > 0) {
		perf_data_sample(e->data, e->stack, e->used, e->branch_time, e->branch_time - e->sample_time);
		e->sample_time = e->branch_time;
	}
	e->fresh = 0;
}

static void end_perf_stack(struct perf_encoder *e)
{
	put_sample(e);
	e->used = 0;
}

/* A branch in the instruction with which this time ends. */
static inline void push_perf_branch(struct perf_encoder *e, uint64_t from, uint64_t to, uint64_t time)
{
	if (e->used == PERF_STACK) {
		put_sample(e);
		e->stack[0] = e->stack[PERF_STACK - 1];
		e->used = 1;
	}
	e->stack[e->used++] = (struct perf_branch){from, to, e->timed ? time - e->branch_time : 0};
	e->fresh++;
	e->branch_time = time;
}

#define EVENTS_MAX (1u << 22) /* then the steps are forgotten */
#define STACK_ENDS 1u         /* odd: no address of a branch */

struct perf_event {        /* of a step */
	uint64_t from, to; /* from STACK_ENDS: no branch */
	uint64_t time;     /* of the step so far */
};

struct perf_step { /* its events are those up to the next step's */
	size_t first;
	uint64_t time;
};

struct perf_steps {
	struct encode_sums sums;
	struct perf_encoder perf;
	struct perf_event *events;
	size_t event_count, event_room;
	struct perf_step *steps;
	size_t step_count, step_room;
	bool failed; /* out of memory */
};

static void keep_perf_event(struct perf_steps *s, uint64_t from, uint64_t to)
{
	if (s->sums.times != 0 || s->step_count == 0)
		return;
	if (!array_room(&s->events, s->event_count + 1, &s->event_room)) {
		s->failed = true;
		return;
	}
	s->events[s->event_count++] = (struct perf_event){from, to, s->steps[s->step_count - 1].time};
	s->sums.full = s->sums.full || s->event_count >= EVENTS_MAX;
}

static void keep_perf_start(struct standard_encoder *base, uint64_t pc)
{
	(void)base;
	(void)pc;
}

static void keep_perf_cycles(struct standard_encoder *base, uint64_t cycles)
{
	struct perf_steps *s = (struct perf_steps *)base;
	if (s->sums.times == 0 && s->step_count > 0)
		s->steps[s->step_count - 1].time += cycles;
}

/* Without cycles an instruction is a unit of time. */
static void keep_perf_insn(struct standard_encoder *base, const struct standard_insn *insn, uint64_t next)
{
	struct perf_steps *s = (struct perf_steps *)base;
	if (!s->perf.timed)
		keep_perf_cycles(base, 1);
	if (standard_jumps(insn, next))
		keep_perf_event(s, insn->pc, next);
}

static void keep_perf_stop(struct standard_encoder *base)
{
	keep_perf_event((struct perf_steps *)base, STACK_ENDS, 0);
}

static void keep_perf_trap(struct standard_encoder *base, uint64_t epc, uint64_t handler)
{
	(void)epc;
	(void)handler;
	keep_perf_stop(base);
}

static void begin_perf_step(struct encode_sums *sums, uint32_t step)
{
	struct perf_steps *s = (struct perf_steps *)sums;
	if (step == 0)
		s->event_count = 0;
	s->step_count = 0; /* if there is no room */
	if (!array_room(&s->steps, (size_t)step + 1, &s->step_room)) {
		s->failed = true;
		return;
	}
	s->steps[step] = (struct perf_step){.first = s->event_count};
	s->step_count = (size_t)step + 1;
}

static void show_perf_steps(struct encode_sums *sums, const uint32_t *steps, size_t count)
{
	struct perf_steps *s = (struct perf_steps *)sums;
	struct perf_encoder *e = &s->perf;
	for (size_t i = 0; i < count && !s->failed; i++) {
		const struct perf_step *step = &s->steps[steps[i]];
		const size_t end = steps[i] + 1 < s->step_count ? step[1].first : s->event_count;
		for (const struct perf_event *event = &s->events[step->first]; event < s->events + end; event++) {
			if (event->from == STACK_ENDS)
				end_perf_stack(e);
			else
				push_perf_branch(e, event->from, event->to, e->time + event->time);
		}
		e->time += step->time;
	}
}

static int encode_perf(const struct export_input *input, struct perf_data *data)
{
	struct encode_counts counts;
	struct perf_steps s = {.sums = {.base = {keep_perf_start, keep_perf_insn, keep_perf_trap, keep_perf_stop, NULL,
					    NULL, input->timed ? keep_perf_cycles : NULL, true},
				   .begin = begin_perf_step,
				   .show = show_perf_steps},
	    .perf = {.data = data, .timed = input->timed}};
	const int error = encode_records_sums(input->image, input->records, &s.sums, &counts);
	free(s.events);
	free(s.steps);
	return error == RECORDS_OK && s.failed ? RECORDS_ENOMEM : error;
}

int export_perf(const struct export_input *input, FILE *out)
{
	if (input->records == NULL)
		return EXPORT_EORDER;
	struct perf_data *data = perf_data_open();
	if (data == NULL)
		return EXPORT_EWRITE;
	records_rewind(input->records);
	int error = encode_perf(input, data);
	if (error != RECORDS_OK)
		error = error == RECORDS_ENOMEM ? EXPORT_ENOMEM : EXPORT_EREAD;
	else
		error = perf_data_write(data, input->image, out);
	perf_data_close(data);
	return error;
}
