/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RUN_SINK_H
#define RIVULET_CMD_RUN_SINK_H
/*
 * rivulet run --sink: the hot-trace table and the sink (docs/trace-unit.md section 14) are set up from outside, as a
 * debugger does. The ring is a memory of its own, which the program does not reach. The program is never interrupted;
 * what the profile costs it are the cycles in which the sink has the bus.
 */
#include "host/cmd/cmd.h"
#include "host/profile/profile.h"
#include "model/model.h"

struct run_sink {
	uint64_t size;    /* of the ring in bytes, a power of two; 0: there is no sink */
	uint32_t read;    /* bytes of it that were read, modulo 2^28 */
	uint64_t records; /* that went through the ring, before the program ended; */
	uint64_t emptied; /* and behind its end, out of the table */
	uint64_t
	    lost; /* traces that found no room, since the ring was full or TABLE_POLICY holds what is in the table */
	unsigned rate; /* TABLE_POLICY.RATE: counts are right on average, not exact; 0: they are exact */
};

/* The unit has a sink. */
void run_sink_unit(struct trace_config *unit);
/* The machine gets a unit with a sink, and the memory for the ring. */
void run_sink_build(const struct run_sink *sink, struct model_config *config);
/* Behind model_start(): sets it up. whole: all of the program is traced, its handlers too, and the unit is held against
 * it; else its driver switches tracing on and off, and finds no record in the buffer. */
void run_sink_arm(const struct run_sink *sink, struct model *model, bool whole);
/* Behind the last cycle: empties the table, and adds up what is in the ring. Returns enum profile_error. */
int run_sink_finish(struct run_sink *sink, struct model *model, struct profile *profile);
#endif
