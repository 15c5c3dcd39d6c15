/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_VIEW_LEVELS_H
#define RIVULET_VIEW_LEVELS_H
/*
 * Levels of detail of a timeline: what a pixel of a row shows when single calls are narrower than it.
 *
 *   calls of a lane    |aaaa|b|b|c|  |bbbbbbbbbb|a|
 *   bars of a level    |aaaa|bbc.....|bbbbbbbbbb|a|      each call shorter than the level's cell joins its neighbours
 *
 * A lane is the calls of one depth of one process, by begin; they do not overlap. A bar is one call, or neighbours in
 * a lane that are all shorter than the cell, with no more than a cell from the first one's begin to the last one's
 * end. It has the function with the most of its time, how much that is, and how much all of them have. So a page draws
 * any part of a run from about as many bars as it has pixels.
 */
#include <stddef.h>
#include <stdint.h>

struct level_call { /* one call */
	uint64_t begin, length;
	uint32_t function; /* UINT32_MAX: none */
	uint32_t depth, process;
};

struct level_bar { /* the calls behind those of the bar before, in the order of lanes */
	uint32_t calls;
	uint32_t function;      /* that has the most of the time; of equals the first one */
	uint64_t covered, busy; /* its time; the time of all its calls */
};

struct level {
	uint64_t cell;
	size_t bars; /* of struct levels, behind those of the level before */
};

#define LEVELS_MAX 16
#define LEVELS_DEEPEST 65535u /* deeper calls are in the lane of this depth */
#define LEVELS_CELLS 2048u    /* of the first level, over the whole length; the next one has four times as many */

struct levels {
	struct level level[LEVELS_MAX];
	size_t count;
	struct level_bar *bars;
	size_t bar_count, bar_room;
};

enum levels_error { LEVELS_OK = 0, LEVELS_ENOMEM = -1 };

/* functions: more than any call's number. A level that would spare less than a quarter of the calls is not made. */
int levels_make(struct levels *levels, const struct level_call *calls, size_t count, size_t functions, uint64_t length);
void levels_fini(struct levels *levels);
/* The order of lanes: by process, depth, begin. The indices are to be freed; NULL: no memory. */
uint32_t *levels_order(const struct level_call *calls, size_t count);
#endif
