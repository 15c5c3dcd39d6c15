/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TRACE_PRIVATE_H
#define RIVULET_TRACE_PRIVATE_H
/*
 * What the driver's parts share.
 *
 *	trace.c		the unit found, set up, switched on and off; what was collected
 *	check.c		whether a configuration can be done with the unit that was found
 *	count.c		records into the table; the rates that change
 *	timer.c		the machine timer, shared with the program; what is done from time to time
 *	vectors.c	mtvec, shared with the program; the handlers' words
 */
#include "sw/hal/hal.h"
#include "sw/trace/adapt.h"
#include "sw/trace/handler.h"
#include "sw/trace/trace.h"

/* The handler's words in its area (handler.h). */
struct trace_context {
	uint32_t hash, shift;
	struct table_entry **heads;
	uint32_t period;      /* ways with TIMER: to the next interrupt */
	uint32_t interrupts;  /* counted by the handlers that drain the buffer */
	uint32_t level, step; /* way adapt: see the handler */
	int32_t bucket, batch;
	uint32_t tick;    /* low half of mtimecmp as the driver has set it */
	uint32_t dither;  /* ways with TIMER: mask of the random part of the period */
	uint32_t records; /* way table: taken by the handler */
};
extern uint8_t trace_area[TRACE_AREA];
static inline volatile struct trace_context *trace_context(void)
{
	return (volatile struct trace_context *)(void *)(trace_area + AREA_FAST);
}

/* ---- trace.c: all of it set by trace_prepare() ---- */
struct trace_driver {
	struct trace_features found;
	struct table table;
	struct trace_stats stats;
	struct run_config run;
	uint32_t enable;      /* CTRL.ENABLE, or 0 if nothing is to be collected */
	bool counted;         /* the handler counts its interrupts */
	bool first;           /* way timer: the trace that runs at the interrupt; else the last */
	uint64_t before_hot;  /* samples before a hot trace changed the period */
	uint32_t high_period; /* ways adapt and fill: PERIOD at level 0 */
	uint32_t largest;     /* PERIOD's largest value, halved */
	struct adapt adapt;   /* way adapt; of way fill its level */
	bool waiting;         /* for the bucket to fill, with the trace interrupt off */
	struct trace_phase phases[TRACE_PHASES];
};
extern struct trace_driver trace_driver;

/* ---- check.c ---- */
bool trace_has_watermark(const struct run_config *config); /* the way has an interrupt at `watermark` */
/* Whether config can be done with what was found; the CTRL bits of the way are put into *ctrl. */
int trace_check(const struct run_config *config, uint32_t *ctrl);
/* The same for the rates of the ways adapt and fill; their registers are touched. */
int trace_check_rates(const struct run_config *config);

/* ---- count.c ---- */
int trace_count_sample(void); /* way timer */
void trace_count_rest(void);
void trace_discard(void);
void trace_drain_table(void);
uint32_t trace_period_of(unsigned level);
void trace_set_rate(void); /* is that of adapt.level from here on; the running period ends */
/* Way adapt: what has been done since `from`, and what lies around it, comes out of the bucket. */
void trace_charge(uint32_t from, uint32_t around);
void trace_adapt_tick(void);
void trace_fill_tick(void);

/* ---- timer.c ---- */
bool trace_timer_needed(const struct run_config *config);
void trace_timer_start(void);
void trace_timer_stop(void);
/* Way adapt is to be looked at in so many cycles; or not any more. */
void trace_look_in(uint32_t cycles);
void trace_look_never(void);

/* ---- vectors.c ---- */
/* The program's vectors behind the table that fits run; TRACE_OK or TRACE_EVECTOR. */
int trace_vectors_set(void);
/* The program's mtvec again, if the driver's is there. Returns whether it was. */
bool trace_vectors_leave(void);
bool trace_own_vector(void); /* the program has one, not the start-up code's */

#endif
