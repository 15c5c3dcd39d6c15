/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_BUDGET_PARTS_H
#define RIVULET_CMD_BUDGET_PARTS_H
/*
 * Parts of a program that a budget names (diff_budget.h), looked up in one run:
 *
 *   NAME = loop FUNCTION LOOP              a region, as a regions file has it (host/regions/names.h): its own code,
 *   NAME = lines FILE:FIRST-LAST           inner loops included, without what it calls
 *   NAME = function FUNCTION
 *   NAME = addresses FIRST-LAST
 *   NAME = path FUNCTION POINT...          all acyclic paths of the function that pass these points in this order
 *
 * POINT: 47 (a line of the function's file), FILE:47 (of code inlined from there), +5 (a line so far below the
 * function's declaration), B3 (a block, as `rivulet cfg` has it); with ! before it: the path does not pass it.
 *
 * Regions are known from any profile. Paths are those of `rivulet paths`, so they need records in order, or counters of
 * whole paths.
 */
#include "host/cfg/cited.h"
#include "host/cmd/paths.h"
#include "host/cmd/profiled.h"

enum budget_part_state {
	BUDGET_PART_THERE,
	BUDGET_PART_MISSING, /* this program has no such code; the detail is a sentence */
	BUDGET_PART_FAILED   /* it cannot be known; the detail is a sentence, or it was told */
};

struct budget_parts { /* of one side */
	const struct profiled *side;
	struct cfg *cfg;
	struct image *ran; /* counters: the program, of which side->image is the twin */
	struct core core;
	struct source paths;
	bool opened; /* paths is */
	char detail[1024];
};

/* One part of a run. sum: its instructions and cycles; count: executions of a path; of a region of the block that it
 * begins with, for a loop its turns. The squares for errors are bounds from above. */
struct budget_part {
	struct account_sum sum;
};

/* The side is open, with its account, and outlives this. STATUS_OK, STATUS_FAILED (told). To be closed in any case. */
int budget_parts_open(struct budget_parts *parts, const struct profiled *side);
void budget_parts_close(struct budget_parts *parts);
/* text: a line of the file, from its name on; path and line: for the detail. */
enum budget_part_state budget_part_find(
    struct budget_parts *parts, const char *path, unsigned line, const char *text, struct budget_part *part);

/* budget_paths.c: the same where the words of the line are "NAME", "=", "path", the function and the points. */
enum budget_part_state budget_path_find(
    struct budget_parts *parts, struct cited_code *cited, char **words, size_t count, struct budget_part *part);
#endif
