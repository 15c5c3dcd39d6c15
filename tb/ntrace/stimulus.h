/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_NTRACE_STIMULUS_H
#define RIVULET_TB_NTRACE_STIMULUS_H
/*
 * A core and a driver for the N-Trace encoder, pseudo-random and made of a seed alone. The core is that of
 * tb/trace/stimulus.h; the driver sets the encoder up, lets it run, changes registers while it does, ends it, waits
 * until it is empty or does not, and reads.
 */
#include "model/ntrace.h"
#include "tb/trace/stimulus.h"

enum { NTRACE_STIMULUS_QUEUE = 64 };

struct ntrace_stimulus {
	struct ntrace_config config;
	struct stimulus core;
	struct trace unit;       /* the trace unit that the core's stimulus wants to look at: at reset */
	uint64_t state;          /* of the random generator */
	uint32_t left;           /* cycles of this phase */
	uint32_t retires, ready; /* of 256: retirements that are let through, cycles in which bytes are taken */
	uint32_t context;
	bool debug, patient; /* patient: it waits until the encoder is empty */
	struct ntrace_bus queue[NTRACE_STIMULUS_QUEUE];
	unsigned queued, sent;
};

void ntrace_stimulus_init(struct ntrace_stimulus *s, const struct ntrace_config *config, uint64_t seed);
/* The inputs of the next cycle. *ntrace is the model before it. */
void ntrace_stimulus_cycle(struct ntrace_stimulus *s, const struct ntrace *ntrace, struct ntrace_in *in);
#endif
