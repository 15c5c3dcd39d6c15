/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/dense/judge.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define WAITING_MAX (1u << 20) /* records in the coder, and those that it lost since the last frame */

struct dense_judge {
	struct dense_reader *reader;
	struct dense_in waiting[WAITING_MAX];
	uint64_t came, gone; /* records */
	uint32_t done;       /* traces of the oldest that are gone */
	char wrong[200];
};

static struct dense_in *oldest(struct dense_judge *judge)
{
	if (judge->came == judge->gone) {
		snprintf(judge->wrong, sizeof judge->wrong, "a trace that never went in");
		return NULL;
	}
	return &judge->waiting[judge->gone % WAITING_MAX];
}

static void leave(struct dense_judge *judge, uint32_t traces)
{
	judge->done += traces;
	if (judge->done == oldest(judge)->repeat) {
		judge->done = 0;
		judge->gone++;
	}
}

static int judge_take(void *context, const struct record *record)
{
	struct dense_judge *judge = context;
	const struct dense_in *in = oldest(judge);
	if (in == NULL)
		return 1;
	if (record->start != in->start || record->hist != in->hist || record->reason != in->reason ||
	    record->count != 1 || (record_reason_cut(record->reason) && record->insns != in->insns)) {
		snprintf(judge->wrong, sizeof judge->wrong,
		    "%" PRIx64 ":%" PRIx64 ":%u came out, %" PRIx64 ":%" PRIx64 ":%u went in", record->start,
		    record->hist, record->reason, in->start, in->hist, in->reason);
		return 1;
	}
	leave(judge, 1);
	return 0;
}

static int judge_miss(void *context, uint64_t count)
{
	struct dense_judge *judge = context;
	while (count > 0) {
		const struct dense_in *in = oldest(judge);
		if (in == NULL)
			return 1;
		const uint32_t left = in->repeat - judge->done;
		const uint32_t now = count < left ? (uint32_t)count : left;
		leave(judge, now);
		count -= now;
	}
	return 0;
}

static void judge_tell(void *context, const struct dense_note *note)
{
	struct dense_judge *judge = context;
	if (note->kind != DENSE_NOTE_LOST)
		dense_note_describe(note, judge->wrong, sizeof judge->wrong);
}

bool dense_judge_reset(struct dense_judge *judge)
{
	const struct dense_reader_sink sink = {judge_take, judge_miss, judge_tell, judge};
	dense_reader_close(judge->reader);
	judge->came = judge->gone = 0;
	judge->done = 0;
	return dense_reader_open(&judge->reader, &sink) == DENSE_READER_OK;
}

struct dense_judge *dense_judge_open(void)
{
	struct dense_judge *judge = calloc(1, sizeof *judge);
	if (judge != NULL && !dense_judge_reset(judge)) {
		free(judge);
		return NULL;
	}
	return judge;
}

void dense_judge_close(struct dense_judge *judge)
{
	if (judge != NULL)
		dense_reader_close(judge->reader);
	free(judge);
}

void dense_judge_in(struct dense_judge *judge, const struct dense_in *in)
{
	if (!in->rec_valid)
		return;
	if (judge->came - judge->gone == WAITING_MAX)
		snprintf(judge->wrong, sizeof judge->wrong, "too many records wait");
	judge->waiting[judge->came++ % WAITING_MAX] = *in;
}

void dense_judge_out(struct dense_judge *judge, uint8_t byte)
{
	dense_reader_feed(judge->reader, &byte, 1);
}

const char *dense_judge_wrong(const struct dense_judge *judge)
{
	return judge->wrong[0] == '\0' ? NULL : judge->wrong;
}

bool dense_judge_complete(const struct dense_judge *judge)
{
	return judge->came == judge->gone;
}

const struct dense_reader_counts *dense_judge_counts(const struct dense_judge *judge)
{
	return dense_reader_counts(judge->reader);
}
