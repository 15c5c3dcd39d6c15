/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet timing: how long each call took, least to most, and when the longest one was. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/cmd/load_records.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/progress.h"
#include "host/cmd/table_options.h"
#include "host/export/gather_feed.h"
#include "host/export/timing.h"

COMMAND(37, timing, "how long calls took: least, mean, most, and when");

enum { KEY_LIMIT = 256, KEY_FUNCTION };
#define LIMITS_MAX 64
#define BAR 40
#define BARS_MAX 16

struct limit {
	const char *name;
	uint64_t cycles;
};

struct arguments {
	struct operands operands;
	const char **files; /* behind the first */
	size_t file_count, file_room;
	const char *function;
	struct limit limits[LIMITS_MAX];
	size_t limit_count;
	uint64_t top;
	bool by_site;
	enum table_format format;
};

struct run {
	const char *file;
	uint64_t cycles, instructions, shared;
	struct remainder remainder;
	bool timed; /* else "cycles" are instructions */
};

struct job {
	const struct arguments *a;
	struct image *image; /* of the first run: names */
	struct run *runs;
	size_t run_count;
	struct timing *timing;
	const struct timing_row *rows;
	size_t row_count;
};

static const struct argp_option options[] = {
    {"by", 'b', "WHAT", 0, "function (default), or call: each call instruction for itself", 0},
    {"function", KEY_FUNCTION, "NAME", 0, "This function alone, with the spread of its times and who called", 0},
    {"limit", KEY_LIMIT, "NAME=CYCLES", 0,
	"Exit status 1 if a call of this function took more, or none was seen whole; may be given again", 0},
    {"top", 'n', "N", 0, "The N with the longest calls (default 20; 0: all)", 0}, {0}};

static void take_limit(struct arguments *a, char *value, struct argp_state *state)
{
	char *equal = strrchr(value, '=');
	struct limit *limit = &a->limits[a->limit_count];
	if (a->limit_count == LIMITS_MAX)
		argp_error(state, "--limit: there are more than %d", LIMITS_MAX);
	if (equal == NULL || equal == value || !parse_number(equal + 1, UINT64_MAX, &limit->cycles))
		argp_error(state, "--limit %s: NAME=CYCLES is expected", value);
	*equal = '\0';
	limit->name = value;
	a->limit_count++;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->operands;
		state->child_inputs[1] = &a->format;
		return 0;
	case 'b':
		if (strcmp(value, "function") != 0 && strcmp(value, "call") != 0)
			argp_error(state, "--by %s: function or call is expected", value);
		a->by_site = strcmp(value, "call") == 0;
		return 0;
	case KEY_FUNCTION:
		a->function = value;
		return 0;
	case KEY_LIMIT:
		take_limit(a, value, state);
		return 0;
	case 'n':
		if (!parse_number(value, UINT32_MAX, &a->top))
			argp_error(state, "--top %s: a number is expected", value);
		return 0;
	case ARGP_KEY_ARG:
		if (a->operands.file == NULL)
			return ARGP_ERR_UNKNOWN; /* the operands' */
		if (!array_room(&a->files, a->file_count + 1, &a->file_room))
			return ENOMEM;
		a->files[a->file_count++] = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- runs ---- */

static struct image *open_image(const struct arguments *a, const char *file)
{
	struct image *image = NULL;
	char detail[1024];
	if (image_open(&image, a->operands.program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		return NULL;
	}
	if (place_image(image, file) == STATUS_OK) {
		if (image_debug(image, detail, sizeof detail) != IMAGE_OK)
			complain("%s", detail);
		return image;
	}
	image_close(image);
	return NULL;
}

static int worse(int a, int b)
{
	return a > b ? a : b;
}

/* What of the run the numbers leave open. */
static int finish_run(const struct job *job, struct run *run, struct records *records, const struct gather_result *r)
{
	size_t kept;
	uint64_t damage;
	char prefix[4096 + 16];
	remainder_gathered(&run->remainder, records, r);
	const struct records_header *header = records_header(records);
	run->timed = r->cycles > 0 && !records_untimed(header);
	run->cycles = r->cycles;
	run->instructions = r->count;
	run->shared = r->shared;
	if (!r->ordered) {
		complain("%s: its records do not follow each other: how long a call took is not known", run->file);
		return STATUS_FAILED;
	}
	if (r->breaks > 0)
		complain("%s: %s records do not go on where the one before them ended: calls may be wrong there",
		    run->file, with_commas(r->breaks));
	if (r->stack.astray > 0)
		complain_astray(run->file, r->stack.astray, "calls");
	records_damage(records, &kept, &damage);
	if (damage == 0 || job->a->operands.partial)
		return STATUS_OK;
	snprintf(prefix, sizeof prefix, "rivulet: %s: ", run->file);
	print_records_damage(records, stderr, prefix, 8);
	return STATUS_NO;
}

static int gather_run(struct job *job, struct run *run, struct records *records, struct image *image)
{
	struct gather *gather = NULL;
	const struct gather_result *result = NULL;
	struct walk_config config;
	struct progress progress;
	gather_records_config(records_header(records), &config);
	int error = gather_open(&gather, image, &config);
	if (error == GATHER_OK)
		error = timing_begin(job->timing, gather, records_untimed(records_header(records)));
	progress_begin(&progress, run->file);
	if (error == GATHER_OK)
		error = gather_records(gather, records, progress_show, &progress);
	progress_end(&progress);
	int ended = timing_end(job->timing);
	if (error == GATHER_OK)
		error = ended;
	if (error == GATHER_OK)
		error = gather_finish(gather, 1, &result);
	int status = STATUS_FAILED;
	if (error != GATHER_OK)
		complain("%s: %s", run->file, gather_feed_strerror(error));
	else if (result->traces == 0)
		complain("%s: has no records", run->file);
	else
		status = finish_run(job, run, records, result);
	gather_close(gather);
	return status;
}

static int take_run(struct job *job, struct run *run)
{
	struct records *records;
	char detail[1024];
	if (!is_record_file(run->file)) {
		complain("%s: is no record file: how long a call took is in the order of time alone (rivulet run "
			 "--records, import, record)",
		    run->file);
		return STATUS_FAILED;
	}
	if (records_open(&records, run->file, detail, sizeof detail) != RECORDS_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	struct image *image = open_image(job->a, run->file);
	int status =
	    image == NULL ? STATUS_FAILED : check_records_match(records, run->file, image, job->a->operands.force);
	if (status != STATUS_FAILED)
		status = worse(status, gather_run(job, run, records, image));
	if (job->image == NULL)
		job->image = image;
	else
		image_close(image);
	records_close(records);
	return status;
}

/* ---- printing ---- */

static const char *name_of(const struct job *job, uint64_t entry)
{
	uint64_t start;
	const char *name = image_function(job->image, entry, &start);
	return name != NULL && start == entry ? shown_name(name, entry) : function_name(NULL, entry);
}

static bool is_named(const struct job *job, const struct timing_row *row, const char *name)
{
	uint64_t start;
	const char *own = image_function(job->image, row->entry, &start);
	return own != NULL && start == row->entry &&
	       (strcmp(own, name) == 0 || strcmp(name_of(job, row->entry), name) == 0);
}

/* "sort.c:31" of a call; "" for a row of all. */
static const char *site_text(const struct job *job, const struct timing_row *row, char text[96])
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

static bool all_timed(const struct job *job)
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
};

/* What people see of a function: its name, as much as fits beside the rest, that it is a handler, the call. */
static void function_text(const struct job *job, const struct timing_row *row, char *text, size_t size)
{
	char site[96];
	const int most = job->a->format != TABLE_TEXT ? 256 : row->site == 0 ? 24 : 14;
	snprintf(text, size, "%.*s%s%s", most, name_of(job, row->entry), row->trap ? " (handler)" : "",
	    site_text(job, row, site));
}

static void put_row(const struct job *job, const struct timing_row *row, const struct table *table)
{
	char text[512];
	struct table_cell cells[COLUMNS] = {[COLUMN_CALLS] = table_number(row->calls),
	    [COLUMN_FUNCTION] = table_words(name_of(job, row->entry)),
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
	}
	table_row(table, cells);
}

static void print_bars(const struct timing_row *row)
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

static void print_worst(const struct job *job, const struct timing_row *row)
{
	const char *file = job->runs[row->worst_run].file;
	printf("  the longest, %s, begins in the record that left at cycle %s of %s:\n", with_commas(row->most),
	    with_commas(row->worst_time), file);
	printf("    rivulet dump --from-cycle %" PRIu64 " --walk %s %s\n", row->worst_time, job->a->operands.program,
	    file);
	printf("  called by");
	for (uint32_t i = 0; i < row->chain_length && i < TIMING_CHAIN; i++)
		printf("%s %s", i == 0 ? "" : ",", name_of(job, row->chain[i]));
	printf("%s\n", row->chain_length == 0             ? " nobody that is known"
		       : row->chain_length > TIMING_CHAIN ? ", ..."
							  : "");
}

/* What was run, above the table. */
static void print_runs(const struct job *job)
{
	printf("timing of %s, in %s\n", job->a->operands.program, all_timed(job) ? "cycles" : "instructions");
	for (size_t i = 0; i < job->run_count; i++) {
		const struct run *run = &job->runs[i];
		printf("  %s: %s instructions, %s cycles\n", run->file, with_commas(run->instructions),
		    run->timed ? with_commas(run->cycles) : "no");
		if (run->shared > 0)
			printf("    %s cycles are shared between instructions that vary: calls may take more or less\n",
			    with_commas(run->shared));
		print_not_traced(&run->remainder, stdout);
	}
	printf("\n");
}

static void json_runs(const struct job *job, struct json *j)
{
	json_text(j, "rivulet", "timing");
	json_text(j, "program", job->a->operands.program);
	json_text(j, "unit", all_timed(job) ? "cycles" : "instructions");
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

/* The rows: for people and in CSV those that were asked for, in JSON all. */
static void put_rows(const struct job *job, const struct table *table)
{
	const bool text = table->format == TABLE_TEXT, json = table->format == TABLE_JSON;
	uint64_t shown = 0, left = 0, parts = 0;
	table_begin(table);
	for (size_t i = 0; i < job->row_count; i++) {
		const struct timing_row *row = &job->rows[i];
		if (job->a->function != NULL && !is_named(job, row, job->a->function))
			continue;
		parts += row->parts;
		if (row->calls == 0 && !json)
			continue;
		if (shown == job->a->top && !json) {
			left++;
			continue;
		}
		shown++;
		put_row(job, row, table);
		if (text && job->a->function != NULL) {
			print_bars(row);
			print_worst(job, row);
		}
	}
	table_end(table);
	if (text && left > 0)
		printf("%s more (--top 0 shows all)\n", with_commas(left));
	if (text && parts > 0)
		printf("%s calls are there in part: open when the records began or ended, or nobody knows who called\n",
		    with_commas(parts));
}

static int print_timing(const struct job *job)
{
	struct json json;
	const struct table table = {.columns = columns,
	    .count = COLUMNS,
	    .format = job->a->format,
	    .out = stdout,
	    .json = &json,
	    .name = "rows"};
	if (table.format == TABLE_JSON) {
		json_open(&json, stdout);
		json_runs(job, &json);
	} else if (table.format == TABLE_TEXT)
		print_runs(job);
	put_rows(job, &table);
	if (table.format == TABLE_JSON)
		return json_close(&json) ? STATUS_OK : STATUS_FAILED;
	if (table.format == TABLE_TEXT)
		printf(
		    "\nTimes are with what was called, without what was not traced. They are those of these runs: no "
		    "bound.\n");
	return STATUS_OK;
}

/* ---- limits ---- */

static int check_limit(const struct job *job, const struct limit *limit)
{
	const char *unit = all_timed(job) ? "cycles" : "instructions";
	uint64_t calls = 0;
	int status = STATUS_OK;
	for (size_t i = 0; i < job->row_count; i++) {
		const struct timing_row *row = &job->rows[i];
		if (!is_named(job, row, limit->name))
			continue;
		calls += row->calls;
		if (row->calls == 0 || row->most <= limit->cycles)
			continue;
		complain("%s: a call took %s %s, more than %s (--limit): %s, at cycle %s", limit->name,
		    with_commas(row->most), unit, with_commas(limit->cycles), job->runs[row->worst_run].file,
		    with_commas(row->worst_time));
		status = STATUS_NO;
	}
	if (calls > 0)
		return status;
	complain("%s: no whole call of it is in these runs, so the limit of %s is not proved", limit->name,
	    with_commas(limit->cycles));
	return STATUS_NO;
}

static int finish(struct job *job)
{
	int status = STATUS_OK;
	job->rows = timing_rows(job->timing, &job->row_count);
	bool found = job->a->function == NULL;
	for (size_t i = 0; i < job->row_count && !found; i++)
		found = is_named(job, &job->rows[i], job->a->function);
	if (!found) {
		complain("%s: no call of it is in these runs", job->a->function);
		return STATUS_NO;
	}
	status = print_timing(job);
	for (size_t i = 0; i < job->a->limit_count; i++)
		status = worse(status, check_limit(job, &job->a->limits[i]));
	return status;
}

static int time_runs(const struct arguments *a)
{
	struct job job = {.a = a, .run_count = 1 + a->file_count};
	int status = STATUS_OK;
	job.runs = calloc(job.run_count, sizeof *job.runs);
	if (job.runs == NULL || timing_open(&job.timing, a->by_site) != GATHER_OK) {
		complain("out of memory");
		status = STATUS_FAILED;
	}
	for (size_t i = 0; i < job.run_count && status != STATUS_FAILED; i++) {
		job.runs[i].file = i == 0 ? a->operands.file : a->files[i - 1];
		status = worse(status, take_run(&job, &job.runs[i]));
	}
	if (status != STATUS_FAILED && stop_signal == 0)
		status = worse(status, finish(&job));
	timing_close(job.timing);
	image_close(job.image);
	free(job.runs);
	return stop_signal != 0 ? stop_status() : end_output(status);
}

int cmd_timing(int argc, char **argv)
{
	static const struct argp_child children[] = {OPERANDS_CHILD, TABLE_CHILD, {0}};
	static const struct argp argp = {options, parse, "PROGRAM.elf RECORDS...",
	    "How long calls took, each for itself, over all runs that are given: least, mean, most cycles with what "
	    "they "
	    "call, the most of their own, and when the longest one was.\v"
	    "The most is what these runs showed; it is no bound for others. "
	    "Exit status: 0 all is well; 1 a --limit is passed or not proved, or an input is not whole; 2 a file "
	    "cannot be "
	    "used. Manual: docs/timing.md",
	    children, NULL, NULL};
	struct arguments a = {.top = 20};
	a.operands.wanted = "a program (ELF) and record files";
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	a.top = a.top == 0 ? UINT64_MAX : a.top;
	catch_stop_signals();
	int status = time_runs(&a);
	free(a.files);
	return status;
}
