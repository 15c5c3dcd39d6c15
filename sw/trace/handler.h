/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_HANDLER_H
#define RIVULET_HANDLER_H
/* What the trace handler's assembler and C share; vectors.c checks it against the C structures. */
#include "sw/hal/area.h"
#include "sw/trace/front.h"

/*
 * The handler's area: registers are saved there, its words lie behind them, and the stack of its C part below it. The
 * program's mscratch is the program's. Where a handler finds its area:
 *
 *	0	a fixed one, trace_area; the program's sp waits in mtval, which says nothing at an interrupt
 *	1	mscratch points to it: the kernel, which has one for each process; a core without the vectored mode,
 *		where mtval of other causes is still to be read by the program
 */
#ifndef TRACE_AREA_IN_MSCRATCH
#define TRACE_AREA_IN_MSCRATCH TRACE_DIRECT
#endif

/* struct table_entry */
#define ENTRY_HIST 0
#define ENTRY_KEY 4
#define ENTRY_COUNT 8
#define ENTRY_CYCLES 12
#define ENTRY_NEXT 16

/* struct trace_context, at AREA_FAST in the area; offsets from the area */
#define CONTEXT_HASH (AREA_FAST + 0)
#define CONTEXT_SHIFT (AREA_FAST + 4)
#define CONTEXT_HEADS (AREA_FAST + 8)
#define CONTEXT_PERIOD (AREA_FAST + 12)
#define CONTEXT_INTERRUPTS (AREA_FAST + 16)
#define CONTEXT_LEVEL (AREA_FAST + 20)
#define CONTEXT_STEP (AREA_FAST + 24)
#define CONTEXT_BUCKET (AREA_FAST + 28)
#define CONTEXT_BATCH (AREA_FAST + 32)
#define CONTEXT_TICK (AREA_FAST + 36)
#define CONTEXT_DITHER (AREA_FAST + 40)
#define CONTEXT_RECORDS (AREA_FAST + 44)

/* Way timer: a sample counts as many as the traces of its length that end in so many cycles. */
#define TIMER_UNIT_BITS 14

#define TRACE_AREA (AREA_FAST + 48)
#define TRACE_STACK 512 /* of the C part; its deepest calls take about 350 */

/* Words of a vector table in front of its last entry, the trace interrupt's. */
#define VECTOR_WORDS 16
#endif
