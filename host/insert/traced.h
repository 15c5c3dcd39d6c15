/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TRACED_H
#define RIVULET_TRACED_H
/*
 * From the events of inserted code (`rivulet insert --trace`) back to what was executed, in order:
 *
 *   frames 5 and 6, .debug_rivulet of the twin ──► events ──► pieces of code ──► records, as the trace unit makes them
 *
 * A piece is straight code: a basic block up to its first call or system call, or from behind one to the next, or to
 * its end. Where one piece does not lead to the next (code without events ran between them), the record ends there as
 * out of scope, and nothing is missing. The program must be the twin (`rivulet insert --map --trace`): its code is that
 * of the unedited one. A trace whose bytes are damaged goes on behind the damage; how many events are missing is known.
 *
 * One history of 32 bits, all ends of traces on, no cycles: TRACED_HIST and CTRL 0 are its walk_config.
 */
#include <stdbool.h>
#include "common/record.h"
#include "host/image/image.h"

#define TRACED_HIST 32

enum traced_error {
	TRACED_OK = 0,
	TRACED_ENOMEM = -1,
	TRACED_ENOMAP = -2,  /* the program has no .debug_rivulet */
	TRACED_EFORMAT = -3, /* ... it is damaged, or of another version */
	TRACED_ETWIN = -4,   /* the program is the edited one */
	TRACED_EOTHER = -5,  /* the trace is of objects that the program does not have */
	TRACED_ETWICE = -6   /* two of its objects overlap: the trace is damaged */
};
const char *traced_strerror(int error);

struct traced;
/* Whether the bytes hold such frames. Text and other frames may stand around them. */
bool traced_is(const uint8_t *bytes, size_t size);
/* The first trace in the bytes; they and the image must stay. On an error *traced is NULL. */
int traced_open(struct traced **traced, const struct image *image, const uint8_t *bytes, size_t size);
void traced_close(struct traced *traced);
/* 1: the next record; *missing: events that are lost before it. 0: the end. Or an error. */
int traced_next(struct traced *traced, struct record *record, uint64_t *missing);

size_t traced_position(const struct traced *traced); /* bytes read */

struct traced_counts {
	uint64_t events;    /* read */
	uint64_t missing;   /* lost, and unknown ones */
	uint64_t unknown;   /* of objects that the program does not have */
	uint64_t others;    /* of other threads, which the runtime left out */
	uint64_t strange;   /* branches whose next event is on neither of their ways: they are left out */
	uint64_t functions; /* of the program, with events */
	uint64_t left;      /* ... without */
	bool ended;         /* the program came to its end */
};
/* When traced_next() has returned 0. */
void traced_counts(const struct traced *traced, struct traced_counts *counts);
#endif
