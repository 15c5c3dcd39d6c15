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
#include "host/cycles/trace.h"
#include "host/paths/paths.h"
#include "host/profile/profile.h"
#include "host/records/records.h"

struct paths_shares { /* of a record that repeats itself: how its cycles go to the repetitions */
	uint64_t of, cycles;
	bool even;           /* by their number; else what the rules say at least, and of the rest by the room */
	uint64_t rest, room; /* of all repetitions */
	uint64_t passed, given;
};

struct paths_feed {
	struct paths *paths;
	const struct image *image;
	struct walk *walk;
	enum paths_continuity next;
	int error;
	/* counts */
	uint64_t records, traces, insns;
	uint64_t times;        /* of the record at hand */
	uint64_t failed;       /* traces that cannot be followed */
	uint64_t failed_insns; /* of these, as far as they say it */
	uint64_t unknown;      /* traces with an end that is not known */
	uint64_t missing;      /* records that the stream reports as missing */
	uint64_t at;           /* address of the first failure, and why */
	int walk_error;
	/* paths_feed_cycles(); costs.core NULL: not asked for */
	struct trace_costs costs;
	struct core_state core_state; /* behind the last record, */
	bool core_known;              /* if that is known */
	struct paths_shares shares;
	struct walk_visit *visits; /* of the trace at hand */
	struct split_part *parts;  /* of its instructions */
	uint64_t *spent;
	size_t visit_count, visit_insns, visit_room, part_room, spent_room;
	uint64_t timed; /* traces with cycles */
	uint64_t
	    shared_cycles;    /* of which only the sum of some instructions of a trace is known (host/cycles/split.h) */
	uint64_t lost_cycles; /* of what cannot be followed */
	struct paths_cache *cache; /* feed_cache.c; NULL: not used yet */
};

void paths_feed_open(struct paths_feed *feed, struct paths *paths, const struct image *image);
void paths_feed_close(struct paths_feed *feed);
/* Records come with their cycles, and paths shall have them: before the first one. core must outlive the feed. */
void paths_feed_cycles(struct paths_feed *feed, const struct core *core);
/* The next record of a stream, collected with config (all bits of CTRL count); missing: that many were lost before
 * it. */
int paths_feed_record(
    struct paths_feed *feed, const struct record *record, const struct walk_config *config, uint64_t missing);
/* The same for records that come in great numbers: what a record does depends on it and on the frames before it, so
 * each pair of the two is done once, with its count, when paths_feed_settle() is called: before anything is read from
 * paths. paths_feed_key() gives the number of a record collected with config; its cycles are given with each use, and
 * do not count unless paths_feed_cycles() was called. */
int paths_feed_key(
    struct paths_feed *feed, const struct record *record, const struct walk_config *config, uint32_t *number);
int paths_feed_keyed(struct paths_feed *feed, uint32_t number, uint64_t cycles, uint64_t missing);
/* The records of a block, missing before the first of them so many. */
int paths_feed_block(
    struct paths_feed *feed, const struct records_block *block, const struct walk_config *config, uint64_t missing);
int paths_feed_settle(struct paths_feed *feed);
void paths_cache_close(struct paths_cache *cache); /* NULL: nothing */
/* The record `times` times, from the present state; 0: only what frames come next. */
int paths_feed_times(
    struct paths_feed *feed, const struct record *record, const struct walk_config *config, uint64_t times);
/* All entries of a profile, each for itself. */
int paths_feed_profile(struct paths_feed *feed, const struct profile *profile);
#endif
