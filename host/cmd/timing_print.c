/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What `rivulet timing' prints of calls. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "host/cmd/cmd.h"
#include "host/cmd/profiled.h"
#include "host/cmd/timing.h"

#define BAR 40
#define BARS_MAX 16

static const char *timed_name_of(const struct timing_job *job, uint64_t entry)
{
	uint64_t start;
	const char *name = image_function(job->image, entry, &start);
	return name != NULL && start == entry ? shown_name(name, entry) : function_name(NULL, entry);
}

bool timing_row_is(const struct timing_job *job, const struct timing_row *row, const char *name)
{
	uint64_t start;
	const char *own = image_function(job->image, row->entry, &start);
	return own != NULL && start == row->entry &&
	       (strcmp(own, name) == 0 || strcmp(timed_name_of(job, row->entry), name) == 0);
}

/* "sort.c:31" of a call; "" for a row of all. */
static const char *site_text(const struct timing_job *job, const struct timing_row *row, char text[96])
{
	struct image_place place;
	text[0] = '\0';
	if (row->site == 0)
		return text;
	if (image_places(job->image, row->site, &place, 1) == 1 && place.file != NULL)
		snprintf(text, 96, "  from %s:%u", short_file(place.file, 10), place.line);
	else
		snprintf(text, 96, "  from 0x%08" PRIx64, row->site);
	return text;
}

bool timing_all_timed(const struct timing_job *job)
{
	bool timed = true;
	for (size_t i = 0; i < job->run_count; i++)
		timed = timed && job->runs[i].timed;
	return timed;
}

enum {
	COLUMN_CALLS,
	COLUMN_LEAST,
	COLUMN_MEAN,
	COLUMN_BELOW,
	COLUMN_MOST,
	COLUMN_SELF,
	COLUMN_FUNCTION,
	COLUMN_ADDRESS,
	COLUMN_SITE,
	COLUMN_HANDLER,
	COLUMN_PARTS,
	COLUMN_SUM,
	COLUMN_MEDIAN,
	COLUMN_SELF_LEAST,
	COLUMN_SELF_SUM,
	COLUMN_FILE,
	COLUMN_TIME,
	COLUMN_FROM,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
    [COLUMN_CALLS] = {.title = "calls", .key = "calls", .form = TABLE_COUNT, .width = 9},
    [COLUMN_LEAST] = {.title = "least", .key = "least", .form = TABLE_COUNT, .width = 10},
    [COLUMN_MEAN] = {.title = "mean", .form = TABLE_COUNT, .width = 10},
    [COLUMN_BELOW] = {.title = "99% below", .key = "percent_99_at_most", .form = TABLE_COUNT, .width = 10},
    [COLUMN_MOST] = {.title = "most", .key = "most", .form = TABLE_COUNT, .width = 10},
    [COLUMN_SELF] = {.title = "most self", .key = "self_most", .form = TABLE_COUNT, .width = 10},
    [COLUMN_FUNCTION] = {.title = "function", .key = "function", .form = TABLE_WORDS, .gap = "  "},
    [COLUMN_ADDRESS] = {.key = "address", .form = TABLE_ADDRESS, .decimals = 8},
    [COLUMN_SITE] = {.key = "site", .form = TABLE_ADDRESS, .decimals = 8},
    [COLUMN_HANDLER] = {.key = "handler", .form = TABLE_TRUTH},
    [COLUMN_PARTS] = {.key = "in_part", .form = TABLE_COUNT},
    [COLUMN_SUM] = {.key = "sum", .form = TABLE_COUNT},
    [COLUMN_MEDIAN] = {.key = "median_at_most", .form = TABLE_COUNT},
    [COLUMN_SELF_LEAST] = {.key = "self_least", .form = TABLE_COUNT},
    [COLUMN_SELF_SUM] = {.key = "self_sum", .form = TABLE_COUNT},
    [COLUMN_FILE] = {.key = "longest_in", .form = TABLE_WORDS},
    [COLUMN_TIME] = {.key = "longest_at", .form = TABLE_COUNT},
    [COLUMN_FROM] = {.key = "longest_from", .form = TABLE_COUNT},
};

/* What people see of a function: its name, as much as fits beside the rest, that it is a handler, the call. */
static void function_text(const struct timing_job *job, const struct timing_row *row, char *text, size_t size)
{
	char site[96];
	int most = row->site == 0 ? 24 : 14;
	if (job->a->format != TABLE_TEXT)
		most = 256;
	snprintf(text, size, "%.*s%s%s", most, timed_name_of(job, row->entry), row->trap ? " (handler)" : "",
	    site_text(job, row, site));
}

static void put_timing_row(const struct timing_job *job, const struct timing_row *row, const struct table *table)
{
	char text[512];
	struct table_cell cells[COLUMNS] = {[COLUMN_CALLS] = table_number(row->calls),
	    [COLUMN_FUNCTION] = table_words(timed_name_of(job, row->entry)),
	    [COLUMN_ADDRESS] = table_number(row->entry),
	    [COLUMN_HANDLER] = table_number(row->trap),
	    [COLUMN_PARTS] = table_number(row->parts)};
	function_text(job, row, text, sizeof text);
	cells[COLUMN_FUNCTION].shown = text;
	if (row->site != 0)
		cells[COLUMN_SITE] = table_number(row->site);
	if (row->calls > 0) {
		cells[COLUMN_LEAST] = table_number(row->least);
		cells[COLUMN_MEAN] = table_number(row->sum / row->calls);
		cells[COLUMN_BELOW] = table_number(timing_permille(row, 990));
		cells[COLUMN_MOST] = table_number(row->most);
		cells[COLUMN_SELF] = table_number(row->self_most);
		cells[COLUMN_SUM] = table_number(row->sum);
		cells[COLUMN_MEDIAN] = table_number(timing_permille(row, 500));
		cells[COLUMN_SELF_LEAST] = table_number(row->self_least);
		cells[COLUMN_SELF_SUM] = table_number(row->self_sum);
		cells[COLUMN_FILE] = table_words(job->runs[row->worst_run].file);
		cells[COLUMN_TIME] = table_number(row->worst_time);
		cells[COLUMN_FROM] = table_number(row->worst_from);
	}
	table_row(table, cells);
}

static void timing_print_bars(const struct timing_row *row)
{
	unsigned first = timing_bucket(row->least), last = timing_bucket(row->most);
	unsigned wide = (last - first + BARS_MAX) / BARS_MAX;
	uint64_t largest = 1;
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned i = first; i <= last; i += wide) {
			uint64_t count = 0, end = i + wide - 1 < last ? timing_limit(i + wide - 1) : row->most;
			for (unsigned k = i; k < i + wide && k <= last; k++)
				count += row->histogram[k];
			if (pass == 0)
				largest = count > largest ? count : largest;
			if (pass == 0)
				continue;
			unsigned length = (unsigned)((double)count / (double)largest * BAR + 0.999);
			printf("  up to %12s %12s  %.*s\n", with_commas(end), with_commas(count),
			    (int)(count > 0 ? length : 0), "########################################");
		}
	}
}

static void timing_print_worst(const struct timing_job *job, const struct timing_row *row)
{
	const char *file = job->runs[row->worst_run].file;
	printf("  the longest, %s, begins in the record that left at cycle %s of %s:\n", with_commas(row->most),
	    with_commas(row->worst_time), file);
	printf("    rivulet dump --at %" PRIu64 " --walk %s %s\n", row->worst_time, job->a->operands.program, file);
	const uint64_t margin = row->most / 8 + 4;
	printf("    in the page of `rivulet view': #view=timeline&tz=%" PRIu64 "-%" PRIu64 "\n",
	    row->worst_from > margin ? row->worst_from - margin : 0, row->worst_from + row->most + margin);
	printf("  called by");
	for (uint32_t i = 0; i < row->chain_length && i < TIMING_CHAIN; i++)
		printf("%s %s", i == 0 ? "" : ",", timed_name_of(job, row->chain[i]));
	if (row->chain_length == 0)
		printf(" nobody that is known");
	printf("%s\n", row->chain_length > TIMING_CHAIN ? ", ..." : "");
}

/* What was run, above the table. */
void timing_print_runs(const struct timing_job *job)
{
	printf("timing of %s, in %s\n", job->a->operands.program, timing_all_timed(job) ? "cycles" : "instructions");
	for (size_t i = 0; i < job->run_count; i++) {
		const struct timing_run *run = &job->runs[i];
		printf("  %s: %s instructions, %s cycles\n", run->file, with_commas(run->instructions),
		    run->timed ? with_commas(run->cycles) : "no");
		if (run->shared > 0)
			printf("    %s cycles are shared between instructions that vary: calls may take more or less\n",
			    with_commas(run->shared));
		print_not_traced(&run->remainder, stdout);
	}
	printf("\n");
}

void timing_json_runs(const struct timing_job *job, struct json *j)
{
	json_text(j, "rivulet", "timing");
	json_text(j, "program", job->a->operands.program);
	json_text(j, "unit", timing_all_timed(job) ? "cycles" : "instructions");
	json_array(j, "runs");
	for (size_t i = 0; i < job->run_count; i++) {
		json_object(j, NULL);
		json_text(j, "file", job->runs[i].file);
		json_number(j, "instructions", job->runs[i].instructions);
		json_number(j, "cycles", job->runs[i].cycles);
		json_number(j, "shared_cycles", job->runs[i].shared);
		json_not_traced(j, &job->runs[i].remainder);
		json_object_end(j);
	}
	json_array_end(j);
}

/* The rows: for people and in CSV those that were asked for, in JSON all. Returns how many --function leaves. */
static uint64_t put_timing_rows(const struct timing_job *job, const struct timing_rows *rows, const struct table *table)
{
	const bool text = table->format == TABLE_TEXT, json = table->format == TABLE_JSON;
	uint64_t shown = 0, left = 0, parts = 0, own = 0;
	table_begin(table);
	for (size_t i = 0; i < rows->count; i++) {
		const struct timing_row *row = &rows->all[i];
		if (job->a->function != NULL && !rows->is_of(job, row, job->a->function))
			continue;
		own++;
		parts += row->parts;
		if (row->calls == 0 && !json)
			continue;
		if (shown == job->a->top && !json) {
			left++;
			continue;
		}
		shown++;
		rows->put(job, row, table);
		if (text && job->a->function != NULL) {
			timing_print_bars(row);
			timing_print_worst(job, row);
		}
	}
	table_end(table);
	if (text && left > 0)
		printf("%s more (--top 0 shows all)\n", with_commas(left));
	if (text && parts > 0 && rows->in_part != NULL)
		printf("%s %s\n", with_commas(parts), rows->in_part);
	return own;
}

int timing_print_rows(const struct timing_job *job, const struct timing_rows *rows)
{
	struct json json;
	const struct table table = {.columns = rows->columns,
	    .count = rows->column_count,
	    .format = job->a->format,
	    .out = stdout,
	    .json = &json,
	    .name = "rows"};
	if (table.format == TABLE_JSON) {
		json_open(&json, stdout);
		timing_json_runs(job, &json);
	} else if (table.format == TABLE_TEXT)
		timing_print_runs(job);
	else
		for (size_t i = 0; i < job->run_count; i++)
			complain_not_traced(job->runs[i].file, &job->runs[i].remainder);
	const uint64_t own = put_timing_rows(job, rows, &table);
	if (table.format == TABLE_JSON && !json_close(&json))
		return STATUS_FAILED;
	if (own == 0 && job->a->function != NULL && rows->none != NULL) {
		complain("%s: %s", job->a->function, rows->none);
		return STATUS_NO;
	}
	if (table.format == TABLE_TEXT)
		printf(
		    "\nTimes are with what was called, without what was not traced. They are those of these runs: no "
		    "bound.\n");
	return STATUS_OK;
}

int timing_print(const struct timing_job *job)
{
	const struct timing_rows rows = {.columns = columns,
	    .column_count = COLUMNS,
	    .all = job->rows,
	    .count = job->row_count,
	    .is_of = timing_row_is,
	    .put = put_timing_row,
	    .in_part = "calls are there in part: open when the records began or ended, or nobody knows who called"};
	return timing_print_rows(job, &rows);
}
