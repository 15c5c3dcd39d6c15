/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_JOINED_H
#define RIVULET_JOINED_H
/*
 * Records of several harts, as a shared sink writes them into its ring (docs/trace-unit.md section 17), and the record
 * file that they become: one hart behind the other, each record with the number of its hart as its context and its time
 * by the clock that all share.
 *
 *   ring: hart 0, hart 1, hart 1, hart 0 ... ──► joined_read() ──► file: hart 0, hart 0 ..., hart 1, hart 1 ...
 */
#include <stddef.h>
#include "host/records/records.h"

enum joined_error {
	JOINED_OK = 0,
	JOINED_ENOMEM = -1,
	JOINED_ECUT = -2,   /* the bytes end within a record */
	JOINED_EVALUE = -3, /* a record that no unit makes, or of a unit that there is not */
	JOINED_EWRITE = -4, /* the record file cannot be written */
	JOINED_ETABLE = -5  /* no record has a time: with a hot-trace table its number of the unit stands there */
};
const char *joined_strerror(int error);

enum { JOINED_SOURCES_MAX = 8, JOINED_MISSED_MOST = 0xFFFFFF };
struct joined_config {    /* parameters of rivulet_trace_hub */
	unsigned sources; /* 2 to 8 */
	unsigned xlen, hist;
	bool with_cycles; /* CYCLE_BITS > 1 */
	bool with_time;   /* TIME_BITS > 0: 32 bits at least, as the hub demands. Without it a record's time is 0 */
};
struct joined_record {
	struct record record;
	unsigned source;
	uint64_t time;   /* cycle behind the reset in which it came, while no 2^32 cycles pass without a record */
	uint64_t missed; /* traces of this source that were lost just before; JOINED_MISSED_MOST: so many or more */
};
struct joined { /* all of a ring */
	struct joined_record *all;
	size_t count;
	uint64_t missed[JOINED_SOURCES_MAX], traces[JOINED_SOURCES_MAX], insns[JOINED_SOURCES_MAX],
	    cycles[JOINED_SOURCES_MAX];
	bool missed_more[JOINED_SOURCES_MAX]; /* than missed says, perhaps */
};

/* Bytes of a record in the ring. */
size_t joined_size(const struct joined_config *config);
/* joined_free() is to be called either way. With an error those before the fault are there. */
int joined_read(struct joined *joined, const struct joined_config *config, const uint8_t *bytes, size_t size);
void joined_free(struct joined *joined);
/* The blocks of a record file, and its end, whose cycles and instructions are those of all records. header->harts is
 * set from the config by the caller. */
int joined_write(const struct joined *joined, const struct joined_config *config, struct records_writer *writer,
    uint32_t ctrl, const struct records_end *end);
#endif
