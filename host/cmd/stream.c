/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "host/base/array.h"
#include "host/cmd/progress.h"
#include "host/insert/traced.h"
#include "host/records/records.h"
#include "model/run.h"

#define HIST 32 /* where nobody says otherwise */
#define INSN_BITS 16

/* ---------------------------------------------------------------- record files */

#define PROGRESS_EVERY 65536 /* records */

/* Both return as records_next(); *error: what the one who takes the records says. */
static int take_each(struct stream *s, struct records *records, struct walk_config *config, struct progress *progress,
    const char **error)
{
	struct record record;
	struct record_place place;
	struct records_extent extent;
	uint64_t expected = 0;
	int got = 0;
	records_extent(records, &extent);
	while (*error == NULL && (got = records_next(records, &record, &place)) == 1) {
		if (place.number % PROGRESS_EVERY == 0)
			progress_show(progress, records_position(records), extent.bytes);
		config->ctrl = place.ctrl;
		*error = s->take(s->context, &record, &place, config, place.number - expected);
		expected = place.number + 1;
	}
	return got;
}

static int take_blocks(struct stream *s, struct records *records, struct walk_config *config, struct progress *progress,
    const char **error)
{
	struct records_block block;
	struct records_extent extent;
	uint64_t expected = 0;
	int got = 0;
	records_extent(records, &extent);
	while (*error == NULL && (got = records_next_block(records, &block)) == 1) {
		progress_show(progress, records_position(records), extent.bytes);
		config->ctrl = block.ctrl;
		*error = s->take_block(s->context, &block, config, &expected);
	}
	return got;
}

static int read_records(struct stream *s, struct records *records)
{
	const struct records_header *header = records_header(records);
	struct walk_config config = {
	    .hist = header != NULL ? header->hist : HIST, .insn_bits = header != NULL ? header->insn_bits : INSN_BITS};
	char detail[512], text[256];
	uint64_t damages;
	struct progress progress;
	size_t kept;
	int got;
	enum records_match match = records_match(header, s->image, detail, sizeof detail);
	if (match == RECORDS_OTHER) {
		if (!s->quiet || !s->force)
			complain("%s: is of another program than %s: %s%s", s->name, s->program, detail,
			    s->force ? "; used because of --force"
				     : "; give the program that was recorded, or --force");
		if (!s->force)
			return STATUS_FAILED;
		s->status = STATUS_NO;
	}
	if (header == NULL) {
		if (!s->quiet)
			complain("%s: its header is lost: a history of 32 bits and 16 bits of instruction count are "
				 "assumed",
			    s->name);
		s->status = STATUS_NO;
	}
	s->changes = records_changes(records, &s->change_count);
	progress_begin(&progress, s->quiet ? NULL : s->name);
	const char *error = NULL;
	got = s->take_block != NULL ? take_blocks(s, records, &config, &progress, &error)
				    : take_each(s, records, &config, &progress, &error);
	progress_end(&progress);
	if (error != NULL) {
		complain("%s: %s", s->name, error);
		return STATUS_FAILED;
	}
	if (got < 0) {
		complain("%s: %s", s->name, records_strerror(got));
		return STATUS_FAILED;
	}
	const struct records_damage *damage = records_damage(records, &kept, &damages);
	s->damaged = damages > 0;
	if (s->head != NULL)
		records_describe(records, s->head);
	for (size_t i = 0; i < kept && i < 8 && !s->quiet; i++) {
		records_damage_describe(&damage[i], text, sizeof text);
		complain("%s: %s", s->name, text);
	}
	if (records_end(records) != NULL && !s->quiet)
		tell_ending(s->name, records_end(records)->ending);
	if ((damages > 0 || records_missing(records) > 0) && !s->partial)
		s->status = STATUS_NO;
	return s->status;
}

/* ---------------------------------------------------------------- the golden model */

struct run {
	struct stream *stream;
	const struct model *model;
	uint32_t ctrl;
	uint64_t number;
	bool sampled;
	uint64_t instructions, first_cycle, last_cycle; /* while tracing was on */
	const char *error;                              /* of the one who takes the records */
};

static void stream_on_retire(void *context, const struct model_out *out)
{
	struct run *run = context;
	uint32_t ctrl = model_trace(run->model)->ctrl;
	if ((ctrl & RV_CTRL_ENABLE_MASK) == 0)
		return;
	run->ctrl = ctrl; /* of the records that are still to come */
	if (run->instructions == 0)
		run->first_cycle = out->cycle;
	run->last_cycle = out->cycle;
	run->instructions += !out->trap;
}

static void stream_on_record(void *context, const struct record *record)
{
	struct run *run = context;
	const struct trace_config *unit = &model_trace(run->model)->config;
	const struct walk_config config = {
	    .hist = unit->hist, .ctrl = run->ctrl, .insn_bits = unit->with_insns ? unit->insn_bits : 0};
	run->sampled = run->sampled || (run->ctrl & RV_CTRL_SAMPLE_MASK) != 0;
	const struct record_place place = {
	    .number = run->number++, .time = model_cycles(run->model) - 1, .ctrl = run->ctrl};
	if (run->error == NULL)
		run->error = run->stream->take(run->stream->context, record, &place, &config, 0);
}

static bool stream_on_progress(void *context, uint64_t cycles, uint64_t instructions)
{
	(void)cycles;
	(void)instructions;
	return ((const struct run *)context)->error == NULL;
}

/* Settings: name=value,name=value. */
static int set_all(struct model *model, const char *text)
{
	char detail[1024], word[256];
	while (*text != '\0') {
		size_t length = strcspn(text, ",");
		snprintf(word, sizeof word, "%.*s", (int)length, text);
		if (*word != '\0' && model_set(model, word, detail, sizeof detail) != MODEL_OK) {
			complain("%s", detail);
			return STATUS_FAILED;
		}
		text += length + (text[length] == ',');
	}
	return STATUS_OK;
}

static void describe_stream_run(const struct stream *s, const struct run *run, const struct run_result *result)
{
	const struct trace_config *unit = &model_trace(run->model)->config;
	if (s->head == NULL)
		return;
	s->head->has_header = s->head->has_end = true;
	s->head->header = (struct profile_header){.source = PROFILE_MODEL,
	    .xlen = unit->xlen,
	    .hist = unit->hist,
	    .ctrl = run->ctrl,
	    .way = RUN_STREAM,
	    .period = 1};
	s->head->end = (struct profile_end){.cycles = run->last_cycle - run->first_cycle + (run->instructions > 0),
	    .instructions = run->instructions,
	    .run_cycles = result->cycles,
	    .run_instructions = result->instructions};
}

static int simulate_stream(struct stream *s, struct model *model, const char *settings)
{
	struct run run = {.stream = s, .model = model};
	struct run_result result;
	char detail[1024];
	/* a program without run configuration switches the unit on by itself, or not */
	if (model_set(model, "way=stream", detail, sizeof detail) != MODEL_OK && *settings != '\0') {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	if (set_all(model, settings) != STATUS_OK)
		return STATUS_FAILED;
	const struct run_hooks hooks = {
	    .context = &run, .record = stream_on_record, .retire = stream_on_retire, .progress = stream_on_progress};
	model_run(model, &hooks, 0, 0, &result);
	model_trace_finish(model, stream_on_record, &run);
	if (run.error != NULL) {
		complain("%s: %s", s->name, run.error);
		return STATUS_FAILED;
	}
	if (run.sampled) {
		complain("%s: the trace unit sampled, so the records are not the whole run; leave way=stream", s->name);
		return STATUS_FAILED;
	}
	s->ended = result.end == RUN_END_EXIT;
	describe_stream_run(s, &run, &result);
	if (result.end != RUN_END_EXIT || result.code != 0) {
		complain("%s: the run did not end well (%s, code %" PRIu32 "); what ran until then is shown", s->name,
		    result.end == RUN_END_EXIT ? "exit" : "stuck", result.code);
		s->status = STATUS_NO;
	}
	return s->status;
}

static int run_model(struct stream *s, const char *settings)
{
	struct model *model = NULL;
	struct model_config config;
	char detail[1024];
	int status = STATUS_FAILED;
	model_config_default(&config);
	if (model_open(&model, &config) != MODEL_OK)
		complain("%s: the model cannot be made", s->name);
	else if (model_load_elf(model, s->program, detail, sizeof detail) != MODEL_OK)
		complain("%s", detail);
	else {
		model_start(model);
		status = simulate_stream(s, model, settings);
	}
	model_close(model);
	return status;
}

/* ---------------------------------------------------------------- events of inserted code */

static const char *take_trace(struct stream *s, struct traced *traced, size_t size, struct progress *progress, int *got)
{
	const struct walk_config config = {.hist = TRACED_HIST, .insn_bits = INSN_BITS};
	struct record_place place = {0};
	struct record record;
	const char *error = NULL;
	uint64_t missing;
	while (error == NULL && (*got = traced_next(traced, &record, &missing)) == 1) {
		if (place.number % PROGRESS_EVERY == 0)
			progress_show(progress, traced_position(traced), size);
		error = s->take(s->context, &record, &place, &config, missing);
		place.number++;
	}
	return error;
}

static int read_trace(struct stream *s, const uint8_t *bytes, size_t size)
{
	struct traced *traced;
	struct traced_counts counts;
	struct progress progress;
	const char *error = NULL;
	int got = traced_open(&traced, s->image, bytes, size);
	if (got == TRACED_OK) {
		progress_begin(&progress, s->quiet ? NULL : s->name);
		error = take_trace(s, traced, size, &progress, &got);
		progress_end(&progress);
	}
	if (got < 0 && error == NULL)
		complain("%s: %s: %s", s->name, s->program, traced_strerror(got));
	else if (error != NULL)
		complain("%s: %s", s->name, error);
	if (got < 0 || error != NULL) {
		traced_close(traced);
		return STATUS_FAILED;
	}
	traced_counts(traced, &counts);
	traced_close(traced);
	s->ended = counts.ended;
	if (!s->quiet && counts.left > 0)
		complain("%s: %s functions of the program have no events: they are not in the sequence", s->name,
		    with_commas(counts.left));
	if (!s->quiet && counts.others > 0)
		complain("%s: %s events of other threads were left out: the sequence is that of the first one", s->name,
		    with_commas(counts.others));
	if (!s->quiet && counts.strange > 0)
		complain("%s: %s branches led to none of their two ways (an interrupt, another thread): the sequence "
			 "is cut there",
		    s->name, with_commas(counts.strange));
	if (!s->quiet && counts.unknown > 0)
		complain("%s: %s events are of objects that %s does not have: is it the twin of the program that ran?",
		    s->name, with_commas(counts.unknown), s->program);
	if (counts.missing > 0 || !counts.ended) {
		if (!s->quiet)
			complain("%s: %s of %s events are missing%s", s->name, with_commas(counts.missing),
			    with_commas(counts.events + counts.missing),
			    counts.ended ? ""
					 : ", and it is cut off: the program did not end, or its last bytes are lost");
		s->status = s->partial ? s->status : STATUS_NO;
	}
	return s->status;
}

/* ---------------------------------------------------------------- either */

static bool begins_as_records(const char *input)
{
	uint8_t start[8];
	FILE *file = fopen(input, "rb");
	size_t got = file == NULL ? 0 : fread(start, 1, sizeof start, file);
	if (file != NULL)
		fclose(file);
	return records_is(start, got);
}

bool is_trace(const char *input)
{
	size_t size;
	if (strcmp(input, "-") == 0 || begins_as_records(input)) /* records may be larger than the memory */
		return false;
	uint8_t *bytes = read_whole_file(input, UINT64_MAX, &size);
	const bool is = bytes != NULL && traced_is(bytes, size);
	free(bytes);
	return is;
}

bool is_stream(const char *input)
{
	if (strcmp(input, "run") == 0 || strncmp(input, "run:", 4) == 0)
		return true;
	return (strcmp(input, "-") != 0 && begins_as_records(input)) || is_trace(input);
}

int read_stream(struct stream *s)
{
	struct records *records;
	char detail[1024];
	s->status = STATUS_OK;
	if (strcmp(s->name, "run") == 0 || strncmp(s->name, "run:", 4) == 0)
		return run_model(s, s->name[3] == ':' ? s->name + 4 : "");
	if (is_trace(s->name)) {
		size_t size;
		uint8_t *bytes = read_whole_file(s->name, UINT64_MAX, &size);
		const int status = bytes == NULL ? STATUS_FAILED : read_trace(s, bytes, size);
		if (bytes == NULL)
			complain("%s: cannot be read", s->name);
		free(bytes);
		return status;
	}
	if (records_open(&records, s->name, detail, sizeof detail) != RECORDS_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	int status = read_records(s, records);
	s->ended = records_end(records) != NULL && records_end(records)->ending == RECORDS_END_EXIT;
	records_close(records);
	return status;
}
