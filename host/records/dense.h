/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_DENSE_READER_H
#define RIVULET_DENSE_READER_H
/*
 * The bytes of a dense coder (docs/trace-unit.md section 15) become records again.
 *
 *   bytes ──► frame between two flags ──CRC──► codes ──► dictionary, guesses ──► records
 *
 * The records of a frame are given out when its CRC has been checked and all of it is what a coder writes, so what is
 * damaged is never given out. The CRC of a frame goes on from the one before, so a frame that is missing is noticed by
 * the next one. From a frame that is not good on, all are passed over up to the next that is a start, which says how
 * many traces came before it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/record.h"

enum dense_reader_error {
	DENSE_READER_OK = 0,
	DENSE_READER_ENOMEM = -1,
	DENSE_READER_ESTOPPED = -2 /* the sink asked to stop */
};

enum dense_note_kind {
	DENSE_NOTE_DAMAGED, /* a frame that is not good; its records are missing */
	DENSE_NOTE_PASSED,  /* frames that continue what is not known, up to a start; count: of them */
	DENSE_NOTE_JOINED,  /* the first start is not the first of the stream: count traces came before */
	DENSE_NOTE_MISSING, /* count traces are missing, by damage */
	DENSE_NOTE_LOST,    /* count traces were lost in the coder */
	DENSE_NOTE_RESTART, /* the coder was reset */
	DENSE_NOTE_SHAPE,   /* another coder: addresses or history of another width; its frames are passed over */
	DENSE_NOTE_CUT      /* the stream ends inside of a frame */
};
struct dense_note {
	enum dense_note_kind kind;
	uint64_t offset; /* of the frame's first byte */
	uint64_t size;   /* bytes of it */
	uint64_t count;
	uint64_t traces; /* given out before */
};
/* One sentence without file name and full stop. Returns as snprintf. */
int dense_note_describe(const struct dense_note *note, char *text, size_t size);

struct dense_reader_counts {
	uint64_t bytes, frames, starts; /* frames: good ones, starts among them */
	uint64_t damaged, passed;       /* frames */
	uint64_t traces, missing, lost; /* given out; damaged, or before the stream began; lost in the coder */
};

struct dense_reader_sink {
	/* count 1, no cycles; insns: of a trace that was cut off. Returns 0 to go on. */
	int (*take)(void *context, const struct record *record);
	/* count traces are missing here; 0: not known how many. Returns 0 to go on. */
	int (*miss)(void *context, uint64_t count);
	void (*tell)(void *context, const struct dense_note *note); /* may be NULL */
	void *context;
};

struct dense_reader;
int dense_reader_open(struct dense_reader **reader, const struct dense_reader_sink *sink);
void dense_reader_close(struct dense_reader *reader);
int dense_reader_feed(struct dense_reader *reader, const void *bytes, size_t size);
int dense_reader_finish(struct dense_reader *reader); /* the end of the stream */
const struct dense_reader_counts *dense_reader_counts(const struct dense_reader *reader);
/* Of the coder's trace unit; 0 before the first start. */
unsigned dense_reader_xlen(const struct dense_reader *reader);
unsigned dense_reader_hist(const struct dense_reader *reader);
#endif
