/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PATHS_FEED_H
#define RIVULET_PATHS_FEED_H
/*
 * Sources of a path profile: records in order, or the entries of a sampled profile one by one.
 *
 * A record stream: how a record ended says how the next one goes on (docs/trace-unit.md section 5). After TRAP comes
 * the handler, if handlers are traced; else, and after LEFT and OFF, something was left out.
 */
#include "host/paths/paths.h"
#include "host/profile/profile.h"

struct paths_feed {
	struct paths *paths;
	const struct image *image;
	struct walk *walk;
	enum paths_continuity next;
	int error;
	/* counts */
	uint64_t records, traces, insns;
	uint64_t times;   /* of the record at hand */
	uint64_t failed;  /* traces that cannot be followed */
	uint64_t unknown; /* traces with an end that is not known */
	uint64_t missing; /* records that the stream reports as missing */
	uint64_t at;      /* address of the first failure, and why */
	int walk_error;
	struct paths_cache *cache; /* feed_cache.c; NULL: not used yet */
};

void paths_feed_open(struct paths_feed *feed, struct paths *paths, const struct image *image);
void paths_feed_close(struct paths_feed *feed);
/* The next record of a stream, collected with config (all bits of CTRL count); missing: that many were lost before it. */
int paths_feed_record(
    struct paths_feed *feed, const struct record *record, const struct walk_config *config, uint64_t missing);
/* The same for records that come in great numbers: what a record does depends on it and on the frames before it, so each
 * pair of the two is done once, with its count, when paths_feed_settle() is called: before anything is read from paths.
 * paths_feed_key() gives the number of a record (without cycles) collected with config. */
int paths_feed_key(
    struct paths_feed *feed, const struct record *record, const struct walk_config *config, uint32_t *number);
int paths_feed_keyed(struct paths_feed *feed, uint32_t number, uint64_t missing);
int paths_feed_settle(struct paths_feed *feed);
void paths_cache_close(struct paths_cache *cache); /* NULL: nothing */
/* The record `times` times, from the present state; 0: only what frames come next. */
int paths_feed_times(
    struct paths_feed *feed, const struct record *record, const struct walk_config *config, uint64_t times);
/* All entries of a profile, each for itself. */
int paths_feed_profile(struct paths_feed *feed, const struct profile *profile);
#endif
