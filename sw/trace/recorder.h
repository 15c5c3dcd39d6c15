/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_SW_TRACE_RECORDER_H
#define RIVULET_SW_TRACE_RECORDER_H
/*
 * The flight recorder (docs/trace-unit.md section 13), without the rest of the driver:
 *
 *	static uint32_t rivulet_ring[TRACE_RING_WORDS(64)];		where `rivulet postmortem --gdb` looks for it
 *	if (trace_recorder_frozen())				at the start: an earlier run has ended in a fault
 *		trace_recorder_print(rivulet_ring, trace_recorder_save(rivulet_ring, sizeof rivulet_ring / 4), put);
 *	trace_recorder_arm(&(struct trace_recorder){.traps = TRACE_RECORDER_FAULTS});
 *	...								the program runs on as without it
 *
 * trace_recorder_save() may as well be called by the handler of the fault. What it fills is the dump that `rivulet
 * postmortem` finds in a core, a memory dump, or the text of the console.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/ring.h"
#include "sw/trace/trace.h"

/* Exceptions that are faults: misaligned, access and page faults, illegal instructions; not EBREAK and ECALL */
#define TRACE_RECORDER_FAULTS 0xB0F7u
#define TRACE_RING_WORDS(fifo_depth) RING_MAX_WORDS((fifo_depth)-1, 4)

struct trace_recorder {  /* what freezes it; 0 of a member: that does not */
	uint32_t traps;  /* bit n: exception n; bit 16 + n: interrupt n, as 1 << (16 + 7): the timer is the watchdog */
	bool pin, reset; /* the input freeze_i; a reset */
	uintptr_t reached;  /* an address; not together with from */
	uintptr_t from, to; /* ... and more than limit cycles until to */
	uint32_t limit;
};

/* Empties the ring, arms it and traces. TRACE_OK; TRACE_EABSENT; TRACE_EWAY: the unit has no recorder; TRACE_EHIST: its
 * records have more than 4 words. */
int trace_recorder_arm(const struct trace_recorder *what);
/* Whether the ring is frozen: by what was armed, in this run or before a reset. False without a unit. */
bool trace_recorder_frozen(void);
/* Freezes the ring if nothing has, takes all records out of it and makes the dump. Returns its words; 0: there is no
 * recorder, or room is too small for the ring, which stays as it is then. */
size_t trace_recorder_save(uint32_t *words, size_t room);
/* The dump as lines of text. */
void trace_recorder_print(const uint32_t *words, size_t count, void (*put)(char c));
#endif
