/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_DIFF_BUDGET_H
#define RIVULET_CMD_DIFF_BUDGET_H
/*
 * rivulet diff --budget FILE: how much functions, regions and paths may take, a line each:
 *
 *   fast = path sort_names 12 !15   a part of the program (budget_parts.h), which has a name from here on
 *   before fast = path sort_names 9 !12   the same in the first program, if it is another there
 *   # what       limit
 *   *            +1%       the whole run: at most 1% more than before
 *   sort_names   +500      at most 500 cycles (or instructions) more than before
 *   handler      12000     at most 12000, whatever it was before
 *   fast         +1%       a part that was named above
 *   per request            from here on all amounts are divided by how often this function was entered, or this part
 *
 * A change of sampled profiles that may be by chance passes no limit.
 */
#include <stdio.h>
#include "host/account/diff.h"
#include "host/cmd/profiled.h"

enum diff_budget_kind { DIFF_BUDGET_PERCENT, DIFF_BUDGET_MORE, DIFF_BUDGET_MOST };

struct diff_budget_rule {
	char *name; /* "*": the whole run */
	char *work; /* NULL: the run is one piece of work */
	enum diff_budget_kind kind;
	double limit;
	unsigned line;
	/* what came of it */
	bool found, passed;
	double before, after, allowed; /* of one piece of work */
	double error;                  /* of after - before, or of after */
};

struct diff_budget_part {  /* of the program, by name */
	char *name, *text; /* text: its line, from the name on */
	unsigned line;
	bool before; /* for the first program alone */
	bool absent; /* the first program does not have it */
	struct diff_row row;
};

struct diff_budget {
	struct diff_budget_rule *rules;
	size_t count, room;
	struct diff_budget_part *parts;
	size_t part_count, part_room;
};

/* STATUS_OK or STATUS_FAILED (told). To be freed in any case. */
int diff_budget_load(struct diff_budget *budget, const char *path);
void diff_budget_free(struct diff_budget *budget);
/* Looks up the parts in both runs. STATUS_OK, STATUS_FAILED (told). */
int diff_budget_find(struct diff_budget *budget, const struct diff *diff, const struct diff_side sides[2],
    const struct profiled runs[2], const char *path);
/* Fills in what came of each rule, and tells what is not kept. sigmas: what is less is by chance. STATUS_OK,
 * STATUS_NO. */
int diff_budget_check(struct diff_budget *budget, const struct diff *diff, double sigmas, const char *path);
/* The same as files for CI: a test case for each rule, a table for a pull request. */
void diff_budget_junit(const struct diff_budget *budget, const struct diff *diff, FILE *out);
void diff_budget_markdown(const struct diff_budget *budget, const struct diff *diff, FILE *out);
#endif
