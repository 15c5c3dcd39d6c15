/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_REPORT_H
#define RIVULET_REPORT_H
/* rivulet report, in files: report.c (options), report_header.c (the run, overlap, overhead), report_traces.c,
 * report_disassembly.c, report_code.c (functions, lines, blocks, ...), report_json.c (the same as JSON). */
#include "host/account/rows.h"
#include "host/cmd/profiled.h"
#include "host/table/table.h"
#include "host/walk/path.h"

enum {
	REPORT_TRACES = -1,
	REPORT_OVERVIEW = -3
}; /* beside enum account_by; overview: functions, then hot traces by cycles */

struct report {
	struct profiled *profiled;
	const char *exact, *baseline;             /* files, or NULL */
	double require_overlap, require_overhead; /* percent; < 0: not required */
	uint64_t top, disassemble;
	int by, order; /* enum account_order; -1: the default of what is shown */
	struct account_filter filter;
	enum account_weights weights;
	enum table_format format;
	bool wide;
	const struct style *style;
	/* results */
	double overlap, overhead; /* shares; NaN: not asked for, or not known */
	uint64_t exact_traces, exact_paths, baseline_cycles;
};

struct report_command { /* the command line */
	struct operands operands;
	struct report report;
	struct profiled profiled;
	uint64_t traces; /* that the profile holds, once it was shown */
};
/* Takes the command line, which names the files; ends the process if it is wrong, in the name of argv[0]. Then opens
 * them and prints: the exit status. */
void report_parse(struct report_command *command, int argc, char **argv);
int report_show(struct report_command *command);

struct report_trace { /* an entry that passes the filter */
	const struct record *entry;
	uint64_t insns; /* executed: count times the instructions known */
};

static inline const struct account *report_account(const struct report *report)
{
	return report->profiled->account;
}
static inline size_t report_width(const struct report *report)
{
	return report->wide ? LINE_WIDEST : line_width();
}

/* Computes overlap and overhead, before anything is printed. Returns STATUS_OK, STATUS_NO, STATUS_FAILED. */
int report_compare(struct report *report);
/* Whether the requirements are met, told if not: STATUS_OK or STATUS_NO. */
int report_require(const struct report *report);
void report_header(const struct report *report);
/* Prints what could not be followed, wholly or in part; prints nothing if everything was. */
void report_footer(const struct report *report);

/* The entries that pass, sorted; to be freed. Returns STATUS_OK or STATUS_FAILED (told). */
int report_sort(const struct report *report, struct report_trace **traces, size_t *count);

/* The tables, in the report's format; json: the document that they are of, or NULL. Each returns STATUS_OK or
 * STATUS_FAILED (out of memory, told). */
int report_traces(const struct report *report, struct json *json);
int report_code(const struct report *report, struct json *json);
int report_json(const struct report *report);

/* Names of the functions of a path, of its lines, behind what stands in the line. */
void report_functions(const struct path *path, struct line *line);
void report_lines(const struct path *path, struct line *line);
void report_disassembly(const struct report *report, const struct path *path, size_t rank);
#endif
