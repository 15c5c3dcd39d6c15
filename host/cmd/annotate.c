/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet annotate: the program's code with counts and cycles beside it. */
#include "host/cmd/annotate.h"
#include "host/cmd/not_traced.h"

#include <argp.h>
#include <stdlib.h>
#include "host/cmd/choose.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/table_options.h"

COMMAND(30, annotate, "source and disassembly with counts, cycles and branch outcomes");

#define HOT 0.01

struct arguments {
	struct operands operands;
	struct annotate annotate;
	struct profiled profiled;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"top", 'n', "N", "The N hottest functions or files (default 10; 0: all)",
	OPTION_NUMBER(annotate.top, 0, UINT32_MAX, "a number of functions")},
    {"source", 0, NULL, "Source files alone, without disassembly", OPTION_FLAG(annotate.source)},
    {"all", 0, NULL, "Cold code, and what was not executed, too", OPTION_FLAG(annotate.all)},
    {"cycles", 0, "HOW", "How the cycles of a trace are shared out to its instructions: cost (default) or equal",
	OPTION_WORD(annotate.weights, "cost or equal")},
    {"wide", 0, NULL, "Lines of any length, not 100 columns", OPTION_FLAG(annotate.wide)},
    OPTION_CHILD(annotate.filter),
    OPTION_CHILD(operands),
    OPTION_CHILD(annotate.format),
    {0},
};

static error_t check_annotate_options(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	struct annotate *n = &a->annotate;
	(void)value;
	if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	if (n->format != TABLE_TEXT && n->source)
		argp_error(
		    state, "--json, --csv and --markdown have the lines of every instruction; leave --source out");
	return 0;
}

static int annotate_functions(struct annotate *n)
{
	const struct account *a = n->profiled->account;
	struct account_row *rows;
	size_t count, shown = 0, cold = 0;
	double rest = 0;
	if (account_rows(a, n->profiled->image,
		&(struct account_query){ACCOUNT_BY_FUNCTION, &n->filter, ACCOUNT_BY_MEASURE}, &rows,
		&count) != ACCOUNT_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	if (n->format != TABLE_TEXT) {
		if (n->format == TABLE_JSON)
			annotate_json(n, rows, count);
		else
			annotate_table(n, rows, count);
		free(rows);
		return STATUS_OK;
	}
	for (size_t i = 0; i < count; i++) {
		if (shown == n->top || rows[i].share < n->hot) {
			rest += rows[i].share;
			cold++;
			continue;
		}
		if (shown++ > 0)
			printf("\n");
		annotate_function(n, &rows[i]);
	}
	if (count == 0)
		printf("nothing that was executed passes the filter\n");
	else if (cold > 0)
		printf("\n%s%.2f%% in %s more functions (--top 0 --min-share 0 shows all)%s\n", n->style->dim,
		    100 * rest, with_commas(cold), n->style->off);
	free(rows);
	return STATUS_OK;
}

/* What of the run none of the shown shares covers. */
static void tell_not_traced(const struct annotate *n)
{
	struct remainder remainder;
	remainder_profiled(&remainder, n->profiled);
	if (n->format == TABLE_TEXT)
		print_not_traced(&remainder, stdout);
	else if (table_alone(n->format))
		complain_not_traced(n->profiled->file, &remainder);
}

int cmd_annotate(int argc, char **argv)
{
	static const struct argp_child children[] = {{&choose_argp, 0, NULL, 0}, OPERANDS_CHILD, TABLE_CHILD, {0}};
	static const struct argp argp = {NULL, check_annotate_options, "PROGRAM.elf PROFILE",
	    "Source and disassembly of the hot functions with counts, cycles and branch outcomes beside them.\v"
	    "Without options that choose code: functions with 1% or more. Numbers of a sampled profile are scaled up "
	    "by its period (~). "
	    "Exit status: 0 all is well; 1 the profile is damaged or does not fit the program; 2 a file cannot be "
	    "used.",
	    children, NULL, NULL};
	struct arguments a = {.annotate = {.top = 10, .style = style_for(stdout), .filter = {.min_share = -1}}};
	struct annotate *n = &a.annotate;
	a.operands.wanted = "a program (ELF) and a profile";
	parse_options(&argp, options, argc, argv, 0, &a);
	take_operands(&a.profiled, &a.operands);
	n->profiled = &a.profiled;
	n->top = n->top == 0 ? UINT64_MAX : n->top;
	const struct account_filter *f = &n->filter;
	bool chosen = f->function != NULL || f->file != NULL || f->last != 0 || f->addressed;
	if (f->min_share >= 0)
		n->hot = f->min_share;
	else if (chosen || n->all)
		n->hot = 0;
	else
		n->hot = HOT;
	n->filter.min_share = 0; /* what is below is counted, not forgotten */
	int status = open_profiled(&a.profiled);
	if (status != STATUS_FAILED && a.profiled.loaded.profile.total == 0) {
		complain("%s: has no traces", a.profiled.file);
		status = STATUS_NO;
	} else if (status != STATUS_FAILED) {
		int one = account_profiled(&a.profiled, n->weights);
		status = status > one ? status : one;
		if (one != STATUS_FAILED) {
			if (n->source && !a.profiled.debug) {
				complain("--source needs source lines; without it the disassembly is shown");
				status = STATUS_FAILED;
			} else {
				one = n->source ? annotate_sources(n) : annotate_functions(n);
				tell_not_traced(n);
				status = status > one ? status : one;
			}
		}
	}
	close_profiled(&a.profiled);
	return end_output(status);
}
