/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ADAPT_H
#define RIVULET_ADAPT_H
/*
 * The sampling rate that adapts (TSH [0075], step 842): low until a trace crosses the activity threshold, then high,
 * low again when none is active, and never more than a share of the cycles. Only the decisions: sw/trace/trace.c reads
 * the clock and writes the registers. Freestanding C11.
 *
 * Rates. At level l one trace in high << l is a sample, which counts 1 << l: whatever the rate was, a count stands for
 * `high` traces, and the profile stays that of the whole run. Level 0 is the high rate, level `levels` the low one.
 *
 * Activity. A trace makes a step when its count passes a multiple of 1 << step_bits. One that makes two steps within a
 * window is active: it has run 2^step_bits * high times in that time, which does not depend on the rate.
 *
 * The bound. The handler's cycles come out of a bucket into which `share` millionths of all cycles flow, and which
 * holds those of one window. When it is empty sampling stops until there is something in it again, and the rate is
 * halved if that did not happen within the last eighth of a window. So over any time t the handler takes no more than
 * share * (t + window) / 10^6 cycles, and one batch.
 *
 *	        step of a trace that was seen within a window              bucket empty
 *	low ────────────────────────────────────────────────► high ──┐  ─────────────────► one level lower, wait
 *	 ▲                                                     │    │                        │
 *	 └──────────── a window without an active trace ───────┘    └──── bucket half full, one level a window
 *
 * Times are the low 32 bits of a cycle counter; a window is shorter than 2^30 cycles.
 */
#include <stdbool.h>
#include <stdint.h>

struct adapt_config {
	unsigned levels;    /* low rate, below lowest */
	unsigned lowest;    /* the level that the bound may go down to, below 24 */
	unsigned step_bits; /* below 32 */
	uint32_t window;    /* cycles, 1 to 2^30 - 1 */
	uint32_t share;     /* millionths, 1 to 1000000 */
};

#define ADAPT_SEEN 8 /* traces whose last step is remembered */

struct adapt {
	struct adapt_config config;
	unsigned level; /* 0 to lowest */
	bool active;    /* a trace was active within the last window */
	uint32_t active_at;
	uint32_t limited_at;
	int32_t bucket, bucket_size; /* cycles; what the handler takes is to be subtracted from bucket */
	uint32_t filled_at, flow, fraction,
	    wait; /* flow: of a cycle, fraction: in the bucket, 2^-24; 1 / flow, 2^-12 */
	struct {
		const void *trace; /* NULL: none */
		uint32_t at;
	} seen[ADAPT_SEEN];
	unsigned next;                     /* of seen, to be replaced */
	uint32_t raised, lowered, limited; /* changes of the rate: to high, back, by the bound */
};

/* At time now, low rate, bucket full. */
void adapt_init(struct adapt *adapt, const struct adapt_config *config, uint32_t now);

/* A trace has made a step. Returns whether the level has changed. */
bool adapt_step(struct adapt *adapt, const void *trace, uint32_t now);

/* The bucket is below 0. Returns the cycles to wait until it is not, a window at most; 0: go on. The level may have
 * changed. */
uint32_t adapt_empty(struct adapt *adapt, uint32_t now);
/* The same when that time has passed; the level stays. */
uint32_t adapt_wait(struct adapt *adapt, uint32_t now);

/* To be called a window after the last change, as long as adapt_ticks(). Returns whether the level has changed. */
bool adapt_tick(struct adapt *adapt, uint32_t now);

/* Something is to be looked at when time has passed: else nothing happens until a trace makes a step. */
static inline bool adapt_ticks(const struct adapt *adapt)
{
	return adapt->active || adapt->level != adapt->config.levels;
}
#endif
