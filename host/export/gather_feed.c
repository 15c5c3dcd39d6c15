/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/gather_feed.h"

#include <stdlib.h>
#include "common/rivulet_regs.h"
#include "host/account/account.h"

#define FROM_RECORDS (-100) /* errors of records.h, told apart from those of gather.h */

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

/* How a record continues the one before it, which ended for this reason, if none is missing between them. */
static enum stack_continuity check_continuity(unsigned reason, uint32_t ctrl)
{
	if ((ctrl & RV_CTRL_SAMPLE_MASK) != 0)
		return STACK_UNRELATED;
	switch (record_reason_behind(reason)) {
	case RECORD_HANDLER: /* it follows, if handlers are traced; else the program went on elsewhere */
		return (ctrl & RV_CTRL_HANDLERS_MASK) != 0 ? STACK_FOLLOWS : STACK_RESUMES;
	case RECORD_ELSEWHERE:
		return STACK_RESUMES;
	default:
		return STACK_FOLLOWS;
	}
}

/* keys: room for those of a block. */
static int take_block(
    struct gather *gather, const struct records_block *block, struct gather_last *last, uint32_t *keys)
{
	int error = gather_ctrl(gather, block->ctrl);
	enum stack_continuity behind[TRACE_REASONS];
	for (unsigned reason = 0; reason < TRACE_REASONS; reason++)
		behind[reason] = check_continuity(reason, block->ctrl);
	for (uint32_t k = 0; k < block->key_count && error == GATHER_OK; k++) {
		struct record record = block->keys[k];
		record.count = 1;
		error = gather_key(gather, &record, &keys[k]);
	}
	for (uint32_t i = 0; i < block->count && error == GATHER_OK; i++) {
		uint32_t at = block->key[i], key = keys[at], context = block->context[at];
		enum stack_continuity how =
		    i > 0 || block->first == last->number + 1 ? behind[last->reason] : STACK_UNRELATED;
		if (context != last->context || (i == 0 && last->number == UINT64_MAX))
			how = STACK_UNRELATED;
		if (block->repeat[i] != 1) {
			struct record record = block->keys[at];
			record.count = block->repeat[i];
			error = gather_key(gather, &record, &key);
		}
		gather_process(gather, context);
		gather_time(gather, block->time[i]);
		if (error == GATHER_OK)
			error = gather_keyed(gather, key, how, block->cycles[i]);
		last->context = context;
		last->reason = block->keys[at].reason;
	}
	last->number = block->first + block->count - 1;
	return error;
}

int gather_records_more(
    struct gather *gather, struct records *records, struct gather_last *last, records_progress *progress, void *context)
{
	struct records_block block;
	struct records_extent extent;
	uint32_t *keys = malloc(RECORDS_BLOCK_MAX * sizeof *keys);
	int got = 1, error = keys == NULL ? GATHER_ENOMEM : GATHER_OK;
	records_extent(records, &extent);
	while (error == GATHER_OK && (got = records_next_block(records, &block)) == 1) {
		error = take_block(gather, &block, last, keys);
		if (error == GATHER_OK && progress != NULL &&
		    progress(context, records_position(records), extent.bytes) != 0)
			error = FROM_RECORDS + RECORDS_ESTOPPED;
	}
	free(keys);
	return error == GATHER_OK && got < 0 ? FROM_RECORDS + got : error;
}

int gather_records(struct gather *gather, struct records *records, records_progress *progress, void *context)
{
	struct gather_last last = GATHER_FIRST;
	return gather_records_more(gather, records, &last, progress, context);
}
