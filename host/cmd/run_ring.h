/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RUN_RING_H
#define RIVULET_CMD_RUN_RING_H
/* rivulet run --ring: a flight recorder that is set up from outside, as a debugger does, and its dump at the end. */
#include "host/cmd/cmd.h"
#include "model/run.h"

struct run_ring {
	const char *path, *freeze; /* freeze: the option's word; NULL: at an exception that is a fault */
	struct output *output;
	bool captured;
	uint32_t cause, epc, tval; /* CSRs when it froze */
};

/* The machine gets a unit with a recorder, with a buffer of 1 KiB unless it has another already. */
void run_ring_build(struct trace_config *unit);
/* Behind model_start(): arms it, and holds the unit against the program. STATUS_FAILED: freeze is no such word, which
 * is told. */
int run_ring_arm(const struct run_ring *ring, struct model *model, const struct image *image);
/* For each retirement. */
void run_ring_retire(struct run_ring *ring, const struct model *model);
/* Freezes it if nothing has, and writes the dump to ring->output. */
int run_ring_finish(struct run_ring *ring, struct model *model);
#endif
