/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet timing: how long each call took, least to most, and when the longest one was. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/load_records.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/profiled.h"
#include "host/cmd/progress.h"
#include "host/cmd/table_options.h"
#include "host/cmd/timing.h"
#include "host/export/gather_feed.h"

COMMAND(37, timing, "how long calls took: least, mean, most, and when; a bound of the most");

enum { KEY_LIMIT = 256, KEY_BOUND, KEY_INTERRUPT };

#define OPTIONS_OF struct timing_arguments
static const struct option_row options[] = {
    {"by", 'b', "WHAT",
	"function (default); call: each call instruction for itself; loop, path, region: parts of functions",
	OPTION_OWN},
    {"regions", 0, "FILE", "The regions of --by region (docs/regions.md)", OPTION_TEXT(regions)},
    {"function", 0, "NAME", "This function alone, with the spread of its times and who called", OPTION_TEXT(function)},
    {"loops", 0, NULL,
	"Loops instead of calls: how often they went round at most; with --by call for each chain of calls",
	OPTION_FLAG(loops)},
    {"limit", KEY_LIMIT, "NAME=CYCLES",
	"Exit status 1 if a call of this function took more, or none was seen whole; may be given again", OPTION_OWN},
    {"top", 'n', "N", "The N with the longest calls (default 20; 0: all)",
	OPTION_NUMBER(top, 0, UINT32_MAX, "a number")},
    {NULL, 0, NULL, "A bound of the time of a function:", OPTION_OWN, .group = 1},
    {"bound", KEY_BOUND, "FUNCTION", "At most so many cycles, with what it calls; runs may be given, and need not",
	OPTION_OWN, .group = 1},
    {"core", 'k', "CORE", "The rules of this core (default: rivulet): " CORE_NAMES ", or a file (docs/cycles.md)",
	OPTION_TEXT(core), .group = 1},
    {"flow", 0, "FILE", "How often loops go round, where calls by a register go, ... (docs/timing.md)",
	OPTION_TEXT(flow), .group = 1},
    {"ran", 0, NULL, "Leave out code that no run came to: no bound for others", OPTION_FLAG(ran_only), .group = 1},
    {"observed", 0, NULL,
	"A block costs the most that the runs showed of it, by chain of calls; others by the rules of the core",
	OPTION_FLAG(observed), .group = 1},
    {"interrupt", KEY_INTERRUPT, "CYCLES/EVERY",
	"An interrupt that takes so many cycles, at most once in EVERY; may be given again", OPTION_OWN, .group = 1},
    {"drawing", 0, "FILE.dot", "A drawing of the longest path, for Graphviz", OPTION_TEXT(drawing), .group = 1},
    {"lp", 0, "PREFIX", "Keep what GLPK solves as PREFIX1.lp, ...: for another solver", OPTION_TEXT(keep), .group = 1},
    OPTION_CHILD(operands),
    OPTION_CHILD(format),
    {0},
};

static void take_timing_limit(struct timing_arguments *a, char *value, struct argp_state *state)
{
	char *equal = strrchr(value, '=');
	struct timing_limit *limit = &a->limits[a->limit_count];
	if (a->limit_count == TIMING_LIMITS)
		argp_error(state, "--limit: there are more than %d", TIMING_LIMITS);
	if (equal == NULL || equal == value || !parse_number(equal + 1, UINT64_MAX, &limit->cycles))
		argp_error(state, "--limit %s: NAME=CYCLES is expected", value);
	*equal = '\0';
	limit->name = value;
	a->limit_count++;
}

static void take_interrupt(struct timing_arguments *a, char *value, struct argp_state *state)
{
	char *slash = strchr(value, '/');
	struct timing_interrupt *interrupt = &a->interrupts[a->interrupt_count];
	if (a->interrupt_count == TIMING_INTERRUPTS)
		argp_error(state, "--interrupt: there are more than %d", TIMING_INTERRUPTS);
	if (slash != NULL)
		*slash = '\0';
	if (slash == NULL || !parse_amount(value, 1000, UINT32_MAX, &interrupt->cycles) ||
	    !parse_amount(slash + 1, 1000, UINT64_MAX, &interrupt->every) || interrupt->every == 0)
		argp_error(state, "--interrupt: CYCLES/EVERY is expected, as in 200/10k");
	a->interrupt_count++;
}

static error_t parse_bound(int key, char *value, struct timing_arguments *a, struct argp_state *state)
{
	switch (key) {
	case KEY_BOUND:
		a->bound = value;
		a->operands.alone = true;
		return 0;
	case KEY_INTERRUPT:
		take_interrupt(a, value, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* What was given goes together. */
static void check_bound(const struct timing_arguments *a, struct argp_state *state)
{
	const bool more = (a->flow != NULL && !a->loops) || a->core != NULL || a->keep != NULL || a->drawing != NULL ||
			  a->ran_only || a->observed || a->interrupt_count > 0;
	if (a->bound == NULL && more)
		argp_error(state,
		    "--core, --flow, --ran, --observed, --interrupt, --drawing and --lp are for --bound FUNCTION "
		    "(--flow for --loops too)");
	for (size_t i = 0; a->bound != NULL && i < a->limit_count; i++) {
		if (strcmp(a->limits[i].name, a->bound) != 0)
			argp_error(state, "--limit %s: with --bound the limit is of %s", a->limits[i].name, a->bound);
	}
	if (a->bound != NULL && (a->limit_count > 1 || a->function != NULL || a->by_site || a->by_span))
		argp_error(state, "--bound FUNCTION stands alone: neither --function nor --by, and one --limit");
	if (a->loops && (a->bound != NULL || a->function != NULL || a->limit_count > 0))
		argp_error(state, "--loops stands alone: neither --bound nor --function nor --limit");
	if (a->by_span && (a->loops || a->limit_count > 0))
		argp_error(state, "--by loop, region and path go neither with --loops nor with --limit");
	if ((a->regions != NULL) != (a->by_span && a->span == SPANS_REGIONS))
		argp_error(state, "--by region and --regions FILE go together");
	if (a->bound != NULL && (a->ran_only || a->observed) && a->operands.file == NULL)
		argp_error(state, "--ran, --observed: runs are expected behind the program");
}

static void take_by(struct timing_arguments *a, const char *value, struct argp_state *state)
{
	static const char *const names[] = {"function", "call", "loop", "region", "path"};
	unsigned i = 0;
	while (i < 5 && strcmp(value, names[i]) != 0)
		i++;
	if (i == 5)
		argp_error(state, "--by %s: function, call, loop, region or path is expected", value);
	a->by_site = i == 1;
	a->by_span = i >= 2;
	a->span = i < 2 ? SPANS_LOOPS : (enum spans_kind)(i - 2);
}

static error_t parse_timing_option(int key, char *value, struct argp_state *state)
{
	struct timing_arguments *a = state->input;
	switch (key) {
	case 'b':
		take_by(a, value, state);
		return 0;
	case KEY_LIMIT:
		take_timing_limit(a, value, state);
		return 0;
	case ARGP_KEY_END:
		check_bound(a, state);
		return 0;
	default:
		return parse_bound(key, value, a, state);
	}
}

/* ---- runs ---- */

static struct image *open_image(const struct timing_arguments *a, const char *file)
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

/* What of the run the numbers leave open. */
static int finish_run(
    struct timing_job *job, struct timing_run *run, struct records *records, const struct gather_result *r)
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
	job->folded += r->stack.folded;
	if (!r->ordered) {
		complain("%s: its records do not follow each other: how long a call took is not known", run->file);
		return STATUS_FAILED;
	}
	if (r->breaks > 0)
		complain("%s: %s records do not go on where the one before them ended: calls may be wrong there",
		    run->file, with_commas(r->breaks));
	if (r->stack.astray > 0)
		complain_astray(run->file, r->stack.astray, "calls");
	if (records_end(records) != NULL)
		tell_ending(run->file, records_end(records)->ending);
	records_damage(records, &kept, &damage);
	if (damage == 0 || job->a->operands.partial)
		return STATUS_OK;
	snprintf(prefix, sizeof prefix, "rivulet: %s: ", run->file);
	print_records_damage(records, stderr, prefix, 8);
	return STATUS_NO;
}

static int watch_flow(void *context, const struct gather_visit *visit)
{
	const struct timing_job *job = context;
	int error = job->seen == NULL ? GATHER_OK : seen_flow_visit(job->seen, visit);
	return error == GATHER_OK && job->spans != NULL ? spans_visit(job->spans, visit) : error;
}

static int watch_ended(void *context, const struct extremes_ended *ended)
{
	const struct timing_job *job = context;
	return job->spans == NULL ? GATHER_OK : spans_ended(job->spans, ended);
}

static int gather_run(struct timing_job *job, struct timing_run *run, struct records *records, struct image *image)
{
	struct gather *gather = NULL;
	const struct gather_result *result = NULL;
	struct walk_config config;
	struct progress progress;
	gather_records_config(records_header(records), &config);
	int error = gather_open(&gather, image, &config);
	if (error == GATHER_OK && (job->seen != NULL || job->spans != NULL))
		timing_also(job->timing, watch_flow, watch_ended, job);
	if (job->seen != NULL)
		seen_flow_begin(job->seen);
	if (job->spans != NULL)
		spans_begin(job->spans, records_untimed(records_header(records)));
	if (error == GATHER_OK)
		error = timing_begin(job->timing, gather, records_untimed(records_header(records)));
	progress_begin(&progress, run->file);
	if (error == GATHER_OK)
		error = gather_records(gather, records, progress_show, &progress);
	progress_end(&progress);
	int ended = timing_end(job->timing);
	if (ended == GATHER_OK && job->seen != NULL)
		ended = seen_flow_end(job->seen);
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

static int take_run(struct timing_job *job, struct timing_run *run)
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
	if (status != STATUS_FAILED && job->cfg != NULL &&
	    image_load_address(image) != image_load_address(job->image)) {
		complain("%s: the program was loaded elsewhere than in %s: their loops cannot be taken together",
		    run->file, job->runs[0].file);
		status = STATUS_FAILED;
	}
	if (status != STATUS_FAILED)
		status = worse_status(status, gather_run(job, run, records, image));
	if (job->image == NULL)
		job->image = image;
	else {
		image_close(image);
		name_libraries(job->image);
	}
	records_close(records);
	return status;
}

/* ---- limits ---- */

static int check_timing_limit(const struct timing_job *job, const struct timing_limit *limit)
{
	const char *unit = timing_all_timed(job) ? "cycles" : "instructions";
	uint64_t calls = 0;
	int status = STATUS_OK;
	for (size_t i = 0; i < job->row_count; i++) {
		const struct timing_row *row = &job->rows[i];
		if (!timing_row_is(job, row, limit->name))
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

static int finish_timing(struct timing_job *job)
{
	int status = STATUS_OK;
	job->rows = timing_rows(job->timing, &job->row_count);
	if (job->folded > 0 && job->cfg != NULL) {
		complain(
		    "the runs have calls inside of each other that are too deep to be told apart: nothing can be taken "
		    "from them");
		return STATUS_FAILED;
	}
	if (job->a->loops)
		return timing_print_loops(job);
	if (job->a->bound != NULL)
		return timing_print_bound(job);
	if (job->spans != NULL)
		return timing_print_spans(job);
	bool found = job->a->function == NULL;
	for (size_t i = 0; i < job->row_count && !found; i++)
		found = timing_row_is(job, &job->rows[i], job->a->function);
	if (!found) {
		complain("%s: no call of it is in these runs", job->a->function);
		return STATUS_NO;
	}
	status = timing_print(job);
	for (size_t i = 0; i < job->a->limit_count; i++)
		status = worse_status(status, check_timing_limit(job, &job->a->limits[i]));
	return status;
}

static int open_job(struct timing_job *job)
{
	const struct timing_arguments *a = job->a;
	job->run_count = a->operands.file == NULL ? 0 : 1 + a->operands.file_count;
	job->runs = calloc(job->run_count + 1, sizeof *job->runs);
	if (job->runs == NULL || timing_open(&job->timing, a->by_site) != GATHER_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	if (a->bound == NULL && !a->loops && !a->by_span)
		return STATUS_OK;
	job->image = open_image(a, a->operands.file == NULL ? "" : a->operands.file);
	if (job->image == NULL)
		return STATUS_FAILED;
	if (cfg_open(&job->cfg, job->image) == CFG_OK && a->by_span)
		return timing_open_spans(job);
	if (job->cfg != NULL && (job->run_count == 0 || seen_flow_open(&job->seen, job->cfg) == GATHER_OK))
		return STATUS_OK;
	complain("out of memory");
	return STATUS_FAILED;
}

static int time_runs(const struct timing_arguments *a)
{
	struct timing_job job = {.a = a};
	int status = open_job(&job);
	for (size_t i = 0; i < job.run_count && status != STATUS_FAILED; i++) {
		job.runs[i].file = i == 0 ? a->operands.file : a->operands.files[i - 1];
		status = worse_status(status, take_run(&job, &job.runs[i]));
	}
	if (status != STATUS_FAILED && stop_signal == 0)
		status = worse_status(status, finish_timing(&job));
	timing_close(job.timing);
	timing_close_spans(&job);
	seen_flow_close(job.seen);
	cfg_close(job.cfg);
	tell_newer_source(job.image, a->operands.program);
	image_close(job.image);
	free(job.runs);
	return stop_signal != 0 ? stop_status() : end_output(status);
}

int cmd_timing(int argc, char **argv)
{
	static const struct argp_child children[] = {OPERANDS_CHILD, TABLE_CHILD, {0}};
	static const struct argp argp = {NULL, parse_timing_option,
	    "PROGRAM.elf RECORDS...\n--bound=FUNCTION PROGRAM.elf [RECORDS...]",
	    "How long calls took, each for itself, over all runs that are given: least, mean, most cycles with what "
	    "they "
	    "call, the most of their own, and when the longest one was.\v"
	    "The most is what these runs showed; it is no bound for others. --bound finds one: over all ways through "
	    "the "
	    "function's code, from the rules of the core and from how often loops go round, which a file, comments of "
	    "the "
	    "source or runs say. "
	    "Exit status: 0 all is well; 1 a --limit is passed or not proved, or an input is not whole, or a bound "
	    "lacks a fact; "
	    "2 a file "
	    "cannot be "
	    "used. Manual: docs/timing.md",
	    children, NULL, NULL};
	struct timing_arguments a = {.top = 20};
	a.operands.many = true;
	a.operands.wanted = "a program (ELF) and record files";
	parse_options(&argp, options, argc, argv, 0, &a);
	a.top = a.top == 0 ? UINT64_MAX : a.top;
	catch_stop_signals();
	int status = time_runs(&a);
	free(a.operands.files);
	return status;
}
