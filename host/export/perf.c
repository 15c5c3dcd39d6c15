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
 */
#include <string.h>
#include "host/export/encode.h"
#include "host/export/export.h"
#include "host/export/perf_data.h"

struct perf_encoder {
	struct standard_encoder base;
	struct perf_data *data;
	struct perf_branch stack[PERF_STACK]; /* the oldest first */
	unsigned used, fresh;                 /* of them; of these, in no sample yet */
	uint64_t time, branch_time, sample_time;
	bool timed; /* else an instruction is a cycle of time, and branches have none */
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

static void start_stack(struct standard_encoder *base, uint64_t pc)
{
	(void)base;
	(void)pc;
}

static void stop_stack(struct standard_encoder *base)
{
	struct perf_encoder *e = (struct perf_encoder *)base;
	put_sample(e);
	e->used = 0;
}

static void take_trap(struct standard_encoder *base, uint64_t epc, uint64_t handler)
{
	(void)epc;
	(void)handler;
	stop_stack(base);
}

static void take_perf_cycles(struct standard_encoder *base, uint64_t cycles)
{
	struct perf_encoder *e = (struct perf_encoder *)base;
	e->time += e->timed ? cycles : 1;
}

static void take_perf_insn(struct standard_encoder *base, const struct standard_insn *insn, uint64_t next)
{
	struct perf_encoder *e = (struct perf_encoder *)base;
	if (!standard_jumps(insn, next))
		return;
	if (e->used == PERF_STACK) {
		put_sample(e);
		e->stack[0] = e->stack[PERF_STACK - 1];
		e->used = 1;
	}
	e->stack[e->used++] = (struct perf_branch){insn->pc, next, e->timed ? e->time - e->branch_time : 0};
	e->fresh++;
	e->branch_time = e->time;
}

int export_perf(const struct export_input *input, FILE *out)
{
	struct encode_counts counts;
	if (input->records == NULL)
		return EXPORT_EORDER;
	struct perf_encoder e = {
	    .base = {start_stack, take_perf_insn, take_trap, stop_stack, NULL, NULL, take_perf_cycles, true},
	    .timed = input->timed};
	e.data = perf_data_open();
	if (e.data == NULL)
		return EXPORT_EWRITE;
	records_rewind(input->records);
	int error = encode_records(input->image, input->records, &e.base, &counts, NULL, NULL);
	if (error != RECORDS_OK)
		error = error == RECORDS_ENOMEM ? EXPORT_ENOMEM : EXPORT_EREAD;
	else
		error = perf_data_write(e.data, input->image, out);
	perf_data_close(e.data);
	return error;
}
