/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MODEL_DENSE_H
#define RIVULET_MODEL_DENSE_H
/*
 * The golden model of the dense coder (rtl/trace/rivulet_trace_dense.v), cycle by cycle, from docs/trace-unit.md
 * section 15. A register of the RTL is a member under the same name, without _q.
 */
#include <stdbool.h>
#include <stdint.h>
#include "common/dense.h"
#include "common/record.h"
#include "common/sizes.h"

#define DENSE_QUEUE_MAX SIZED(1024, 16)
#define DENSE_BUFFER_MAX SIZED(4096, 64)

struct dense_config { /* docs/trace-unit.md section 15 */
	unsigned xlen, hist, entries, places, repeat_bits, insn_bits, queue, buffer, check_bits, start_bits;
};
void dense_config_default(struct dense_config *config); /* the defaults of rivulet_trace_dense.v */

struct dense_in {       /* the inputs of one cycle */
	bool rec_valid; /* of the trace unit's record port */
	uint64_t start, hist;
	uint32_t repeat;
	uint16_t insns;
	uint8_t reason;
	bool flush, begin, byte_ready;
};

struct dense_out { /* outputs during the cycle */
	bool byte_valid, busy;
	uint8_t byte;
};

struct dense_waiting { /* a record in the queue */
	uint64_t start, hist;
	uint32_t repeat;
	uint16_t insns;
	uint8_t reason;
};

struct dense_pointers { /* of rivulet_trace_queue.v: what is read is valid in the cycle behind */
	unsigned wr, rd;
	bool valid;
};

struct dense {
	struct dense_config config;
	enum dense_state {
		DENSE_CLEAR, /* a place and an entry a cycle */
		DENSE_FETCH, /* the place and the follower are being read, */
		DENSE_AIM,   /* and the entry that the place says */
		DENSE_READY,
		DENSE_SEARCH, /* the set is being read, an entry a cycle, */
		DENSE_WAY0,
		DENSE_WAY1,
		DENSE_FIRST, /* and what was found out is written, from here on */
		DENSE_RUN,
		DENSE_EVENT,
		DENSE_LOW,
		DENSE_HIGH,
		DENSE_REASON,
		DENSE_ADDRESS,
		DENSE_HISTORY,
		DENSE_INSNS,
		DENSE_UPDATE,
		DENSE_PAD, /* the end of a frame */
		DENSE_CHECK,
		DENSE_FLAG,
		DENSE_OPEN, /* the head of a frame */
		DENSE_HEAD,
		DENSE_SHAPE,
		DENSE_NUMBER,
		DENSE_LOST
	} state;
	struct dense_coder coder;
	unsigned walk;
	uint32_t run, number, lost; /* number: traces that are coded, or told to be lost */
	uint32_t done;              /* traces of the record at the head of the queue that are coded */
	bool open, fresh, restart, losing, tells;
	bool parity, epoch;
	bool match0;
	uint8_t event; /* enum dense_event */
	unsigned index, nibble;
	uint64_t value;
	struct dense_pack {
		uint16_t acc;
		uint8_t fill, byte;
		bool stage, raw, escaped;
		uint32_t crc;
	} pack;
	struct dense_pointers queue, buffer;
	struct dense_waiting queue_mem[DENSE_QUEUE_MAX], head;
	uint8_t buffer_mem[DENSE_BUFFER_MAX], byte;
};

void dense_reset(struct dense *dense, const struct dense_config *config);
/* Evaluates one cycle: *out are the outputs during it, then all registers take their new values. */
void dense_cycle(struct dense *dense, const struct dense_in *in, struct dense_out *out);
#endif
