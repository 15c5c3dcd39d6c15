/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Where `rivulet paths` takes its records from. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "host/cmd/cmd.h"
#include "host/cmd/paths.h"
#include "host/cmd/progress.h"
#include "host/records/records.h"
#include "model/run.h"

#define HIST 32 /* where nobody says otherwise */
#define INSN_BITS 16

/* ---------------------------------------------------------------- record files */

#define PROGRESS_EVERY 65536 /* records */

static int read_records(struct source *s, const struct source_options *o, struct records *records)
{
	const struct records_header *header = records_header(records);
	struct walk_config config = {
	    .hist = header != NULL ? header->hist : HIST, .insn_bits = header != NULL ? header->insn_bits : INSN_BITS};
	struct record record;
	struct record_place place;
	char detail[512], text[256];
	uint64_t expected = 0, damages;
	struct records_extent extent;
	struct progress progress;
	size_t kept;
	int got;
	enum records_match match = records_match(header, o->image, detail, sizeof detail);
	if (match == RECORDS_OTHER) {
		complain("%s: is of another program than %s: %s%s", s->name, o->program, detail,
		    o->force ? "; used because of --force" : "; give the program that was recorded, or --force");
		if (!o->force)
			return STATUS_FAILED;
		s->status = STATUS_NO;
	}
	if (header == NULL) {
		complain("%s: its header is lost: a history of 32 bits and 16 bits of instruction count are assumed",
		    s->name);
		s->status = STATUS_NO;
	}
	records_extent(records, &extent);
	progress_begin(&progress, s->name);
	while ((got = records_next(records, &record, &place)) == 1) {
		if (place.number % PROGRESS_EVERY == 0)
			progress_show(&progress, records_position(records), extent.bytes);
		config.ctrl = place.ctrl;
		if (paths_feed_record(&s->feed, &record, &config, place.number - expected) != PATHS_OK) {
			complain("%s: out of memory", s->name);
			return STATUS_FAILED;
		}
		expected = place.number + 1;
	}
	progress_end(&progress);
	if (got < 0) {
		complain("%s: %s", s->name, records_strerror(got));
		return STATUS_FAILED;
	}
	const struct records_damage *damage = records_damage(records, &kept, &damages);
	for (size_t i = 0; i < kept && i < 8; i++) {
		records_damage_describe(&damage[i], text, sizeof text);
		complain("%s: %s", s->name, text);
	}
	if (damages > 0 || records_missing(records) > 0)
		s->status = STATUS_NO;
	return s->status;
}

/* ---------------------------------------------------------------- the golden model */

struct run {
	struct source *source;
	const struct model *model;
	uint32_t ctrl;
	bool sampled;
	int error;
};

static void on_retire(void *context, const struct model_out *out)
{
	struct run *run = context;
	uint32_t ctrl = model_trace(run->model)->ctrl;
	(void)out;
	if ((ctrl & RV_CTRL_ENABLE_MASK) != 0)
		run->ctrl = ctrl; /* of the records that are still to come */
}

static void on_record(void *context, const struct record *record)
{
	struct run *run = context;
	const struct trace_config *unit = &model_trace(run->model)->config;
	const struct walk_config config = {
	    .hist = unit->hist, .ctrl = run->ctrl, .insn_bits = unit->with_insns ? unit->insn_bits : 0};
	run->sampled = run->sampled || (run->ctrl & RV_CTRL_SAMPLE_MASK) != 0;
	if (run->error == PATHS_OK)
		run->error = paths_feed_record(&run->source->feed, record, &config, 0);
}

static bool on_progress(void *context, uint64_t cycles, uint64_t instructions)
{
	(void)cycles;
	(void)instructions;
	return ((const struct run *)context)->error == PATHS_OK;
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

static int simulate(struct source *s, struct model *model, const char *settings)
{
	struct run run = {.source = s, .model = model};
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
	    .context = &run, .record = on_record, .retire = on_retire, .progress = on_progress};
	model_run(model, &hooks, 0, 0, &result);
	if (run.error != PATHS_OK) {
		complain("%s: out of memory", s->name);
		return STATUS_FAILED;
	}
	if (run.sampled) {
		complain("%s: the trace unit sampled, so the records are not the whole run; leave way=stream", s->name);
		return STATUS_FAILED;
	}
	if (result.end != RUN_END_EXIT || result.code != 0) {
		complain("%s: the run did not end well (%s, code %" PRIu32 "); its paths are shown", s->name,
		    result.end == RUN_END_EXIT ? "exit" : "stuck", result.code);
		s->status = STATUS_NO;
	}
	return s->status;
}

static int run_model(struct source *s, const struct source_options *o, const char *settings)
{
	struct model *model = NULL;
	struct model_config config;
	char detail[1024];
	int status = STATUS_FAILED;
	model_config_default(&config);
	if (model_open(&model, &config) != MODEL_OK)
		complain("%s: the model cannot be made", s->name);
	else if (model_load_elf(model, o->program, detail, sizeof detail) != MODEL_OK)
		complain("%s", detail);
	else {
		model_start(model);
		status = simulate(s, model, settings);
	}
	model_close(model);
	return status;
}

/* ---------------------------------------------------------------- profiles */

static int read_profile(struct source *s, const struct source_options *o)
{
	struct loaded loaded;
	uint32_t build;
	int status = load_profile(&loaded, s->name);
	s->ordered = false;
	if (status != STATUS_FAILED && !loaded.profile.has_header) {
		complain("%s: has no header, so it is not known how the traces were formed", s->name);
		status = STATUS_FAILED;
	}
	if (status != STATUS_FAILED && image_build(o->image, &build, NULL, 0) == IMAGE_OK &&
	    build != loaded.profile.header.build) {
		complain("%s: is of build %08" PRIx32 ", but %s is build %08" PRIx32 "%s", s->name,
		    loaded.profile.header.build, o->program, build,
		    o->force ? ": used because of --force"
			     : ": give the program that ran, or --force to use it nevertheless");
		status = o->force ? STATUS_NO : STATUS_FAILED;
	}
	if (status != STATUS_FAILED) {
		s->period = (double)loaded.profile.header.period;
		if (paths_feed_profile(&s->feed, &loaded.profile) != PATHS_OK) {
			complain("%s: out of memory", s->name);
			status = STATUS_FAILED;
		}
	}
	free_profile(&loaded);
	return status;
}

static int open_any(struct source *s, const char *text, const struct source_options *o)
{
	uint8_t start[8];
	char detail[1024];
	if (strcmp(text, "run") == 0 || strncmp(text, "run:", 4) == 0)
		return run_model(s, o, text[3] == ':' ? text + 4 : "");
	FILE *file = strcmp(text, "-") == 0 ? NULL : fopen(text, "rb");
	size_t got = file == NULL ? 0 : fread(start, 1, sizeof start, file);
	if (file != NULL)
		fclose(file);
	if (!records_is(start, got))
		return read_profile(s, o);
	struct records *records;
	if (records_open(&records, text, detail, sizeof detail) != RECORDS_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	int status = read_records(s, o, records);
	records_close(records);
	return status;
}

int source_open(struct source *s, const char *text, const struct source_options *o)
{
	*s = (struct source){.name = text, .cfg = o->cfg, .ordered = true, .period = 1, .status = STATUS_OK};
	if (paths_open(&s->paths, o->cfg, o->limit) != PATHS_OK) {
		complain("%s: out of memory for its paths", o->program);
		return STATUS_FAILED;
	}
	paths_feed_open(&s->feed, s->paths, o->image);
	int status = open_any(s, text, o);
	if (status == STATUS_FAILED)
		return status;
	if (s->feed.failed > 0) {
		complain("%s: %s of %s traces do not fit the program (the first at 0x%08" PRIx64 ": %s)", text,
		    with_commas(s->feed.failed), with_commas(s->feed.traces), s->feed.at,
		    walk_strerror(s->feed.walk_error));
		status = STATUS_NO;
	}
	if (paths_finish(s->paths) != PATHS_OK || paths_list(s->paths, &s->entries, &s->count) != PATHS_OK ||
	    survey_make(&s->survey, s->paths, s->entries, s->count) != PATHS_OK) {
		complain("%s: out of memory for its paths", text);
		return STATUS_FAILED;
	}
	s->status = status;
	return status;
}

void source_close(struct source *s)
{
	survey_free(&s->survey);
	free(s->entries);
	paths_feed_close(&s->feed);
	paths_close(s->paths);
	*s = (struct source){0};
}
