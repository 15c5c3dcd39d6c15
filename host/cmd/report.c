/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet report: where the time of a program goes, from a profile. */
#include "host/cmd/not_traced.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/report.h"

#include <argp.h>
#include <math.h>
#include <string.h>
#include "host/cmd/choose.h"
#include "host/cmd/table_options.h"

COMMAND(20, report, "where the time goes: hot paths, functions, lines, blocks");

enum { KEY_EXACT = 256, KEY_BASELINE, KEY_OVERLAP, KEY_OVERHEAD, KEY_BY, KEY_SORT, KEY_WIDE, KEY_WEIGHTS, KEY_CORE };

static const struct argp_option options[] = {
    {"top", 'n', "N", 0, "Show the N hottest (default 10; 0: all)", 0},
    {"disassemble", 'd', "K", 0, "Disassemble the K hottest traces (default 1)", 0},
    {"by", KEY_BY, "WHAT", 0,
	"trace, path, function, inlined, line, block, call or class (of instructions: divide, load, ...) (default: "
	"functions, then traces by cycles)",
	0},
    {"sort", KEY_SORT, "ORDER", 0,
	"count, cycles, instructions, address or name (default: --by trace by count, all else by cycles)", 0},
    {"cycles", KEY_WEIGHTS, "HOW", 0,
	"How the cycles of a trace are shared out to its instructions: cost (default) or equal", 0},
    {"core", KEY_CORE, "CORE", 0,
	"Cycle rules of the core that ran: rivulet (default), rivulet-small, generic, hazard3, ibex, picorv32, or a "
	"file (docs/cycles.md)",
	0},
    {"exact", KEY_EXACT, "FILE", 0, "Exact profile of the same program: print the overlap with it", 0},
    {"baseline", KEY_BASELINE, "FILE", 0, "Profile or capture of the same run with tracing off: print the overhead", 0},
    {"require-overlap", KEY_OVERLAP, "PERCENT", 0, "Exit with 1 if the overlap is smaller (needs --exact)", 0},
    {"require-overhead", KEY_OVERHEAD, "PERCENT", 0, "Exit with 1 if the overhead is larger (needs --baseline)", 0},
    {"wide", KEY_WIDE, NULL, 0, "Lines of any length, not 100 columns", 0},
    {0},
};

static int report_word_of(const char *value, const char *const *words, const int *values)
{
	for (size_t i = 0; words[i] != NULL; i++) {
		if (strcmp(value, words[i]) == 0)
			return values[i];
	}
	return -2;
}

static void parse_words(int key, const char *value, struct report *r, struct argp_state *state)
{
	static const char *const bys[] = {
	    "trace", "path", "function", "inlined", "line", "block", "call", "class", NULL};
	static const int by_values[] = {REPORT_TRACES, ACCOUNT_BY_PATH, ACCOUNT_BY_FUNCTION, ACCOUNT_BY_INLINED,
	    ACCOUNT_BY_LINE, ACCOUNT_BY_BLOCK, ACCOUNT_BY_CALL, ACCOUNT_BY_CLASS};
	static const char *const orders[] = {"count", "cycles", "instructions", "address", "name", NULL};
	static const int order_values[] = {
	    ACCOUNT_BY_COUNT, ACCOUNT_BY_CYCLES, ACCOUNT_BY_INSNS, ACCOUNT_BY_ADDRESS, ACCOUNT_BY_NAME};
	if (key == KEY_BY) {
		r->by = report_word_of(value, bys, by_values);
		if (r->by == -2)
			argp_error(state,
			    "--by %s: trace, path, function, inlined, line, block, call or class is expected", value);
	} else {
		r->order = report_word_of(value, orders, order_values);
		if (r->order == -2)
			argp_error(state, "--sort %s: count, cycles, instructions, address or name is expected", value);
	}
}

static error_t parse_report_option(int key, char *value, struct argp_state *state)
{
	struct report_command *a = state->input;
	struct report *r = &a->report;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &r->filter;
		state->child_inputs[1] = &a->operands;
		state->child_inputs[2] = &r->format;
		return 0;
	case 'n':
		if (!parse_number(value, UINT32_MAX, &r->top))
			argp_error(state, "--top %s: a number of rows is expected", value);
		return 0;
	case 'd':
		if (!parse_number(value, UINT32_MAX, &r->disassemble))
			argp_error(state, "--disassemble %s: a number of traces is expected", value);
		return 0;
	case KEY_BY:
	case KEY_SORT:
		parse_words(key, value, r, state);
		return 0;
	case KEY_WEIGHTS:
		if (strcmp(value, "cost") != 0 && strcmp(value, "equal") != 0)
			argp_error(state, "--cycles %s: cost or equal is expected", value);
		r->weights = strcmp(value, "equal") == 0 ? ACCOUNT_EQUAL : ACCOUNT_BY_COST;
		return 0;
	case KEY_CORE:
		a->profiled.core = value;
		return 0;
	case KEY_EXACT:
		r->exact = value;
		return 0;
	case KEY_BASELINE:
		r->baseline = value;
		return 0;
	case KEY_OVERLAP:
		if (!parse_percent(value, &r->require_overlap))
			argp_error(state, "--require-overlap %s: a percentage is expected", value);
		return 0;
	case KEY_OVERHEAD:
		if (!parse_percent(value, &r->require_overhead))
			argp_error(state, "--require-overhead %s: a percentage is expected", value);
		return 0;
	case KEY_WIDE:
		r->wide = true;
		return 0;
	case ARGP_KEY_END:
		if (r->require_overlap >= 0 && r->exact == NULL)
			argp_error(state, "--require-overlap needs --exact FILE");
		if (r->require_overhead >= 0 && r->baseline == NULL)
			argp_error(state, "--require-overhead needs --baseline FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Everything once the profile is open. */
static int print_report(struct report *r)
{
	struct profiled *p = r->profiled;
	const struct profile *profile = &p->loaded.profile;
	int status = report_compare(r);
	if (profile->total > 0 && status != STATUS_FAILED)
		status = worse_status(status, account_profiled(p, r->weights));
	if (status == STATUS_FAILED)
		return status;
	if (r->format == TABLE_JSON)
		return worse_status(worse_status(status, report_json(r)), report_require(r));
	if (table_alone(r->format) && profile->total > 0)
		status = worse_status(status, r->by == REPORT_TRACES ? report_traces(r, NULL) : report_code(r, NULL));
	if (table_alone(r->format)) {
		struct remainder remainder;
		remainder_profiled(&remainder, p);
		complain_not_traced(p->file, &remainder);
		return worse_status(status, report_require(r));
	}
	report_header(r);
	status = worse_status(status, report_require(r));
	if (profile->total > 0) {
		if (r->by == REPORT_OVERVIEW) {
			r->by = ACCOUNT_BY_FUNCTION;
			status = worse_status(status, report_code(r, NULL));
			r->by = REPORT_TRACES;
			r->order = p->counted != NULL && !p->account->timed ? ACCOUNT_BY_INSNS : ACCOUNT_BY_MEASURE;
		}
		status = worse_status(status, r->by == REPORT_TRACES ? report_traces(r, NULL) : report_code(r, NULL));
		report_footer(r);
	}
	return status;
}

void report_parse(struct report_command *a, int argc, char **argv)
{
	static const struct argp_child children[] = {{&choose_argp, 0, NULL, 0}, OPERANDS_CHILD, TABLE_CHILD, {0}};
	static const struct argp argp = {options, parse_report_option, "PROGRAM.elf PROFILE",
	    "Where the time of a program goes, from a profile or the captured UART bytes of a run: by trace, path, "
	    "function, line, block.\v"
	    "Counts and cycles of a sampled profile are scaled up by its period (~); +/- is the standard error of the "
	    "share before it, in percent points. "
	    "Exit status: 0 all is well; 1 the profile is damaged, does not fit the program, or a requirement is not "
	    "met; 2 a file cannot be "
	    "used.",
	    children, NULL, NULL};
	*a = (struct report_command){.report = {.top = 10,
					 .disassemble = 1,
					 .require_overlap = -1,
					 .require_overhead = -1,
					 .by = REPORT_OVERVIEW,
					 .order = -1,
					 .weights = ACCOUNT_BY_COST,
					 .overlap = NAN,
					 .overhead = NAN,
					 .style = style_for(stdout)}};
	a->operands.wanted = "a program (ELF) and a profile";
	parse_options(&argp, argc, argv, 0, a);
	take_operands(&a->profiled, &a->operands);
	a->report.profiled = &a->profiled;
	if (a->report.by == REPORT_OVERVIEW && table_alone(a->report.format))
		a->report.by = ACCOUNT_BY_FUNCTION; /* one table alone: that which comes first */
	if (a->report.by == REPORT_OVERVIEW && (a->report.format == TABLE_JSON || a->report.order >= 0))
		a->report.by = REPORT_TRACES;
	if (a->report.top == 0)
		a->report.top = UINT64_MAX;
	a->profiled.extremes = a->report.by == ACCOUNT_BY_CALL;
}

int report_show(struct report_command *a)
{
	int status = open_profiled(&a->profiled);
	if (status != STATUS_FAILED) {
		const struct profile *profile = &a->profiled.loaded.profile;
		a->traces = profile->total;
		if (profile->total == 0) {
			complain("%s: has no traces%s", a->profiled.file,
			    profile->has_header && profile->header.way == RUN_OFF ? ": it was made with tracing off"
										  : "");
			status = STATUS_NO;
		}
		status = worse_status(status, print_report(&a->report));
	}
	close_profiled(&a->profiled);
	return end_output(status);
}

int cmd_report(int argc, char **argv)
{
	struct report_command command;
	report_parse(&command, argc, argv);
	return report_show(&command);
}
