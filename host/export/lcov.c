/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* lcov's tracefile: executions of lines, functions and branches, for genhtml and lcov (host/export/coverage.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/export/coverage.h"

struct totals {
	uint64_t functions, functions_hit, branches, branches_hit, lines, lines_hit;
};

static void write_function(const struct coverage_row *rows, size_t count, struct totals *totals, FILE *out)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += rows[i].count;
	totals->functions++;
	totals->functions_hit += sum > 0;
	fprintf(out, "FN:%u,%s\nFNDA:%" PRIu64 ",%s\n", rows->line, rows->name, sum, rows->name);
}

static void write_branches(const struct coverage_row *rows, size_t count, struct totals *totals, FILE *out)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t outcomes[2] = {rows[i].count, rows[i].other};
		for (unsigned k = 0; k < 2; k++) {
			fprintf(out, "BRDA:%u,%zu,%u,", rows[i].line, i, k);
			if (rows[i].count == 0 && rows[i].other == 0)
				fputs("-\n", out); /* the branch was never reached */
			else
				fprintf(out, "%" PRIu64 "\n", outcomes[k]);
			totals->branches++;
			totals->branches_hit += outcomes[k] > 0;
		}
	}
}

static void write_line(const struct coverage_row *rows, size_t count, struct totals *totals, FILE *out)
{
	uint64_t sum = coverage_executions(rows, count);
	totals->lines++;
	totals->lines_hit += sum > 0;
	fprintf(out, "DA:%u,%" PRIu64 "\n", rows->line, sum);
}

static void end_part(enum coverage_kind kind, const struct totals *totals, FILE *out)
{
	if (kind == COVERAGE_FUNCTION && totals->functions > 0)
		fprintf(out, "FNF:%" PRIu64 "\nFNH:%" PRIu64 "\n", totals->functions, totals->functions_hit);
	if (kind == COVERAGE_BRANCH && totals->branches > 0)
		fprintf(out, "BRF:%" PRIu64 "\nBRH:%" PRIu64 "\n", totals->branches, totals->branches_hit);
	if (kind == COVERAGE_LINE)
		fprintf(out, "LF:%" PRIu64 "\nLH:%" PRIu64 "\n", totals->lines, totals->lines_hit);
}

void coverage_write_lcov(const struct coverage *rows, FILE *out)
{
	struct totals totals = {0};
	for (size_t i = 0; i < rows->count;) {
		const struct coverage_row *row = &rows->all[i];
		bool new_file = i == 0 || strcmp(rows->all[i - 1].file, row->file) != 0;
		if (new_file) {
			totals = (struct totals){0};
			fprintf(out, "TN:\nSF:%s\n", coverage_file(row->file));
		}
		size_t end = coverage_group(rows, i);
		if (row->kind == COVERAGE_FUNCTION)
			write_function(row, end - i, &totals, out);
		else if (row->kind == COVERAGE_BRANCH)
			write_branches(row, end - i, &totals, out);
		else if (row->kind == COVERAGE_LINE)
			write_line(row, end - i, &totals, out);
		bool last = end == rows->count || strcmp(rows->all[end].file, row->file) != 0;
		if (last || rows->all[end].kind != row->kind)
			end_part((enum coverage_kind)row->kind, &totals, out);
		if (last)
			fputs("end_of_record\n", out);
		i = end;
	}
}

int export_lcov(const struct export_input *input, FILE *out)
{
	struct coverage coverage;
	int error = coverage_make(&coverage, input);
	if (error == EXPORT_OK)
		coverage_write_lcov(&coverage, out);
	coverage_free(&coverage);
	return error == EXPORT_OK && ferror(out) ? EXPORT_EWRITE : error;
}
