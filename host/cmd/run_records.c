/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "common/run_config.h"
#include "host/profile/change.h"
#include "host/records/records.h"

#define KEPT_CYCLES (UINT64_C(1) << 24) /* a second or two, cycle by cycle */

struct run_records {
	const char *path;
	uint64_t block_time; /* cycle of the last look at the records that are not written yet */
	const struct model *model;
	struct records_writer *writer;
	struct output *output;
	int error;        /* enum records_error */
	uint64_t refused; /* records with a start that no file can hold */
	uint32_t ctrl;    /* when it last had ENABLE set: of the records that are still to come */
	bool traced, sampled;
	struct records_end end;
	uint8_t coded[FRAME_CODED_MAX]; /* what came since the last zero byte */
	size_t coded_size;              /* more than there is room for: no frame */
	struct record_change changes[RECORDS_CHANGES_MAX];
	size_t change_count;
};

/* At once: whatever ends this process, the blocks that are written can be read. */
static int emit_run_records(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size && fflush(context) == 0 ? 0 : 1;
}

/* A block is written when it is full, and no later than KEPT_CYCLES after the one before it. */
static void write_old(struct run_records *r, uint64_t now)
{
	if (now - r->block_time < KEPT_CYCLES)
		return;
	r->block_time = now;
	if (r->error == RECORDS_OK)
		r->error = records_writer_flush(r->writer);
}

struct run_records *run_records_open(
    const char *path, const struct image *image, const struct model *model, const struct run_records_about *about)
{
	const struct trace_config *config = &model_trace(model)->config;
	struct run_records *r = calloc(1, sizeof *r);
	struct records_header header = {.xlen = config->xlen,
	    .hist = config->hist,
	    .insn_bits = config->with_insns ? config->insn_bits : 0,
	    .cycle_bits = config->with_cycles ? config->cycle_bits : 0,
	    .repeat_bits = config->with_repeat ? config->repeat_bits : 0,
	    .source = about->fast ? RECORDS_FAST_MODEL : RECORDS_MODEL,
	    .carried = about->fast,
	    .multiplied = true};
	if (r == NULL) {
		complain("out of memory");
		return NULL;
	}
	records_identify_run(&header, image);
	snprintf(header.name, sizeof header.name, "%s", about->name);
	size_t at = 0;
	for (unsigned i = 0; i < about->setting_count && at < sizeof header.options; i++)
		at += (size_t)snprintf(
		    header.options + at, sizeof header.options - at, "%s%s", i > 0 ? " " : "", about->settings[i]);
	r->path = path;
	r->model = model;
	const char *program = image_path(image);
	r->output = begin_output(path, OUTPUT_REPLACE, &program, 1);
	if (r->output == NULL) {
		free(r);
		return NULL;
	}
	if (records_writer_open(&r->writer, &header, 0, emit_run_records, output_file(r->output)) != RECORDS_OK) {
		complain("out of memory");
		run_records_close(r);
		return NULL;
	}
	return r;
}

void run_records_merge(struct run_records *r)
{
	records_writer_merge(r->writer);
}

void run_records_retire(struct run_records *r, const struct model_out *out)
{
	uint32_t ctrl = model_trace(r->model)->ctrl;
	if ((ctrl & RV_CTRL_ENABLE_MASK) == 0)
		return;
	r->ctrl = ctrl;
	r->sampled |= (ctrl & RV_CTRL_SAMPLE_MASK) != 0;
	if (!r->traced)
		r->end.first_cycle = out->cycle;
	r->traced = true;
	r->end.last_cycle = out->cycle;
	r->end.traced_instructions += !out->trap;
}

bool run_wants_traces(const struct model *model)
{
	struct run_config config;
	return !model_run_config(model, &config) || config.way != RUN_OFF;
}

const char *run_records_none(const struct model *model, bool traced)
{
	struct run_config config;
	if (traced && model_trace(model)->depth > 0)
		return "the trace unit was on, but frozen: a trap was taken and no trap return followed (DEPTH is not "
		       "0)";
	if (traced)
		return "the trace unit was on, but no trace ended in the ranges and modes that CTRL selects";
	if (!model_run_config(model, &config))
		return "the program has no trace driver (no run configuration), and did not switch the trace unit on";
	if (config.way == RUN_OFF)
		return "way=off; --set way=stream traces everything";
	return "the program did not switch the trace unit on: its driver refused the configuration (it says so: \"runs "
	       "with "
	       "tracing off\"), or the program did not come that far";
}

void run_records_uart(struct run_records *r, uint8_t byte)
{
	uint8_t content[FRAME_CONTENT_MAX];
	if (byte != 0) {
		if (r->coded_size < sizeof r->coded)
			r->coded[r->coded_size++] = byte;
		else
			r->coded_size = sizeof r->coded + 1;
		return;
	}
	const int size =
	    r->coded_size > 0 && r->coded_size <= sizeof r->coded ? frame_decode(r->coded, r->coded_size, content) : -1;
	r->coded_size = 0;
	if (size > 0 && r->change_count < RECORDS_CHANGES_MAX &&
	    change_read(&r->changes[r->change_count], content, (size_t)size))
		r->change_count++;
}

void run_records_take(struct run_records *r, const struct record *record)
{
	const struct record_place place = {.time = model_cycles(r->model) - 1, .ctrl = r->ctrl};
	if (r->error != RECORDS_OK)
		return;
	write_old(r, place.time);
	int error = records_write(r->writer, record, &place);
	if (error != RECORDS_EVALUE)
		r->error = error;
	else { /* the program wrote such a pair itself */
		r->refused++;
		r->error = records_writer_skip(r->writer, 1);
	}
}

void run_records_ctrl(struct run_records *r, uint32_t ctrl)
{
	r->ctrl = ctrl;
	r->sampled |= (ctrl & RV_CTRL_SAMPLE_MASK) != 0;
}

void run_records_take_many(struct run_records *r, const struct fast_batch *batch)
{
	const struct record_place place = {.ctrl = batch->ctrl};
	if (batch->others)
		records_writer_forget(r->writer);
	write_old(r, batch->chain.begin);
	if (r->error == RECORDS_OK) /* refused: the program wrote such a pair itself */
		r->error = records_write_chain(r->writer, &batch->chain, &place, &r->refused);
}

void run_records_traced(struct run_records *r, const struct fast_traced *traced)
{
	r->traced = traced->any;
	r->end.first_cycle = traced->first_cycle;
	r->end.last_cycle = traced->last_cycle;
	r->end.traced_instructions = traced->instructions;
}

bool run_records_good(const struct run_records *r)
{
	return r->error == RECORDS_OK;
}

int run_records_finish(struct run_records *r, const struct run_result *result, unsigned ending)
{
	r->end.cycles = result->cycles;
	r->end.instructions = result->instructions;
	r->end.exit_code = result->code;
	r->end.ending = ending;
	records_writer_changes(r->writer, r->changes, r->change_count);
	if (r->error == RECORDS_OK)
		r->error = records_writer_finish(r->writer, &r->end);
	if (r->error != RECORDS_OK) {
		complain("%s: %s: %s", r->path, records_strerror(r->error), strerror(errno));
		return STATUS_FAILED;
	}
	bool none = records_written(r->writer) == 0;
	if (none)
		complain("%s: has no records: %s", r->path, run_records_none(r->model, r->traced));
	int status =
	    none && run_wants_traces(r->model) ? finish_empty(r->output, r->path) : finish_output(r->output, STATUS_OK);
	r->output = NULL;
	if (status != STATUS_OK)
		return status;
	if (r->sampled)
		complain(
		    "%s: the trace unit sampled, so most records are not there; use --set way=5 (stream)", r->path);
	if (r->refused > 0) {
		complain("%s: %s records have an odd start, which no program gives: they are left out", r->path,
		    with_commas(r->refused));
		return STATUS_NO;
	}
	return STATUS_OK;
}

void run_records_close(struct run_records *r)
{
	if (r == NULL)
		return;
	records_writer_close(r->writer);
	output_abandon(r->output);
	free(r);
}
