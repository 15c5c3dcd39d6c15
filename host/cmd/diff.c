/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet diff: what became slower from one profile to another. */
#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/account/diff.h"
#include "host/cmd/choose.h"
#include "host/cmd/diff_budget.h"
#include "host/cmd/diff_print.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/table_options.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/profiled.h"

COMMAND(40, diff, "what became slower from one profile, or build, to another");

#define OPTIONS_OF struct diff_command
static const struct option_row options[] = {
    {"by", 0, "WHAT", "function (default), inlined or line", OPTION_WORD(by, "function, inlined or line")},
    {"top", 'n', "N", "The first N (default 20; 0: all)", OPTION_NUMBER(top, 0, UINT32_MAX, "a number of rows")},
    {"sort", 0, "ORDER", "slower (default): what became slower first; faster; largest: either way",
	OPTION_WORD(sort, "slower, faster or largest")},
    {"all", 0, NULL, "Also what may have changed by chance, or not at all", OPTION_FLAG(all)},
    {"share", 0, NULL, "Compare shares: for runs of different length", OPTION_FLAG(share)},
    {"limit", 0, "PERCENT",
	"Exit with 1 if something became slower by more than PERCENT of the first run, and not by chance",
	OPTION_PERCENT(limit)},
    {"budget", 0, "FILE",
	"Exit with 1 if a function, a region, a path or the run takes more than FILE allows; docs/rivulet.md says how "
	"it is written",
	OPTION_TEXT(budget)},
    {"junit", 0, "FILE", "--budget as JUnit XML, for any CI", OPTION_TEXT(junit)},
    {"budget-table", 0, "FILE", "--budget as a table in Markdown, for a pull request", OPTION_TEXT(budget_table)},
    {"partial", 0, NULL, "Accept damaged or incomplete profiles", OPTION_FLAG(partial)},
    {"force", 0, NULL, "Accept a profile of another build than its program", OPTION_FLAG(force)},
    {"wide", 0, NULL, "Lines of any length, not 100 columns", OPTION_FLAG(wide)},
    OPTION_CHILD(filter),
    OPTION_CHILD(format),
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct diff_command *a = state->input;
	switch (key) {
	case ARGP_KEY_ARG:
		if (a->count == 4)
			argp_error(state,
			    "`%s' is too many: expected are PROGRAM PROFILE PROFILE, or PROGRAM PROFILE "
			    "PROGRAM PROFILE",
			    value);
		a->files[a->count++] = value;
		return 0;
	case ARGP_KEY_END:
		if (a->count < 3)
			argp_error(state, "PROGRAM PROFILE PROFILE, or PROGRAM PROFILE PROGRAM PROFILE are expected");
		if (a->budget == NULL && (a->junit != NULL || a->budget_table != NULL))
			argp_error(
			    state, "--junit and --budget-table show what --budget found: give --budget FILE too");
		if (a->junit != NULL && a->budget_table != NULL && strcmp(a->junit, a->budget_table) == 0)
			argp_error(
			    state, "--junit and --budget-table both name `%s': each needs a file of its own", a->junit);
		if (a->budget != NULL && a->by != ACCOUNT_BY_FUNCTION)
			argp_error(state, "--budget is of functions and their parts: leave --by out");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* --limit: whether nothing became slower than allowed. */
static int check_limit(const struct diff_command *a, const struct diff *diff)
{
	int status = STATUS_OK;
	for (size_t i = 0; i < diff->count && a->limit >= 0; i++) {
		const struct diff_row *row = &diff->rows[i];
		double percent = diff->all.value[0] > 0 ? 100 * row->change / diff->all.value[0] : 0;
		if (percent <= a->limit || diff_sigmas(row) < DIFF_SIGMAS)
			continue;
		complain("%.*s became slower by %.2f%% of the first run, %.2f%% is allowed",
		    row->name == NULL ? 1 : (int)row->name_length, row->name == NULL ? "?" : row->name, percent,
		    a->limit);
		status = STATUS_NO;
	}
	return status;
}

typedef void budget_writer(const struct diff_budget *budget, const struct diff *diff, FILE *out);

static int write_budget(const struct diff_command *a, const struct diff *diff, const char *path, budget_writer *write)
{
	if (path == NULL)
		return STATUS_OK;
	const char *inputs[5] = {a->budget};
	for (int i = 0; i < a->count; i++)
		inputs[i + 1] = a->files[i];
	struct output *output = begin_output(path, OUTPUT_REPLACE, inputs, (size_t)a->count + 1);
	if (output == NULL)
		return STATUS_FAILED;
	write(&a->rules, diff, output_file(output));
	return finish_output(output, STATUS_OK);
}

/* --budget, and its files. */
static int check_budget(
    struct diff_command *a, const struct diff *diff, const struct diff_side sides[2], const struct profiled runs[2])
{
	if (a->budget == NULL)
		return STATUS_OK;
	if (diff_budget_find(&a->rules, diff, sides, runs, a->budget) != STATUS_OK)
		return STATUS_FAILED;
	int status = diff_budget_check(&a->rules, diff, DIFF_SIGMAS, a->budget);
	int junit = write_budget(a, diff, a->junit, diff_budget_junit);
	int table = write_budget(a, diff, a->budget_table, diff_budget_markdown);
	status = worse_status(status, junit);
	return worse_status(status, table);
}

static int compare(struct diff_command *a, const struct profiled *p)
{
	struct diff_side sides[2];
	struct diff diff;
	struct diff_chosen chosen;
	for (int i = 0; i < 2; i++) {
		const struct profile *profile = &p[i].loaded.profile;
		sides[i] = (struct diff_side){.account = p[i].account,
		    .image = p[i].image,
		    .run_cycles = profile->has_end ? profile->end.cycles : 0,
		    .period_known = profile->has_header && profile->header.period > 0,
		    .files = p[i].debug};
	}
	if (diff_make(&diff, sides, a->by, &a->filter, a->share) != ACCOUNT_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	const struct diff_row **rows = diff_print_choose(a, &diff, &chosen.count, &chosen.rest);
	int status = rows == NULL ? STATUS_FAILED : STATUS_OK;
	chosen.rows = rows;
	if (rows == NULL)
		complain("out of memory");
	else if (a->format == TABLE_JSON)
		diff_print_json(a, &diff, p, &chosen);
	else if (table_alone(a->format)) {
		struct remainder remainder;
		for (int i = 0; i < 2; i++) {
			remainder_profiled(&remainder, &p[i]);
			complain_not_traced(p[i].file, &remainder);
		}
		diff_print_rows(a, &diff, &chosen, NULL);
	} else {
		diff_print_sides(a, &diff, p);
		diff_print_table(a, &diff, &chosen);
	}
	if (status == STATUS_OK) {
		int budget = check_budget(a, &diff, sides, p);
		status = check_limit(a, &diff);
		status = worse_status(status, budget);
	}
	free(rows);
	diff_free(&diff);
	return status;
}

int cmd_diff(int argc, char **argv)
{
	static const struct argp_child children[] = {{&choose_argp, 0, NULL, 0}, TABLE_CHILD, {0}};
	static const struct argp argp = {NULL, parse, "PROGRAM BEFORE AFTER\nPROGRAM BEFORE PROGRAM AFTER",
	    "What became slower from one profile to another. Two builds are matched by function and file name, with "
	    "--by line by the line within the function.\v"
	    "Changes of sampled profiles are shown with the bound that chance passes in 5 of 100 cases; smaller ones "
	    "are left out. "
	    "Exit status: 0 all is well; 1 a profile is damaged or does not fit its program, or --limit or --budget is "
	    "passed; 2 a "
	    "file cannot be used.",
	    children, NULL, NULL};
	struct diff_command a = {.top = 20, .by = ACCOUNT_BY_FUNCTION, .limit = -1};
	struct profiled sides[2] = {{0}, {0}};
	int status = STATUS_OK;
	parse_options(&argp, options, argc, argv, 0, &a);
	a.top = a.top == 0 ? UINT64_MAX : a.top;
	if (a.budget != NULL)
		status = diff_budget_load(&a.rules, a.budget);
	for (int i = 0; i < 2; i++) {
		sides[i].program = a.files[a.count == 4 ? 2 * i : 0];
		sides[i].file = a.files[a.count == 4 ? 2 * i + 1 : i + 1];
		sides[i].partial = a.partial;
		sides[i].force = a.force;
		if (status == STATUS_FAILED)
			break;
		int one = open_profiled(&sides[i]);
		if (one != STATUS_FAILED && sides[i].loaded.profile.total == 0) {
			complain("%s: has no traces: there is nothing to compare", sides[i].file);
			one = STATUS_FAILED;
		}
		if (one != STATUS_FAILED) {
			int walked = account_profiled(&sides[i], ACCOUNT_BY_COST);
			one = worse_status(one, walked);
		}
		status = worse_status(status, one);
	}
	if (status != STATUS_FAILED) {
		int one = compare(&a, sides);
		status = worse_status(status, one);
	}
	close_profiled(&sides[0]);
	close_profiled(&sides[1]);
	diff_budget_free(&a.rules);
	return end_output(status);
}
