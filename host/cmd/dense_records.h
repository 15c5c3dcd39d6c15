/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_DENSE_RECORDS_H
#define RIVULET_CMD_DENSE_RECORDS_H
/*
 * The bytes of a dense coder (docs/trace-unit.md section 15), from a file or as they come, into a record file.
 *
 *   bytes ──► dense_reader ──► records ──► instructions of each, walked in the program ──► record file
 *                  └► what is damaged or lost: told with its byte, and missing in the file's numbers
 */
#include <stdio.h>
#include "host/image/image.h"
#include "host/records/records.h"

struct dense_records;
struct dense_records_setup {
	const char *program, *source, *output; /* names, for messages */
	const struct image *image;
	const struct records_header *header; /* of the program: name, base, objects */
	uint32_t
	    ctrl; /* of the trace unit, which the stream does not say. With REPEAT equal traces become one record */
	FILE *file;
	const int
	    *ask;   /* where a byte asks the coder for a start, when it begins and when frames are not read; or NULL */
	bool quiet; /* no summary */
};
#define DENSE_RECORDS_CTRL 0x000F0001 /* ENABLE, MODES of all */

/* NULL: out of memory, told. setup must outlive it. */
struct dense_records *dense_records_open(const struct dense_records_setup *setup);
/* Returns 0, or anything else if no more can be taken, for a reason that finish tells. */
int dense_records_feed(void *records, const uint8_t *bytes, size_t size);
/* The end of the stream, and of the file. STATUS_*; *written: records. */
int dense_records_finish(struct dense_records *records, bool interrupted, uint64_t *written);
void dense_records_close(struct dense_records *records);
/* What a stream begins with whose start has come: two bytes. */
bool dense_records_begin(const uint8_t *bytes, size_t size);
#endif
