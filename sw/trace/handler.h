/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_HANDLER_H
#define RIVULET_HANDLER_H
/* What the trace handler's assembler and C share; trace.c checks it against the C structures. */
#include "sw/hal/area.h"
#include "sw/trace/csr.h"

/* struct table_entry */
#define ENTRY_HIST 0
#define ENTRY_KEY 4
#define ENTRY_COUNT 8
#define ENTRY_CYCLES 12
#define ENTRY_NEXT 16

/* struct trace_context, at hal_area + AREA_FAST; offsets from hal_area */
#define CONTEXT_HASH (AREA_FAST + 0)
#define CONTEXT_SHIFT (AREA_FAST + 4)
#define CONTEXT_HEADS (AREA_FAST + 8)
#define CONTEXT_PERIOD (AREA_FAST + 12)
#define CONTEXT_INTERRUPTS (AREA_FAST + 16)
#define CONTEXT_LEVEL (AREA_FAST + 20)
#define CONTEXT_STEP (AREA_FAST + 24)
#define CONTEXT_BUCKET (AREA_FAST + 28)
#define CONTEXT_BATCH (AREA_FAST + 32)

#endif
