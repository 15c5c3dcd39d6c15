/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The optimiser: traces of the document's example, of random code under every pass, against an interpreter. */
#include <check.h>
#include <stdlib.h>
#include "host/cycles/core.h"
#include "sw/optimise/counts.h"
#include "sw/optimise/private.h"
#include "tests/optimise_random.h"
#include "tests/suite.h"
#include "isa/isa.h"

#define BASE 0x80000000u
#define CACHE 0x80010000u
#define CODE 1024u
#define MEMORY (1u << 20)

static uint8_t code[CODE], cache[1 << 16], memory[MEMORY];
static struct optimise_code piece = {BASE, CODE, code};
static struct optimise optimise;
static struct judge judge;

static struct optimise_config config_of(unsigned passes)
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

static void see_divisor(uint32_t pc, uint32_t value)
{
	for (unsigned i = 0; i < DIVISORS; i++)
		for (unsigned n = 0; divisors[i].pc == pc && n < 3; n++)
			optimise_divisor_seen(&divisors[i], value);
}

static void see_divisors(uint32_t seed)
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

static void assemble(uint32_t at, enum isa_op op, uint8_t rd, uint8_t rs1, uint8_t rs2, int32_t imm)
{
	struct isa_insn insn;
	ck_assert_int_eq(isa_make(ISA_CORE, op, rd, rs1, rs2, imm, &insn), ISA_OK);
	memcpy(code + at, &insn.word, 4);
}

/* The short cut past isa/: what it decodes is what isa/ decodes, what it writes decodes to what was asked for. */
static unsigned agrees(uint32_t word)
{
	struct isa_insn insn, back;
	struct optimise_insn fast = {0};
	isa_decode(word, ISA_CORE, &insn);
	if (!optimise_read_word(word, &fast))
		return 0;
	ck_assert_msg(fast.op == insn.op && fast.rd == insn.rd && fast.rs1 == insn.rs1 && fast.rs2 == insn.rs2 &&
			  fast.imm == insn.imm && fast.length == insn.length && fast.word == (uint32_t)insn.word,
	    "0x%08x is decoded as op %u rd %u rs1 %u rs2 %u imm %d, and not as isa/ does", word, fast.op, fast.rd,
	    fast.rs1, fast.rs2, (int)fast.imm);
	if (insn.class_bits & (ISA_BRANCH | ISA_JUMP | ISA_INDIRECT) || insn.op == ISA_AUIPC)
		return 1;
	uint32_t wide = optimise_make_word(fast.op, fast.rd, fast.rs1, fast.rs2, fast.imm, false);
	uint32_t small = optimise_make_word(fast.op, fast.rd, fast.rs1, fast.rs2, fast.imm, true);
	isa_decode(wide, ISA_CORE, &back);
	ck_assert_msg(back.length == 4 && back.op == insn.op && back.rd == insn.rd && back.rs1 == insn.rs1 &&
			  back.rs2 == insn.rs2 && back.imm == insn.imm,
	    "0x%08x becomes 0x%08x", word, wide);
	bool by_nothing = insn.imm == 0 && ((insn.op >= ISA_SLLI && insn.op <= ISA_SRAI) || insn.op == ISA_ADDI);
	if ((insn.class_bits & ISA_HINT) == 0 && insn.length == 2 && !by_nothing)
		ck_assert_msg((small & 3) != 3, "0x%08x has no 16-bit form any more: 0x%08x", word, small);
	if ((small & 3) == 3)
		return 1;
	struct isa_insn expanded;
	isa_decode(small, ISA_CORE, &back);
	ck_assert_int_eq(isa_expand(&back, ISA_CORE, &expanded), ISA_OK);
	/* the same effect on corner values: operands may have changed places, a copy is an addition */
	for (uint32_t seed = 1; seed < 4; seed++) {
		struct judge_machine a = {.seed = seed, .memory = &judge.memory[0]}, b;
		uint32_t draw = seed;
		for (unsigned r = 1; r < 32; r++)
			a.x[r] = judge_value(&draw);
		b = a;
		b.memory = &judge.memory[1];
		judge.memory[0].now++;
		judge.memory[1].now++;
		judge.memory[0].used = judge.memory[1].used = 0;
		ck_assert(judge_step(&a, &insn) && judge_step(&b, &back));
		ck_assert_msg(memcmp(a.x, b.x, sizeof a.x) == 0 && a.hash == b.hash && a.accesses == b.accesses,
		    "0x%08x becomes 0x%08x, which does something else", word, small);
	}
	return 1;
}

START_TEST(words)
{
	unsigned known = 0, seed = 1;
	for (uint32_t word = 0; word < 0x10000; word++)
		if ((word & 3) != 3)
			known += agrees(word);
	ck_assert_uint_gt(known, 28000);
	known = 0;
	for (uint32_t form = 0; form < 1 << 13; form++) /* opcode, funct3, the interesting bits of funct7 */
		for (unsigned n = 0; n < 40; n++) {
			uint32_t word = (judge_random(&seed) & 0xBDFF8F80u) | (form & 31) << 2 | 3 |
					(form >> 5 & 7) << 12 | (form >> 8 & 1) << 25 | (form >> 9 & 1) << 30;
			word &= n % 2 == 0 ? UINT32_MAX : ~0xBC000000u; /* funct7 0, 1, 32 */
			word = n % 4 == 1 ? (word & ~0x000F8000u) | (word << 8 & 0x000F8000u) : word; /* rs1 = rd */
			known += agrees(word);
		}
	ck_assert_uint_gt(known, 30000);
}
END_TEST

static uint32_t program_number; /* of many_pairs */

static void states(uint32_t count, uint32_t seed)
{
	judge.optimise = &optimise;
	judge.cache = cache;
	ck_assert_int_eq(optimise_emit(&optimise, cache), OPTIMISE_OK);
	for (uint32_t t = 0; t < optimise.trace_count; t++)
		for (uint32_t i = 0; i < count; i++)
			ck_assert_msg(judge_trace(&judge, t, seed + i * 977) == 0, "program %u: %s",
			    (unsigned)program_number, judge.text);
}

/* TSH FIG. 7 and claim 9: AAA, branch to BBB taken, to CCC not taken, to DDD taken, then an indirect jump. */
START_TEST(figure7)
{
	const uint32_t aaa = 0x00, bbb = 0x20, ccc = 0x40, ddd = 0x60;
	memset(code, 0, sizeof code);
	assemble(aaa, ISA_ADDI, 10, 10, 0, 1);
	assemble(aaa + 4, ISA_BEQ, 0, 10, 11, (int32_t)(bbb - aaa - 4));
	assemble(aaa + 8, ISA_JALR, 0, 1, 0, 0);
	assemble(bbb, ISA_ADDI, 12, 12, 0, 1);
	assemble(bbb + 4, ISA_BLT, 0, 12, 13, (int32_t)(ccc - bbb - 4));
	assemble(bbb + 8, ISA_ADDI, 14, 14, 0, 1);
	assemble(bbb + 12, ISA_BLTU, 0, 14, 15, (int32_t)(ddd - bbb - 12));
	assemble(bbb + 16, ISA_JALR, 0, 1, 0, 0);
	assemble(ccc, ISA_JALR, 0, 1, 0, 0);
	assemble(ddd, ISA_ADDI, 16, 16, 0, 1);
	assemble(ddd + 4, ISA_JALR, 0, 17, 0, 0);
	struct optimise_config config = config_of(OPTIMISE_ALL);
	ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
	optimise_record(&optimise, BASE + aaa, 0xD, 100); /* 00001101 */
	ck_assert_int_eq(optimise_build(&optimise), 1);
	const struct optimise_trace *trace = &optimise.traces[0];
	static const struct {
		uint32_t pc, target;
		uint8_t op;
	} expected[] = {{0x00, 0, ISA_ADDI}, {0x04, 0x08, ISA_BNE}, {0x20, 0, ISA_ADDI}, {0x24, 0x40, ISA_BLT},
	    {0x28, 0, ISA_ADDI}, {0x2C, 0x30, ISA_BGEU}, {0x60, 0, ISA_ADDI}, {0x64, 0, ISA_JALR}};
	ck_assert_uint_eq(trace->count, sizeof expected / sizeof *expected);
	for (unsigned i = 0; i < trace->count; i++) {
		const struct optimise_insn *insn = &optimise.insns[trace->first + i];
		ck_assert_uint_eq(insn->pc, BASE + expected[i].pc);
		ck_assert_uint_eq(insn->op, expected[i].op);
		if (insn->kind == KIND_EXIT)
			ck_assert_uint_eq(insn->target, BASE + expected[i].target);
	}
	/* two taken branches save a cycle each, a jump into the cache takes two: it does not pay */
	ck_assert_uint_eq(optimise.patch_count, 0);
	ck_assert_uint_eq(optimise.unpaid, 1);
	states(200, 1);
}
END_TEST

/* A loop that goes round `round` times, and ends `ends` times. */
static void loop_met(const struct optimise_config *config, uint32_t round, uint32_t ends)
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

/* A loop: unrolled, additions put off, one patch of one word. */
START_TEST(loop)
{
	struct optimise_config config = config_of(OPTIMISE_ALL);
	loop_met(&config, 1000, 10);
	ck_assert_int_ge(optimise_build(&optimise), 1);
	const struct optimise_trace *trace = optimise_trace_at(&optimise, BASE);
	ck_assert_ptr_nonnull(trace);
	unsigned loads = 0, additions = 0;
	for (unsigned i = 0; i < trace->count; i++) {
		const struct optimise_insn *insn = &optimise.insns[trace->first + i];
		loads += insn->kind == KIND_LOAD;
		additions += insn->kind == KIND_PLAIN && insn->op == ISA_ADDI && insn->rd == 10;
	}
	ck_assert_uint_ge(loads, 4);
	ck_assert_uint_eq(additions, 1);
	ck_assert_uint_lt(trace->after, trace->before);
	ck_assert_uint_eq(optimise.patch_count, 1);
	ck_assert_uint_eq(optimise.patches[0].pc, BASE);
	uint32_t word;
	memcpy(&word, code, 4);
	ck_assert_uint_eq(optimise.patches[0].before, word);
	states(2000, 2);
	ck_assert_uint_gt(judge.stops, 0);
}
END_TEST

/* A remainder beside its quotient, for every pair of corner values. */
START_TEST(remainder_of_quotient)
{
	for (unsigned form = 0; form < 4; form++) {
		uint8_t quotient = form & 1 ? ISA_DIV : ISA_DIVU, remainder = form & 1 ? ISA_REM : ISA_REMU;
		memset(code, 0, sizeof code);
		assemble(0, form & 2 ? remainder : quotient, form & 2 ? 13 : 12, 10, 11, 0);
		assemble(4, form & 2 ? quotient : remainder, form & 2 ? 12 : 13, 10, 11, 0);
		assemble(8, ISA_BNE, 0, 12, 0, -8);
		assemble(12, ISA_JALR, 0, 1, 0, 0);
		struct optimise_config config = config_of(OPTIMISE_ALL & ~(unsigned)OPTIMISE_UNROLL);
		ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
		optimise_record(&optimise, BASE, 3, 1000);
		ck_assert_int_ge(optimise_build(&optimise), 1);
		unsigned divisions = 0;
		for (unsigned i = 0; i < optimise.traces[0].count; i++)
			divisions += optimise_division(optimise.insns[i].op);
		ck_assert_uint_eq(divisions, 1);
		states(20000, 3);
	}
}
END_TEST

/* A division by a value that repeats, for each shape of its registers: result, dividend and divisor apart; the result
 * in the dividend's place; in the divisor's. The trace is held against the program from all kinds of states, half of
 * which have that divisor. Then a second division by it, of which nothing was seen. */
static const uint32_t repeated_divisors[] = {1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 25, 60, 100, 125, 127, 255,
    256, 641, 1000, 1024, 2047, 2048, 3600, 4095, 4096, 10000, 0xA000, 65535, 65537, 86400, 1000000, 1000000007,
    0x10000000, 0x40000000, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF};
static unsigned divisions_left(void)
{
	unsigned divisions = 0;
	for (unsigned i = 0; i < optimise.traces[0].count; i++)
		divisions += optimise_division(optimise.insns[i].op);
	return divisions;
}

START_TEST(repeated_divisor)
{
	static const uint8_t shapes[][2] = {{12, 13}, {12, 10}, {10, 12}, {12, 12}, {10, 10}, {11, 12}};
	static const enum isa_op ops[] = {ISA_DIVU, ISA_REMU, ISA_DIV, ISA_REM};
	unsigned form = (unsigned)_i, left = 0, all = 0;
	for (uint32_t i = 0; i < sizeof repeated_divisors / sizeof *repeated_divisors; i++)
		for (unsigned shape = 0; shape < 6; shape++) {
			uint32_t value = repeated_divisors[i];
			memset(code, 0, sizeof code);
			assemble(0, ops[form & 3], shapes[shape][0], 10, 11, 0);
			assemble(4, ops[form >> 2], shapes[shape][1], 10, 11, 0);
			assemble(8, ISA_BNE, 0, 12, 0, -8);
			assemble(12, ISA_JALR, 0, 1, 0, 0);
			memset(divisors, 0, sizeof divisors);
			struct optimise_config config =
			    config_of(shape & 1 ? OPTIMISE_ALL & ~(unsigned)OPTIMISE_UNROLL : OPTIMISE_RECIPROCAL);
			config.divisors = divisors;
			config.divisor_room = DIVISORS;
			ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
			optimise_record(&optimise, BASE, 3, 1000);
			see_divisor(BASE, value);
			ck_assert_int_ge(optimise_build(&optimise), 1);
			judge.reg = 11;
			judge.value = value;
			left += divisions_left();
			all += 2;
			states(60, i + 1);
		}
	judge.reg = 0;
	ck_assert_uint_lt(left, all * 3 / 4);
}
END_TEST

/* A NOP that names a number (a HINT) makes no constant: x0 stays 0. */
START_TEST(number_in_a_nop)
{
	memset(code, 0, sizeof code);
	assemble(0, ISA_ADDI, 0, 0, 0, 8);
	assemble(4, ISA_DIVU, 13, 15, 0, 0);
	assemble(8, ISA_ADDI, 11, 11, 0, -1);
	assemble(12, ISA_BNE, 0, 11, 0, -12);
	assemble(16, ISA_JALR, 0, 1, 0, 0);
	struct optimise_config config = config_of(OPTIMISE_DIVIDE);
	ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
	optimise_record(&optimise, BASE, 3, 1000);
	ck_assert_int_ge(optimise_build(&optimise), 1);
	states(200, 4);
}
END_TEST

/* Code with a second way through its bytes: the LUI's upper half is C.NOP. A record of that way, however rare, takes
 * the patch away that would change it; one of the first way does not. */
START_TEST(second_way)
{
	for (unsigned second = 0; second < 3; second++) {
		memset(code, 0, sizeof code);
		assemble(0, ISA_LUI, 12, 0, 0, 0x10000);
		assemble(4, ISA_ADDI, 10, 10, 0, 4);
		assemble(8, ISA_ADD, 13, 13, 12, 0);
		assemble(12, ISA_ADDI, 11, 11, 0, -1);
		assemble(16, ISA_BNE, 0, 11, 0, -16);
		assemble(20, ISA_JALR, 0, 1, 0, 0);
		assemble(60, ISA_BEQ, 0, 0, 0, -58); /* to the middle of the LUI */
		struct optimise_config config = config_of(OPTIMISE_ALL);
		ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
		optimise_record(&optimise, BASE, 3, 1000);
		optimise_witness(&optimise, BASE, 2);
		optimise_witness(&optimise, BASE + 4, 3);
		/* it begins there, or goes there on its way */
		if (second != 0)
			optimise_witness(&optimise, BASE + (second == 1 ? 2 : 60), second == 1 ? 3 : 7);
		ck_assert_int_ge(optimise_build(&optimise), 1);
		ck_assert_uint_eq(optimise.patch_count, second == 0);
		ck_assert_int_eq(optimise_trace_at(&optimise, BASE)->root, second == 0);
		if (second == 0)
			ck_assert_uint_eq(optimise.patches[0].pc, BASE);
	}
}
END_TEST

/* The divisor that three of four looks saw is the one; if another was seen more often there is none. */
START_TEST(divisor_of_most)
{
	struct optimise_config config = config_of(OPTIMISE_ALL);
	config.divisors = divisors;
	config.divisor_room = DIVISORS;
	ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
	for (unsigned others = 0; others <= 4; others++) {
		uint32_t value = 0;
		memset(divisors, 0, sizeof divisors);
		struct optimise_divisor *d = optimise_divisor_met(&optimise, BASE, 1);
		ck_assert_ptr_nonnull(d);
		for (unsigned i = 0; i < 8; i++)
			optimise_divisor_seen(d, i < others ? 100 : 10);
		ck_assert_int_eq(optimise_divisor_repeats(&optimise, BASE, &value), others <= 2);
		if (others <= 2)
			ck_assert_uint_eq(value, 10);
	}
}
END_TEST

/* An exit with more to do than any one of random code: its stub has the bytes that it was given. */
START_TEST(long_stub)
{
	memset(code, 0, sizeof code);
	assemble(0, ISA_ADDI, 10, 10, 0, 4);
	assemble(4, ISA_ADDI, 11, 11, 0, -1);
	assemble(8, ISA_BNE, 0, 11, 0, -8);
	struct optimise_config config = config_of(OPTIMISE_UNROLL);
	ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
	optimise_record(&optimise, BASE, 3, 1000);
	ck_assert_int_ge(optimise_build(&optimise), 1);
	struct optimise_insn *exit = optimise.insns;
	while (exit->kind != KIND_EXIT)
		exit++;
	bool ok = true;
	for (unsigned i = 0; i < 100; i++)
		exit->fix = optimise_fix(&optimise, exit->fix, FIX_SET, 12, 0x12345678, &ok);
	for (unsigned i = 0; i < 100; i++)
		exit->fix = optimise_fix(&optimise, exit->fix, FIX_SWAP, 12, 13, &ok);
	ck_assert(ok);
	ck_assert(optimise_layout(&optimise));
	ck_assert_int_eq(exit->imm, 100 * 8 + 100 * 12 + 4);
	memset(cache, 0xA5, sizeof cache);
	optimise_emit(&optimise, cache);
	uint32_t last;
	memcpy(&last, cache + exit->word + (uint32_t)exit->imm - 4, 4);
	ck_assert_uint_eq(last & 0xFFF, 0x6F); /* its jump */
	for (uint32_t i = optimise.cache_used; i < sizeof cache; i++)
		ck_assert_uint_eq(cache[i], 0xA5);
}
END_TEST

static void random_records(uint32_t *seed)
{
	for (unsigned r = 0; r < 60; r++) {
		uint32_t h = judge_random(seed);
		optimise_record(&optimise, BASE + h % CODE / 2 * 2, (judge_random(seed) & 0xFFF) | 1u << (h >> 20 & 15),
		    1 + h % 50);
	}
}

static void random_program(unsigned passes, uint32_t seed, uint32_t length, uint32_t count)
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
static unsigned passes_of(unsigned i)
{
	i %= OPTIMISE_PASSES + 2;
	return i < OPTIMISE_PASSES    ? 1u << i | OPTIMISE_INLINE | OPTIMISE_UNROLL
	       : i == OPTIMISE_PASSES ? OPTIMISE_ALL
				      : 0;
}

/* OPTIMISE_PAIRS=N: as many pairs of states as that (make optimise-pairs), else none. OPTIMISE_FROM=N: from that random
 * program on, which a failure has named. */
START_TEST(many_pairs)
{
	const char *more = getenv("OPTIMISE_PAIRS");
	uint64_t pairs = more != NULL ? strtoull(more, NULL, 10) : 0;
	const char *from = getenv("OPTIMISE_FROM");
	uint32_t n = from != NULL ? (uint32_t)strtoul(from, NULL, 10) : 0;
	for (; judge.pairs < pairs; n++) {
		program_number = n;
		random_program(passes_of(n % 3 == 0 ? n / 3 : OPTIMISE_PASSES), 1000000 + n, 4 + n % 60, 200);
	}
	if (more != NULL)
		printf("optimise: %u random programs, %llu pairs of states, %llu stops inside traces: equal\n", n,
		    (unsigned long long)judge.pairs, (unsigned long long)judge.stops);
}
END_TEST

START_TEST(random_programs)
{
	uint32_t traces = 0, patches = 0;
	for (uint32_t n = 0; n < 40; n++) {
		random_program(passes_of((unsigned)_i), 1000 * (uint32_t)_i + n, 8 + n, 20);
		traces += optimise.trace_count;
		patches += optimise.patch_count;
	}
	ck_assert_uint_gt(traces, 100);
	ck_assert_uint_gt(patches, 5);
	ck_assert_uint_gt(judge.pairs, 2000);
}
END_TEST

/* ---- records of the patched program in the program's own addresses ---- */

static uint8_t original[CODE];
static struct optimise_code original_piece = {BASE, CODE, original};
static struct {
	struct judge_machine machine; /* of the program without patches */
	struct judge judge;
	struct optimise view; /* what judge_fetch() sees: the original, and no cache */
	uint32_t parts, insns;
	bool wrong;
	uint16_t outcomes[CODE / 2][2]; /* of each branch, in the record: fell through, taken */
	char text[200];
} plain;

/* A part must be what the program without patches does next. */
static void compare_part(void *context, const struct record *part)
{
	unsigned bits = 31 - (unsigned)__builtin_clz((uint32_t)part->hist);
	(void)context;
	plain.parts++;
	if (plain.wrong)
		return;
	uint32_t first = plain.machine.pc;
	bool good = part->start == plain.machine.pc;
	for (uint32_t n = 0; good && n < part->insns; n++) {
		struct isa_insn insn;
		uint32_t pc = plain.machine.pc;
		good = judge_fetch(&plain.judge, pc, &insn) && judge_step(&plain.machine, &insn);
		if (good && insn.class_bits & ISA_BRANCH) {
			bool taken = plain.machine.pc != pc + insn.length;
			good = bits > 0 && (part->hist >> --bits & 1) == taken;
			plain.outcomes[(pc - BASE) / 2][taken]++;
		}
		plain.insns++;
	}
	if (!good || bits != 0) {
		plain.wrong = true;
		snprintf(plain.text, sizeof plain.text,
		    "part %u: start 0x%08x, history 0x%x, %u instructions, reason %u; the program begins at 0x%08x and "
		    "is at 0x%08x, %u outcomes left",
		    plain.parts, (unsigned)part->start, (unsigned)part->hist, part->insns, part->reason, first,
		    plain.machine.pc, bits);
	}
}

/* In the middle of an instruction that is patched, or in front of it with an end in it: random code overlaps, programs
 * do not. */
static bool near_patch(uint32_t pc)
{
	struct isa_insn insn;
	for (uint32_t i = 0; i < optimise.patch_count; i++)
		if (optimise.patches[i].pc == pc - 2 ||
		    (optimise.patches[i].pc == pc + 2 && judge_fetch(&plain.judge, pc, &insn) && insn.length == 4))
			return true;
	return false;
}

static void tell_part(void *context, const struct record *part)
{
	(void)context;
	optimise_outcomes(&optimise, (uint32_t)part->start, (uint32_t)part->hist, (uint32_t)part->count);
}

/* What a record of the patched program tells about the program's branches: the outcomes behind a patch are those of
 * the cache, where branches are turned. Counts it; returns how many outcomes it has told. */
static uint32_t told_outcomes(const struct record *record, unsigned bits)
{
	uint32_t told = 0;
	for (uint32_t i = 0; i < optimise.weight_room; i++)
		optimise.weights[i].taken = optimise.weights[i].fall = 0;
	if (!optimise_record(&optimise, (uint32_t)record->start, (uint32_t)record->hist, 1))
		optimise_translate(&optimise, record, 0, bits, tell_part, NULL);
	for (uint32_t i = 0; i < optimise.weight_room; i++)
		if (optimise.weights[i].pc != 1)
			told += optimise.weights[i].taken + optimise.weights[i].fall;
	return told;
}

/* Has the program done, in the record, what told_outcomes() has counted? */
static bool outcomes_are_true(void)
{
	for (uint32_t i = 0; i < optimise.weight_room; i++) {
		const struct optimise_weight *w = &optimise.weights[i];
		uint32_t at = (w->pc - BASE) / 2;
		if (w->pc != 1 && w->taken + w->fall != 0 &&
		    (at >= CODE / 2 || w->taken > plain.outcomes[at][1] || w->fall > plain.outcomes[at][0]))
			return false;
	}
	return true;
}

/* Records that told outcomes: by way of a patch; others than the program had. */
static uint32_t patched_told, wrong_told;

/* The unit's records of the patched program from a patch on, each translated, against the program. Returns their
 * number. */
static uint32_t translated_run(uint32_t from, uint32_t seed, unsigned bits)
{
	static struct judge_memory memories[2];
	struct judge_machine m = {.pc = from, .seed = judge_random(&seed), .hash = 1};
	for (unsigned r = 1; r < 32; r++)
		m.x[r] = judge_value(&seed);
	plain.machine = m;
	m.memory = &memories[0];
	plain.machine.memory = &memories[1];
	for (unsigned i = 0; i < 2; i++) {
		memories[i].now++;
		memories[i].used = 0;
	}
	judge.optimise = &optimise;
	judge.cache = cache;
	plain.view.config = optimise.config;
	plain.view.config.code = &original_piece;
	plain.judge.optimise = &plain.view;
	struct record raw = {.start = from, .hist = 1, .count = 1, .timed = 1};
	uint32_t records = 0;
	for (unsigned n = 0; n < 400; n++) {
		struct isa_insn insn;
		uint32_t pc = m.pc;
		if (near_patch(pc))
			break;
		bool can = judge_fetch(&judge, pc, &insn) && judge_step(&m, &insn);
		bool branch = can && insn.class_bits & ISA_BRANCH, taken = can && m.pc != pc + insn.length;
		raw.insns += can;
		if (branch)
			raw.hist = raw.hist << 1 | taken;
		/* a random value that is an address of the cache: no program has it */
		bool stray = can && insn.op == ISA_JALR && m.pc - CACHE < sizeof cache;
		if (!can || stray || n == 399)
			raw.reason = TRACE_OFF;
		else if (insn.op == ISA_JALR)
			raw.reason = TRACE_INDIRECT;
		else if ((branch || insn.op == ISA_JAL) && taken && m.pc <= pc)
			raw.reason = TRACE_BACKWARD;
		else if (branch && raw.hist >> (bits - 1) != 0)
			raw.reason = TRACE_FULL;
		else
			continue;
		if (raw.insns == 0)
			break;
		bool inside = (uint32_t)raw.start - CACHE < sizeof cache;
		uint32_t told = inside || raw.reason == TRACE_OFF || seed % 8 != 0 ? 0 : told_outcomes(&raw, bits);
		memset(plain.outcomes, 0, sizeof plain.outcomes);
		plain.wrong = false;
		int parts = optimise_translate(&optimise, &raw, 0, bits, compare_part, NULL);
		ck_assert_msg(parts >= 0, "program %u, seed %u: record from 0x%08x, history 0x%x, reason %u is none",
		    (unsigned)program_number, seed, (unsigned)raw.start, (unsigned)raw.hist, raw.reason);
		if (parts == 0) /* the program's own */
			compare_part(NULL, &raw);
		ck_assert_msg(!plain.wrong, "program %u, record from 0x%08x, history 0x%x: %s",
		    (unsigned)program_number, (unsigned)raw.start, (unsigned)raw.hist, plain.text);
		records += parts > 0;
		if (told != 0) {
			wrong_told += !outcomes_are_true();
			patched_told += parts > 0;
		}
		if (raw.reason == TRACE_OFF)
			break;
		raw = (struct record){.start = m.pc, .hist = 1, .count = 1, .timed = 1};
	}
	return records;
}

/* A loop's last round came by the patch first: its jump is an instruction more, and so is the way out of the cache. In
 * the cache its branch is turned, so this record has the history of the program's other rounds, which are shorter. */
START_TEST(own_length)
{
	static uint8_t room[4096];
	static uint32_t seen[64];
	struct table table;
	struct counts counts;
	struct optimise_config config = config_of(OPTIMISE_ALL);
	loop_met(&config, 1000, 10);
	ck_assert_int_ge(optimise_build(&optimise), 1);
	const struct optimise_trace *trace = optimise_trace_at(&optimise, BASE);
	uint32_t rounds = 0;
	for (unsigned i = 0; i < trace->count; i++)
		rounds += optimise.insns[trace->first + i].kind == KIND_EXIT;
	ck_assert_uint_gt(rounds, 1);
	ck_assert_int_ge(table_init(&table, room, sizeof room, 0), 2);
	counts_init(&counts, seen, 64);
	table_add(&table, BASE, 3, TRACE_BACKWARD, 2, 20, 7);
	table_add(&table, BASE, 1u << rounds | 1, TRACE_BACKWARD, 100, 1400, 4 * rounds + 3);
	table_add(&table, BASE, 1, TRACE_TRAP, 1, 9, 5); /* in front of the branch: with the jump, 5 */
	ck_assert_uint_eq(counts_translate(&counts, &optimise, &table, 0, 32, NULL), 103);
	for (uint32_t i = 0; i < table.used; i++) {
		struct record record;
		table_get(&table, i, &record);
		if (record.start != BASE || record.count == 0)
			continue;
		const uint32_t partial = record.hist == 1 ? 1 : 2;
		ck_assert_uint_eq(record.count, record.hist == 3 ? 100 * rounds : partial);
		ck_assert_uint_eq(record.insns, record.hist == 1 ? 4 : 5);
	}
}
END_TEST

/* What a trace saves grows with its counts up to the largest, and so does whether it is worth its cost; a place that is
 * worth its instructions, but saves too small a part, is left and not tried again and again. */
START_TEST(worth)
{
	struct optimise_config config = config_of(OPTIMISE_ALL);
	config.build_cycles = 1;
	loop_met(&config, 1000, 10);
	ck_assert_int_ge(optimise_build(&optimise), 1);
	uint64_t few = optimise_trace_at(&optimise, BASE)->saved;
	config.worth = UINT32_MAX;
	loop_met(&config, UINT32_MAX - UINT32_MAX / 101, UINT32_MAX / 101);
	ck_assert_int_ge(optimise_build(&optimise), 1);
	uint64_t many = optimise_trace_at(&optimise, BASE)->saved, like = few * (UINT32_MAX / 1010);
	ck_assert_uint_ge(many, like - like / 16);
	ck_assert_uint_le(many, like + like / 16);
	config.worth = 1;
	loop_met(&config, 1000, 10);
	optimise.total = few + 1;
	ck_assert_int_eq(optimise_build(&optimise), 0);
	ck_assert_uint_eq(optimise.unpaid, 1);
	loop_met(&config, 1000, 10);
	optimise.total = 500; /* of a cycle for each round the layout saves most */
	ck_assert_int_eq(optimise_build(&optimise), 1);
}
END_TEST

/* By more samples, places are tried again that were not worth a trace: not before, and none that has one. */
START_TEST(places_tried_again)
{
	struct optimise_config config = config_of(OPTIMISE_ALL);
	config.hot_share = 1000000;
	config.worth = 1;
	loop_met(&config, 1000, 10);
	optimise.total = 100000; /* of so many counts the loop saves too little */
	ck_assert_int_eq(optimise_build(&optimise), 0);
	ck_assert(optimise_considered(&optimise, BASE));
	optimise.total = 500;
	ck_assert_int_eq(optimise_build(&optimise), 0);
	optimise_again(&optimise);
	ck_assert(!optimise_considered(&optimise, BASE));
	ck_assert_int_eq(optimise_build(&optimise), 1);
	optimise_again(&optimise);
	ck_assert(optimise_considered(&optimise, BASE));
	ck_assert_int_eq(optimise_build(&optimise), 1);
}
END_TEST

/* A place that divides is tried although it is rare; that opens the door to no other rare place. A place that nobody
 * came to is never tried. */
START_TEST(rare_places)
{
	struct optimise_config config = config_of(OPTIMISE_ALL);
	config.hot_share = 1000000;
	config.build_cycles = 160;
	ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
	static const struct optimise_seed met[] = {{.flow = 12, .divides = true}, {.flow = 100}, {.flow = 160},
	    {.flow = 9, .divides = true}, {.flow = 0, .divides = true}};
	static const bool tried[] = {true, false, true, false, false}, low[] = {true, true, true, true, false};
	for (unsigned i = 0; i < 5; i++) {
		optimise_seed(&optimise, BASE + 64 * i, met[i].flow, true);
		optimise_seed_at(&optimise, BASE + 64 * i)->divides = met[i].divides;
	}
	optimise_build(&optimise);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_int_eq(optimise_considered(&optimise, BASE + 64 * i), tried[i]);
	optimise.config.build_cycles = 8; /* a sixteenth of it is nothing */
	optimise_build(&optimise);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_int_eq(optimise_considered(&optimise, BASE + 64 * i), low[i]);
}
END_TEST

/* Which traces are looked at after hours: the sums that decide it pass 32 bits. */
START_TEST(long_runs)
{
	struct table_entry entry = {.cycles = 23999};
	ck_assert_uint_eq(counts_least(4096000), 1000);
	ck_assert(!counts_slow(&entry, 1000, 1000));
	entry.cycles = 24000;
	ck_assert(counts_slow(&entry, 62, 1000));
	ck_assert(!counts_slow(&entry, 61, 1000));
	uint32_t least = counts_least(800000000000); /* above 2 hours at 100 MHz */
	ck_assert_uint_eq(least, 195312500);
	ck_assert(!counts_slow(&entry, least - 1, least));
	entry.cycles_high = 1; /* 2^32 and a little: less than 24 x least */
	ck_assert(!counts_slow(&entry, least - 1, least));
	entry.cycles_high = 2;
	ck_assert(counts_slow(&entry, least - 1, least));
	ck_assert_uint_eq(counts_least(UINT64_MAX), UINT32_MAX);
}
END_TEST

/* Counts of long runs: what leaves a trace is never more than what comes in, and a build ends, also where a trace that
 * is met as often as can be counted is not worth its cost. */
START_TEST(large_counts)
{
	uint32_t seed = 7;
	for (uint32_t n = 0; n < 300; n++) {
		random_program(OPTIMISE_ALL, 700000 + n, 20, 0);
		struct optimise_config config = config_of(OPTIMISE_ALL);
		config.build_cycles = n % 3 == 0 ? UINT32_MAX : 400;
		ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
		for (uint32_t i = 0; i < 200; i++)
			optimise_record(&optimise, BASE + 2 * (judge_random(&seed) % 64), 1 + judge_random(&seed) % 255,
			    UINT32_MAX >> judge_random(&seed) % 28);
		optimise_build(&optimise);
		for (uint32_t t = 0; t < optimise.trace_count; t++) {
			const struct optimise_trace *trace = &optimise.traces[t];
			uint64_t left = 0;
			for (uint32_t i = trace->first; i < trace->first + trace->count; i++)
				left += optimise.insns[i].kind == KIND_EXIT ? optimise.insns[i].flow : 0;
			ck_assert_uint_le(left, trace->flow);
		}
	}
}
END_TEST

START_TEST(translation)
{
	uint32_t records = 0;
	for (uint32_t n = 0; n < 400; n++) {
		program_number = n;
		random_program(passes_of(n % 3 == 0 ? n / 3 : OPTIMISE_PASSES), 500000 + n, 4 + n % 40, 0);
		memcpy(original, code, sizeof code);
		for (uint32_t builds = 0, seed = n; builds < 1 + n % 3; builds++) {
			if (builds > 0) { /* more traces behind those that are there */
				random_records(&seed);
				optimise_build(&optimise);
			}
			optimise_emit(&optimise, cache);
			for (uint32_t i = optimise.built_patches; i < optimise.patch_count; i++)
				memcpy(code + (optimise.patches[i].pc - BASE), &optimise.patches[i].after, 4);
		}
		for (uint32_t i = 0; i < optimise.patch_count; i++)
			for (uint32_t s = 0; s < 10; s++)
				records +=
				    translated_run(optimise.patches[i].pc, n * 1000 + i * 10 + s, 4 + (n + s) % 29);
	}
	ck_assert_uint_gt(records, 5000);
	ck_assert_uint_gt(patched_told, 500);
	ck_assert_msg(wrong_told == 0, "%u of %u records by way of a patch tell outcomes that the program has not had",
	    wrong_told, patched_told);
}
END_TEST

/* The cost model is the core's table (host/cycles/rivulet.core), which firmware cannot read. */
START_TEST(costs)
{
	static const uint8_t ops[] = {
	    ISA_ADD, ISA_ADDI, ISA_SRA, ISA_MUL, ISA_MULH, ISA_MULHSU, ISA_MULHU, ISA_DIV, ISA_DIVU, ISA_REM, ISA_REMU};
	struct core core;
	struct optimise_insn insns[2] = {{.kind = KIND_PLAIN, .rd = 10, .rs1 = 11, .rs2 = 12}};
	struct optimise o = {.insns = insns};
	struct optimise_trace trace = {.count = 1};
	core_default(&core);
	for (unsigned i = 0; i < sizeof ops; i++) {
		const struct core_rule *rule = &core.rules[ops[i]];
		insns[0].op = ops[i];
		/* of a division: with one leading zero byte */
		int32_t cycles = rule->base + (rule->measure == CORE_FIXED ? 0 : rule->step);
		ck_assert_int_eq((int32_t)optimise_cost(&o, &trace), cycles);
	}
	insns[0].kind = KIND_JUMP;
	insns[0].op = ISA_JAL;
	ck_assert_int_eq((int)optimise_cost(&o, &trace), core.rules[ISA_JAL].base + core.taken);
	insns[0] = (struct optimise_insn){.kind = KIND_LOAD, .op = ISA_LW, .rd = 10, .rs1 = 11};
	insns[1] = (struct optimise_insn){.kind = KIND_PLAIN, .op = ISA_ADD, .rd = 12, .rs1 = 10, .rs2 = 13};
	trace.count = 2;
	unsigned both = core.rules[ISA_LW].base;
	both += core.rules[ISA_ADD].base;
	ck_assert_uint_eq(optimise_cost(&o, &trace), both + core.load_use);
	/* in the program a taken branch and a call take what the core's table says too */
	uint32_t loaded = 0;
	insns[0] = (struct optimise_insn){.kind = KIND_EXIT, .op = ISA_BEQ, .length = 4, .pc = 100};
	ck_assert_int_eq((int)optimise_cost_in_program(insns, 200, &loaded), core.rules[ISA_BEQ].base + core.taken);
	ck_assert_uint_eq(optimise_cost_in_program(insns, 104, &loaded), core.rules[ISA_BEQ].base);
}
END_TEST

/* What is no code, no history, no room is refused, and nothing is written behind the cache. */
START_TEST(refused)
{
	random_code(code, CODE, 1);
	struct optimise_config config = config_of(OPTIMISE_ALL);
	ck_assert_int_eq(optimise_init(&optimise, &config, memory, 100), OPTIMISE_EMEMORY);
	config.cache++;
	ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_ECONFIG);
	config = config_of(OPTIMISE_ALL);
	config.length = 0;
	ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_ECONFIG);
	config = config_of(OPTIMISE_ALL);
	ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
	optimise_record(&optimise, BASE + 1, 3, 1);
	optimise_record(&optimise, BASE, 0, 1);
	optimise_record(&optimise, 0, 3, 1);
	ck_assert_uint_eq(optimise.refused, 3);
	ck_assert_uint_eq(optimise.total, 0);
	ck_assert_int_eq(optimise_build(&optimise), 0);

	config.cache_size = 64;
	config.hot_share = 1000000;
	ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
	for (uint32_t i = 0; i < CODE; i += 2)
		for (uint32_t h = 1; h < 64; h++)
			optimise_record(&optimise, BASE + i, h, 5);
	optimise_build(&optimise);
	ck_assert_uint_le(optimise.cache_used, 64);
	ck_assert_uint_gt(optimise.full, 0);
	memset(cache, 0xA5, sizeof cache);
	optimise_emit(&optimise, cache);
	for (uint32_t i = optimise.cache_used; i < sizeof cache; i++)
		ck_assert_uint_eq(cache[i], 0xA5);
}
END_TEST

int main(void)
{
	const char *more = getenv("OPTIMISE_PAIRS");
	Suite *suite = suite_create("optimise");
	TCase *cases = tcase_create("core");
	tcase_set_timeout(cases, more != NULL ? 0 : 60);
	tcase_add_test(cases, words);
	tcase_add_test(cases, figure7);
	tcase_add_test(cases, loop);
	tcase_add_test(cases, remainder_of_quotient);
	tcase_add_test(cases, number_in_a_nop);
	tcase_add_test(cases, second_way);
	tcase_add_test(cases, worth);
	tcase_add_test(cases, own_length);
	tcase_add_test(cases, places_tried_again);
	tcase_add_test(cases, rare_places);
	tcase_add_test(cases, long_runs);
	tcase_add_test(cases, large_counts);
	tcase_add_test(cases, divisor_of_most);
	tcase_add_test(cases, long_stub);
	tcase_add_loop_test(cases, repeated_divisor, 0, 16);
	tcase_add_loop_test(cases, random_programs, 0, OPTIMISE_PASSES + 2);
	tcase_add_test(cases, translation);
	tcase_add_test(cases, costs);
	tcase_add_test(cases, refused);
	tcase_add_test(cases, many_pairs);
	suite_add_tcase(suite, cases);
	return suite_finish(suite);
}
