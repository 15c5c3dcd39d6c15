/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/gather_feed.h"

#include <stdlib.h>
#include "common/rivulet_regs.h"
#include "host/account/account.h"

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

/* How a record continues the one before it, which ended for this reason. */
static enum stack_continuity continuity(
    unsigned reason, const struct record_place *before, const struct record_place *place)
{
	if (place->number != before->number + 1 || place->context != before->context ||
	    (place->ctrl & RV_CTRL_SAMPLE_MASK) != 0)
		return STACK_UNRELATED;
	switch (reason) {
	case TRACE_TRAP: /* the handler follows, if handlers are traced; else the program went on elsewhere */
		return (place->ctrl & RV_CTRL_HANDLERS_MASK) != 0 ? STACK_FOLLOWS : STACK_RESUMES;
	case TRACE_LEFT:
	case TRACE_OFF:
	case TRACE_GAP:
		return STACK_RESUMES;
	default:
		return STACK_FOLLOWS;
	}
}

int gather_records(struct gather *gather, struct records *records, records_progress *progress, void *context)
{
	struct record record;
	struct record_place place, before = {.number = UINT64_MAX - 1}; /* no record follows that */
	unsigned reason = TRACE_NONE;
	struct records_extent extent;
	uint64_t done = 0;
	int got;
	records_extent(records, &extent);
	while ((got = records_next(records, &record, &place)) == 1) {
		int error = gather_ctrl(gather, place.ctrl);
		gather_process(gather, place.context);
		if (error == GATHER_OK)
			error = gather_record(gather, &record, continuity(reason, &before, &place));
		if (error != GATHER_OK)
			return error;
		before = place;
		reason = record.reason;
		if (progress != NULL && ++done % PROGRESS_EVERY == 0 &&
		    progress(context, records_position(records), extent.bytes) != 0)
			return FROM_RECORDS + RECORDS_ESTOPPED;
	}
	return got < 0 ? FROM_RECORDS + got : GATHER_OK;
}
