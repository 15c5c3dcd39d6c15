/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ENGINE_H
#define RIVULET_ENGINE_H
/*
 * The optimiser on the core in two parts (docs/optimise.md):
 *
 *	optimise.c	when: looks by the timer, traps, the beginning and the end
 *	engine.c	what: counts taken, builds, checks, releases
 */
#include "sw/hal/hal.h"
#include "sw/optimise/paid.h"
#include "sw/run/patches.h"

#define RUN_ENGINE_HOT 50u        /* a trace may begin where at least 1/50 of the counts begin */
#define RUN_ENGINE_LONG 100u      /* way table: length of traces from the second build on */
#define RUN_ENGINE_DIVISORS 32u   /* divisions whose divisors are looked at */
#define RUN_ENGINE_EAGER 1000000u /* share: looks come as fast as they can, whatever they cost */

extern struct run_config rivulet_config;

enum run_engine_state { ENGINE_IDLE, ENGINE_COLLECT, ENGINE_ASK, ENGINE_RUN, ENGINE_CHECK };

struct run_engine {
	enum run_engine_state state;
	struct optimise_code code;
	struct optimise optimise;
	struct optimise_config config;
	struct counts counts;       /* of the table's entries when the last look ended */
	struct counts untranslated; /* ... when patches last changed */
	struct counts_log log;      /* of traces in the cache: translated when the program has ended */
	struct paid paid;           /* traces that have not paid, which are not made again */
	uint32_t checked;           /* times since the last build */
	uint32_t witnessed;         /* entries of the table whose beginnings the optimiser has seen */
	struct optimise_divisor divisors[RUN_ENGINE_DIVISORS];
	uint8_t *memory, *stack;
	size_t size;
	uint32_t interval, threshold, share;
	uint32_t asks;            /* looks at divisors that are left before the build */
	struct hal_frame *frame;  /* of the program, in a look */
	uint64_t look_at, set_to; /* mtime of the next look; mtimecmp as it was last set here */
	bool timer_taken;         /* the timer is the program's: the look is at one of its interrupts */
	uint32_t looks, builds, released, fenced, lost, traces, patches, bytes;
	uint64_t cycles, started;
	uint64_t built_at; /* cycles from then to the last build */
	int error;
	uint32_t promised;
	bool prepared, left_alone, used;
	bool refused; /* the way of the run configuration cannot be optimised from */
	bool exact;   /* way table */
	bool again;   /* the next build tries all places */
	bool late;    /* what was counted since the last build is not yet translated */
};
extern struct run_engine run_engine;

/* All that the unit has counted is in the table. */
void run_engine_take_counts(void);
/* Counts of the cache, put off ones too, become those of the program. */
void run_engine_to_program(void);
/* Steps 850 to 856, from what the table has counted since the last build. Traces are added to those that are there;
 * without room for them it is emptied first (step 858). In three parts, so that the program can go on while its
 * divisors are looked at: what is hot; which divisors are to be looked at (false: none any more); traces and patches.
 * The unit is off here and below. */
bool run_engine_gather(void);
bool run_engine_ask(void);
uint32_t run_engine_divisors(void); /* that were found to repeat */
void run_engine_build(void);
/* Step 858, wherever the program stands. */
void run_engine_release(struct hal_frame *frame);
/* Is there room for another build, or time to make some? */
bool run_engine_has_room(void);
/* Has any trace been counted so often that it is hot? */
bool run_engine_anything_hot(void);
/* Is enough of what was counted since the last look at places that no build has looked at yet, each of them hot? */
bool run_engine_something_new_is_hot(void);
/* At the first checks after a build: the patches of traces that have not paid, by the unit's cycles, are taken back.
 * True: there were some, and with way table what was counted so far tells nothing any more. */
bool run_engine_check_paid(void);
#endif
