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

enum {
	KEY_PARTIAL = 256,
	KEY_FORCE,
	KEY_WIDE,
	KEY_BY,
	KEY_SORT,
	KEY_SHARE,
	KEY_ALL,
	KEY_LIMIT,
	KEY_BUDGET,
	KEY_JUNIT,
	KEY_MARKDOWN
};

static const struct argp_option options[] = {
    {"by", KEY_BY, "WHAT", 0, "function (default), inlined or line", 0},
    {"top", 'n', "N", 0, "The first N (default 20; 0: all)", 0},
    {"sort", KEY_SORT, "ORDER", 0, "slower (default): what became slower first; faster; largest: either way", 0},
    {"all", KEY_ALL, NULL, 0, "Also what may have changed by chance, or not at all", 0},
    {"share", KEY_SHARE, NULL, 0, "Compare shares: for runs of different length", 0},
    {"limit", KEY_LIMIT, "PERCENT", 0,
	"Exit with 1 if something became slower by more than PERCENT of the first run, and not by chance", 0},
    {"budget", KEY_BUDGET, "FILE", 0,
	"Exit with 1 if a function, a region, a path or the run takes more than FILE allows; docs/rivulet.md says how "
	"it is written",
	0},
    {"junit", KEY_JUNIT, "FILE", 0, "--budget as JUnit XML, for any CI", 0},
    {"markdown", KEY_MARKDOWN, "FILE", 0, "--budget as a table, for a pull request", 0},
    {"partial", KEY_PARTIAL, NULL, 0, "Accept damaged or incomplete profiles", 0},
    {"force", KEY_FORCE, NULL, 0, "Accept a profile of another build than its program", 0},
    {"wide", KEY_WIDE, NULL, 0, "Lines of any length, not 100 columns", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct diff_command *a = state->input;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->filter;
		state->child_inputs[1] = &a->format;
		return 0;
	case 'n':
		if (!parse_number(value, UINT32_MAX, &a->top))
			argp_error(state, "--top %s: a number of rows is expected", value);
		return 0;
	case KEY_BY:
		if (strcmp(value, "function") == 0)
			a->by = ACCOUNT_BY_FUNCTION;
		else if (strcmp(value, "inlined") == 0)
			a->by = ACCOUNT_BY_INLINED;
		else if (strcmp(value, "line") == 0)
			a->by = ACCOUNT_BY_LINE;
		else
			argp_error(state, "--by %s: function, inlined or line is expected", value);
		return 0;
	case KEY_SORT:
		if (strcmp(value, "slower") == 0)
			a->sort = DIFF_SLOWER;
		else if (strcmp(value, "faster") == 0)
			a->sort = DIFF_FASTER;
		else if (strcmp(value, "largest") == 0)
			a->sort = DIFF_LARGEST;
		else
			argp_error(state, "--sort %s: slower, faster or largest is expected", value);
		return 0;
	case KEY_LIMIT:
		if (!parse_percent(value, &a->limit))
			argp_error(state, "--limit %s: a percentage is expected", value);
		return 0;
	case KEY_BUDGET:
		a->budget = value;
		return 0;
	case KEY_JUNIT:
		a->junit = value;
		return 0;
	case KEY_MARKDOWN:
		a->markdown = value;
		return 0;
	case KEY_SHARE:
		a->share = true;
		return 0;
	case KEY_ALL:
		a->all = true;
		return 0;
	case KEY_PARTIAL:
		a->partial = true;
		return 0;
	case KEY_FORCE:
		a->force = true;
		return 0;
	case KEY_WIDE:
		a->wide = true;
		return 0;
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
		if (a->budget == NULL && (a->junit != NULL || a->markdown != NULL))
			argp_error(state, "--junit and --markdown are of --budget");
		if (a->junit != NULL && a->markdown != NULL && strcmp(a->junit, a->markdown) == 0)
			argp_error(state, "--junit and --markdown are of one file, `%s': each needs its own", a->junit);
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
	int markdown = write_budget(a, diff, a->markdown, diff_budget_markdown);
	status = worse_status(status, junit);
	return worse_status(status, markdown);
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
	else if (a->format == TABLE_CSV) {
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
	static const struct argp_child children[] = {{&choose_argp, 0, NULL, 0}, TABLE_PLAIN_CHILD, {0}};
	static const struct argp argp = {options, parse, "PROGRAM BEFORE AFTER\nPROGRAM BEFORE PROGRAM AFTER",
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
	parse_options(&argp, argc, argv, 0, &a);
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
