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
	struct walk_config config;
	uint32_t handlers; /* CTRL.HANDLERS of the last record */
	enum paths_continuity next;
	int error;
	/* counts */
	uint64_t records, traces, insns;
	uint64_t failed;  /* traces that cannot be followed */
	uint64_t unknown; /* traces with an end that is not known */
	uint64_t missing; /* records said to be missing */
	uint32_t at;      /* address of the first failure, and why */
	int walk_error;
};

void paths_feed_open(struct paths_feed *feed, struct paths *paths, const struct image *image);
void paths_feed_close(struct paths_feed *feed);
struct paths_record {
	uint64_t start, hist;
	uint32_t insns, ctrl;
	uint16_t repeat;
	uint8_t reason;
	uint8_t hist_bits, insn_bits; /* widths of the unit; insn_bits 0: it does not count instructions */
};
/* The next record of a stream; missing: that many were lost before it. */
int paths_feed_record(struct paths_feed *feed, const struct paths_record *record, uint64_t missing);
/* All entries of a profile, each for itself. */
int paths_feed_profile(struct paths_feed *feed, const struct profile *profile);
#endif
