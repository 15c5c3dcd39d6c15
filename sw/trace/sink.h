/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_SW_TRACE_SINK_H
#define RIVULET_SW_TRACE_SINK_H
/*
 * The sink (docs/trace-unit.md section 14), without the rest of the driver: the unit counts in its hot-trace table and
 * writes what that throws out to a ring in memory. No interrupt, and nothing of the program is entered until it asks:
 *
 *	static uint8_t ring[1 << 16] __attribute__((aligned(1 << 16)));
 *	struct trace_sink sink = {.memory = ring, .size_bits = 16};
 *	table_init(&table, memory, sizeof memory, 0);
 *	if (trace_sink_start(&sink) == TRACE_OK)
 *		work();
 *	trace_sink_stop(&sink, &table);			the table has every trace, if trace_get(LOST) is 0
 *
 * A program that runs longer than the ring lasts calls trace_sink_take() now and then, best at an interrupt when the
 * ring is half full (sink.interrupt). Of these functions one runs at a time: keep the interrupt off around the others.
 */
#include <stdbool.h>
#include <stdint.h>
#include "sw/trace/trace.h"

struct trace_sink {
	void *memory;       /* the ring, aligned to its size */
	unsigned size_bits; /* its size is 2^size_bits bytes, from 6 on */
	bool interrupt;     /* the trace interrupt comes while half of it or more has not been taken */
	uint32_t read;      /* bytes that were taken; of the driver */
};

/* Sets the ring up, counts all traces of the program in the unit's table, and traces. TRACE_OK; TRACE_EABSENT;
 * TRACE_EWAY: the unit has no sink or no table; TRACE_EHIST: its records have more than 32 bits of address or history;
 * TRACE_EMEMORY: the memory is not aligned, too small, or larger than the unit's SINK_BITS allow. */
int trace_sink_start(struct trace_sink *sink);
/* Adds the records that are in the ring to table, and gives their room back. Returns how many. */
uint32_t trace_sink_take(struct trace_sink *sink, struct table *table);
/* Tracing off; then what is in the unit's table and on its way is added too, and the sink is off. */
void trace_sink_stop(struct trace_sink *sink, struct table *table);
#endif
