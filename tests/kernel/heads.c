/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The head of the program in the first slot, with each of its words changed at random: the kernel never panics, the
 * process in the second slot ends as always, and what lies in its memory is printed by nobody.
 * Usage: heads IMAGE.elf TIMES [SEED]   Status 0 if that is so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/fast/fast.h"
#include "sw/kernel/abi.h"

#define FIRST 0x80040000u
#define SLOT 0x20000u
#define CYCLES 300000 /* a process that runs for ever is its own affair */
#define PANIC 121

static uint64_t state;
static uint32_t random_word(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

static uint32_t changed(uint32_t word)
{
	static const uint32_t special[] = {0, 1, UINT32_MAX, 0x80000000, 0x10000000, 0x0200BFF8, 0x7FFFFFFF, FIRST};
	uint32_t r = random_word();
	switch (random_word() % 6) {
	case 0:
		return r;
	case 1:
		return word ^ 1u << r % 32;
	case 2:
		return word + r % 129 - 64;
	case 3: /* the slot itself, or the next one */
		return FIRST + r % (2 * SLOT);
	case 4:
		return 0x80000000 + r % (FIRST - 0x80000000);
	default:
		return special[r % (sizeof special / sizeof *special)];
	}
}

struct console {
	char text[16384];
	size_t used;
};
static void put(void *context, uint8_t byte)
{
	struct console *console = context;
	if (byte != 0 && console->used + 1 < sizeof console->text)
		console->text[console->used++] = (char)byte;
	console->text[console->used] = '\0';
}

/* One run with that word; word IMAGE_WORDS: none is changed. NULL, or what went wrong. */
static const char *run(const char *image, unsigned word, uint32_t *value, struct console *console)
{
	struct model_config config;
	struct model *model;
	struct fast *fast;
	struct run_result result;
	char detail[256];
	model_config_default(&config);
	config.ram_size = 1 << 20;
	if (model_open(&model, &config) != MODEL_OK || model_load_elf(model, image, detail, sizeof detail) != MODEL_OK)
		return "the image cannot be loaded";
	model_set(model, "input=train", detail, sizeof detail);
	if (word < IMAGE_WORDS) {
		uint32_t before;
		model_read(model, FIRST + 4 * word, &before, 4);
		*value = changed(before);
		model_write(model, FIRST + 4 * word, value, 4);
	}
	const struct fast_options options = {0};
	const struct run_hooks hooks = {.context = console, .uart = put, .console = put};
	*console = (struct console){.used = 0};
	model_start(model);
	if (fast_open(&fast, model, &options) != MODEL_OK)
		return "no memory";
	fast_run(fast, &hooks, CYCLES, 0, &result);
	fast_close(fast);
	model_close(model);
	if (result.end == RUN_END_EXIT && result.code == PANIC)
		return "the kernel panics";
	if (strstr(console->text, "SECRET") != NULL)
		return "memory of the second slot is printed";
	return strstr(console->text, "kernel: tiny 2: exit 0\n") == NULL ? "the second process does not end" : NULL;
}

int main(int argc, char **argv)
{
	static struct console console;
	unsigned failed = 0, left_out = 0, runs = 0;
	uint32_t value = 0;
	if (argc < 3)
		return 2;
	state = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	const char *wrong = run(argv[1], IMAGE_WORDS, &value, &console);
	if (wrong != NULL || strstr(console.text, "kernel: tiny 1: exit 0\n") == NULL) {
		fprintf(stderr, "heads: the image as it is: %s\n%s\n", wrong, console.text);
		return 1;
	}
	for (unsigned word = 0; word < IMAGE_WORDS; word++)
		for (unsigned long i = 0; i < strtoul(argv[2], NULL, 0); i++, runs++) {
			wrong = run(argv[1], word, &value, &console);
			left_out += strstr(console.text, "kernel: slot 1: no program that can run") != NULL;
			if (wrong == NULL)
				continue;
			if (failed++ < 8)
				printf("heads: word %u, value 0x%08" PRIx32 ": %s\n%s\n", word, value, wrong,
				    console.text);
		}
	printf(
	    "check-kernel-heads: %u heads with a changed word, %u slots left out, %u failed\n", runs, left_out, failed);
	return failed == 0 && left_out > runs / 3 ? 0 : 1;
}
