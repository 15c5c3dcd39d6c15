/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_IMPORT_CLOCK_H
#define RIVULET_IMPORT_CLOCK_H
/*
 * Cycles of records whose instructions were not timed one by one: the messages of an encoder have times, or the rules
 * of a core say what a trace takes. A time is that of an instruction; between two of them the clock goes on evenly, by
 * instructions, or by what each record takes by the rules of the core.
 *
 *   instructions   0      n0            n1          n2
 *   clock                 t0            t1          t2        of messages
 *   records        [   a   )[  b   )[  c   )[   d    )         cycles = clock at the end - clock at the begin
 *
 * So the cycles between two times add up to their difference. A record waits for the first time behind it; when a
 * million wait, the oldest goes without cycles. Memory: what lies between two times, 200 MB at most.
 */
#include "common/record.h"
#include "host/cycles/estimate.h"

enum import_clock_kind {
	IMPORT_UNTIMED,  /* no times, no rules: cycles are 0, times are instructions */
	IMPORT_BY_RULES, /* an estimate by the rules of a core */
	IMPORT_BY_TIMES  /* of the messages */
};

struct import_clock_counts {
	uint64_t times, backwards; /* told by messages; of these, before the one before */
	uint64_t instructions;     /* between times */
	uint64_t cycles;           /* of the stream, from its first time to its last; or by the rules */
	uint64_t clipped;          /* cycles that records have no room for: more than 2^32 - 1 in one */
	uint64_t untimed;          /* instructions before the first time, behind the last, or where it went backwards */
};

/* Takes a record with its cycles; time: cycles up to its end, untimed: instructions. 0 to go on. */
typedef int import_clock_sink(void *context, const struct record *record, uint64_t time);

struct import_clock;
/* core: NULL for none, must outlive the clock; tick: cycles of a unit of the messages' times. NULL: out of memory. */
struct import_clock *import_clock_open(const struct image *image, const struct core *core, uint64_t tick, unsigned hist,
    import_clock_sink *sink, void *context);
void import_clock_close(struct import_clock *clock);
/* The first `index` instructions had retired at this time. */
bool import_clock_time(struct import_clock *clock, uint64_t index, uint64_t time);
/* The next record, count 1; it left the unit when `index` instructions had retired. Errors: enum import_error. */
int import_clock_record(struct import_clock *clock, const struct record *record, uint64_t index);
int import_clock_finish(struct import_clock *clock);
/* As far as is known: from the first record on. */
enum import_clock_kind import_clock_kind(const struct import_clock *clock);
const struct import_clock_counts *import_clock_counts(const struct import_clock *clock);
#endif
