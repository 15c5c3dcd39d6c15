/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * An example of host/phases/plugin.h: the instruction mix of a run by major opcode, and how often it entered a function
 * of a library, which here is one whose name begins with one of the given words (default: mem,str,__).
 *
 *   cc -shared -fPIC -I. -o mix.so docs/examples/mix.c
 *   rivulet phases --plugin mix.so,mem,str PROGRAM.elf RECORDS.rvr
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/phases/plugin.h"

enum { COMPRESSED = 32, KINDS = 33 }; /* 0 to 31: bits 6 to 2 of a 32-bit instruction */

struct mix {
	uint64_t kind[KINDS], calls, blocks, paths, strata;
	char words[128];
};

static void *begin(const char *options)
{
	struct mix *mix = calloc(1, sizeof *mix);
	if (mix != NULL)
		snprintf(mix->words, sizeof mix->words, "%s", *options != '\0' ? options : "mem,str,__");
	return mix;
}

static int is_library(const struct mix *mix, const char *function)
{
	for (const char *word = mix->words; function != NULL && *word != '\0';) {
		const size_t length = strcspn(word, ",");
		if (length > 0 && strncmp(function, word, length) == 0)
			return 1;
		word += length + (word[length] == ',');
	}
	return 0;
}

static void take_block(void *context, const struct rivulet_block *block, uint64_t times)
{
	struct mix *mix = context;
	mix->blocks += times;
	for (uint32_t at = 0; block->code != NULL && at + 2 <= block->bytes;) {
		const int compressed = (block->code[at] & 3) != 3;
		mix->kind[compressed ? COMPRESSED : block->code[at] >> 2 & 31] += times;
		at += compressed ? 2 : 4;
	}
}

static void take_path(void *context, const struct rivulet_path *path, uint64_t trips)
{
	struct mix *mix = context;
	mix->paths += trips;
	for (uint32_t i = 0; i < path->count; i++)
		if (path->blocks[i]->address == path->blocks[i]->function_start &&
		    is_library(mix, path->blocks[i]->function))
			mix->calls += trips;
}

static void take_stratum(void *context, uint64_t number)
{
	struct mix *mix = context;
	mix->strata = number + 1;
}

static void end(void *context)
{
	static const char *const names[KINDS] = {[0] = "load",
	    [3] = "fence",
	    [4] = "operation with immediate",
	    [5] = "auipc",
	    [8] = "store",
	    [12] = "operation",
	    [13] = "lui",
	    [24] = "branch",
	    [25] = "jalr",
	    [27] = "jal",
	    [28] = "system",
	    [COMPRESSED] = "16-bit instruction"};
	struct mix *mix = context;
	uint64_t all = 0;
	for (int k = 0; k < KINDS; k++)
		all += mix->kind[k];
	printf("mix: %" PRIu64 " instructions, %" PRIu64 " blocks, %" PRIu64 " paths, %" PRIu64
	       " strata; library functions (%s) entered %" PRIu64 " times\n",
	    all, mix->blocks, mix->paths, mix->strata, mix->words, mix->calls);
	for (int k = 0; k < KINDS; k++)
		if (mix->kind[k] > 0)
			printf("  %-26s %12" PRIu64 "  %5.2f%%\n", names[k] != NULL ? names[k] : "other", mix->kind[k],
			    100.0 * (double)mix->kind[k] / (double)all);
	free(mix);
}

const struct rivulet_plugin rivulet_plugin = {.version = RIVULET_PLUGIN_VERSION,
    .name = "mix",
    .open = begin,
    .block = take_block,
    .path = take_path,
    .stratum = take_stratum,
    .close = end};
