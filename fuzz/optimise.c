/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Any bytes as program, any start, any history: refused, or traces that do what the program does. */
#include "fuzz/fuzz.h"
#include "tests/optimise_judge.h"

#define BASE 0x80000000u
#define CACHE 0x80010000u

static uint8_t cache[4096 + 16], memory[1 << 16];
static struct judge judge;

/* Records, complete and cut off, of any starts in program and cache. */
static void count_part(void *context, const struct record *part)
{
	must(record_valid(part) && part->insns > 0);
	++*(int *)context;
}
static void translate(struct optimise *optimise, uint32_t seed)
{
	for (unsigned i = 0; i < 24; i++) {
		uint32_t r = judge_random(&seed), in = i % 2 ? CACHE : BASE;
		struct record record = {.start = in + r % 1024 * 2,
		    .hist = judge_random(&seed) >> (r >> 27) | 1,
		    .count = 1 + (r >> 24),
		    .insns = r >> 16 & 63,
		    .reason = (uint8_t)(1 + r % (TRACE_REASONS - 1))};
		int parts = 0, said = optimise_translate(
				   optimise, &record, r >> 8 & 0x3000, 2 + (r >> 20) % 31, count_part, &parts);
		must(said < 0 || parts <= said);
	}
}

static struct optimise_divisor divisors[8];

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = {bytes, size};
	struct optimise optimise;
	uint32_t seed = (uint32_t)take(&in, 4);
	unsigned records = (unsigned)take(&in, 1) % 16;
	struct optimise_code code = {.base = BASE + (uint32_t)take(&in, 1) * 2};
	struct optimise_config config = {.passes = (unsigned)take(&in, 2) & OPTIMISE_ALL,
	    .cache = CACHE,
	    .cache_size = (uint32_t)take(&in, 2) % 4097,
	    .length = (uint32_t)take(&in, 1),
	    .hot_share = (uint32_t)take(&in, 2),
	    .gain_percent = (uint32_t)take(&in, 1),
	    .divisors = divisors,
	    .divisor_room = seed % 8,
	    .code = &code,
	    .code_count = 1};
	memset(divisors, 0, sizeof divisors);
	uint8_t starts[16 * 8];
	for (unsigned i = 0; i < records * 8; i++)
		starts[i] = (uint8_t)take(&in, 1);
	/* a copy of its own, so that its end is watched */
	uint8_t *program = malloc(in.left + 1);
	if (program == NULL)
		return 0;
	memcpy(program, in.at, in.left);
	code.bytes = program;
	code.size = (uint32_t)in.left;
	size_t room = (size_t)take(&in, 2);
	memset(memory, 0xA5, sizeof memory); /* nothing of the input before */
	if (optimise_init(&optimise, &config, memory, room % 4 == 0 ? room : sizeof memory) == OPTIMISE_OK) {
		for (unsigned i = 0; i < records; i++) {
			uint32_t start, hist;
			memcpy(&hist, starts + 8 * i + 4, 4);
			memcpy(&start, starts + 8 * i, 4);
			optimise_record(
			    &optimise, start & 0x80000000u ? start : BASE + start % 4096, hist & 0xFFFFF, start >> 24);
		}
		/* divisors that are seen, right or wrong, small or large */
		for (unsigned i = 0; i < config.divisor_room; i++)
			for (unsigned n = 0; divisors[i].pc != 0 && n < 3; n++)
				optimise_divisor_seen(&divisors[i], (seed >> 8) * (i + 1) >> seed % 24);
		judge.reg = seed % 5 == 0 ? 0 : 1 + seed / 5 % 31;
		judge.value = seed >> 8;
		optimise_build(&optimise);
		must(optimise.cache_used <= config.cache_size);
		memset(cache, 0xA5, sizeof cache);
		optimise_emit(&optimise, cache);
		for (size_t i = optimise.cache_used; i < sizeof cache; i++)
			must(cache[i] == 0xA5);
		judge.optimise = &optimise;
		judge.cache = cache;
		for (uint32_t t = 0; t < optimise.trace_count && t < 8; t++)
			must(judge_trace(&judge, t, seed + t) == 0);
		for (uint32_t i = 0; i < optimise.patch_count; i++) {
			const struct optimise_patch *p = &optimise.patches[i];
			must((p->before & 3) == 3 && (p->after & 0xFFF) == 0x06F);
			must(p->pc - code.base + 4 <= code.size);
		}
		translate(&optimise, seed);
		for (unsigned i = 0; i < 64; i++) {
			const struct optimise_insn *insn = NULL;
			uint32_t x[32] = {0};
			if (optimise_pc(&optimise, CACHE + 2 * i, &insn) != 0)
				optimise_restore(&optimise, insn, x);
			uint32_t pc = 0;
			if (optimise_leave(&optimise, cache, CACHE + i, x, &pc))
				must(pc - CACHE >= optimise.cache_used);
		}
	}
	free(program);
	return 0;
}
