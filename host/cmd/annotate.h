/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ANNOTATE_H
#define RIVULET_ANNOTATE_H
/* rivulet annotate, in files: annotate.c (options, which functions), annotate_columns.c
 * (the numbers before each line), annotate_code.c (source and disassembly),
 * annotate_source.c (--source: source files alone), annotate_json.c (rows for programs: JSON, CSV, Markdown). */
#include "host/account/rows.h"
#include "host/table/line.h"
#include "host/table/table.h"
#include "host/cmd/profiled.h"

struct annotate {
	struct profiled *profiled;
	struct account_filter filter;
	enum account_weights weights;
	uint64_t top;
	bool all; /* cold code and code that was not executed too */
	bool source, wide;
	enum table_format format;
	double hot; /* share from which on a function or file is hot */
	const struct style *style;
};
#define ANNOTATE_COLD 20 /* a block is cold with less than the hot share divided by this */

static inline size_t annotate_width(const struct annotate *annotate)
{
	return annotate->wide ? LINE_WIDEST : line_width();
}
/* "  4.86%   3,170,214      96,304 " for measure and count; 0 counts as not known: "-". each: cycles of one
 * execution. */
#define ANNOTATE_COLUMNS 39
/* All digits, with commas; of a sampled profile scaled up. */
const char *annotate_digits(const struct annotate *annotate, uint64_t value);
void annotate_columns(const struct annotate *annotate, const struct account_sum *sum, bool each);
void annotate_head(const struct annotate *annotate, const char *rest);

void annotate_function(const struct annotate *annotate, const struct account_row *row);
/* The rows: functions that pass, sorted. */
void annotate_json(const struct annotate *annotate, const struct account_row *rows, size_t count);
/* The same rows, for CSV and Markdown: the instructions of all functions in one table. */
void annotate_table(const struct annotate *annotate, const struct account_row *rows, size_t count);
/* Returns STATUS_OK or STATUS_FAILED (told). */
int annotate_sources(const struct annotate *annotate);
#endif
