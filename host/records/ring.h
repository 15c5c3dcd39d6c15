/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RECORDS_RING_H
#define RIVULET_RECORDS_RING_H
/*
 * What the flight recorder kept (docs/trace-unit.md section 13), from any bytes that hold its dump (common/ring.h): a
 * memory dump, an ELF core, the text of a console. And as a record file, which every other command reads.
 */
#include "common/ring.h"
#include "host/records/records.h"

#define RING_RECORDS_MAX 1024u

struct ring {
	unsigned xlen, hist;
	bool insns, cycles, repeat, reason, freeze; /* what the unit has; freeze: handlers can be left out */
	uint32_t recorder;                          /* register RECORDER */
	uint64_t pc, resume;                        /* RECORDER_PC, RESUME */
	uint64_t lost;                              /* records before the first, that the ring did not keep */
	uint32_t cause;                             /* mcause; an interrupt: bit 31 */
	uint64_t epc, tval;
	struct record records[RING_RECORDS_MAX]; /* the oldest first */
	size_t count;
	uint64_t offset; /* of the dump in the bytes */
	uint64_t others; /* dumps that are whole, before this one; the last one counts */
	uint64_t broken; /* that begin, but whose CRC is wrong, or that are cut off */
};

enum ring_error {
	RING_OK = 0,
	RING_ENONE = -1,   /* no dump is in the bytes */
	RING_EBROKEN = -2, /* dumps begin in them, but none is whole */
	RING_EVALUE = -3   /* the dump is whole, but says what no unit says */
};
const char *ring_strerror(int error);

/* Finds the last whole dump: as words at any offset, else as lines of text. */
int ring_find(const uint8_t *bytes, size_t size, struct ring *ring);
/* Makes the words of a dump, RING_MAX_WORDS(ring->count, 6) at most. Returns how many. id, caps: the unit's
 * registers. */
size_t ring_words(const struct ring *ring, uint32_t id, uint32_t caps, uint32_t *words);
/* All records of the ring through a writer of a record file: the time of the first begins at 0. */
int ring_write_records(const struct ring *ring, const struct image *image, records_emit *emit, void *context);
/* The CTRL bits with which the records are walked. */
uint32_t ring_ctrl(const struct ring *ring);
#endif
