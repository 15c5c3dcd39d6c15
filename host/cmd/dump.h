/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_DUMP_H
#define RIVULET_CMD_DUMP_H
/* Inside rivulet dump: the instructions below a record. */
#include "host/cmd/cmd.h"
#include "host/cmd/json.h"
#include "host/walk/walk.h"

struct dump_walk {
	struct image *image;
	struct walk *walk;
	const char *function, *file; /* of the instruction before */
	unsigned line;
	uint64_t bad;      /* records that do not fit the program */
	struct json *json; /* NULL: text */
};
/* Prints what the record went through. False: out of memory. */
bool dump_walk(struct dump_walk *dump, const struct walk_config *config, const struct record *record);
#endif
