/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MODEL_ARBITER_H
#define RIVULET_MODEL_ARBITER_H
/*
 * The golden model of the arbiter that joins the records of several trace units (rtl/trace/rivulet_trace_arbiter.v),
 * cycle by cycle, from docs/trace-unit.md section 17.
 *
 *   unit 0 ── record ──► room for one more of unit 0? ──► ┌───────────────────────┐
 *   unit 1 ── record ──► room for one more of unit 1? ──► │ one row, as they came │ ──► the oldest, until it is taken
 *                                  │ no                   └───────────────────────┘
 *                                  └──► missed: told with the next one of that unit that finds room
 *
 * The RTL has a queue for each unit and one for their order. Here all stand in one row, which is what these have to be
 * together.
 */
#include <stdbool.h>
#include <stdint.h>
#include "common/record.h"

enum { ARBITER_SOURCES_MAX = 8, ARBITER_DEPTH_MAX = 512 };

struct arbiter_config {
	unsigned sources, depth;                     /* depth: of each source */
	unsigned xlen, hist;                         /* of the records */
	unsigned repeat_bits, cycle_bits, insn_bits; /* widths of their members */
	unsigned time_bits, lost_bits;
};

struct arbiter_in { /* bit n of valid: unit n hands over rec[n] */
	unsigned valid;
	struct record rec[ARBITER_SOURCES_MAX];
	bool ready; /* the record that arbiter_out shows is taken */
};

struct arbiter_entry {
	struct record rec;
	uint64_t time;   /* modulo 2^time_bits */
	uint32_t missed; /* traces of this source that were lost just before; at its maximum: that many or more */
	uint8_t source;
	bool fresh; /* came in the cycle before: it is not seen yet */
};

struct arbiter_out {
	bool valid, busy;
	struct arbiter_entry head;          /* if valid */
	uint32_t lost[ARBITER_SOURCES_MAX]; /* since the last record of this source that was taken in */
};

struct arbiter {
	struct arbiter_config config;
	struct arbiter_entry row[ARBITER_SOURCES_MAX * ARBITER_DEPTH_MAX]; /* a ring */
	unsigned first, count, held[ARBITER_SOURCES_MAX];
	uint32_t missed[ARBITER_SOURCES_MAX];
	uint64_t now;
};

void arbiter_config_default(struct arbiter_config *config); /* of the RTL */
void arbiter_reset(struct arbiter *arbiter, const struct arbiter_config *config);
/* Evaluates one cycle: *out are the outputs during it, then all registers take their new values. */
void arbiter_cycle(struct arbiter *arbiter, const struct arbiter_in *in, struct arbiter_out *out);
#endif
