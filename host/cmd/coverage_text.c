/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Coverage for people: a table of files, then what did not run, by file. */
#include <inttypes.h>
#include <string.h>
#include "host/cmd/coverage.h"
#include "host/cmd/not_traced.h"
#include "host/table/table.h"
#include "version.h"

#define FILE_WIDTH 24
#define NAME_WIDTH 40

/* The kinds in the order of the columns; each has two: ran and all. */
static const enum coverage_kind kinds[COVERAGE_KINDS] = {
    COVERAGE_LINE, COVERAGE_BRANCH, COVERAGE_FUNCTION, COVERAGE_CALL, COVERAGE_INSN};

enum { COLUMN_KINDS = 3 * COVERAGE_KINDS, COLUMN_FILE = COLUMN_KINDS, COLUMN_PATH, COLUMNS };
#define KIND(name)                                                                                                     \
	{.title = name, .form = TABLE_WORDS, .gap = "", .width = -16}, {.key = name "_ran", .form = TABLE_COUNT},      \
	{                                                                                                              \
		.key = name "_all", .form = TABLE_COUNT                                                                \
	}
static const struct table_column columns[COLUMNS] = {KIND("lines"), KIND("branches"), KIND("functions"), KIND("calls"),
    KIND("instructions"), [COLUMN_FILE] = {.title = "file", .form = TABLE_WORDS, .gap = ""},
    [COLUMN_PATH] = {.key = "file", .form = TABLE_WORDS}};

/* " 87.5% 7/8"; "-" if there are none. */
static void kind_text(const struct coverage_sum *sum, unsigned kind, char *text, size_t size)
{
	if (sum->all[kind] == 0)
		snprintf(text, size, "%6s", "-");
	else
		snprintf(text, size, "%5.1f%% %" PRIu64 "/%" PRIu64, coverage_percent(sum, kind), sum->hit[kind],
		    sum->all[kind]);
}

static void put_coverage_row(
    const struct table *table, const struct coverage_sum *sum, const char *name, const char *path)
{
	char text[COVERAGE_KINDS][64];
	struct table_cell cells[COLUMNS];
	for (size_t i = 0; i < COVERAGE_KINDS; i++) {
		kind_text(sum, kinds[i], text[i], sizeof text[i]);
		cells[3 * i] = table_words(text[i]);
		cells[3 * i + 1] = table_number(sum->hit[kinds[i]]);
		cells[3 * i + 2] = table_number(sum->all[kinds[i]]);
	}
	cells[COLUMN_FILE] = table_words(name);
	cells[COLUMN_PATH] = table_words(path);
	table_row(table, cells);
}

static void put_files(const struct covered *c, enum table_format format, FILE *out)
{
	struct table_column own[COLUMNS];
	memcpy(own, columns, sizeof own);
	if (format == TABLE_TEXT)
		own[0].title = " lines"; /* titles stand over the numbers, which have room for 100.0% */
	const struct table table = {.columns = own, .count = COLUMNS, .format = format, .out = out};
	table_begin(&table);
	for (size_t i = 0; i < c->coverage.count;) {
		struct coverage_sum sum = {0};
		size_t end = coverage_file_end(&c->coverage, i);
		coverage_add(&sum, &c->coverage, i, end);
		const char *file = c->coverage.all[i].file;
		put_coverage_row(&table, &sum, short_file(coverage_file(file), FILE_WIDTH - 4), file);
		i = end;
	}
	if (format != TABLE_CSV)
		put_coverage_row(&table, &c->total, "all", NULL);
	table_end(&table);
}

void coverage_csv(const struct covered *c, FILE *out)
{
	put_files(c, TABLE_CSV, out);
}

void coverage_markdown(const struct covered *c, FILE *out)
{
	put_files(c, TABLE_MARKDOWN, out);
}

/* A run of lines without an execution, from group at on; its end. */
static size_t gap_end(const struct covered *covered, size_t at, size_t end, bool *dead)
{
	const struct coverage *c = &covered->coverage;
	bool first = true;
	while (at < end && c->all[at].kind == COVERAGE_LINE) {
		size_t next = coverage_group(c, at);
		if (coverage_executions(&c->all[at], next - at) > 0)
			break;
		bool now = coverage_line_dead(covered, at, next);
		if (!first && now != *dead)
			break;
		*dead = now;
		first = false;
		at = next;
	}
	return at;
}

static bool show_if_room(uint64_t *shown, uint64_t top)
{
	return (*shown)++ < top;
}

static void print_uncovered_lines(const struct covered *c, size_t begin, size_t end, uint64_t *shown, FILE *out)
{
	for (size_t i = begin; i < end;) {
		const struct coverage_row *row = &c->coverage.all[i];
		size_t next = coverage_group(&c->coverage, i), gap;
		bool dead = false;
		if (row->kind == COVERAGE_LINE && (gap = gap_end(c, i, end, &dead)) > i) {
			unsigned last = c->coverage.all[gap - 1].line;
			if (show_if_room(shown, c->top) && last != row->line)
				fprintf(out, "  %u-%u  not executed", row->line, last);
			else if (*shown <= c->top)
				fprintf(out, "  %u  not executed", row->line);
			if (*shown <= c->top)
				fprintf(out, "%s%s%.*s\n", dead ? ", dead: nothing leads there" : "",
				    row->name != NULL ? "  in " : "", NAME_WIDTH, row->name != NULL ? row->name : "");
			next = gap;
		}
		i = next;
	}
}

/* Branches that ran, and always went the same way. */
static void print_branches(const struct covered *c, size_t begin, size_t end, uint64_t *shown, FILE *out)
{
	for (size_t i = begin; i < end; i++) {
		const struct coverage_row *row = &c->coverage.all[i];
		if (row->kind != COVERAGE_BRANCH || (row->count > 0) == (row->other > 0) ||
		    !show_if_room(shown, c->top))
			continue;
		fprintf(out, "  %u  branch at 0x%08" PRIx64 " %s, %s times%s%.*s", row->line, row->pc,
		    row->count > 0 ? "always taken" : "never taken", with_commas(row->count + row->other),
		    row->name != NULL ? "  in " : "", NAME_WIDTH, row->name != NULL ? row->name : "");
		if (c->build_count > 1)
			fprintf(out, "  of %s", c->builds[row->build].program);
		fputc('\n', out);
	}
}

static void print_gaps(const struct covered *c, FILE *out)
{
	for (size_t i = 0; i < c->coverage.count;) {
		struct coverage_sum sum = {0};
		size_t end = coverage_file_end(&c->coverage, i);
		uint64_t shown = 0;
		coverage_add(&sum, &c->coverage, i, end);
		bool whole = sum.hit[COVERAGE_LINE] == sum.all[COVERAGE_LINE] &&
			     sum.hit[COVERAGE_BRANCH] == sum.all[COVERAGE_BRANCH];
		if (!whole) {
			fprintf(out, "\n%s\n", short_file(coverage_file(c->coverage.all[i].file), 96));
			print_uncovered_lines(c, i, end, &shown, out);
			print_branches(c, i, end, &shown, out);
		}
		if (shown > c->top)
			fprintf(out, "  ... and %s more (--top 0 shows all)\n", with_commas(shown - c->top));
		i = end;
	}
}

void coverage_text(const struct covered *c, FILE *out)
{
	bool missing = false;
	fprintf(out, "coverage of %s, build %s, by %s %s\n", c->program, c->builds[0].build, with_commas(c->run_count),
	    c->run_count == 1 ? "run" : "runs");
	for (size_t i = 0; i < c->run_count; i++) {
		fprintf(out, "  %s: %s instructions", c->runs[i].profiled.file, with_commas(c->runs[i].instructions));
		coverage_evidence_text(&c->runs[i].evidence, out);
		fputc('\n', out);
		print_not_traced(&c->runs[i].remainder, out);
		missing = missing || remainder_any(&c->runs[i].remainder);
	}
	for (size_t i = 0; i < c->mcdc.object_count; i++) {
		fprintf(out, "  decisions of %s", c->mcdc.objects[i]);
		coverage_evidence_text(&c->mcdc.evidence[i], out);
		fputc('\n', out);
	}
	for (size_t i = 0; i < c->build_count; i++) {
		fprintf(out, "  made by rivulet " RIVULET_VERSION " from %s", c->builds[i].program);
		coverage_evidence_text(&c->builds[i].evidence, out);
		if (i > 0)
			fprintf(out, ", build %s", c->builds[i].build);
		fputc('\n', out);
	}
	if (missing)
		fprintf(out, "  what ran there, and nowhere else, counts as not executed\n");
	if (c->lineless > 0)
		fprintf(out, "  without source lines, so in no row: %s instructions of the code, which ran %s times\n",
		    with_commas(c->lineless), with_commas(c->lineless_ran));
	fprintf(out, "\n");
	put_files(c, TABLE_TEXT, out);
	print_gaps(c, out);
	coverage_handlers_text(c, out);
	coverage_object_text(c, out);
	if (c->mcdc.object_count > 0)
		coverage_mcdc_text(c, out);
}
