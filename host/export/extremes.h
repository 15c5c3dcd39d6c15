/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_EXTREMES_H
#define RIVULET_EXPORT_EXTREMES_H
/*
 * The least and the most cycles of a call (QTY section I.C: "the minimum and maximum self times for the function, over
 * all calls"), from the visits of a gatherer in the order of time.
 *
 *   visit (context, cycles) ──► open calls: from the root to the context ──► one that ends: inclusive, self
 *
 * A call is the same as at the visit before if no context from the root to it was entered again.
 */
#include "host/export/gather.h"

struct extremes_call { /* of one context's calls */
	uint64_t least, most, self_least, self_most;
	bool any;
};

struct extremes_ended { /* one call that has ended */
	uint32_t node;
	uint64_t took, self; /* cycles with and without what it called */
	uint64_t from;       /* cycles of all visits before it */
	uint64_t time;       /* of the first record that is in it */
	bool whole;          /* it began and ended in the records: no root, no end of them */
};
typedef int extremes_watcher(void *context, const struct extremes_ended *ended);

struct extremes;
int extremes_open(struct extremes **extremes); /* GATHER_OK, GATHER_ENOMEM */
void extremes_close(struct extremes *extremes);
/* Is told of each call that ends; anything but 0 stops with GATHER_ENOMEM. */
void extremes_watch(struct extremes *extremes, extremes_watcher *watcher, void *context);
/* Cycles are instructions from now on: of records that no time was measured for. */
void extremes_by_instructions(struct extremes *extremes);
/* A gather_watcher; context: struct extremes. */
int extremes_visit(void *extremes, const struct gather_visit *visit);
/* Ends the calls that are open; NULL: the watcher has stopped. By context; *count contexts, the others had no call. */
const struct extremes_call *extremes_finish(struct extremes *extremes, size_t *count);
#endif
