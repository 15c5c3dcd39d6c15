/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_STREAM_H
#define RIVULET_CMD_STREAM_H
/*
 * Records in order, for the subcommands that need the whole run: from a record file; from the golden model while it
 * runs ("run" or "run:NAME=VALUE,...": words of the program's run configuration), with no file in between; from the
 * events of inserted code (`rivulet insert --trace`), in a file or in what came over a serial port.
 */
#include "common/record.h"
#include "host/cmd/cmd.h"
#include "host/records/records.h"
#include "host/walk/walk.h"

struct stream {
	const char *name; /* the input as the user wrote it */
	const char *program;
	const struct image *image;
	bool partial, force; /* accept what is not whole; accept records of another build */
	bool quiet;          /* of a record file: no progress, and what it lacks was told before */
	/* Takes each record; missing: so many are lost before it. NULL, or the sentence that ends the reading. */
	const char *(*take)(void *context, const struct record *record, const struct record_place *place,
	    const struct walk_config *config, uint64_t missing);
	/* Instead of `take` for a record file, block by block; NULL: not wanted. *expected: number of the record behind
	 * the last one that was taken. */
	const char *(*take_block)(
	    void *context, const struct records_block *block, const struct walk_config *config, uint64_t *expected);
	void *context;
	/* Phase changes that firmware has seen, of a record file: set before the first record. */
	const struct record_change *changes;
	size_t change_count;
	/* Takes the run's header and end (no entries); NULL: not wanted. Nothing of inserted code's events. */
	struct profile *head;
	/* set by read_stream() */
	int status;
	bool ended;   /* the run came to its own end */
	bool damaged; /* something is missing or damaged */
};
/* Whether the input is one of the three; else it may be a profile. */
bool is_stream(const char *input);
/* Whether it is the third. */
bool is_trace(const char *input);
/* Everything that is wrong is told. STATUS_OK, STATUS_NO (something is missing or damaged), STATUS_FAILED. */
int read_stream(struct stream *stream);
#endif
