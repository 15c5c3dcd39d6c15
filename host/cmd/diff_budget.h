/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_DIFF_BUDGET_H
#define RIVULET_CMD_DIFF_BUDGET_H
/*
 * rivulet diff --budget FILE: how much functions may take, a line each:
 *
 *   # function   limit
 *   *            +1%       the whole run: at most 1% more than before
 *   sort_names   +500      at most 500 cycles (or instructions) more than before
 *   handler      12000     at most 12000, whatever it was before
 *   per request            from here on all amounts are divided by how often this function was entered
 *
 * A change of sampled profiles that may be by chance passes no limit.
 */
#include <stdio.h>
#include "host/account/diff.h"

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

struct diff_budget {
	struct diff_budget_rule *rules;
	size_t count, room;
};

/* STATUS_OK or STATUS_FAILED (told). To be freed in any case. */
int diff_budget_load(struct diff_budget *budget, const char *path);
void diff_budget_free(struct diff_budget *budget);
/* Fills in what came of each rule, and tells what is not kept. sigmas: what is less is by chance. STATUS_OK, STATUS_NO. */
int diff_budget_check(struct diff_budget *budget, const struct diff *diff, double sigmas, const char *path);
/* The same as files for CI: a test case for each rule, a table for a pull request. */
void diff_budget_junit(const struct diff_budget *budget, const struct diff *diff, FILE *out);
void diff_budget_markdown(const struct diff_budget *budget, const struct diff *diff, FILE *out);
#endif
