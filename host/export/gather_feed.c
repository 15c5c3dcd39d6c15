/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/gather_feed.h"

#include <stdlib.h>
#include "host/account/account.h"
#include "model/trace.h"

/* CTRL bits, regs/trace_regs.def. */
#define CTRL_HANDLERS (1u << 3)
#define CTRL_SAMPLE (1u << 5)

#define PROGRESS_EVERY 65536 /* records */
#define FROM_RECORDS (-100)  /* errors of records.h, told apart from those of gather.h */

const char *gather_feed_strerror(int error)
{
	return error <= FROM_RECORDS ? records_strerror(error - FROM_RECORDS) : gather_strerror(error);
}

void gather_profile_config(const struct profile *profile, struct walk_config *config)
{
	account_walk_config(profile, config);
}

void gather_records_config(const struct records_header *header, struct walk_config *config)
{
	*config = (struct walk_config){.hist = header != NULL ? header->hist : 32,
	    .ctrl = header != NULL ? header->ctrl : 0,
	    .insn_bits = header != NULL && header->insn_bits != 0 ? header->insn_bits : 16};
}

int gather_profile(struct gather *gather, const struct profile *profile)
{
	const struct record **sorted;
	if (profile_sort(profile, PROFILE_BY_START, &sorted) != PROFILE_OK)
		return GATHER_ENOMEM;
	int error = GATHER_OK;
	for (size_t i = 0; i < profile->used && error == GATHER_OK; i++)
		error = gather_entry(gather, sorted[i]);
	free(sorted);
	return error;
}

/* How item continues the record before it; before.repeat 0: there is none. */
static enum stack_continuity continuity(const struct record_item *before, const struct record_item *item)
{
	if (before->repeat == 0 || item->number != before->number + 1 || item->context != before->context ||
	    (item->ctrl & CTRL_SAMPLE) != 0)
		return STACK_UNRELATED;
	switch (before->reason) {
	case TRACE_TRAP: /* the handler follows, if handlers are traced; else the program went on elsewhere */
		return (item->ctrl & CTRL_HANDLERS) != 0 ? STACK_FOLLOWS : STACK_RESUMES;
	case TRACE_LEFT:
	case TRACE_OFF:
		return STACK_RESUMES;
	default:
		return STACK_FOLLOWS;
	}
}

int gather_records(struct gather *gather, struct records *records, records_progress *progress, void *context)
{
	struct record_item item, before = {0};
	struct records_extent extent;
	uint64_t done = 0;
	int got;
	records_extent(records, &extent);
	while ((got = records_next(records, &item)) == 1) {
		const struct walk_record record = {
		    .start = item.start, .hist = item.hist, .reason = item.reason, .insns = item.insns};
		int error = gather_ctrl(gather, item.ctrl);
		if (error == GATHER_OK)
			error = gather_record(gather, &record, item.repeat, item.cycles, continuity(&before, &item));
		if (error != GATHER_OK)
			return error;
		before = item;
		if (progress != NULL && ++done % PROGRESS_EVERY == 0 &&
		    progress(context, records_position(records), extent.bytes) != 0)
			return FROM_RECORDS + RECORDS_ESTOPPED;
	}
	return got < 0 ? FROM_RECORDS + got : GATHER_OK;
}
