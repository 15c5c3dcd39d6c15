/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * lcov's tracefile: executions of lines, functions and branches, for genhtml and lcov. All code with source lines is in
 * it, what did not run with 0.
 *
 * A line's count is, for each place that it was compiled to (a function, or one inlining of it), that of its most
 * executed instruction there, summed over the places. A function's count is the entries into it, wherever it was
 * inlined too. A branch is a conditional branch instruction, numbered along the line; a compiler that uses none for an
 * `if` leaves none to be seen.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/export/export.h"

struct row { /* of the output, sorted as it is written */
	const char *file;
	uint8_t kind; /* enum kind */
	unsigned line;
	const char *name; /* function */
	uint64_t pc;
	uint32_t spot;
	uint64_t count, other; /* branch: taken, not taken */
};
enum kind { FUNCTION, BRANCH, LINE };

struct rows {
	struct row *all;
	size_t count, room;
};

static int add_row(struct rows *rows, const struct row *row)
{
	if (!array_room(&rows->all, rows->count + 1, &rows->room))
		return EXPORT_ENOMEM;
	rows->all[rows->count++] = *row;
	return EXPORT_OK;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->file, y->file);
	if (order != 0)
		return order;
	if (x->kind != y->kind)
		return x->kind > y->kind ? 1 : -1;
	if (x->line != y->line)
		return x->line > y->line ? 1 : -1;
	if (x->kind == FUNCTION && (order = strcmp(x->name, y->name)) != 0)
		return order;
	if (x->kind == LINE && x->spot != y->spot)
		return x->spot > y->spot ? 1 : -1;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

/* Functions: out of line by their first instruction, inlined ones by their lowest. */
static int add_functions(struct rows *rows, const struct export_input *input)
{
	const struct spots *spots = input->spots;
	int error = EXPORT_OK;
	for (size_t i = 0; i < spots->count && error == EXPORT_OK; i++) {
		const struct spot *spot = &spots->all[i];
		if (spot->file == NULL || spot->declared == 0 || spot->name == NULL)
			continue;
		const struct gather_code *code = gather_at(input->result, spot->start);
		const struct row row = {.file = spot->file,
		    .kind = FUNCTION,
		    .line = spot->declared,
		    .name = spot->name,
		    .pc = spot->start,
		    .count = code == NULL ? 0 : code->count};
		error = add_row(rows, &row);
	}
	return error;
}

static int add_places(struct rows *rows, const struct export_input *input)
{
	const struct spots *spots = input->spots;
	int error = EXPORT_OK;
	for (size_t i = 0; i < spots->place_count && error == EXPORT_OK; i++) {
		const struct spot_place *place = &spots->places[i];
		if (place->file == NULL || place->line == 0)
			continue;
		const struct gather_code *code = gather_at(input->result, place->pc);
		struct row row = {.file = place->file,
		    .kind = LINE,
		    .line = place->line,
		    .spot = place->spot,
		    .pc = place->pc,
		    .count = code == NULL ? 0 : code->count};
		error = add_row(rows, &row);
		if (error != EXPORT_OK || (place->class_bits & ISA_BRANCH) == 0)
			continue;
		row.kind = BRANCH;
		row.count = code == NULL ? 0 : code->taken;
		row.other = code == NULL ? 0 : code->not_taken;
		error = add_row(rows, &row);
	}
	return error;
}

/* The rows of one function name and line, or of one source line, from index on: their end. */
static size_t group_end(const struct rows *rows, size_t index)
{
	const struct row *first = &rows->all[index];
	size_t end = index + 1;
	for (; end < rows->count; end++) {
		const struct row *row = &rows->all[end];
		if (row->kind != first->kind || row->line != first->line || strcmp(row->file, first->file) != 0 ||
		    (row->kind == FUNCTION && strcmp(row->name, first->name) != 0))
			break;
	}
	return end;
}

struct totals {
	uint64_t functions, functions_hit, branches, branches_hit, lines, lines_hit;
};

static void write_function(const struct row *rows, size_t count, struct totals *totals, FILE *out)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += rows[i].count;
	totals->functions++;
	totals->functions_hit += sum > 0;
	fprintf(out, "FN:%u,%s\nFNDA:%" PRIu64 ",%s\n", rows->line, rows->name, sum, rows->name);
}

static void write_branches(const struct row *rows, size_t count, struct totals *totals, FILE *out)
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

static void write_line(const struct row *rows, size_t count, struct totals *totals, FILE *out)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < count;) {
		uint64_t most = 0;
		size_t end = i;
		for (; end < count && rows[end].spot == rows[i].spot; end++)
			most = rows[end].count > most ? rows[end].count : most;
		sum += most;
		i = end;
	}
	totals->lines++;
	totals->lines_hit += sum > 0;
	fprintf(out, "DA:%u,%" PRIu64 "\n", rows->line, sum);
}

static void end_part(enum kind kind, const struct totals *totals, FILE *out)
{
	if (kind == FUNCTION && totals->functions > 0)
		fprintf(out, "FNF:%" PRIu64 "\nFNH:%" PRIu64 "\n", totals->functions, totals->functions_hit);
	if (kind == BRANCH && totals->branches > 0)
		fprintf(out, "BRF:%" PRIu64 "\nBRH:%" PRIu64 "\n", totals->branches, totals->branches_hit);
	if (kind == LINE)
		fprintf(out, "LF:%" PRIu64 "\nLH:%" PRIu64 "\n", totals->lines, totals->lines_hit);
}

/* Names of a library's sources lead out of its build folder, which nobody has; genhtml would write its pages there. */
static const char *below(const char *file)
{
	while (strncmp(file, "../", 3) == 0)
		file += 3;
	return file;
}

static void write_rows(const struct rows *rows, FILE *out)
{
	struct totals totals = {0};
	for (size_t i = 0; i < rows->count;) {
		const struct row *row = &rows->all[i];
		bool new_file = i == 0 || strcmp(rows->all[i - 1].file, row->file) != 0;
		if (new_file) {
			totals = (struct totals){0};
			fprintf(out, "TN:\nSF:%s\n", below(row->file));
		}
		size_t end = group_end(rows, i);
		if (row->kind == FUNCTION)
			write_function(row, end - i, &totals, out);
		else if (row->kind == BRANCH)
			write_branches(row, end - i, &totals, out);
		else
			write_line(row, end - i, &totals, out);
		bool last = end == rows->count || strcmp(rows->all[end].file, row->file) != 0;
		if (last || rows->all[end].kind != row->kind)
			end_part((enum kind)row->kind, &totals, out);
		if (last)
			fputs("end_of_record\n", out);
		i = end;
	}
}

int export_lcov(const struct export_input *input, FILE *out)
{
	struct rows rows = {0};
	int error = add_functions(&rows, input);
	if (error == EXPORT_OK)
		error = add_places(&rows, input);
	if (error == EXPORT_OK && rows.count == 0)
		error = EXPORT_EDEBUG;
	if (error == EXPORT_OK) {
		qsort(rows.all, rows.count, sizeof *rows.all, compare_rows);
		write_rows(&rows, out);
	}
	free(rows.all);
	return error == EXPORT_OK && ferror(out) ? EXPORT_EWRITE : error;
}
