/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A profile from the complete stream: each block is added up by its keys first, so a record costs two additions. */
#include <stdlib.h>
#include <string.h>
#include "host/profile/profile.h"
#include "host/records/private.h"

struct sum {
	uint64_t count, cycles;
};

static int add_profile_block(const struct records_block *block, bool timed, struct sum *sums, struct profile *profile)
{
	memset(sums, 0, block->key_count * sizeof *sums);
	for (uint32_t i = 0; i < block->count; i++) {
		sums[block->key[i]].count += block->repeat[i];
		sums[block->key[i]].cycles += block->cycles[i];
	}
	for (uint32_t k = 0; k < block->key_count; k++) {
		struct record entry = block->keys[k];
		entry.count = sums[k].count;
		entry.timed = timed ? sums[k].count : 0;
		entry.cycles = timed ? sums[k].cycles : 0;
		int error = profile_add(profile, &entry);
		if (error != PROFILE_OK) {
			if (error == PROFILE_ENOMEM)
				return RECORDS_ENOMEM;
			return error == PROFILE_EENTRY ? RECORDS_EVALUE : RECORDS_EPROFILE;
		}
	}
	return RECORDS_OK;
}

static enum profile_source header_source_of(const struct records_header *h)
{
	switch (h->source) {
	case RECORDS_MODEL:
	case RECORDS_FAST_MODEL:
	case RECORDS_IMPORT:
	case RECORDS_MACHINE:
		return PROFILE_MODEL;
	case RECORDS_QEMU:
		return PROFILE_QEMU;
	default:
		return PROFILE_FIRMWARE;
	}
}

/* With tracing on, of all harts together; 0: its times are instructions. */
static uint64_t traced_cycles(const struct records_header *h, const struct records_end *e)
{
	const uint64_t one =
	    e->last_cycle - e->first_cycle + (e->last_cycle >= e->first_cycle && e->traced_instructions > 0);
	if (records_untimed(h))
		return 0;
	return h != NULL && h->harts > 0 ? h->harts * one : one;
}

void records_describe(const struct records *records, struct profile *profile)
{
	const struct records_header *h = records_header(records);
	const struct records_end *e = records_end(records);
	if (h != NULL) {
		profile->header = (struct profile_header){.version = 1,
		    .source = header_source_of(h),
		    .xlen = h->xlen,
		    .hist = h->hist,
		    .ctrl = h->ctrl,
		    .way = RUN_STREAM,
		    .period = 1,
		    .build = h->build};
		memcpy(profile->header.name, h->name, sizeof h->name);
		memcpy(profile->rules, h->rules, sizeof profile->rules);
		profile->shared = h->shared;
		profile->imported = h->source == RECORDS_IMPORT;
		profile->has_header = true;
	}
	if (e != NULL) {
		profile->end = (struct profile_end){.entries = profile->used,
		    .counts = profile->total,
		    .lost = e->lost + records_missing(records),
		    .cycles = traced_cycles(h, e),
		    .instructions = e->traced_instructions,
		    .run_cycles = records_untimed(h) ? 0 : e->cycles,
		    .run_instructions = e->instructions,
		    .ending = e->ending}; /* the same numbers */
		profile->has_end = true;
	}
}

int records_profile(struct records *records, struct profile *profile, records_progress *progress, void *context)
{
	struct records_block block;
	struct sum *sums = malloc(RECORDS_BLOCK_MAX * sizeof *sums);
	int got = sums == NULL ? RECORDS_ENOMEM : RECORDS_OK;
	records_rewind(records);
	while (got >= 0 && (got = records_next_block(records, &block)) == 1) {
		got = add_profile_block(&block, records_timed(records), sums, profile);
		if (got == RECORDS_OK && progress != NULL &&
		    progress(context, records_position(records), records->length) != 0)
			got = RECORDS_ESTOPPED;
		if (got < 0)
			break;
	}
	free(sums);
	if (got == 0)
		records_describe(records, profile);
	return got;
}
