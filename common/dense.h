/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_DENSE_H
#define RIVULET_DENSE_H
/*
 * What the sender and the receiver of a dense stream both keep (docs/trace-unit.md section 15): a dictionary of traces,
 * in sets of two, and two memories that say which comes next.
 *
 *   numbers of the last traces ──► hash ──► place: first, second ──┐
 *   the last one ──► follower ─────────────────────────────────────┴──► guesses at the next number
 *
 * All of it is 0 at a start. An entry without a history is empty.
 */
#include <stdbool.h>
#include <stdint.h>

#define DENSE_ENTRIES_MAX 1024
#define DENSE_PLACES_MAX 4096

/* What is not a right guess. */
enum dense_event {
	DENSE_SECOND,   /* the second guess was right: 0 */
	DENSE_FOLLOWER, /* what followed last time: 01 */
	DENSE_HIT,      /* another entry: 011 and its number */
	DENSE_MISS,     /* the trace itself: 0111; codes are written with the bit that comes first at the right */
	DENSE_END       /* of the frame: 1111 */
};

/* A frame: HEAD, at a start SHAPE and NUMBER, with LOST how many were lost, codes, CRC. */
enum { DENSE_HEAD_START = 0x10, DENSE_HEAD_LOST = 0x20, DENSE_HEAD_MASK = 0x30, DENSE_HEAD_VERSION = 0x01 };
enum { DENSE_FLAG_BYTE = 0x7E, DENSE_ESCAPE_BYTE = 0x7D, DENSE_ESCAPE_FLIP = 0x20 };
#define DENSE_SHAPE_XLEN64 0x4000u

struct dense_trace {
	uint64_t start, hist;
	uint8_t reason;
};

struct dense_place {
	uint16_t first, second;
	bool sure;
};

struct dense_coder {
	unsigned entries, places; /* powers of two */
	struct dense_trace entry[DENSE_ENTRIES_MAX];
	struct dense_place place[DENSE_PLACES_MAX];
	uint16_t follower[DENSE_ENTRIES_MAX];
	unsigned hash, last;
	bool victim;
	uint64_t previous; /* start of the last trace that was entered */
};

void dense_coder_start(struct dense_coder *coder, unsigned entries, unsigned places);
/* The first entry of the set that a trace belongs to; the other one is behind it. */
unsigned dense_coder_set(const struct dense_coder *coder, const struct dense_trace *trace);
/* The trace is entered, if it has no entry: in the one that this gives. */
unsigned dense_coder_enter(struct dense_coder *coder, const struct dense_trace *trace);
/* The entry with this number was the next one; right: the first guess said so. (A new entry may have the number of the
 * first guess, which meant the trace that was there.) */
void dense_coder_step(struct dense_coder *coder, unsigned number, bool right);
static inline const struct dense_place *dense_coder_place(const struct dense_coder *coder)
{
	return &coder->place[coder->hash];
}
static inline bool dense_same_trace(const struct dense_trace *a, const struct dense_trace *b)
{
	return a->start == b->start && a->hist == b->hist && a->reason == b->reason;
}
unsigned dense_log2(unsigned power);
#endif
