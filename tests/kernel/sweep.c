/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Where in the loop of tests/kernel/programs/sweep the timer interrupt was taken: at how many different cycles, counted
 * from the loop's first instruction, and in front of which instructions. Usage: sweep IMAGE.elf PROGRAM.elf WAY
 * NAME=VALUE... Status 0 if each instruction of the loop was interrupted and 300 or more different cycles were met.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/image/image.h"
#include "model/run.h"

#define INTERRUPT_TIMER 0x80000007u
#define CYCLES_MAX 65536u
#define LOOP_MAX 256u
#define CYCLES_LEAST 300u

struct sweep {
	const struct model *model;
	uint32_t loop, loop_end;
	uint64_t entered; /* cycle in which the loop's first instruction retired, of the round that runs */
	bool inside;
	uint8_t at_cycle[CYCLES_MAX], at_pc[LOOP_MAX], seen_pc[LOOP_MAX];
	uint32_t interrupts;
};

static void on_retire(void *context, const struct model_out *out)
{
	struct sweep *s = context;
	uint32_t csrs[MODEL_CSR_COUNT];
	if (out->mode == 0) {
		if (out->pc == s->loop && !s->inside) {
			s->inside = true;
			s->entered = out->cycle;
		}
		if (out->pc - s->loop < s->loop_end - s->loop)
			s->seen_pc[(out->pc - s->loop) / 2] = 1;
		else if (out->pc == s->loop_end)
			s->inside = false;
		return;
	}
	if (!out->intr || !s->inside)
		return;
	model_csrs(s->model, csrs);
	if (csrs[MODEL_MCAUSE] != INTERRUPT_TIMER)
		return;
	uint32_t at = csrs[MODEL_MEPC] - s->loop;
	uint64_t since = out->cycle - s->entered;
	if (at < s->loop_end - s->loop)
		s->at_pc[at / 2] = 1;
	if (since < CYCLES_MAX)
		s->at_cycle[since] = 1;
	s->interrupts++;
	/* The other process runs now, at other addresses, or the same one a slice later. */
	s->inside = false;
}

static int symbol(const struct image *image, const char *name, uint32_t *address)
{
	uint64_t at;
	if (image_symbol(image, name, &at) == IMAGE_OK) {
		*address = (uint32_t)at;
		return 0;
	}
	fprintf(stderr, "sweep: the program has no symbol %s\n", name);
	return -1;
}

int main(int argc, char **argv)
{
	static struct sweep s;
	struct model_config config;
	struct model *model;
	struct image *image;
	struct run_result result;
	char detail[512] = "", way[32];
	const struct run_hooks hooks = {.context = &s, .retire = on_retire};

	if (argc < 4)
		return 2;
	if (image_open(&image, argv[2], detail, sizeof detail) != IMAGE_OK ||
	    symbol(image, "sweep_loop", &s.loop) != 0 || symbol(image, "sweep_loop_end", &s.loop_end) != 0) {
		fprintf(stderr, "sweep: %s\n", detail);
		return 2;
	}
	image_close(image);
	model_config_default(&config);
	config.ram_size = 1u << 20;
	snprintf(way, sizeof way, "way=%s", argv[3]);
	bool good = model_open(&model, &config) == MODEL_OK &&
		    model_load_elf(model, argv[1], detail, sizeof detail) == MODEL_OK &&
		    model_set(model, way, detail, sizeof detail) == MODEL_OK;
	for (int i = 4; good && i < argc; i++)
		good = model_set(model, argv[i], detail, sizeof detail) == MODEL_OK;
	if (!good) {
		fprintf(stderr, "sweep: %s\n", detail);
		return 2;
	}
	s.model = model;
	model_run(model, &hooks, 100000000, 0, &result);
	model_close(model);

	uint32_t cycles = 0, first = CYCLES_MAX, last = 0, missed = 0, instructions = 0;
	for (uint32_t i = 0; i < CYCLES_MAX; i++) {
		if (s.at_cycle[i] == 0)
			continue;
		cycles++;
		first = i < first ? i : first;
		last = i;
	}
	for (uint32_t i = 0; i < LOOP_MAX; i++) {
		instructions += s.seen_pc[i];
		missed += s.seen_pc[i] != 0 && s.at_pc[i] == 0;
	}
	printf("sweep, way %s: %" PRIu32 " timer interrupts in the loop, at %" PRIu32 " different cycles (%" PRIu32
	       " to %" PRIu32 " behind its start), in front of %" PRIu32 " of its %" PRIu32 " instructions\n",
	    argv[3], s.interrupts, cycles, first, last, instructions - missed, instructions);
	if (result.end != RUN_END_EXIT || result.code != 0)
		fprintf(stderr, "sweep: the run did not end well\n");
	return result.end == RUN_END_EXIT && result.code == 0 && missed == 0 && cycles >= CYCLES_LEAST ? 0 : 1;
}
