/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MODEL_DENSE_RING_H
#define RIVULET_MODEL_DENSE_RING_H
/*
 * The golden model of the dense coder with a ring of its last bytes (rtl/trace/rivulet_trace_dense_recorder.v), cycle
 * by cycle, from docs/trace-unit.md section 15. A register of the RTL is a member under the same name, without _q.
 */
#include "model/dense.h"

#define DENSE_RING_MAX 65536u

struct dense_ring_config {
	unsigned bytes, start_bytes;
	struct dense_config coder; /* buffer and start_bits are the recorder's own */
};

struct dense_ring_in {
	bool rst, power_on;
	struct dense_in record; /* rec_valid to insns, flush */
	bool sel, write;
	uint32_t addr;
};

struct dense_ring {
	struct dense_ring_config config;
	struct dense coder;
	unsigned next, since;
	bool full, begin;
	uint8_t bytes[DENSE_RING_MAX];
	bool read_byte, read_state;
	uint8_t read;
};

void dense_ring_reset(struct dense_ring *ring, const struct dense_ring_config *config); /* that of power */
/* Evaluates one cycle: what rdata_o is during it; then all registers take their new values. */
uint32_t dense_ring_cycle(struct dense_ring *ring, const struct dense_ring_in *in);
#endif
