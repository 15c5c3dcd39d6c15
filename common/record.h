/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RECORD_H
#define RIVULET_RECORD_H
/*
 * A record: what one trace was, or several equal ones (docs/trace-unit.md sections 3 to 7). Firmware, golden model and
 * host have this one struct. Other layouts exist only where bytes differ: the trace unit's registers, the table's
 * entries that sw/trace/handler.S updates (sw/trace/table.h), frames (docs/profile-format.md), record files
 * (docs/record-format.md).
 *
 *   start ──► instruction ──► ... ──► branch ──► ... ──► branch ──► ... ──► the last instruction
 *                                      │                  │                  reason: why it is the last
 *   hist = 1 ... o                     o         ...      o                  TSH FIG. 5: 570 start, 590 history
 *          ▲ marker                    ▲ the oldest outcome: 1 is taken
 *
 * A trace is known by its key: start, history, and whether it was cut off (record_partial()), because the same pair may
 * be a whole trace or the first part of one.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a trace ended: REC_INFO.REASON. TRACE_BACKWARD, TRACE_INDIRECT and so on: common/reasons.def. */
enum trace_reason {
	TRACE_NONE, /* not known: the unit was built without WITH_REASON */
#define TRACE_CAUSE(ID, name, cut, behind, end) TRACE_##ID,
#include "common/reasons.def"
	TRACE_REASONS
};

struct record {
	uint64_t start; /* address of the first instruction; even */
	uint64_t hist;  /* outcomes of the conditional branches behind a leading 1; never 0 */
	uint64_t count; /* equal traces that it stands for: the unit's repeat count, or the sum of a table or profile */
	uint64_t timed; /* traces of these whose cycles are known; <= count */
	uint64_t cycles; /* of the timed ones together */
	uint32_t insns;  /* instructions of one trace; 0: not known. Cut off traces may differ: then of the first one */
	uint8_t reason;  /* enum trace_reason; of the first one */
	uint8_t context; /* what the unit's TABLE_CONTEXT was; 0: not known. Only in the unit and what reads it there */
};

/* Cut off by a discontinuity. */
static inline bool record_partial(const struct record *record)
{
	return record->reason >= TRACE_TRAP;
}
/* One that a trace unit can have made. */
static inline bool record_valid(const struct record *record)
{
	return record->hist != 0 && (record->start & 1) == 0 && record->reason < TRACE_REASONS &&
	       record->timed <= record->count;
}

/* Where a record lies in a stream of them. */
struct record_place {
	uint64_t number;  /* 0, 1, ...: a jump means that records are missing before this one */
	uint64_t time;    /* cycle of the run in which it left the record port */
	uint32_t context; /* which process, or 0 */
	uint32_t ctrl;    /* CTRL register with which it was collected */
};

/* One of many records in order, or the same one several times in a row, of which all that they have in common stands
 * apart, once: its place there, and how often. */
struct record_run {
	uint32_t key; /* index of a record with the same start, history, instructions, reason and cycles, and count 1 */
	uint32_t count;
};

/* Records in order, one close behind the other, by the keys of what they have in common: each began when the one before
 * it ended, and took the cycles that stand with its key. Those that did not are told apart. */
struct record_odd {
	uint64_t time;       /* when it left, as in struct record_place */
	uint32_t at, cycles; /* which of the records */
};
struct record_chain {
	const struct record *keys; /* start, history, instructions and reason, count 1, and cycles */
	size_t key_count;
	size_t once;          /* those before this one are for this chain alone */
	const uint16_t *uses; /* for each record its key */
	size_t count;
	const struct record_odd *odd; /* in order */
	size_t odd_count;
	uint64_t begin; /* when the one before the first left */
};

/* A phase change that firmware has seen in its table (sw/trace/table.h): what is met more now, and what it has
 * passed. */
struct record_change {
	uint64_t cycle; /* mcycle */
	struct {
		uint64_t start, hist, count;
	} rose, sank;
};

const char *record_reason_name(unsigned reason); /* "backward", ...; "unknown": no reason */
/* What a listing says behind the last instruction of the trace; "" for TRACE_NONE and what is no reason. */
const char *record_reason_end(unsigned reason);
/* The trace may end behind any instruction: its length is known from the count of instructions alone. */
bool record_reason_cut(unsigned reason);
/* Where the program goes on behind a trace that ended so. */
enum record_behind {
	RECORD_NEXT,      /* where the trace ended, so the next record begins there */
	RECORD_ELSEWHERE, /* anywhere: what ran in between was not traced */
	RECORD_HANDLER    /* in the handler of a trap, which is traced or not */
};
enum record_behind record_reason_behind(unsigned reason);
#endif
