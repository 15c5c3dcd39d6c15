/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet timing --by loop, region, path: how long parts of functions took. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "host/cmd/cmd.h"
#include "host/cmd/profiled.h"
#include "host/cmd/regions_file.h"
#include "host/cmd/timing.h"

#define SPAN_TEXT (SPANS_PATH_BLOCKS * sizeof "B4294967295 ") /* any path's blocks */

int timing_open_spans(struct timing_job *job)
{
	const struct timing_arguments *a = job->a;
	if (a->span == SPANS_REGIONS && read_regions_file(&job->names, a->regions, job->cfg) != STATUS_OK)
		return STATUS_FAILED;
	if (spans_open(&job->spans, job->cfg, a->span, a->span == SPANS_REGIONS ? &job->names : NULL) == GATHER_OK)
		return STATUS_OK;
	complain("out of memory");
	return STATUS_FAILED;
}

void timing_close_spans(struct timing_job *job)
{
	spans_close(job->spans);
	regions_names_free(&job->names);
}

static uint32_t span_function(const struct timing_job *job, const struct timing_row *row)
{
	switch (job->a->span) {
	case SPANS_LOOPS:
		return job->cfg->loops[row->site].function;
	case SPANS_REGIONS:
		return job->names.parts[row->site].function;
	default:
		return spans_path(job->spans, row->site)->function;
	}
}

static const char *span_function_name(const struct timing_job *job, const struct timing_row *row)
{
	const struct cfg_function *f = &job->cfg->functions[span_function(job, row)];
	return f->name != NULL ? shown_name(f->name, f->start) : function_name(NULL, f->start);
}

/* "L2", the region's name, "B3 B4 B6": what it is called in its function; "B3 B4 ...": a path that was cut. */
static void span_name(const struct timing_job *job, const struct timing_row *row, char text[SPAN_TEXT])
{
	const uint32_t function = span_function(job, row);
	size_t used = 0;
	if (job->a->span == SPANS_LOOPS) {
		snprintf(text, SPAN_TEXT, "L%" PRIu64, row->site - job->cfg->functions[function].loops);
		return;
	}
	if (job->a->span == SPANS_REGIONS) {
		snprintf(text, SPAN_TEXT, "%s", job->names.names[job->names.parts[row->site].name].name);
		return;
	}
	const struct spans_path *path = spans_path(job->spans, row->site);
	const uint32_t *blocks = spans_blocks(job->spans) + path->first;
	text[0] = '\0';
	for (uint32_t i = 0; i < path->count; i++)
		used += (size_t)snprintf(text + used, SPAN_TEXT - used, "%sB%" PRIu32, i == 0 ? "" : " ",
		    blocks[i] - job->cfg->functions[function].blocks);
	if (path->count == SPANS_PATH_BLOCKS)
		memcpy(text + used, " ...", sizeof " ...");
}

enum {
	SPAN_TIMES,
	SPAN_LEAST,
	SPAN_MEAN,
	SPAN_BELOW,
	SPAN_MOST,
	SPAN_SELF,
	SPAN_FUNCTION,
	SPAN_PLACE,
	SPAN_NAME,
	SPAN_ADDRESS,
	SPAN_PARTS,
	SPAN_SUM,
	SPAN_MEDIAN,
	SPAN_FILE,
	SPAN_TIME,
	SPAN_FROM,
	SPAN_SELF_SUM,
	SPAN_COLUMNS
};

static const struct table_column span_columns[SPAN_COLUMNS] = {
    [SPAN_TIMES] = {.title = "times", .key = "times", .form = TABLE_COUNT, .width = 9},
    [SPAN_LEAST] = {.title = "least", .key = "least", .form = TABLE_COUNT, .width = 10},
    [SPAN_MEAN] = {.title = "mean", .form = TABLE_COUNT, .width = 10},
    [SPAN_BELOW] = {.title = "99% below", .key = "percent_99_at_most", .form = TABLE_COUNT, .width = 10},
    [SPAN_MOST] = {.title = "most", .key = "most", .form = TABLE_COUNT, .width = 10},
    [SPAN_SELF] = {.key = "self_most", .form = TABLE_COUNT},
    [SPAN_FUNCTION] = {.title = "function", .key = "function", .form = TABLE_WORDS, .width = -14, .gap = "  "},
    [SPAN_PLACE] = {.title = "begins at", .key = "place", .form = TABLE_WORDS, .width = -16},
    [SPAN_NAME] = {.title = "what", .key = "what", .form = TABLE_WORDS},
    [SPAN_ADDRESS] = {.key = "address", .form = TABLE_ADDRESS, .decimals = 8},
    [SPAN_PARTS] = {.key = "in_part", .form = TABLE_COUNT},
    [SPAN_SUM] = {.key = "sum", .form = TABLE_COUNT},
    [SPAN_MEDIAN] = {.key = "median_at_most", .form = TABLE_COUNT},
    [SPAN_FILE] = {.key = "longest_in", .form = TABLE_WORDS},
    [SPAN_TIME] = {.key = "longest_at", .form = TABLE_COUNT},
    [SPAN_FROM] = {.key = "longest_from", .form = TABLE_COUNT},
    [SPAN_SELF_SUM] = {.key = "self_sum", .form = TABLE_COUNT},
};

static void put_span_row(const struct timing_job *job, const struct timing_row *row, const struct table *table)
{
	struct image_place source;
	char place[64], name[SPAN_TEXT], shown[32];
	if (image_places(job->image, row->entry, &source, 1) == 1 && source.file != NULL && source.line != 0)
		snprintf(place, sizeof place, "%s:%u", short_file(source.file, 10), source.line);
	else
		snprintf(place, sizeof place, "0x%08" PRIx64, row->entry);
	span_name(job, row, name);
	snprintf(shown, sizeof shown, "%.14s", span_function_name(job, row));
	struct table_cell cells[SPAN_COLUMNS] = {[SPAN_TIMES] = table_number(row->calls),
	    [SPAN_FUNCTION] = table_words(span_function_name(job, row)),
	    [SPAN_PLACE] = table_words(place),
	    [SPAN_NAME] = table_words(name),
	    [SPAN_ADDRESS] = table_number(row->entry),
	    [SPAN_PARTS] = table_number(row->parts)};
	cells[SPAN_FUNCTION].shown = shown;
	if (table->format == TABLE_TEXT && strlen(name) > 14)
		memcpy(name + 11, "...", sizeof "...");
	if (row->calls > 0) {
		cells[SPAN_LEAST] = table_number(row->least);
		cells[SPAN_MEAN] = table_number(row->sum / row->calls);
		cells[SPAN_BELOW] = table_number(timing_permille(row, 990));
		cells[SPAN_MOST] = table_number(row->most);
		cells[SPAN_SELF] = table_number(row->self_most);
		cells[SPAN_SUM] = table_number(row->sum);
		cells[SPAN_MEDIAN] = table_number(timing_permille(row, 500));
		cells[SPAN_FILE] = table_words(job->runs[row->worst_run].file);
		cells[SPAN_TIME] = table_number(row->worst_time);
		cells[SPAN_FROM] = table_number(row->worst_from);
		cells[SPAN_SELF_SUM] = table_number(row->self_sum);
	}
	table_row(table, cells);
	if (table->format == TABLE_TEXT && job->a->function != NULL) {
		span_name(job, row, name);
		printf("  %.96s\n", name);
	}
}

static bool span_is_of(const struct timing_job *job, const struct timing_row *row, const char *name)
{
	return strcmp(span_function_name(job, row), name) == 0;
}

int timing_print_spans(const struct timing_job *job)
{
	struct timing_rows rows = {.columns = span_columns,
	    .column_count = SPAN_COLUMNS,
	    .is_of = span_is_of,
	    .put = put_span_row,
	    .none = "nothing of the kind that --by asks for ran in it"};
	rows.all = spans_rows(job->spans, &rows.count);
	return timing_print_rows(job, &rows);
}
