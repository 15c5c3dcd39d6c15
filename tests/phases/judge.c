/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The phases file of a program on the golden model, while it runs, held against the instructions that it retired: every
 * instruction that was traced, in order, none more; every key at random places; the tables' sums.
 * Usage: judge PROGRAM.elf [NAME=VALUE...]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/rivulet_regs.h"
#include "host/phases/feed.h"
#include "host/walk/follow.h"
#include "isa/isa.h"
#include "model/run.h"

struct run {
	const struct model *model;
	struct phases_writer *writer;
	struct phases_feed feed;
	uint32_t ctrl;
	uint32_t *pcs;
	size_t count, room;
	uint8_t *bytes;
	size_t used, bytes_room;
	int error;
};

static int emit(void *context, const void *bytes, size_t size)
{
	struct run *run = context;
	if (run->used + size > run->bytes_room) {
		run->bytes_room = 2 * run->bytes_room + size;
		run->bytes = realloc(run->bytes, run->bytes_room);
	}
	memcpy(run->bytes + run->used, bytes, size);
	run->used += size;
	return 0;
}

static void on_retire(void *context, const struct model_out *out)
{
	struct run *run = context;
	const struct trace *unit = model_trace(run->model);
	(void)out;
	if ((unit->ctrl & RV_CTRL_ENABLE_MASK) != 0)
		run->ctrl = unit->ctrl;
	if (!follow_taken(unit)) /* stage S holds what has just retired */
		return;
	if (run->count == run->room) {
		run->room = 2 * run->room + 4096;
		run->pcs = realloc(run->pcs, run->room * sizeof *run->pcs);
	}
	run->pcs[run->count++] = (uint32_t)unit->s.pc;
}

static void on_record(void *context, const struct record *record)
{
	struct run *run = context;
	const struct trace_config *unit = &model_trace(run->model)->config;
	const struct walk_config config = {.hist = unit->hist, .ctrl = run->ctrl, .insn_bits = unit->insn_bits};
	const struct record_place place = {.time = model_cycles(run->model) - 1, .ctrl = run->ctrl};
	if (run->error == PHASES_OK)
		run->error = phases_feed_record(&run->feed, record, &place, &config, 0);
}

static int say(const char *name, const char *what, uint64_t at)
{
	printf("%s: %s at %" PRIu64 "\n", name, what, at);
	return 1;
}

/* All instructions of the file, in order. */
static int compare(const char *name, const struct run *run, struct phases_file *file, const struct image *image)
{
	struct phases_step step;
	uint64_t at = 0;
	int more;
	while ((more = phases_next(file, &step)) == 1) {
		if (step.lost || step.place.at[PHASES_INSTRUCTION] != at)
			return say(name, step.lost ? "lost" : "another place", at);
		for (uint64_t t = 0; t < step.trips; t++)
			for (uint32_t b = 0; b < step.what.count; b++) {
				const struct phases_block *block = phases_block(file, step.what.blocks[b]);
				uint32_t pc = (uint32_t)block->address;
				struct isa_insn insn;
				for (uint32_t i = 0; i < block->instructions; i++) {
					if (at >= run->count || run->pcs[at] != pc || !image_insn(image, pc, 0, &insn))
						return say(name, "another instruction", at);
					at++;
					pc += insn.length;
				}
				if (pc != block->address + block->bytes)
					return say(name, "another length of a block", at);
			}
	}
	if (more != 0)
		return say(name, phases_strerror(more), at);
	return at != run->count ? say(name, "too few instructions", at) : 0;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int seek(const char *name, const struct run *run, struct phases_file *file, double *worst)
{
	struct phases_place total;
	struct phases_step step;
	phases_total(file, &total);
	*worst = 0;
	srand(1);
	for (unsigned i = 0; i < 1200; i++) {
		const unsigned key = i % PHASES_KEYS;
		const uint64_t number = (uint64_t)((double)rand() / ((double)RAND_MAX + 1) * (double)total.at[key]);
		const double start = now();
		if (phases_seek(file, key, number) != PHASES_OK || phases_next(file, &step) != 1 || step.lost)
			return say(name, "a key that is not found", number);
		const double took = now() - start;
		*worst = took > *worst ? took : *worst;
		if (key < PHASES_STRATUM && step.place.at[key] > number)
			return say(name, "a key that is found too late", number);
		const uint64_t at = step.place.at[PHASES_INSTRUCTION];
		const struct phases_block *block = phases_block(file, step.what.blocks[0]);
		if (at >= run->count || run->pcs[at] != block->address)
			return say(name, "another instruction behind a key", number);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct run run = {0};
	struct model *model = NULL;
	struct model_config config;
	struct image *image;
	struct phases_file *file;
	struct run_result result;
	struct phases_header header = {.cycles = true};
	char detail[1024];
	const char *slash = argc < 2 ? NULL : strrchr(argv[1], '/');
	const char *name = slash != NULL ? slash + 1 : argc < 2 ? "" : argv[1];
	model_config_default(&config);
	if (argc < 2 || image_open(&image, argv[1], detail, sizeof detail) != IMAGE_OK ||
	    model_open(&model, &config) != MODEL_OK ||
	    model_load_elf(model, argv[1], detail, sizeof detail) != MODEL_OK)
		return say(name, "cannot be loaded", 0);
	for (int i = 2; i < argc; i++)
		if (model_set(model, argv[i], detail, sizeof detail) != MODEL_OK)
			return say(name, detail, 0);
	model_start(model);
	run.model = model;
	if (phases_writer_open(&run.writer, &header, NULL, 0, emit, &run) != PHASES_OK)
		return say(name, "no writer", 0);
	phases_feed_open(&run.feed, run.writer, image);
	const struct run_hooks hooks = {.context = &run, .record = on_record, .retire = on_retire};
	model_run(model, &hooks, 0, 0, &result);
	if (run.error != PHASES_OK || phases_writer_finish(run.writer, PHASES_END_EXIT) != PHASES_OK ||
	    run.feed.failed > 0)
		return say(name, "the run cannot be written", 0);
	if (result.end != RUN_END_EXIT || result.code != 0)
		return say(name, "the program failed", result.cycles);
	if (phases_open_memory(&file, run.bytes, run.used, detail, sizeof detail) != PHASES_OK)
		return say(name, detail, 0);
	double worst;
	if (compare(name, &run, file, image) != 0 || seek(name, &run, file, &worst) != 0)
		return 1;
	struct phases_place total;
	phases_total(file, &total);
	printf("%-14s %9" PRIu64
	       " instructions, 0 differences; %6zu bytes, %.3f bits an instruction; 1,200 keys, slowest %.2f ms\n",
	    name, total.at[PHASES_INSTRUCTION], run.used, 8.0 * (double)run.used / (double)total.at[PHASES_INSTRUCTION],
	    1e3 * worst);
	phases_close(file);
	phases_feed_close(&run.feed);
	phases_writer_close(run.writer);
	model_close(model);
	image_close(image);
	free(run.pcs);
	free(run.bytes);
	return total.at[PHASES_INSTRUCTION] > 1000 ? 0 : say(name, "next to nothing was traced", 0);
}
