/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Programs on the golden model of the core, whose retire port feeds an N-Trace encoder, RTL and model: the same bytes,
 * and the decoder of host/ntrace gives the instructions and traps that retired. --help says how.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/ntrace/decoder.h"
#include "model/model.h"
#include "tb/ntrace/lockstep.h"

#define EVENT_BITS 2 /* below an address: what happened there */
#define MACHINE 3    /* mode */

struct ntrace_program {
	const char *path, *out; /* the executable; where the bytes are written, or NULL */
	bool btm;
	unsigned sync_mode, sync_max; /* trTeInstSyncMode, trTeInstSyncMax */
};

struct program_run {
	struct ntrace_pair *pair;
	const struct ntrace_program *program;
	struct program_list { /* grows */
		void *items;
		size_t count, room;
	} bytes, steps; /* uint8_t; uint64_t: pc << EVENT_BITS | enum standard_event */
	uint64_t retired, losses;
	size_t at;            /* the step that the decoder comes to */
	uint64_t different;   /* steps that the decoder has otherwise */
	bool failed, trapped; /* RTL and model differ, or no memory; the instruction before trapped */
	uint64_t expect;      /* where the program goes on */
	uint64_t time;        /* the last that a message told */
};

static void append(struct program_run *run, struct program_list *list, const void *item, size_t size)
{
	if (list->count == list->room) {
		list->room = list->room == 0 ? 1u << 16 : 2 * list->room;
		void *more = realloc(list->items, list->room * size);
		if (more == NULL) {
			run->failed = true;
			return;
		}
		list->items = more;
	}
	memcpy((uint8_t *)list->items + list->count++ * size, item, size);
}

static void append_step(struct program_run *run, enum standard_event event, uint64_t pc)
{
	const uint64_t step = pc << EVENT_BITS | event;
	append(run, &run->steps, &step, sizeof step);
}

/* One cycle of both encoders. */
static uint32_t step_encoders(struct program_run *run, const struct trace_retire *retire, struct ntrace_bus bus)
{
	const struct ntrace_in in = {.retire = *retire, .bus = bus, .byte_ready = true, .mem_ready = true};
	struct ntrace_out out = {0};
	if (!run->failed && !ntrace_pair_cycle(run->pair, &in, &out))
		run->failed = true;
	if (out.byte_valid)
		append(run, &run->bytes, &out.byte, 1);
	run->losses += run->pair->model->did.drop;
	return out.rdata;
}

static void write_register(struct program_run *run, unsigned address, uint32_t value)
{
	step_encoders(run, &(struct trace_retire){0},
	    (struct ntrace_bus){.write = true, .index = (uint16_t)(address / 4), .wdata = value});
}

static uint32_t read_register(struct program_run *run, unsigned address)
{
	const struct trace_retire none = {0};
	step_encoders(run, &none, (struct ntrace_bus){.read = true, .index = (uint16_t)(address / 4)});
	return step_encoders(run, &none, (struct ntrace_bus){0});
}

static void start_encoders(struct program_run *run)
{
	const struct ntrace_program *p = run->program;
	const uint32_t control = 1 | (p->btm ? 3u : 6u) << 4 | 1u << 9 | p->sync_mode << 16 | p->sync_max << 20;
	write_register(run, NTRACE_RAM_CONTROL, 1);
	write_register(run, NTRACE_RAM_CONTROL, 3);
	write_register(run, NTRACE_TE_CONTROL, 1);
	write_register(run, NTRACE_TE_FEATURES, 1u << 3 | 3u << 6 | 1u << 8 | 1u << 10 | 1u << 16);
	write_register(run, NTRACE_TS_CONTROL, 1u << 15 | 3);
	write_register(run, NTRACE_TE_CONTROL, control);
	write_register(run, NTRACE_TE_CONTROL, control | 2);
	write_register(run, NTRACE_TE_CONTROL, control | 6);
}

/* Encoder first, then the sink, each until it is empty. */
static void stop_encoders(struct program_run *run)
{
	write_register(run, NTRACE_TE_CONTROL, read_register(run, NTRACE_TE_CONTROL) & ~4u);
	write_register(run, NTRACE_TE_CONTROL, read_register(run, NTRACE_TE_CONTROL) & ~2u);
	while (!run->failed && (read_register(run, NTRACE_TE_CONTROL) & 0xA) != 8)
		;
	if (run->pair->model->config.sink_words == 0)
		return;
	write_register(run, NTRACE_RAM_CONTROL, 1);
	while (!run->failed && (read_register(run, NTRACE_RAM_CONTROL) & 0xA) != 8)
		;
}

static void expect_retired(struct program_run *run, const struct model_out *out)
{
	if (out->intr && !run->trapped)
		append_step(run, STANDARD_INTERRUPT, run->expect);
	append_step(run, out->trap ? STANDARD_EXCEPTION : STANDARD_RETIRED, out->pc);
	run->trapped = out->trap;
	run->expect = out->next_pc;
	run->retired += !out->trap;
}

static bool run_core(struct program_run *run)
{
	struct model_config config;
	struct model *core;
	char detail[256] = "";
	bool ends = false;
	model_config_default(&config);
	config.ram_size = 4u << 20;
	if (model_open(&core, &config) != 0 || model_load_elf(core, run->program->path, detail, sizeof detail) != 0) {
		fprintf(stderr, "on_program: %s: %s\n", run->program->path, detail);
		return false;
	}
	model_start(core);
	start_encoders(run);
	while (!ends && !run->failed) {
		struct model_out out;
		model_cycle(core, &(struct model_in){.uart_rx = true}, &out);
		const struct trace_retire retire = {.valid = out.valid,
		    .trap = out.trap,
		    .intr = out.intr,
		    .mode = out.mode,
		    .insn = out.insn,
		    .pc = out.pc,
		    .next_pc = out.next_pc};
		step_encoders(run, &retire, (struct ntrace_bus){0});
		if (out.valid)
			expect_retired(run, &out);
		ends = out.exit_valid;
	}
	stop_encoders(run);
	model_close(core);
	return !run->failed;
}

/* The sink has the last bytes, and idle ones behind them up to a whole word. */
static uint64_t compare_sink(struct program_run *run)
{
	const uint32_t wp = read_register(run, NTRACE_RAM_WP), size = 4 * run->pair->model->config.sink_words;
	const bool wrapped = (wp & 1) != 0;
	const size_t has = wrapped ? size : wp & ~1u, padded = (run->bytes.count + 3) / 4 * 4;
	uint64_t different = has != (wrapped ? size : padded);
	write_register(run, NTRACE_RAM_RP, wrapped ? wp & ~1u : 0);
	for (size_t i = 0; i < has; i += 4) {
		const uint32_t word = read_register(run, NTRACE_RAM_DATA);
		for (size_t k = 0; k < 4; k++) {
			const size_t at = padded - has + i + k;
			const uint8_t byte = at < run->bytes.count ? ((uint8_t *)run->bytes.items)[at] : 0xFF;
			different += (uint8_t)(word >> (8 * k)) != byte;
		}
	}
	return different;
}

static int compare_step(void *context, enum standard_event event, uint64_t pc)
{
	struct program_run *run = context;
	if (event == STANDARD_MODE)
		run->different += pc != MACHINE; /* our programs have no other */
	if (event == STANDARD_TIME) {
		run->different += pc < run->time;
		run->time = pc;
	}
	if (event >= STANDARD_BROKEN)
		return 0;
	run->different +=
	    run->at >= run->steps.count || ((uint64_t *)run->steps.items)[run->at] != (pc << EVENT_BITS | event);
	run->at++;
	return 0;
}

static void print_damage(void *context, uint64_t offset, const char *text)
{
	(void)context;
	printf("byte %" PRIu64 ": %s\n", offset, text);
}

static bool decode_bytes(struct program_run *run, struct standard_counts *counts)
{
	const struct ntrace_config *c = &run->pair->model->config;
	const struct ntrace_options options = {.layout = {.source_bits = c->src_bits,
						   .xlen = c->xlen,
						   .extend = c->with_extend,
						   .time_bits = c->time_bits},
	    .source = c->src_bits > 0,
	    .history = !run->program->btm,
	    .implicit_return = c->returns};
	struct image *image;
	char detail[256];
	if (image_open(&image, run->program->path, detail, sizeof detail) != IMAGE_OK) {
		fprintf(stderr, "on_program: %s\n", detail);
		return false;
	}
	struct standard_decoder *d = ntrace_open(image, &options, compare_step, print_damage, run);
	if (d == NULL) {
		image_close(image);
		return false;
	}
	standard_feed(d, run->bytes.items, run->bytes.count);
	standard_finish(d);
	*counts = standard_decoder_counts(d);
	standard_close(d);
	image_close(image);
	return true;
}

static bool write_out(const struct program_run *run)
{
	const char *path = run->program->out;
	FILE *file = path == NULL ? NULL : fopen(path, "wb");
	if (path == NULL)
		return true;
	if (file != NULL && fwrite(run->bytes.items, 1, run->bytes.count, file) == run->bytes.count &&
	    fclose(file) == 0)
		return true;
	fprintf(stderr, "on_program: %s cannot be written\n", path);
	return false;
}

static enum ntrace_status judge(struct program_run *run)
{
	struct standard_counts counts;
	uint64_t sink = 0;
	const char *slash = strrchr(run->program->path, '/');
	if (run->pair->model->config.sink_words > 0)
		sink = compare_sink(run);
	if (run->failed)
		return NTRACE_DIFFERENT;
	if (!decode_bytes(run, &counts) || !write_out(run))
		return NTRACE_TROUBLE;
	run->different += run->at < run->steps.count ? run->steps.count - run->at : 0;
	printf("%-14s %-14s %9" PRIu64 " instructions %9zu bytes %6.3f bits an instruction, %" PRIu64
	       " differences, %" PRIu64 " damaged, %" PRIu64 " lost, sink %" PRIu64 " differences\n",
	    slash == NULL ? run->program->path : slash + 1, run->pair->unit->name, run->retired, run->bytes.count,
	    8.0 * (double)run->bytes.count / (double)(run->retired == 0 ? 1 : run->retired), run->different,
	    counts.damaged, run->losses, sink);
	const bool right = run->different == 0 && counts.damaged == 0 && run->losses == 0 && sink == 0;
	return right ? NTRACE_PASSED : NTRACE_DIFFERENT;
}

static enum ntrace_status run_program(struct ntrace_pair *pair, const struct ntrace_program *program)
{
	struct program_run run = {.pair = pair, .program = program};
	const bool ran = run_core(&run);
	enum ntrace_status status = run.failed ? NTRACE_DIFFERENT : NTRACE_TROUBLE;
	if (ran)
		status = judge(&run);
	free(run.bytes.items);
	free(run.steps.items);
	return status;
}

static const char help[] =
    "usage: on_program [--btm] [--sync-mode N] [--sync-max N] [--out FILE] CONFIGURATION ELF...\n"
    "Runs programs with an N-Trace encoder of tb/ntrace/configs.def on the core's retire port, RTL and model. Every "
    "option\n"
    "that the configuration has is on. The bytes must be the same, decode to what retired, and stand in the sink.\n"
    "\n"
    "  --btm            trTeInstMode 3 instead of 6\n"
    "  --sync-mode N    trTeInstSyncMode (default 3), --sync-max N trTeInstSyncMax (default 10)\n"
    "  --out FILE       write the bytes of the last program\n"
    "\n"
    "Exit status: 0 all the same, 1 a difference, 4 it could not be run.\n";

/* The options; returns how many arguments they are, or a negative number. */
static int take_options(int argc, char **argv, struct ntrace_program *program)
{
	int at = 1;
	for (; at < argc && argv[at][0] == '-'; at++) {
		const bool valued = strcmp(argv[at], "--btm") != 0;
		if (valued && at + 1 == argc)
			return -1;
		if (!valued)
			program->btm = true;
		else if (strcmp(argv[at], "--out") == 0)
			program->out = argv[++at];
		else if (strcmp(argv[at], "--sync-mode") == 0)
			program->sync_mode = (unsigned)strtoul(argv[++at], NULL, 0) & 3;
		else if (strcmp(argv[at], "--sync-max") == 0)
			program->sync_max = (unsigned)strtoul(argv[++at], NULL, 0) & 15;
		else
			return -1;
	}
	return at + 2 <= argc ? at : -1;
}

int main(int argc, char **argv)
{
	struct ntrace_program program = {.sync_mode = 3, .sync_max = 10};
	const int at = take_options(argc, argv, &program);
	const struct ntrace_unit *unit = at < 0 ? NULL : ntrace_unit_named(argv[at]);
	int status = NTRACE_PASSED;
	if (unit == NULL) {
		fputs(help, argc == 2 && strcmp(argv[1], "--help") == 0 ? stdout : stderr);
		return argc == 2 && strcmp(argv[1], "--help") == 0 ? 0 : NTRACE_TROUBLE;
	}
	for (int i = at + 1; i < argc && status == NTRACE_PASSED; i++) {
		struct ntrace_pair pair;
		if (!ntrace_pair_open(&pair, unit, 1))
			return NTRACE_TROUBLE;
		program.path = argv[i];
		status = (int)run_program(&pair, &program);
		ntrace_pair_close(&pair);
		fflush(stdout);
	}
	return status;
}
