/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TRACE_BUFFER_H
#define RIVULET_TRACE_BUFFER_H
/*
 * The runtime of `rivulet insert --trace` (host/insert/profile_trace.c): trace.c instead of probe.c, and trace_hook.S.
 * All else of sw/probe/probe.h holds, and the files that say where bytes go are the same ones.
 *
 *   block ──► rivulet_trace_event ──► buffer ── full, or the end ──► frames 5 and 6 of docs/profile-format.md
 *
 * The sequence begins when the first object registers, and is that of the thread that registers. Events of other
 * threads are counted and left out (on Linux, by tp). On bare metal there is no such check: an interrupt handler with
 * events may lose one event of the code that it interrupts, so leave handlers unedited. While the buffer is written out
 * no event is taken.
 */
#define RIVULET_TRACE_BITS 12 /* 4096 events of 4 bytes */

#ifndef __ASSEMBLER__
#include <stdint.h>
/* Invariant once the sequence has begun: used is a multiple of 4. Above 4 << RIVULET_TRACE_BITS: nothing is taken. The
 * buffer may hold anything before start-up code has cleared it: an edited memset() then writes within it all the
 * same. */
struct rivulet_trace_buffer {
	uintptr_t used;   /* bytes */
	uintptr_t owner;  /* tp of the thread whose events are taken */
	uintptr_t others; /* events of other threads */
	uintptr_t unused;
	uint32_t events[1u << RIVULET_TRACE_BITS]; /* addresses, the low half */
};
extern struct rivulet_trace_buffer rivulet_trace_buffer;
/* The buffer is full; event is the next one. */
void rivulet_trace_full(uintptr_t event);
#endif
#endif
