/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_POSTMORTEM_H
#define RIVULET_CMD_POSTMORTEM_H
/* Inside rivulet postmortem: what ran last, and how it is printed. */
#include "host/cmd/cmd.h"
#include "host/export/gather.h"
#include "host/records/ring.h"
#include "host/table/table.h"

struct postmortem_step { /* a block that ran, or the first part of one */
	const struct walk_block *block;
	uint32_t count; /* instructions */
	uint32_t node;  /* the call it ran in: of the result's nodes */
	uint64_t cycles;
};

struct postmortem {
	struct image *image;
	const char *program, *source; /* source: where the records came from */
	struct ring *ring;            /* NULL: a record file */
	const struct gather_result *result;
	struct postmortem_step *steps; /* in the order of the run */
	size_t count, room;
	uint64_t records; /* that were read */
	uint64_t before;  /* records before them, that are known not to be there */
	uint64_t most;    /* rows to print; 0: all */
	enum table_format format;
	bool listing, timed; /* instructions instead of calls; cycles are known */
};

void postmortem_print(const struct postmortem *p);
/* Returns whether all could be written. */
bool postmortem_print_json(const struct postmortem *p);
#endif
