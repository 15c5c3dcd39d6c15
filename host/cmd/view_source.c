/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/view.h"

#include <stdlib.h>
#include <string.h>
#include "host/cmd/contexts_result.h"
#include "host/cmd/counters.h"
#include "host/cmd/load_records.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/phases.h"
#include "host/cmd/profiled.h"
#include "host/cmd/twin.h"
#include "host/cmd/view_regions.h"
#include "host/export/gather_feed.h"
#include "host/insert/insert.h"
#include "host/view/view.h"

struct made {
	const struct view_source *source;
	struct profiled input;
	struct cfg *cfg;
	struct gather *gather;
	struct spots spots;
	struct calls *calls;
	struct export_input export;
	struct phases_view phases;
	struct phases_bytes phases_bytes;
	bool has_phases, has_regions;
	bool together;       /* contexts are harts that ran at the same time */
	const char *context; /* struct view_input */
	struct view_regions regions;
	const char *notes[8];
	size_t note_count;
	struct remainder remainder;
	char texts[8][600];
};

static const char *label_of(const struct view_source *source)
{
	return source->label != NULL ? source->label : source->file;
}

static void note_made(struct made *made, const char *format, const char *number)
{
	if (made->note_count + 1 >= sizeof made->notes / sizeof *made->notes)
		return;
	char *text = made->texts[made->note_count];
	snprintf(text, sizeof made->texts[0], format, number);
	made->notes[made->note_count++] = text;
}

/* What the firmware's table noticed: of a profile, or of the phases file that records became. */
static void note_changes(struct made *made)
{
	const struct profile *profile = &made->input.loaded.profile;
	const struct phases_mark *marks = NULL;
	char list[120] = "";
	size_t count = 0, used = 0, all = profile->change_count;
	if (made->has_phases && phases_marks(made->phases.file, &marks, &count) == PHASES_OK)
		all = count;
	for (size_t i = 0; i < all; i++) {
		if (marks != NULL && marks[i].kind != PHASES_FIRMWARE)
			continue;
		const uint64_t cycle = marks != NULL ? marks[i].value : profile->changes[i].cycle;
		const char *mark = used > 0 ? "; " : "";
		if (used + 24 < sizeof list)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", mark, with_commas(cycle));
	}
	if (used > 0)
		note_made(made, "The firmware noticed phase changes in cycle %s.", list);
}

static void note_estimate(struct made *made, const char *rules)
{
	if (rules[0] != '\0')
		note_made(made, VIEW_ESTIMATE, rules);
}

static int gather_view(struct made *made, const struct gather_result **result)
{
	const struct profile *profile = &made->input.loaded.profile;
	struct walk_config config;
	note_estimate(made, profile->rules);
	gather_profile_config(profile, &config);
	if (gather_open(&made->gather, made->input.image, &config) != GATHER_OK)
		return GATHER_ENOMEM;
	int error = gather_profile(made->gather, profile);
	uint64_t scale = profile->has_header && profile->header.period > 1 ? profile->header.period : 1;
	return error == GATHER_OK ? gather_finish(made->gather, scale, result) : error;
}

/* Records in order: contexts and single calls too, which are seen while the account is made. */
static int watch_stream(struct made *made)
{
	struct records *records;
	char detail[1024];
	if (records_open(&records, made->source->file, detail, sizeof detail) != RECORDS_OK)
		return STATUS_OK; /* told by whoever reads them */
	const struct records_header *header = records_header(records);
	const bool timed = header == NULL || header->cycle_bits > 0;
	if (header != NULL && header->source == RECORDS_QEMU)
		made->context = image_hosted(made->input.image) ? "thread" : "hart";
	made->together = header != NULL && header->harts > 0 && header->cycle_bits > 0;
	if (made->together)
		made->context = "hart";
	if (header != NULL)
		note_estimate(made, header->rules);
	records_close(records);
	if (calls_open(&made->calls, made->source->spans, timed) != CALLS_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	made->calls->together = made->together;
	made->input.watcher = calls_visit;
	made->input.watcher_context = made->calls;
	return STATUS_OK;
}

static int gather_stream(struct made *made, const struct gather_result **result)
{
	*result = made->input.gathered;
	if (*result == NULL || calls_finish(made->calls) != CALLS_OK)
		return GATHER_ENOMEM;
	if (made->input.missing > 0)
		note_made(made, "%s records are missing: stacks begin anew behind each gap.",
		    with_commas(made->input.missing));
	return GATHER_OK;
}

static void add_notes(struct made *made, const struct gather_result *result)
{
	if (profile_is_part(&made->input.loaded.profile)) {
		char text[192];
		part_text(&made->input.loaded.profile, text, sizeof text);
		note_made(made, "A part of the run: %s.", text);
	}
	if (made->export.sampled && result->scale > 1)
		note_made(made, "Sampled: every number is an estimate, one trace in %s was seen.",
		    with_commas(result->scale));
	else if (made->export.sampled)
		note_made(made, "Sampled%s: every number is an estimate.", "");
	if (!result->ordered)
		note_made(made,
		    "A profile does not know which call a function's time belongs to: times of calls are shared "
		    "out by their counts%s.",
		    "");
	if (result->unfit > 0)
		note_made(made, "%s traces do not fit the program and are left out.", with_commas(result->unfit));
	if (result->breaks > 0)
		note_made(made, "%s records do not go on where the one before ended: stacks may be wrong there.",
		    with_commas(result->breaks));
	if (result->ordered && result->stack.astray > 0)
		note_made(made,
		    "%s returns went past the calls that led there: another stack (a task, a coroutine), longjmp() or "
		    "an "
		    "exception. Stacks may be wrong from there on.",
		    with_commas(result->stack.astray));
	if (!made->input.loaded.whole)
		note_made(made, "The file is not whole: what there is of it is shown%s.", "");
	if (!made->input.debug)
		note_made(made, "The program has no source lines%s.", "");
}

/* qemu has no clock that they share: their records stand one behind the other. */
static void note_contexts(struct made *made)
{
	uint32_t most = 0;
	for (size_t i = 0; made->context != NULL && made->calls != NULL && i < made->calls->span_count; i++)
		most = made->calls->spans[i].process > most ? made->calls->spans[i].process : most;
	if (most > 0 && made->together)
		note_made(made,
		    "Each %s has rows of its own, by the clock that they share. `rivulet split' makes a file of each, "
		    "which "
		    "has phases and regions.",
		    made->context);
	else if (most > 0)
		note_made(made,
		    "Each %s has rows of its own, one behind the other: the records do not tell which ran at the same "
		    "time.",
		    made->context);
}

/* The run's phases, from records in order. What the records lack was told by whoever read them before. */
static void find_view_phases(struct made *made)
{
	/* the file stays in memory: little is gained by packing it well */
	const struct phases_making how = {.partial = true, .force = true, .own_clock = true, .level = 1};
	char detail[512];
	made->phases = (struct phases_view){
	    .program = made->source->program, .input = made->source->file, .image = made->input.image, .quiet = true};
	made->has_phases = phases_make_file(&how, &made->phases, &made->phases_bytes) != STATUS_FAILED &&
			   phases_open_memory(&made->phases.file, made->phases_bytes.bytes, made->phases_bytes.used,
			       detail, sizeof detail) == PHASES_OK &&
			   phases_analyse(&made->phases, 0) == STATUS_OK && made->phases.segments.count > 0;
	if (!made->has_phases)
		note_made(
		    made, "Its phases could not be found%s: the run is too short, or its records are damaged.", "");
}

const char *view_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

static int write_made(struct made *made, FILE *out)
{
	const struct profile *profile = &made->input.loaded.profile;
	const struct gather_result *result = NULL;
	bool stream = is_record_file(made->source->file);
	int error = stream ? gather_stream(made, &result) : gather_view(made, &result);
	if (error != GATHER_OK) {
		complain("%s: %s", made->source->file, gather_feed_strerror(error));
		return STATUS_FAILED;
	}
	if (result->code_count == 0) {
		complain("%s: none of its traces fits %s: nothing is shown", made->source->file, made->source->program);
		return STATUS_FAILED;
	}
	if (spots_make(&made->spots, made->input.image, result) != SPOTS_OK ||
	    cfg_open(&made->cfg, made->input.image) != CFG_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	bool sampled = stream ? !result->ordered : profile_sampled(profile);
	made->export = (struct export_input){.image = made->input.image,
	    .result = result,
	    .spots = &made->spots,
	    .program = view_base_name(made->source->program),
	    .name = profile->has_header ? profile->header.name : "",
	    .build = profile->has_header ? profile->header.build : 0,
	    .sampled = sampled,
	    .timed = result->cycles > 0};
	remainder_profiled(&made->remainder, &made->input);
	if (remainder_any(&made->remainder)) {
		char why[560];
		remainder_text(&made->remainder, why, sizeof why);
		note_made(made, "Not traced: %s.", why);
		made->export.remainder = &made->remainder;
	}
	add_notes(made, result);
	if (stream && result->ordered && !made->together) {
		const struct source_options how = {.program = made->source->program,
		    .image = made->input.image,
		    .cfg = made->cfg,
		    .partial = true,
		    .force = true,
		    .quiet = true};
		find_view_phases(made);
		made->has_regions = view_regions_make(&made->regions, made->source->file, &how);
		if (!made->has_regions)
			note_made(
			    made, "Its nested regions could not be found: loops are shown without their paths%s.", "");
	}
	note_changes(made);
	note_contexts(made);
	const struct view_phases phases = {.file = made->phases.file,
	    .total = &made->phases.total,
	    .intervals = &made->phases.intervals,
	    .segments = &made->phases.segments,
	    .heat = &made->phases.heat,
	    .grammar = &made->phases.grammar,
	    .repetitions = &made->phases.repetitions};
	const struct view_input input = {.image = made->input.image,
	    .cfg = made->cfg,
	    .export = &made->export,
	    .account = made->input.account,
	    .calls = result->ordered ? made->calls : NULL, /* of samples no call is whole */
	    .kernel = made->source->kernel,
	    .context = made->context,
	    .phases = made->has_phases ? &phases : NULL,
	    .regions = made->has_regions ? made->regions.regions : NULL,
	    .region_count = made->regions.region_count,
	    .region_paths = made->regions.paths,
	    .region_path_count = made->regions.path_count,
	    .label = view_base_name(label_of(made->source)),
	    .way = profile->has_header ? run_way_name(profile->header.way) : NULL,
	    .columns = made->source->columns,
	    .notes = made->notes};
	error = view_write(&input, out);
	if (error != VIEW_OK) {
		complain("%s: %s", made->source->file, view_strerror(error));
		return STATUS_FAILED;
	}
	return result->unfit > 0 ? STATUS_NO : STATUS_OK;
}

/* What a program counted of its own cycles, context by context: exact, but of functions, not of instructions. */
static int write_contexts(struct made *made, FILE *out)
{
	struct insert_original twins[2] = {{0}, {0}};
	struct contexts contexts = {0};
	struct contexts_result counted = {0};
	char detail[1024], twin[4096];
	const char *program = made->source->program, *file = made->source->file;
	int status = STATUS_FAILED;
	if ((size_t)snprintf(twin, sizeof twin, "%s" TWIN_SUFFIX, program) >= sizeof twin ||
	    insert_original_open(&twins[0], twin, NULL, detail, sizeof detail) != 0 ||
	    insert_original_open(&twins[1], program, NULL, detail, sizeof detail) != 0) {
		complain("%s: needs %s" TWIN_SUFFIX ", which `rivulet cc --cycles' links: %s", file, program, detail);
		goto out;
	}
	int error = contexts_make(&contexts, &twins[0], &twins[1], &made->input.loaded.profile);
	if (error != CONTEXTS_OK) {
		complain("%s: %s", file, contexts_strerror(error));
		goto out;
	}
	if (!contexts_result_make(&counted, &contexts, &twins[0]) || cfg_open(&made->cfg, twins[0].image) != CFG_OK) {
		complain("out of memory");
		goto out;
	}
	status = contexts_tell_gaps(&contexts, file);
	note_made(made,
	    "Counted by the program itself (rivulet cc --cycles): functions and calls, exact%s; no instructions.", "");
	if (status != STATUS_OK)
		note_made(made, "Not all of the run was counted%s: `rivulet calls' says what is missing.", "");
	made->export = (struct export_input){.image = twins[0].image,
	    .result = &counted.result,
	    .spots = &counted.spots,
	    .program = view_base_name(program),
	    .name = made->input.loaded.profile.header.name,
	    .build = made->input.loaded.profile.header.build,
	    .timed = true};
	const struct view_input input = {.image = twins[0].image,
	    .cfg = made->cfg,
	    .export = &made->export,
	    .calls_only = true,
	    .label = view_base_name(label_of(made->source)),
	    .way = "counted by inserted code",
	    .columns = made->source->columns,
	    .notes = made->notes};
	error = view_write(&input, out);
	if (error != VIEW_OK) {
		complain("%s: %s", file, view_strerror(error));
		status = STATUS_FAILED;
	}
out:
	contexts_result_free(&counted);
	contexts_free(&contexts);
	insert_original_close(&twins[0]);
	insert_original_close(&twins[1]);
	return status;
}

int view_source_write(const struct view_source *source, FILE *out)
{
	struct made made = {.source = source,
	    .input = {.program = source->program,
		.file = source->file,
		.partial = source->partial,
		.force = source->force,
		.contexts = true}};
	int status = open_profiled(&made.input);
	const struct profile *profile = &made.input.loaded.profile;
	const bool contexts = is_counters(profile) && profile->header.ctrl == INSERT_CYCLES;
	if (status != STATUS_FAILED && made.input.loaded.profile.total == 0) {
		complain("%s: has no traces: there is nothing to show", source->file);
		status = STATUS_FAILED;
	}
	if (status != STATUS_FAILED && is_record_file(source->file))
		status = worse_status(status, watch_stream(&made));
	if (status != STATUS_FAILED && !contexts)
		status = worse_status(status, account_profiled(&made.input, ACCOUNT_BY_COST));
	if (status != STATUS_FAILED)
		status = worse_status(status, contexts ? write_contexts(&made, out) : write_made(&made, out));
	if (made.regions.source.what != NULL)
		view_regions_free(&made.regions);
	phases_view_free(&made.phases);
	free(made.phases_bytes.bytes);
	calls_close(made.calls);
	gather_close(made.gather);
	cfg_close(made.cfg);
	spots_free(&made.spots);
	close_profiled(&made.input);
	return status;
}
