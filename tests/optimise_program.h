/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_OPTIMISE_PROGRAM_H
#define RIVULET_OPTIMISE_PROGRAM_H
/* What the two suites of the optimiser share: one program, of a test's own instructions or random, its profile, its
 * traces, and the states that hold them against the program. */
#include "tests/suite.h"
#include "sw/optimise/private.h"
#include "tests/optimise_random.h"

#define BASE 0x80000000u
#define CACHE 0x80010000u
#define CODE 1024u
#define MEMORY (1u << 20)

static uint8_t code[CODE], cache[1 << 16], memory[MEMORY];
static struct optimise_code piece = {BASE, CODE, code};
static struct optimise optimise;
static struct judge judge;

static inline struct optimise_config config_of(unsigned passes)
{
	return (struct optimise_config){.passes = passes,
	    .cache = CACHE,
	    .cache_size = sizeof cache,
	    .length = 24,
	    .hot_share = 100,
	    .code = &piece,
	    .code_count = 1};
}

/* Divisors that were seen, right or wrong, at the first divisions of random code. */
#define DIVISORS 61u
static struct optimise_divisor divisors[DIVISORS];

static inline void see_divisor(uint32_t pc, uint32_t value)
{
	for (unsigned i = 0; i < DIVISORS; i++)
		for (unsigned n = 0; divisors[i].pc == pc && n < 3; n++)
			optimise_divisor_seen(&divisors[i], value);
}

static inline void see_divisors(uint32_t seed)
{
	memset(divisors, 0, sizeof divisors);
	for (uint32_t at = 0; at + 4 <= CODE; at += 2) {
		uint32_t word;
		memcpy(&word, code + at, 4);
		if (!optimise_division_word(word))
			continue;
		optimise_divisor_met(&optimise, BASE + at, 1);
		see_divisor(
		    BASE + at, judge_mix(seed ^ at) % 32 == 0 ? judge_mix(seed + at) : judge_mix(seed + at) % 41);
	}
}

static inline void assemble(uint32_t at, enum isa_op op, uint8_t rd, uint8_t rs1, uint8_t rs2, int32_t imm)
{
	struct isa_insn insn;
	ck_assert_int_eq(isa_make(ISA_CORE, op, rd, rs1, rs2, imm, &insn), ISA_OK);
	memcpy(code + at, &insn.word, 4);
}

static uint32_t program_number; /* of many_pairs */

static inline void states(uint32_t count, uint32_t seed)
{
	judge.optimise = &optimise;
	judge.cache = cache;
	ck_assert_int_eq(optimise_emit(&optimise, cache), OPTIMISE_OK);
	for (uint32_t t = 0; t < optimise.trace_count; t++)
		for (uint32_t i = 0; i < count; i++)
			ck_assert_msg(judge_trace(&judge, t, seed + i * 977) == 0, "program %u: %s",
			    (unsigned)program_number, judge.text);
}

/* A loop that goes round `round` times, and ends `ends` times. */
static inline void loop_met(const struct optimise_config *config, uint32_t round, uint32_t ends)
{
	memset(code, 0, sizeof code);
	assemble(0, ISA_LW, 12, 10, 0, 0);
	assemble(4, ISA_ADDI, 10, 10, 0, 4);
	assemble(8, ISA_ADD, 13, 13, 12, 0);
	assemble(12, ISA_ADDI, 11, 11, 0, -1);
	assemble(16, ISA_BNE, 0, 11, 0, -16);
	assemble(20, ISA_JALR, 0, 1, 0, 0);
	ck_assert_int_eq(optimise_init(&optimise, config, memory, sizeof memory), OPTIMISE_OK);
	optimise_record(&optimise, BASE, 3, round);
	optimise_record(&optimise, BASE, 2, ends);
}

static inline void random_records(uint32_t *seed)
{
	for (unsigned r = 0; r < 60; r++) {
		uint32_t h = judge_random(seed);
		optimise_record(&optimise, BASE + h % CODE / 2 * 2, (judge_random(seed) & 0xFFF) | 1u << (h >> 20 & 15),
		    1 + h % 50);
	}
}

static inline void random_program(unsigned passes, uint32_t seed, uint32_t length, uint32_t count)
{
	random_code(code, CODE, seed);
	struct optimise_config config = config_of(passes);
	config.length = length;
	config.divisors = divisors;
	config.divisor_room = seed % 4 == 0 ? 0 : DIVISORS;
	optimise.config = config;
	see_divisors(seed);
	ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
	random_records(&seed);
	optimise_build(&optimise);
	states(count, seed);
}

/* A pass alone, all of them, none. */
static inline unsigned passes_of(unsigned i)
{
	i %= OPTIMISE_PASSES + 2;
	return i < OPTIMISE_PASSES    ? 1u << i | OPTIMISE_INLINE | OPTIMISE_UNROLL
	       : i == OPTIMISE_PASSES ? OPTIMISE_ALL
				      : 0;
}
#endif
