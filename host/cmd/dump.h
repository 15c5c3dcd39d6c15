/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_DUMP_H
#define RIVULET_CMD_DUMP_H
/* Inside rivulet dump: the instructions below a record. */
#include "host/cmd/cmd.h"
#include "host/base/json.h"
#include "host/base/hash.h"
#include "host/walk/walk.h"

struct dump_walk {
	struct image *image;
	struct walk *walk;
	const char *function, *file; /* of the instruction before */
	unsigned line;
	uint64_t bad;        /* records that do not fit the program */
	uint64_t insns, cut; /* walked, each as often as it ran; traces whose end is not known */
	uint64_t walked;     /* of the record under way */
	struct json *json;   /* NULL: text */
	/* what was printed for a record, which comes again and again */
	FILE *out;
	struct dumped *all;
	size_t count, room, bytes;
	struct hash table;
};
/* Prints what the record went through. False: out of memory. */
bool dump_walk(struct dump_walk *dump, const struct walk_config *config, const struct record *record);
/* Frees what it keeps, and the walk. */
void dump_walk_close(struct dump_walk *dump);
#endif
