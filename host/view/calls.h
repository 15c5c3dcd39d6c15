/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_VIEW_CALLS_H
#define RIVULET_VIEW_CALLS_H
/*
 * Single calls, from records in order: when each began and ended, and for each call site and callee the least, the most
 * and the distribution of what one call took. Averages hide these (QTY II, function detail).
 *
 *   gather ── visits ──► frames that are open now ──► a frame ends: a span, and one more in its edge's buckets
 *
 * Time is the sum of the cycles of what was walked so far (instructions, if the unit counts no cycles). Of harts that
 * ran together it is the clock of their records: a hart begins where its first record did, and what it left out
 * (handlers, tracing off) is skipped if it is longer than CALLS_SLACK.
 *
 * Memory: spans are kept up to a number. When there are more, the shortest are left out until half of it is free;
 * `shortest` says below which length none is kept. A record file of any length is so summarised.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/export/gather.h"

enum calls_error { CALLS_OK = 0, CALLS_ENOMEM = -1 };

#define CALLS_SLACK 1000u /* cycles by which a call may stand too early, if harts ran together */
#define CALLS_BUCKETS 65  /* bucket b > 0: calls of 2^(b-1) to 2^b - 1; bucket 0: calls of 0 */

struct call_span {
	uint64_t begin, length;
	uint64_t entry; /* first address of the function; 0: not known */
	uint32_t depth; /* frames above it */
	uint32_t process;
};

struct call_edge {             /* by site, then target; site 0: who called is not known */
	uint64_t site, target; /* target: first address of the callee */
	uint64_t count;
	uint64_t lengths; /* of all calls together: a call within a call of the same function is in both */
	uint64_t self_least, self_most, least, most; /* of one call: own, and with all that it calls */
	uint64_t buckets[CALLS_BUCKETS];             /* calls by the whole length of each */
};

struct calls {
	struct call_span *spans; /* after calls_finish(): by process, then begin, then depth */
	size_t span_count;
	uint64_t all, shortest; /* calls that ended; spans shorter than this are left out */
	struct call_edge *edges;
	size_t edge_count;
	uint64_t length; /* time at the end */
	bool timed;      /* in cycles, else in instructions */
	bool together;   /* each process has its own clock, by the times of the records: they ran at the same time */
	struct calls_work *work;
};

/* max: spans kept, at least 2. timed: the records have cycles. */
int calls_open(struct calls **calls, size_t max, bool timed);
void calls_close(struct calls *calls);
/* For gather_watch(); context is the struct calls. */
gather_watcher calls_visit;
/* Ends what is still open. */
int calls_finish(struct calls *calls);
/* The edge, or NULL. */
const struct call_edge *calls_edge(const struct calls *calls, uint64_t site, uint64_t target);
#endif
