/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_TIMING_H
#define RIVULET_EXPORT_TIMING_H
/*
 * How long calls took, each for itself: least, mean, most, how they are spread, and when the longest one was.
 *
 *   records ──► extremes ──► each call that ends ──► row of its function (or of its call and function) ──► histogram
 *
 * A call that the records have in part (it was open when they began or ended, or who called is not known) is counted
 * apart: its time is a lower bound, and in no other number. Several runs add up.
 *
 * The histogram has 16 steps for each power of two, so that a percentile is at most 1/16 too large; least and most are
 * exact.
 */
#include "host/export/extremes.h"

#define TIMING_STEPS 16u
#define TIMING_BUCKETS ((64u - 4u + 1u) * TIMING_STEPS)
#define TIMING_CHAIN 16 /* callers that are kept of the longest call */

struct timing_row {
	uint64_t site, entry;  /* site: 0 for all that call it */
	bool trap;             /* a handler, where the interrupted code went on */
	uint64_t calls, parts; /* whole ones; in part */
	uint64_t sum, least, most, self_sum, self_least, self_most;
	uint64_t *histogram; /* of the whole ones, TIMING_BUCKETS */
	uint64_t worst_from; /* cycles of the run's records before the longest call: as the page's timeline has it */
	uint64_t worst_time; /* cycle of the run at which the first record of the longest call left */
	uint32_t worst_run;  /* number of the run, from 0 */
	uint64_t chain[TIMING_CHAIN]; /* entries of its callers, the nearest first */
	uint32_t chain_length;        /* of them all */
};

struct timing_time { /* one time that has ended */
	uint64_t took, self, from, time;
	uint32_t run;
};
/* Adds a whole one. *longest: it is the longest so far, of which timing_chain() keeps who had called node. GATHER_OK,
 * GATHER_ENOMEM. */
int timing_add(struct timing_row *row, const struct timing_time *time, bool *longest);
void timing_chain(struct timing_row *row, const struct stack_node *nodes, uint32_t node);
/* The longest first. */
void timing_sort(struct timing_row *rows, size_t count);

struct timing;
/* by_site: a row for each call and function. GATHER_OK, GATHER_ENOMEM. */
int timing_open(struct timing **timing, bool by_site);
void timing_close(struct timing *timing);
/* The next run begins: gatherer and extremes are its own, and watched from now on. */
int timing_begin(struct timing *timing, struct gather *gather, bool by_instructions);
/* Another watcher of the run that begins next, before timing_begin(): it is told of calls that end before it is shown
 * the visit behind them. With it each visit is shown, which is slower. */
void timing_also(struct timing *timing, gather_watcher *watcher, extremes_watcher *ended, void *context);
/* It has ended; before its gatherer is closed. */
int timing_end(struct timing *timing);
/* Rows, the longest call first. */
const struct timing_row *timing_rows(struct timing *timing, size_t *count);

/* The bucket of a time; the largest time in a bucket. */
unsigned timing_bucket(uint64_t cycles);
uint64_t timing_limit(unsigned bucket);
/* So many of 1000 calls took at most that long, at most 1/16 too large. */
uint64_t timing_permille(const struct timing_row *row, unsigned permille);
#endif
