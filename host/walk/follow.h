/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_FOLLOW_H
#define RIVULET_FOLLOW_H
/*
 * Holds records against the instructions that were retired, on the fly: every record of a complete stream, walked
 * through the image, must give exactly the traced instructions, in order, none left out.
 *
 *   retired, traced pcs ──► queue ──┐
 *                                   ├── equal, pc by pc?
 *   records ──► walk ───────────────┘
 *
 * The queue holds what no record has accounted for yet: a trace that is under way, and traces that the repeat count
 * still holds back. It is bounded: more than FOLLOW_QUEUE_MAX waiting instructions are an error.
 */
#include "host/walk/walk.h"
#include "model/trace.h"

#define FOLLOW_QUEUE_MAX (1u << 24)
#define FOLLOW_CONTEXT 8

enum follow_error {
	FOLLOW_OK = 0,
	FOLLOW_EWALK = -1,    /* the record cannot be walked: see walk_error */
	FOLLOW_EPC = -2,      /* the walk gives another instruction than was retired */
	FOLLOW_ESHORT = -3,   /* the walk gives more instructions than were retired */
	FOLLOW_EQUEUE = -4,   /* too many instructions that no record accounts for */
	FOLLOW_ESAMPLED = -5, /* the unit samples: its records do not account for everything */
	FOLLOW_ENOMEM = -6
};
const char *follow_strerror(int error);

struct follow {
	struct walk *walk;
	const struct image *image;
	uint64_t *queue; /* ring, size a power of two */
	size_t size, first, waiting;
	uint32_t ctrl; /* CTRL when it last had ENABLE set: that of the records which are still to come */
	uint64_t records, traces, instructions; /* compared; traces counts repeats */
	uint64_t unresolved, skipped; /* traces with a jump to an unknown target (NO_INDIRECT); instructions behind
					 those, not compared */
	/* the last instructions that agreed, newest at (last_count - 1) % FOLLOW_CONTEXT */
	uint64_t last[FOLLOW_CONTEXT];
	uint64_t last_count;
	/* the difference: valid after an error */
	struct record record;
	int walk_error;
	uint64_t at, got, expected; /* address of a walk error; the walk's pc, the retired pc */
	uint32_t index;             /* instructions of this trace that agreed */
};

int follow_open(struct follow *follow, const struct image *image);
void follow_close(struct follow *follow);
/* Whether the instruction in stage S of the trace unit is traced (docs/trace-unit.md section 4), computed from the
 * unit's registers alone. */
bool follow_taken(const struct trace *trace);
/* trace: the unit as it is before the cycle in which stage S holds the instruction that has just retired. Takes it if
 * it is traced. */
int follow_retire(struct follow *follow, const struct trace *trace);
/* A record left the record port of trace. Returns 0 or the first difference (enum follow_error). */
int follow_record(struct follow *follow, const struct trace *trace, const struct record *record);
#endif
