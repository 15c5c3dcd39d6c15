/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_GATHER_FEED_H
#define RIVULET_EXPORT_GATHER_FEED_H
/* Gathering all of a profile, or all of a record file in order. Each returns a gather_error or a records_error. */
#include "host/export/gather.h"
#include "host/records/records.h"

/* How the gatherer is opened for it. */
void gather_profile_config(const struct profile *profile, struct walk_config *config);
void gather_records_config(const struct records_header *header, struct walk_config *config); /* header may be NULL */

int gather_profile(struct gather *gather, const struct profile *profile);
/* Contexts go on from one record to the next as long as none is missing and the unit did not sample. progress may be
 * NULL. */
int gather_records(struct gather *gather, struct records *records, records_progress *progress, void *context);
/* The same in parts, of a file that grows: what stands behind the reader's place, a whole block at a time. */
struct gather_last { /* the record before: its number, process, why it ended */
	uint64_t number;
	uint32_t context;
	unsigned reason;
};
#define GATHER_FIRST                                                                                                   \
	{                                                                                                              \
		.number = UINT64_MAX                                                                                   \
	} /* no record was before */
int gather_records_more(struct gather *gather, struct records *records, struct gather_last *last,
    records_progress *progress, void *context);
const char *gather_feed_strerror(int error); /* of either */
#endif
