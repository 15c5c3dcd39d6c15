/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_SW_TRACE_HUB_H
#define RIVULET_SW_TRACE_HUB_H
/*
 * The ring that several harts share (docs/trace-unit.md section 17), counted into a table for each, and sent as a
 * profile for each (docs/profile-format.md, "Several harts"):
 *
 *	unit of hart 0 ──┐				   ┌──► tables[0] ──► profile of hart 0
 *	unit of hart 1 ──┼──► rivulet_trace_hub ──► ring ──┼──► tables[1] ──► profile of hart 1
 *
 *	static uint8_t ring[1 << 16] __attribute__((aligned(1 << 16)));
 *	struct trace_hub hub = {.registers = (void *)0x10040000, .memory = ring, .size_bits = 16, .harts = 2,
 *	    .cycles = true, .time = true};
 *	table_init(&tables[n], memory[n], sizeof memory[n], 0);	of each hart
 *	trace_hub_start(&hub);		then each hart switches its own unit on: trace_put(CTRL, ...), and off again
 *	trace_hub_stop(&hub, tables);	hub.lost[n] is how many traces of hart n are in no table
 *
 * One hart does all of this. If the run is longer than the ring it calls trace_hub_take() now and then; best at the
 * hub's interrupt, which comes while the ring is half full (interrupt). Of these functions one runs at a time.
 */
#include <stdbool.h>
#include <stdint.h>
#include "sw/trace/profile.h"
#include "sw/trace/table.h"

#define TRACE_HUB_HARTS 8

struct trace_hub {
	volatile uint32_t *registers; /* where the hub is */
	void *memory;                 /* the ring, aligned to its size */
	unsigned size_bits;           /* its size is 2^size_bits bytes, from 6 on */
	unsigned harts;               /* the hub's SOURCES, 2 to 8 */
	bool cycles, time, table;     /* its CYCLE_BITS is above 1, its TIME_BITS above 0, its TABLE_ENTRIES above 0 */
	bool interrupt;               /* it comes while half of the ring or more has not been taken */
	uint32_t read;                /* bytes that were taken; of the driver, as what follows */
	uint32_t before[TRACE_HUB_HARTS]; /* lost before the start */
	uint64_t
	    lost[TRACE_HUB_HARTS]; /* traces of each hart; an entry of the hub at its maximum is that many or more */
	uint64_t strange;          /* traces of a hart that there is not: in no table */
};

/* Sets the ring up and empties it; the units' CTRL.ENABLE are 0. TRACE_OK; TRACE_EWAY: harts is not 2 to 8, or a record
 * of the hub has not the words that cycles, time and table make: its addresses or histories have more than 32 bits;
 * TRACE_EMEMORY: the memory is not aligned, too small, or larger than the hub's SINK_BITS allow. */
int trace_hub_start(struct trace_hub *hub);
/* Adds the records in the ring to the tables of their harts, and gives their room back. Returns how many. */
uint32_t trace_hub_take(struct trace_hub *hub, struct table tables[]);
/* CTRL.ENABLE is 0 in each unit. What is in the hub and in its table is taken too, and the sink is off. */
void trace_hub_stop(struct trace_hub *hub, struct table tables[]);
/* Sends a profile for each hart, as profile_send(). infos: of each what its hart measured; hart, harts, lost and way
 * are set here. */
void trace_hub_send(const struct trace_hub *hub, const struct table tables[], struct profile_info infos[],
    void (*put)(void *context, const void *bytes, size_t size), void *context);
#endif
