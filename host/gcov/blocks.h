/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GCOV_BLOCKS_H
#define RIVULET_GCOV_BLOCKS_H
/*
 * Counts of the arcs of gcc's graphs from the counts of instructions, by lines.
 *
 *   instructions ──► lines of each function ──► blocks ──► circulation ──► arcs
 *
 * An instruction belongs to the outermost function, of those that it was inlined into, whose notes have its line: notes
 * are written after small functions were inlined, and before others are. The copies of a function are added up. What a
 * line did in a copy is told apart by the place that it was inlined at, its column and its discriminator: each is a
 * candidate for the blocks that have the line. A line of one block alone says its count; of others the candidate is
 * taken that fits best what flows from block to block.
 */
#include "host/export/export.h"
#include "host/gcov/notes.h"

enum blocks_fate {
	BLOCKS_COUNTED, /* arcs have counts; all 0: it has code that did not run */
	BLOCKS_NO_GRAPH,
	BLOCKS_NO_CODE,  /* the program has no instruction of it */
	BLOCKS_NO_LINES, /* it has, but none of a line of the graph that is its own */
	BLOCKS_FATES
};

struct blocks_function { /* of notes_function */
	enum blocks_fate fate;
	uint64_t executed; /* instructions */
	uint64_t moved;    /* counts by which blocks differ from what their lines said */
	uint64_t known;    /* counts that lines said, over its blocks */
};
struct blocks_unit { /* a file of notes */
	const char *name;
	struct notes notes;
	struct blocks_function *functions;
	uint64_t *arcs; /* by notes_arc */
};
enum blocks_error { BLOCKS_OK = 0, BLOCKS_ENOMEM = -1 };
/* Units have names and notes; the rest is set. To be freed by blocks_free() in any case. */
int blocks_count(struct blocks_unit *units, size_t unit_count, const struct export_input *input);
void blocks_free(struct blocks_unit *units, size_t unit_count);
#endif
