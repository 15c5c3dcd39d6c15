/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_TIMELINE_H
#define RIVULET_EXPORT_TIMELINE_H
/*
 * The calling contexts of a run in the order of time, from records in order: which context ran from which cycle on.
 *
 *   visits ──► watch ──► spans (cycle, context) ──► timeline_walk(): open, open, close, open, ... at their cycles
 *
 * Time is the sum of the cycles of all records, or of the instructions where records have no cycles: what was not
 * traced takes none. Beyond TIMELINE_SPANS spans the shortest are given to the one before them: `grain` says below how
 * many cycles that may have happened.
 */
#include "host/export/gather.h"
#include "host/export/spots.h"

#ifndef TIMELINE_SPANS
#define TIMELINE_SPANS ((size_t)1 << 20)
#endif

struct timeline_span {
	uint64_t at; /* until the next span's */
	uint32_t node;
};

struct timeline {
	struct timeline_span *spans;
	size_t count, room;
	uint64_t now;   /* the end */
	uint64_t insns; /* instructions so far, for records without cycles */
	bool timed;
	uint64_t grain; /* 1: every change of context is here */
	bool failed;    /* out of memory */
};

void timeline_init(struct timeline *timeline);
void timeline_fini(struct timeline *timeline);
/* For gather_watch(); context is the struct timeline. */
gather_watcher timeline_take;

/* The frames of the stack as they open and close. depth: frames that stay open below. spot: its function. */
typedef void timeline_event(void *context, bool opens, uint32_t spot, uint64_t at, uint32_t depth);
/* All events, in order; at the end all frames are closed. Contexts of which nothing is known are left out. Returns
 * GATHER_OK or GATHER_ENOMEM. */
int timeline_walk(const struct timeline *timeline, const struct stack_node *nodes, size_t count,
    const struct spots *spots, timeline_event *event, void *context);
#endif
