/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_interrupts.h"

#include <inttypes.h>
#include <stdlib.h>
#include "host/base/json.h"
#include "host/cmd/cmd.h"
#include "host/export/timing.h"

#define CAUSES 32u
#define NOT_WAITING UINT64_MAX

struct waiting {
	struct timing_row row; /* entry: of the handler of the longest */
	uint64_t since;        /* cycle; NOT_WAITING: none */
	uint64_t again;        /* taken once more for the same cause */
	bool taken;            /* since the line went up */
};

struct run_interrupts {
	struct output *output;
	const struct model *model;
	struct waiting causes[CAUSES];
	bool full; /* out of memory */
};

struct run_interrupts *run_interrupts_open(struct output *output, const struct model *model)
{
	struct run_interrupts *r = output == NULL ? NULL : calloc(1, sizeof *r);
	if (r == NULL) {
		output_abandon(output);
		return NULL;
	}
	r->output = output;
	r->model = model;
	for (unsigned i = 0; i < CAUSES; i++)
		r->causes[i].since = NOT_WAITING;
	return r;
}

void run_interrupts_close(struct run_interrupts *r)
{
	if (r == NULL)
		return;
	for (unsigned i = 0; i < CAUSES; i++)
		free(r->causes[i].row.histogram);
	output_abandon(r->output);
	free(r);
}

static void take_latency(struct run_interrupts *r, struct waiting *w, const struct model_out *out)
{
	const struct timing_time time = {.took = out->cycle - w->since, .from = w->since, .time = out->cycle};
	bool longest = false;
	if (w->since == NOT_WAITING) {
		w->again++;
		return;
	}
	r->full = r->full || timing_add(&w->row, &time, &longest) != GATHER_OK;
	if (longest)
		w->row.entry = out->pc;
	w->since = NOT_WAITING;
	w->taken = true;
}

void run_interrupts_cycle(struct run_interrupts *r, const struct model_out *out)
{
	static const unsigned numbers[] = {3, 7, 11, 16};
	const bool lines[] = {out->irq_soft, out->irq_timer, out->irq_ext, out->irq_trace};
	uint32_t csrs[MODEL_CSR_COUNT];
	model_csrs(r->model, csrs);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct waiting *w = &r->causes[numbers[i]];
		const bool up = lines[i] && (csrs[MODEL_MIE] >> numbers[i] & 1) != 0;
		if (!up) {
			w->since = NOT_WAITING;
			w->taken = false;
		} else if (w->since == NOT_WAITING && !w->taken)
			w->since = out->cycle;
	}
	if (out->valid && out->intr && (csrs[MODEL_MCAUSE] >> 31) != 0)
		take_latency(r, &r->causes[csrs[MODEL_MCAUSE] % CAUSES], out);
}

static const char *cause_name(unsigned cause)
{
	switch (cause) {
	case 3:
		return "software";
	case 7:
		return "timer";
	case 11:
		return "external";
	default:
		return "trace";
	}
}

static void write_cause(struct json *j, unsigned cause, const struct waiting *w)
{
	const struct timing_row *row = &w->row;
	json_object(j, NULL);
	json_text(j, "cause", cause_name(cause));
	json_number(j, "number", cause);
	json_number(j, "times", row->calls);
	json_number(j, "again", w->again);
	if (row->calls > 0) {
		json_number(j, "least", row->least);
		json_number(j, "mean", row->sum / row->calls);
		json_number(j, "median_at_most", timing_permille(row, 500));
		json_number(j, "percent_99_at_most", timing_permille(row, 990));
		json_number(j, "most", row->most);
		json_number(j, "sum", row->sum);
		json_number(j, "jitter", row->most - row->least);
		json_number(j, "longest_at", row->worst_time);
		json_hex(j, "handler", row->entry, 8);
	}
	json_array(j, "distribution");
	for (unsigned i = 0; row->histogram != NULL && i < TIMING_BUCKETS; i++) {
		if (row->histogram[i] == 0)
			continue;
		json_line(j, NULL);
		json_number(j, "at_most", timing_limit(i) < row->most ? timing_limit(i) : row->most);
		json_number(j, "times", row->histogram[i]);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

int run_interrupts_finish(struct run_interrupts *r)
{
	struct json j;
	json_open(&j, output_file(r->output));
	json_text(&j, "unit", "cycles");
	json_array(&j, "interrupts");
	for (unsigned i = 0; i < CAUSES; i++) {
		if (r->causes[i].row.calls + r->causes[i].again > 0)
			write_cause(&j, i, &r->causes[i]);
	}
	json_array_end(&j);
	int status = json_close(&j) && !r->full ? STATUS_OK : STATUS_FAILED;
	status = finish_output(r->output, status);
	r->output = NULL;
	return status;
}
