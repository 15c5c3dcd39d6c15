/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_DIFF_PRINT_H
#define RIVULET_DIFF_PRINT_H
/* How rivulet diff shows what it found: the two sides, the rows, as text, CSV or JSON. */
#include "host/account/diff.h"
#include "host/cmd/diff_budget.h"
#include "host/cmd/profiled.h"
#include "host/cmd/table_options.h"

enum { DIFF_SLOWER, DIFF_FASTER, DIFF_LARGEST };
#define DIFF_SIGMAS 1.96 /* a change by chance is larger in 5 of 100 cases */

struct diff_command {
	const char *files[4];
	int count;
	enum account_by by;
	struct account_filter filter;
	uint64_t top;
	int sort;
	bool share, all, wide, partial, force;
	enum table_format format;
	double limit; /* percent of everything; < 0: none */
	const char *budget, *junit, *budget_table;
	struct diff_budget rules;
};

struct diff_chosen { /* rows to show, in order */
	const struct diff_row *const *rows;
	size_t count, rest; /* rest: rows that are not among them */
};

/* The rows to show, in the order asked for; *rest is how many others there are. To be freed; NULL: out of memory. */
const struct diff_row **diff_print_choose(
    const struct diff_command *a, const struct diff *diff, size_t *count, size_t *rest);
void diff_print_sides(const struct diff_command *a, const struct diff *diff, const struct profiled *sides);
void diff_print_rows(
    const struct diff_command *a, const struct diff *diff, const struct diff_chosen *chosen, struct json *json);
void diff_print_table(const struct diff_command *a, const struct diff *diff, const struct diff_chosen *chosen);
void diff_print_json(const struct diff_command *a, const struct diff *diff, const struct profiled *sides,
    const struct diff_chosen *chosen);
#endif
