/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_FEED_H
#define RIVULET_PHASES_FEED_H
/*
 * From records in order to the blocks of a phases file: of a record file, of the golden model while it runs, of the
 * hardware's stream. A record that was walked once is kept as the numbers of its blocks.
 */
#include "common/record.h"
#include "host/phases/file.h"
#include "host/walk/cache.h"

struct phases_feed {
	struct phases_writer *writer;
	const struct image *image;
	struct walk *walk;
	struct walk_config config;
	struct walk_cache *cache;
	bool open;        /* walk and cache are for config */
	uint32_t *blocks; /* of a walk that could not be kept */
	size_t blocks_room;
	/* counts */
	uint64_t records, traces, blocks_fed, instructions;
	uint64_t failed;  /* traces that cannot be followed: a gap each */
	uint64_t missing; /* records that the stream reports as missing */
	int walk_error;   /* of the first trace that failed, and the address that it is about */
	uint64_t at;
};

void phases_feed_open(struct phases_feed *feed, struct phases_writer *writer, const struct image *image);
void phases_feed_close(struct phases_feed *feed);
/* The next record; missing: so many were lost before it. An error of the writer, or PHASES_ENOMEM. */
int phases_feed_record(struct phases_feed *feed, const struct record *record, const struct record_place *place,
    const struct walk_config *config, uint64_t missing);
#endif
