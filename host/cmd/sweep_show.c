/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/records/records.h"

struct sweep_counts { /* of a profile */
	bool there, timed;
	uint64_t traces, instructions, cycles;
};

static void count_records(const char *path, struct sweep_counts *counts)
{
	struct records *records;
	char detail[1024];
	if (records_open(&records, path, detail, sizeof detail) != RECORDS_OK) {
		complain("%s", detail);
		return;
	}
	const struct records_end *end = records_end(records);
	const struct records_header *header = records_header(records);
	if (end != NULL)
		*counts =
		    (struct sweep_counts){true, !records_untimed(header), end->traces, end->instructions, end->cycles};
	else
		complain("%s: has no end: it was cut off", path);
	records_close(records);
}

static void count_profile(const char *path, struct sweep_counts *counts)
{
	struct loaded loaded = {0};
	if (load_profile(&loaded, path) != STATUS_FAILED) {
		const struct profile *p = &loaded.profile;
		*counts = (struct sweep_counts){true, p->end.cycles > 0, p->total, p->end.instructions, p->end.cycles};
	}
	free_profile(&loaded);
}

/* False: there is a file, but no profile. */
static bool count_cell(const struct sweep_command *s, size_t cell, struct sweep_counts *counts)
{
	char path[SWEEP_PATH], start[8];
	*counts = (struct sweep_counts){0};
	FILE *file = sweep_path(&s->plan, s->folder, cell, "profile", path) ? fopen(path, "rb") : NULL;
	if (file == NULL)
		return true;
	bool records = records_is(start, fread(start, 1, sizeof start, file));
	fclose(file);
	if (records)
		count_records(path, counts);
	else
		count_profile(path, counts);
	return counts->there;
}

const char *sweep_title(const struct sweep_plan *plan, size_t cell)
{
	static char title[1024];
	size_t used = 0;
	title[0] = '\0';
	for (size_t i = 0; i < plan->axis_count && used < sizeof title; i++)
		used += (size_t)snprintf(title + used, sizeof title - used, "%s%s=%s", i == 0 ? "" : " ",
		    plan->axes[i].name, sweep_value(plan, cell, i));
	return plan->axis_count == 0 ? "the one cell" : title;
}

enum { STATUS, SECONDS, TRACES, INSTRUCTIONS, CYCLES, FIXED };
enum { COLUMNS = SWEEP_AXES + FIXED + SWEEP_COLUMNS + 1 };

/* A number as it would be shown: 007 is none. */
static bool is_said_number(const char *value)
{
	const size_t length = strlen(value);
	return length <= 18 && value[strspn(value, "0123456789")] == '\0' && (value[0] != '0' || length == 1);
}

/* A column of what commands say: of numbers, if it is one in each cell that says something. */
struct said_column {
	bool words;
	size_t widest;
};

static void measure_said(const struct sweep_command *s, struct said_column *said)
{
	char values[SWEEP_COLUMNS][SWEEP_VALUE];
	for (size_t i = 0; i < s->plan.column_count; i++)
		said[i] = (struct said_column){.widest = strlen(s->plan.columns[i])};
	for (size_t cell = 0; s->plan.column_count > 0 && cell < s->plan.cells; cell++) {
		sweep_said(&s->plan, s->folder, cell, values);
		for (size_t i = 0; i < s->plan.column_count; i++) {
			const size_t length = strlen(values[i]);
			said[i].words = said[i].words || !is_said_number(values[i]);
			said[i].widest = length > said[i].widest ? length : said[i].widest;
		}
	}
}

/* Behind the axes: what is known of each cell, what its command said, its folder. */
static void make_sweep_columns(
    const struct sweep_plan *plan, const struct said_column *said, struct table_column *columns)
{
	static const struct table_column fixed[FIXED] = {
	    [STATUS] = {.title = "status", .key = "status", .form = TABLE_PLAIN, .width = 6},
	    [SECONDS] = {.title = "seconds",
		.key = "seconds",
		.unit = "seconds",
		.form = TABLE_REAL,
		.width = 9,
		.decimals = 3},
	    [TRACES] = {.title = "traces", .key = "traces", .form = TABLE_COUNT, .width = 13},
	    [INSTRUCTIONS] = {.title = "instructions", .key = "instructions", .form = TABLE_COUNT, .width = 17},
	    [CYCLES] = {.title = "cycles", .key = "cycles", .unit = "cycles", .form = TABLE_COUNT, .width = 17}};
	for (size_t i = 0; i < plan->axis_count; i++) {
		size_t widest = strlen(plan->axes[i].name);
		for (size_t k = 0; k < plan->axes[i].count; k++) {
			size_t length = strlen(plan->axes[i].values[k]);
			widest = length > widest ? length : widest;
		}
		columns[i] = (struct table_column){.title = plan->axes[i].name,
		    .key = plan->axes[i].name,
		    .form = TABLE_WORDS,
		    .width = -(int)(widest < 40 ? widest : 40)};
	}
	columns += plan->axis_count;
	memcpy(columns, fixed, sizeof fixed);
	columns += FIXED;
	for (size_t i = 0; i < plan->column_count; i++) {
		const int width = (int)(said[i].widest < 40 ? said[i].widest : 40);
		columns[i] = (struct table_column){.title = plan->columns[i], .key = plan->columns[i]};
		columns[i].form = said[i].words ? TABLE_WORDS : TABLE_PLAIN;
		columns[i].width = said[i].words ? -width : width;
	}
	columns[plan->column_count] = (struct table_column){.title = NULL, .key = "folder", .form = TABLE_WORDS};
}

/* True: the command said something for each column. */
static bool put_said(
    const struct sweep_command *s, size_t cell, const struct said_column *said, struct table_cell *cells)
{
	static char values[SWEEP_COLUMNS][SWEEP_VALUE];
	const bool all = sweep_said(&s->plan, s->folder, cell, values);
	for (size_t i = 0; i < s->plan.column_count; i++) {
		cells[i] = said[i].words ? table_words(values[i]) : table_number(strtoull(values[i], NULL, 10));
		if (values[i][0] == '\0')
			cells[i] = table_unknown();
	}
	return all;
}

static bool put_cell_row(
    const struct sweep_command *s, const struct table *table, size_t cell, const struct said_column *said)
{
	struct table_cell cells[COLUMNS], *fixed = cells + s->plan.axis_count,
					  *last = fixed + FIXED + s->plan.column_count;
	struct sweep_done done;
	struct sweep_counts counts;
	char name[SWEEP_NAME] = "";
	for (size_t i = 0; i < s->plan.axis_count; i++)
		cells[i] = table_words(sweep_value(&s->plan, cell, i));
	for (size_t i = 0; i < FIXED; i++)
		fixed[i] = table_unknown();
	sweep_done(&s->plan, s->folder, cell, &done);
	if (done.there) {
		fixed[STATUS] = table_number((uint64_t)done.status);
		fixed[SECONDS] = table_real(done.seconds);
	}
	bool good = count_cell(s, cell, &counts);
	if (counts.there)
		fixed[TRACES] = table_number(counts.traces);
	if (counts.instructions > 0) /* inserted counters of a program of Linux have no sum of them */
		fixed[INSTRUCTIONS] = table_number(counts.instructions);
	if (counts.timed)
		fixed[CYCLES] = table_number(counts.cycles);
	*last = table_unknown();
	if (sweep_name(&s->plan, cell, name) == SWEEP_OK)
		*last = table_words(name);
	if (!put_said(s, cell, said, fixed + FIXED) && done.there && done.status == 0) {
		complain("%s: its command did not say all that is in columns", sweep_title(&s->plan, cell));
		good = false;
	}
	table_row(table, cells);
	return good;
}

bool sweep_table(const struct sweep_command *s, enum table_format format)
{
	struct table_column columns[COLUMNS];
	struct said_column said[SWEEP_COLUMNS];
	struct json json;
	struct table table = {.columns = columns, .format = format, .out = stdout, .name = "cells"};
	table.count = s->plan.axis_count + FIXED + s->plan.column_count + 1;
	measure_said(s, said);
	make_sweep_columns(&s->plan, said, columns);
	if (format == TABLE_JSON) {
		json_open(&json, stdout);
		table.json = &json;
	}
	table_begin(&table);
	bool good = true;
	for (size_t i = 0; i < s->plan.cells; i++)
		good = put_cell_row(s, &table, i, said) && good;
	table_end(&table);
	if (format == TABLE_JSON)
		finish_json(&json);
	return good;
}

/* ---- adding up ---- */

/* The first cell of those that differ in the merged axis alone; their distance. */
static size_t merged_step(const struct sweep_plan *plan)
{
	size_t step = 1;
	for (size_t i = plan->axis_count - 1; i > plan->merged; i--)
		step *= plan->axes[i].count;
	return step;
}

static int call_merge(int count, char **words)
{
	for (const struct command *c = commands; c->name != NULL; c++) {
		if (strcmp(c->name, "merge") == 0)
			return c->run(count, words);
	}
	return STATUS_FAILED;
}

static int merge_group(const struct sweep_command *s, size_t first, size_t step, const char *folder)
{
	size_t count = s->plan.axes[s->plan.merged].count, used = 4;
	char name[SWEEP_NAME], output[SWEEP_PATH + 64];
	char(*paths)[SWEEP_PATH] = calloc(count, sizeof *paths);
	char **words = calloc(count + 5, sizeof *words);
	int status = STATUS_FAILED;
	if (paths == NULL || words == NULL || sweep_name(&s->plan, first, name) != SWEEP_OK)
		complain("out of memory");
	else {
		snprintf(output, sizeof output, "%s/%s.prof", folder, name);
		static char command[] = "merge", quiet[] = "--quiet", to[] = "-o";
		char *fixed[] = {command, quiet, to, output};
		memcpy(words, fixed, sizeof fixed);
		for (size_t i = 0; i < count; i++) {
			if (!sweep_path(&s->plan, s->folder, first + i * step, "profile", paths[i]) ||
			    access(paths[i], R_OK) != 0)
				continue;
			words[used++] = paths[i];
		}
		const bool whole = used == 4 + count;
		status = whole ? call_merge((int)used, words) : STATUS_NO;
		if (status == STATUS_FAILED || !whole)
			unlink(output); /* a sum of an earlier run, of other profiles */
		if (!whole)
			complain("%s: is not added up: %zu of %zu profiles are missing", sweep_title(&s->plan, first),
			    4 + count - used, count);
	}
	free(paths);
	free(words);
	return status;
}

int sweep_merge(const struct sweep_command *s)
{
	char folder[SWEEP_PATH];
	size_t step = merged_step(&s->plan), count = s->plan.axes[s->plan.merged].count;
	int status = STATUS_OK;
	snprintf(folder, sizeof folder, "%s/merged", s->folder);
	if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
		complain("%s: %s", folder, strerror(errno));
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < s->plan.cells; i++) {
		if (i / step % count != 0)
			continue;
		int one = merge_group(s, i, step, folder);
		status = one > status ? one : status;
	}
	return status;
}
