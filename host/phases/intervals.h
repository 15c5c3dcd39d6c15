/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_INTERVALS_H
#define RIVULET_PHASES_INTERVALS_H
/*
 * A run cut into intervals of equal numbers of instructions, what each did, and where one differs from the one before:
 * the phase detectors that BHS names.
 *
 * | detector    | a phase change is                                                                |
 * | branches    | a step in the number of conditional branches of an interval                      |
 * | working-set | another set of blocks: (A xor B) / (A or B)                                      |
 * | subroutine  | another function takes most of the time                                          |
 * | blocks      | other frequencies of blocks (a basic block vector), by the Manhattan distance     |
 * | table       | entries of the bounded-sort table that a sort turned round (marks in the file)    |
 *
 * A vector has INTERVAL_DIMENSIONS numbers: each block has a random place in it, weighed by its instructions.
 */
#include "host/phases/file.h"

#define INTERVAL_DIMENSIONS 16
#define INTERVAL_SET_WORDS 16 /* 1024 bits: a block sets the bit of its hash */

enum detector { DETECT_BRANCHES, DETECT_WORKING_SET, DETECT_SUBROUTINE, DETECT_BLOCKS, DETECT_TABLE, DETECTORS };
const char *detector_name(unsigned detector);

struct interval_block {    /* what the program says of a block */
	uint64_t function; /* its first address */
	bool branch;       /* it ends with a conditional branch */
};
typedef void interval_look(void *context, const struct phases_block *block, struct interval_block *what);

struct interval {
	struct phases_place place;             /* its beginning */
	uint64_t instructions, branches, lost; /* lost: places where something is missing */
	uint64_t function;                     /* the one with the most instructions in it */
	uint64_t function_instructions;
	uint32_t changes;                  /* marks of the table */
	float vector[INTERVAL_DIMENSIONS]; /* shares: the sum is 1, or 0 where nothing ran */
	uint64_t set[INTERVAL_SET_WORDS];
};
struct intervals {
	struct interval *interval;
	uint32_t count;
	uint64_t size; /* instructions */
};
struct intervals_watch {
	interval_look *look;
	void *context;
	/* done and total instructions; anything but 0 stops (PHASES_EVALUE). NULL: nobody is told */
	int (*progress)(void *context, uint64_t done, uint64_t total);
	void *progress_context;
};
/* Reads the file from its beginning. wanted: number of intervals (10 to 10,000). */
int intervals_make(
    struct intervals *intervals, struct phases_file *file, uint32_t wanted, const struct intervals_watch *watch);
/* Intervals whose lengths are given, in instructions, as near as ends of paths allow; the last one has what is left. */
struct interval_lengths {
	const uint64_t *length;
	uint32_t count;
};
int intervals_make_of(struct intervals *intervals, struct phases_file *file, const struct interval_lengths *lengths,
    const struct intervals_watch *watch);
void intervals_free(struct intervals *intervals);

struct detector_limits {    /* a change is more than this */
	double branches;    /* of the instructions of an interval; usual 0.05 */
	double working_set; /* usual 0.5 */
	double subroutine;  /* share of an interval that the new function has; usual 0.5 */
	double blocks;      /* Manhattan distance, 0 to 2; usual 0.5 */
};
void detector_limits_default(struct detector_limits *limits);
/* Whether the detector sees a change between interval i - 1 and i (0 < i < count). */
bool detector_change(
    const struct intervals *intervals, uint32_t i, enum detector detector, const struct detector_limits *limits);
/* Share of the changes of detector a beside which b sees one too, at most `apart` intervals away; -1: a sees none. */
double detector_agreement(const struct intervals *intervals, enum detector a, enum detector b,
    const struct detector_limits *limits, uint32_t apart);
double interval_distance(const float a[INTERVAL_DIMENSIONS], const float b[INTERVAL_DIMENSIONS]);
#endif
