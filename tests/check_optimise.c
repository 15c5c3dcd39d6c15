/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The optimiser: traces of the document's example, of random code under every pass, against an interpreter. */
#include <stdlib.h>
#include "host/cycles/core.h"
#include "tests/optimise_program.h"
#include "isa/isa.h"

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

/* The divisor that nine of 16 looks saw is the one; if another was seen as often there is none. */
START_TEST(divisor_of_most)
{
	struct optimise_config config = config_of(OPTIMISE_ALL);
	config.divisors = divisors;
	config.divisor_room = DIVISORS;
	ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
	for (unsigned others = 0; others <= 8; others++) {
		uint32_t value = 0;
		memset(divisors, 0, sizeof divisors);
		struct optimise_divisor *d = optimise_divisor_met(&optimise, BASE, 1);
		ck_assert_ptr_nonnull(d);
		for (unsigned i = 0; i < 16; i++)
			optimise_divisor_seen(d, i < others ? 100 : 10);
		ck_assert_int_eq(optimise_divisor_repeats(&optimise, BASE, &value), others <= 7);
		if (others <= 7)
			ck_assert_uint_eq(value, 10);
		/* what nobody can tell is asked anew, from the beginning */
		ck_assert(optimise_divisor_open(d, 17));
		ck_assert_uint_eq(d->seen, 16);
		ck_assert_int_eq(optimise_divisor_open(d, 16), others > 7);
		ck_assert_uint_eq(d->seen, others > 7 ? 0 : 16);
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
	tcase_add_test(cases, divisor_of_most);
	tcase_add_test(cases, long_stub);
	tcase_add_loop_test(cases, repeated_divisor, 0, 16);
	tcase_add_loop_test(cases, random_programs, 0, OPTIMISE_PASSES + 2);
	tcase_add_test(cases, costs);
	tcase_add_test(cases, refused);
	tcase_add_test(cases, many_pairs);
	suite_add_tcase(suite, cases);
	return suite_finish(suite);
}
