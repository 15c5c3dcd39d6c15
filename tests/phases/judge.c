/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The phases file of a program on the golden model, while it runs, held against the instructions that it retired: every
 * instruction that was traced, in order, none more; every key at random places; the tables' sums.
 * --trace: a phases file that was made of the events of inserted code, held against it, block by block: the program is
 * the twin, and blocks of functions without events are left out.
 * --trace and --log: the same for a program of Linux: its instructions against those that qemu logged of the twin
 * (-singlestep -d exec,nochain), from main() to exit(): the edited program has more constructors.
 * Usage: judge [--trace FILE [--log LOG MAIN EXIT]] PROGRAM.elf [NAME=VALUE...]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/rivulet_regs.h"
#include "host/insert/map.h"
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

/* ---------------------------------------------------------------- block by block */
struct sequence {
	struct phases_file *file;
	struct phases_step step;
	uint64_t trip;
	uint32_t block;
};

/* 1, 0: the end; -1: something is lost. */
static int next_block(struct sequence *s, struct phases_block *block)
{
	while (s->trip == s->step.trips) {
		const int more = phases_next(s->file, &s->step);
		if (more != 1 || s->step.lost)
			return more == 1 ? -1 : more;
		s->trip = 0;
		s->block = 0;
	}
	*block = *phases_block(s->file, s->step.what.blocks[s->block++]);
	if (s->block == s->step.what.count) {
		s->block = 0;
		s->trip++;
	}
	return 1;
}

/* Marks the halfwords of code that has events. */
static uint8_t *covered(const struct image *image, uint64_t *base, uint64_t *count)
{
	struct map *map;
	size_t size;
	const void *bytes = image_section(image, ".debug_rivulet", &size);
	uint64_t low = UINT64_MAX, high = 0;
	uint8_t *marks = NULL;
	if (bytes == NULL || map_open(&map, bytes, size) != MAP_OK)
		return NULL;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t f = 0; f < map->function_count; f++) {
			const struct map_function *function = &map->functions[f];
			if ((function->flags & MAP_COUNTED) == 0 || function->address == 0)
				continue;
			for (uint32_t b = function->blocks; b < function->blocks + function->block_count; b++)
				for (uint32_t r = 0; r < map->blocks[b].run_count; r++) {
					const struct map_run *run = &map->runs[map->blocks[b].runs + r];
					low = run->start < low ? run->start : low;
					high = run->end > high ? run->end : high;
					for (uint64_t a = run->start; pass == 1 && a < run->end; a += 2)
						marks[(a - low) / 2] = 1;
				}
		}
		if (pass == 0)
			marks = calloc((high - low) / 2 + 1, 1);
	}
	*base = low;
	*count = (high - low) / 2;
	map_close(map);
	return marks;
}

static int hold_trace(const char *name, const char *trace, struct phases_file *file, const struct image *image)
{
	struct sequence model = {.file = file}, events = {0};
	struct phases_block a = {0}, c = {0};
	uint64_t base, count, at = 0, left = 0, instructions = 0;
	char detail[512];
	uint8_t *marks = covered(image, &base, &count);
	if (marks == NULL || phases_open(&events.file, trace, detail, sizeof detail) != PHASES_OK)
		return say(name, marks == NULL ? "no map" : detail, 0);
	if (phases_seek(file, PHASES_BLOCK, 0) != PHASES_OK)
		return say(name, "no beginning", 0);
	for (;; at++) {
		int one;
		while ((one = next_block(&model, &a)) == 1 &&
		       (a.address < base || (a.address - base) / 2 >= count || marks[(a.address - base) / 2] == 0))
			left++;
		const int two = next_block(&events, &c);
		if (one == 0 && two == 0)
			break;
		if (one != 1 || two != 1 || a.address != c.address || a.instructions != c.instructions) {
			printf("%s: the model has 0x%" PRIx64 " %" PRIu32 " (%d), the events 0x%" PRIx64 " %" PRIu32
			       " (%d)\n",
			    name, a.address, a.instructions, one, c.address, c.instructions, two);
			return say(name, "another block", at);
		}
		instructions += c.instructions;
	}
	printf("%-14s %9" PRIu64 " blocks, %9" PRIu64 " instructions from events: 0 differences; %" PRIu64
	       " blocks have none",
	    name, at, instructions, left);
	phases_close(events.file);
	free(marks);
	return at < 100;
}

/* ---------------------------------------------------------------- against qemu's log */
struct pcs {
	uint64_t *pcs;
	size_t count, room;
};

static void add_pc(struct pcs *list, uint64_t pc)
{
	if (list->count == list->room) {
		list->room = 2 * list->room + 65536;
		list->pcs = realloc(list->pcs, list->room * sizeof *list->pcs);
	}
	list->pcs[list->count++] = pc;
}

/* Those of code with events that complete: no ECALL. */
static void read_log(FILE *log, const struct image *image, struct pcs *list)
{
	uint64_t base, count;
	uint8_t *marks = covered(image, &base, &count);
	char line[512];
	while (marks != NULL && fgets(line, sizeof line, log) != NULL) {
		struct isa_insn insn;
		const char *slash = strncmp(line, "Trace", 5) == 0 ? strchr(line, '/') : NULL;
		const uint64_t pc = slash == NULL ? 0 : strtoull(slash + 1, NULL, 16);
		if (pc >= base && (pc - base) / 2 < count && marks[(pc - base) / 2] != 0 &&
		    image_insn(image, pc, 0, &insn) && (insn.class_bits & ISA_TRAPS) == 0)
			add_pc(list, pc);
	}
	free(marks);
}

/* From the first instruction at `from` to the last before the next one at `to`. */
static void window(struct pcs *list, uint64_t from, uint64_t to)
{
	size_t begin = 0;
	while (begin < list->count && list->pcs[begin] != from)
		begin++;
	size_t end = begin;
	while (end < list->count && list->pcs[end] != to)
		end++;
	list->pcs += begin;
	list->count = end - begin;
}

static int hold_log(const char *name, const char *trace, char *const *words, const struct image *image)
{
	struct sequence events = {0};
	struct pcs c = {0}, t = {0};
	struct phases_block block;
	char detail[512];
	FILE *log = fopen(words[0], "r");
	if (log == NULL || phases_open(&events.file, trace, detail, sizeof detail) != PHASES_OK)
		return say(name, log == NULL ? "no log" : detail, 0);
	read_log(log, image, &t);
	fclose(log);
	while (next_block(&events, &block) == 1) {
		struct isa_insn insn;
		uint64_t pc = block.address;
		for (uint32_t i = 0; i < block.instructions && image_insn(image, pc, 0, &insn); i++, pc += insn.length)
			add_pc(&c, pc);
	}
	const uint64_t from = strtoull(words[1], NULL, 16), to = strtoull(words[2], NULL, 16);
	window(&c, from, to);
	window(&t, from, to);
	size_t same = 0;
	while (same < c.count && same < t.count && t.pcs[same] == c.pcs[same])
		same++;
	if (same != c.count || same != t.count || same < 1000) {
		printf(
		    "%s: of %zu instructions from events %zu agree with %zu of qemu's\n", name, c.count, same, t.count);
		for (size_t i = same > 3 ? same - 3 : 0; i < same + 8 && i < c.count && i < t.count; i++)
			printf("  %zu: 0x%" PRIx64 " by events, 0x%" PRIx64 " by qemu\n", i, c.pcs[i], t.pcs[i]);
		return 1;
	}
	printf("%-14s %9zu instructions from events, as qemu executed them: 0 differences", name, same);
	return 0;
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
	const char *trace = argc > 2 && strcmp(argv[1], "--trace") == 0 ? argv[2] : NULL;
	argv += trace != NULL ? 2 : 0;
	const bool logged = argc > 6 && strcmp(argv[1], "--log") == 0;
	char **const log = argv + 2;
	argv += logged ? 4 : 0;
	argc -= logged ? 4 : 0;
	argc -= trace != NULL ? 2 : 0;
	const char *slash = argc < 2 ? NULL : strrchr(argv[1], '/');
	const char *name = slash != NULL ? slash + 1 : argc < 2 ? "" : argv[1];
	model_config_default(&config);
	if (trace != NULL)
		config.ram_size = 4u << 20;
	if (argc < 2 || image_open(&image, argv[1], detail, sizeof detail) != IMAGE_OK)
		return say(name, "cannot be read", 0);
	if (logged)
		return hold_log(name, trace, log, image);
	if (model_open(&model, &config) != MODEL_OK ||
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
	if (trace != NULL)
		return hold_trace(name, trace, file, image);
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
