/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/gather_feed.h"

#include <stdlib.h>
#include "common/rivulet_regs.h"
#include "host/account/account.h"
#include "host/export/gather_private.h"

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

struct block_key {              /* what the loop over a block's records needs of a key, side by side */
	uint32_t step, context; /* step: the key of its step, less the continuity */
	uint16_t repeat;        /* with this */
	uint8_t behind;         /* how the next record continues it */
};

struct feed {                    /* records on their way to the gatherer */
	struct block_key *block; /* by key of the present block */
	uint32_t context;        /* of the last record */
	uint8_t behind;
	uint32_t keys[GATHER_SOME], process[GATHER_SOME];
};

static int number_key(
    struct gather *gather, const struct records_block *block, uint32_t k, uint16_t repeat, struct block_key *key)
{
	struct record record = block->keys[k];
	uint32_t number;
	record.count = repeat;
	int error = gather_key(gather, &record, &number);
	key->step = GATHER_WAYS * number;
	key->repeat = repeat;
	return error;
}

static int number_keys(struct gather *gather, const struct records_block *block, struct feed *feed)
{
	int error = gather_ctrl(gather, block->ctrl);
	for (uint32_t k = 0; k < block->key_count && error == GATHER_OK; k++) {
		error = number_key(gather, block, k, 1, &feed->block[k]);
		feed->block[k].context = block->context[k];
		feed->block[k].behind = (uint8_t)check_continuity(block->keys[k].reason, block->ctrl);
	}
	return error;
}

/* Some records of a block: a key of a step for each, as they go on from one another. */
static int key_block_part(
    struct gather *gather, const struct records_block *block, uint32_t from, uint32_t count, struct feed *feed)
{
	uint32_t context = feed->context;
	uint8_t behind = feed->behind;
	int error = GATHER_OK;
	for (uint32_t i = 0; i < count && error == GATHER_OK; i++) {
		uint32_t at = block->key[from + i];
		struct block_key *key = &feed->block[at];
		if (key->repeat != block->repeat[from + i])
			error = number_key(gather, block, at, block->repeat[from + i], key);
		feed->keys[i] = key->step + (key->context == context ? behind : STACK_UNRELATED);
		feed->process[i] = context = key->context;
		behind = key->behind;
	}
	feed->context = context;
	feed->behind = behind;
	return error;
}

static int take_block(
    struct gather *gather, const struct records_block *block, struct gather_last *last, struct feed *feed)
{
	static const uint32_t no_cycles[GATHER_SOME];
	int error = number_keys(gather, block, feed);
	const bool follows = last->number != UINT64_MAX && block->first == last->number + 1;
	feed->behind = (uint8_t)(follows ? check_continuity(last->reason, block->ctrl) : STACK_UNRELATED);
	feed->context = last->context;
	for (uint32_t from = 0, count; from < block->count && error == GATHER_OK; from += count) {
		count = block->count - from < GATHER_SOME ? block->count - from : GATHER_SOME;
		error = key_block_part(gather, block, from, count, feed);
		const struct gather_some some = {count, feed->keys, gather->untimed ? no_cycles : block->cycles + from,
		    feed->process, block->time == NULL ? NULL : block->time + from};
		if (error == GATHER_OK)
			error = gather_some(gather, &some);
	}
	*last = (struct gather_last){.number = block->first + block->count - 1,
	    .context = feed->context,
	    .reason = block->keys[block->key[block->count - 1]].reason};
	return error;
}

int gather_records_more(
    struct gather *gather, struct records *records, struct gather_last *last, records_progress *progress, void *context)
{
	struct records_block block;
	struct records_extent extent;
	const struct records_header *header = records_header(records);
	struct feed feed = {.block = malloc(RECORDS_BLOCK_MAX * sizeof *feed.block)};
	int got = 1, error = feed.block == NULL ? GATHER_ENOMEM : GATHER_OK;
	records_extent(records, &extent);
	gather->untimed = header != NULL && header->cycle_bits == 0;
	while (error == GATHER_OK && (got = records_next_block(records, &block)) == 1) {
		if (gather->watcher != NULL)
			records_times(records, &block);
		error = take_block(gather, &block, last, &feed);
		if (error == GATHER_OK && progress != NULL &&
		    progress(context, records_position(records), extent.bytes) != 0)
			error = FROM_RECORDS + RECORDS_ESTOPPED;
	}
	free(feed.block);
	return error == GATHER_OK && got < 0 ? FROM_RECORDS + got : error;
}

int gather_records(struct gather *gather, struct records *records, records_progress *progress, void *context)
{
	struct gather_last last = GATHER_FIRST;
	return gather_records_more(gather, records, &last, progress, context);
}
