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

#define OPTIONS_OF struct report_command
static const struct option_row options[] = {
    {"top", 'n', "N", "Show the N hottest (default 10; 0: all)",
	OPTION_NUMBER(report.top, 0, UINT32_MAX, "a number of rows")},
    {"disassemble", 'd', "K", "Disassemble the K hottest traces (default 1)",
	OPTION_NUMBER(report.disassemble, 0, UINT32_MAX, "a number of traces")},
    {"by", 0, "WHAT",
	"trace, path, function, inlined, line, block, call or class (of instructions: divide, load, ...) (default: "
	"functions, then traces by cycles)",
	OPTION_WORD_OF(report.by, "trace, path, function, inlined, line, block, call or class", REPORT_TRACES,
	    ACCOUNT_BY_PATH, ACCOUNT_BY_FUNCTION, ACCOUNT_BY_INLINED, ACCOUNT_BY_LINE, ACCOUNT_BY_BLOCK,
	    ACCOUNT_BY_CALL, ACCOUNT_BY_CLASS)},
    {"sort", 0, "ORDER",
	"count, cycles, instructions, address or name (default: --by trace by count, all else by cycles)",
	OPTION_WORD_OF(report.order, "count, cycles, instructions, address or name", ACCOUNT_BY_COUNT,
	    ACCOUNT_BY_CYCLES, ACCOUNT_BY_INSNS, ACCOUNT_BY_ADDRESS, ACCOUNT_BY_NAME)},
    {"cycles", 0, "HOW", "How the cycles of a trace are shared out to its instructions: cost (default) or equal",
	OPTION_WORD(report.weights, "cost or equal")},
    {"core", 0, "CORE",
	"Cycle rules of the core that ran: rivulet (default), rivulet-small, generic, hazard3, ibex, picorv32, or a "
	"file (docs/cycles.md)",
	OPTION_TEXT(profiled.core)},
    {"exact", 0, "FILE", "Exact profile of the same program: print the overlap with it", OPTION_TEXT(report.exact)},
    {"baseline", 0, "FILE", "Profile or capture of the same run with tracing off: print the overhead",
	OPTION_TEXT(report.baseline)},
    {"require-overlap", 0, "PERCENT", "Exit with 1 if the overlap is smaller (needs --exact)",
	OPTION_PERCENT(report.require_overlap)},
    {"require-overhead", 0, "PERCENT", "Exit with 1 if the overhead is larger (needs --baseline)",
	OPTION_PERCENT(report.require_overhead)},
    {"wide", 0, NULL, "Lines of any length, not 100 columns", OPTION_FLAG(report.wide)},
    OPTION_CHILD(report.filter),
    OPTION_CHILD(operands),
    OPTION_CHILD(report.format),
    {0},
};

static error_t check_report_options(int key, char *value, struct argp_state *state)
{
	struct report_command *a = state->input;
	struct report *r = &a->report;
	(void)value;
	if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	if (r->require_overlap >= 0 && r->exact == NULL)
		argp_error(state, "--require-overlap needs --exact FILE");
	if (r->require_overhead >= 0 && r->baseline == NULL)
		argp_error(state, "--require-overhead needs --baseline FILE");
	return 0;
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
	static const struct argp argp = {NULL, check_report_options, "PROGRAM.elf PROFILE",
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
	parse_options(&argp, options, argc, argv, 0, a);
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
