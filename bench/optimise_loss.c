/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What the optimiser on the core takes itself, by the golden model: its own time is what passes in traps, each cycle in
 * the innermost of the functions below that is being called.
 *
 * One line: name; cycles of the application; until code of the cache first runs, % of them; own time, %: the whole, and
 * each part. Usage: optimise-loss WITH.elf [NAME=VALUE ...] (words of the run configuration)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/image/image.h"
#include "model/model.h"
#include "model/run.h"

/* What a function of the optimiser belongs to; the first is all that no function of the list is called for. */
enum part {
	PART_SAMPLE,
	PART_EVIDENCE,
	PART_PUT_OFF,
	PART_FOLLOW,
	PART_BUILD,
	PART_PASSES,
	PART_EMIT,
	PART_CHECK,
	PARTS
};
static const struct {
	const char *name;
	enum part part;
} functions[] = {
    {"trace_interrupt", PART_SAMPLE},
    {"trace_drain_table", PART_SAMPLE},
    {"run_engine_gather", PART_EVIDENCE},
    {"run_engine_anything_hot", PART_EVIDENCE},
    {"run_engine_ask", PART_EVIDENCE},
    {"patches_answer", PART_EVIDENCE},
    {"counts_put_off", PART_PUT_OFF},
    {"counts_late_items", PART_PUT_OFF},
    {"optimise_follow", PART_FOLLOW},
    {"optimise_build", PART_BUILD},
    {"optimise_reciprocal", PART_PASSES},
    {"optimise_divide", PART_PASSES},
    {"optimise_stack", PART_PASSES},
    {"optimise_rename", PART_PASSES},
    {"optimise_forward", PART_PASSES},
    {"optimise_dead", PART_PASSES},
    {"optimise_slots", PART_PASSES},
    {"optimise_layout", PART_EMIT},
    {"optimise_emit", PART_EMIT},
    {"patches_write", PART_EMIT},
    {"paid_before", PART_CHECK},
    {"run_engine_check_paid", PART_CHECK},
    {"run_engine_something_new_is_hot", PART_CHECK},
};
#define FUNCTIONS (sizeof functions / sizeof *functions)
#define DEEP 32

struct run {
	/* of the program */
	uint32_t main, cache, cache_end, entries[FUNCTIONS];
	/* of the run */
	struct {
		uint32_t back;
		unsigned function;
	} calls[DEEP];
	unsigned depth;
	bool inside, trap; /* in app_main(); in a trap */
	uint32_t back;     /* where app_main() returns to */
	uint64_t last;     /* cycle of the retirement before */
	uint64_t cycles, own, first, parts[PARTS], each[FUNCTIONS];
};

static void own_time(struct run *r, uint64_t cycles)
{
	r->own += cycles;
	r->parts[r->depth == 0 ? PART_SAMPLE : functions[r->calls[r->depth - 1].function].part] += cycles;
	if (r->depth != 0)
		r->each[r->calls[r->depth - 1].function] += cycles;
}

/* In a trap: which function is it in? The instruction has come to pc, from a call if x1 says so. */
static void follow_calls(struct run *r, const struct model_out *out, uint32_t *ra)
{
	if (out->rd_addr == 1)
		*ra = out->rd_wdata;
	if (r->depth > 0 && out->next_pc == r->calls[r->depth - 1].back) {
		r->depth--;
		return;
	}
	for (unsigned i = 0; i < FUNCTIONS && r->depth < DEEP; i++)
		if (out->next_pc == r->entries[i] && r->entries[i] != 0) {
			r->calls[r->depth].back = *ra;
			r->calls[r->depth++].function = i;
		}
}

struct hook {
	struct run *run;
	uint32_t ra;
};

static void retire(void *context, const struct model_out *out)
{
	struct hook *h = context;
	struct run *r = h->run;
	uint64_t cycles = out->cycle - r->last;
	r->last = out->cycle;
	if (!r->inside) {
		r->inside = out->next_pc == r->main;
		if (r->inside) {
			r->back = out->pc + ((out->insn & 3) == 3 ? 4 : 2);
			r->depth = 0;
		}
		return;
	}
	r->cycles += cycles;
	if (out->intr || out->trap)
		r->trap = true;
	if (r->trap) {
		own_time(r, cycles);
		if (out->insn == 0x30200073u) { /* MRET */
			r->trap = false;
			r->depth = 0;
		} else {
			follow_calls(r, out, &h->ra);
		}
		return;
	}
	if (out->rd_addr == 1)
		h->ra = out->rd_wdata;
	if (r->first == 0 && out->pc >= r->cache && out->pc < r->cache_end)
		r->first = r->cycles;
	if (out->next_pc == r->back && out->pc != r->back)
		r->inside = false;
}

static uint32_t place_of(const struct image *image, const char *name)
{
	uint64_t address;
	return image_symbol(image, name, &address) == IMAGE_OK ? (uint32_t)address : 0;
}

/* Runs a program on the model. False: it does not end well, which is said. */
static bool run_once(struct run *r, const char *path, int words, char **word)
{
	char detail[1024];
	struct model_config config;
	struct model *model;
	struct image *image;
	struct hook hook = {.run = r};
	struct run_hooks hooks = {.context = &hook, .retire = retire};
	struct run_result result;
	*r = (struct run){0};
	if (image_open(&image, path, detail, sizeof detail) != IMAGE_OK)
		goto refused;
	r->main = place_of(image, "app_main");
	r->cache = place_of(image, "__optimise_start");
	r->cache_end = place_of(image, "__optimise_end");
	for (unsigned i = 0; i < FUNCTIONS; i++)
		r->entries[i] = place_of(image, functions[i].name);
	image_close(image);
	model_config_default(&config);
	config.ram_size = 512 << 10;
	for (int i = 0; i < words; i++)
		if (strcmp(word[i], "way=table") == 0)
			trace_config_table(&config.trace, 1024, 4);
	if (model_open(&model, &config) != MODEL_OK || model_load_elf(model, path, detail, sizeof detail) != MODEL_OK)
		goto refused;
	for (int i = 0; i < words; i++)
		if (model_set(model, word[i], detail, sizeof detail) != MODEL_OK)
			goto refused;
	model_start(model);
	model_run(model, &hooks, 0, 0, &result);
	model_close(model);
	if (result.end == RUN_END_EXIT && result.code == 0 && r->cycles != 0)
		return true;
	snprintf(detail, sizeof detail, "%s: does not end well", path);
refused:
	fprintf(stderr, "optimise-loss: %s\n", detail);
	return false;
}

static void print_line(const char *path, const struct run *run, bool each)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	double one = (double)run->cycles / 100;
	printf("%.*s %llu %.2f %.2f", (int)strcspn(name, "."), name, (unsigned long long)run->cycles,
	    (double)run->first / one, (double)run->own / one);
	for (unsigned i = 0; i < PARTS; i++)
		printf(" %.2f", (double)run->parts[i] / one);
	printf("\n");
	for (unsigned i = 0; each && i < FUNCTIONS; i++)
		printf("\t%s %llu\n", functions[i].name, (unsigned long long)run->each[i]);
}

int main(int argc, char **argv)
{
	static struct run run;
	if (argc < 2) {
		fprintf(stderr, "Usage: optimise-loss WITH.elf [NAME=VALUE ...]\n");
		return 2;
	}
	if (!run_once(&run, argv[1], argc - 2, argv + 2))
		return 1;
	print_line(argv[1], &run, getenv("OPTIMISE_LOSS_EACH") != NULL);
	return 0;
}
