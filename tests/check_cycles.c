/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Cycle rules: descriptions that are nonsense, what docs/core.md section 4 says of ours, records split by them. */
#include <check.h>
#include <string.h>
#include "host/cycles/core.h"
#include "host/cycles/split.h"
#include "tests/suite.h"
#include "isa/isa.h"

#define HEAD "core x\nfetch simple\ncycles 1\nload-use 1\ntaken 2\n"

START_TEST(nonsense)
{
	static const struct {
		const char *text, *detail;
	} cases[] = {{HEAD, NULL}, {HEAD "# only a comment\n\ncycles 5 mul # yes\n", NULL},
	    {"", "t: there is no line `core'"},
	    {"core x\nfetch simple\ncycles 3 mul\nload-use 1\ntaken 1\n", "there is no line `cycles' for all"},
	    {HEAD "cycles 2\n", "t:6: `cycles' is there twice"}, {HEAD "core y\n", "t:6: `core' is there twice"},
	    {HEAD "speed 3\n", "t:6: `speed' is no rule"},
	    {HEAD "cycles 3 mull\n", "t:6: there is no instruction `mull'"},
	    {HEAD "cycles 0 mul\n", "t:6: a number of cycles from 1 to 1000"},
	    {HEAD "cycles 1x mul\n", "t:6: a number of cycles from 1 to 1000"},
	    {HEAD "cycles -3 mul\n", "t:6: a number of cycles"},
	    {HEAD "cycles 3 mul mul\n", "`mul' has its cycles already"},
	    {HEAD "cycles 35 - 12 * zero-bytes div\n", "t:6: 35 - 12 * 3 cycles are less than one"},
	    {HEAD "cycles 16 - 1 * bit-pairs mul\n", "t:6: 16 - 1 * 16 cycles are less than one"},
	    {HEAD "cycles 17 - 1 * bit-pairs mul\n", NULL},
	    {HEAD "cycles 35 - 7 * zeros div\n", "there is no measure `zeros'"},
	    {HEAD "cycles 35 - 7 zero-bytes div\n", "N * MEASURE"},
	    {HEAD "cycles 35 - 7 * zero-bytes\n", "instructions are expected"},
	    {HEAD "cycles 9 - 1 * zero-bytes mul\n", "a measure of a dividend, and `mul' has none"},
	    {HEAD "taken 101\n", "t:6: `taken' is there twice"},
	    {HEAD "unaligned 101\n", "t:6: a number of cycles from 0 to 100"},
	    {HEAD "wait\n", "t:6: instructions are expected behind `wait'"},
	    {HEAD "wait sleep\n", "there is no instruction `sleep'"},
	    {"core x\nfetch buffer 9\n", "t:2: `simple' or `buffer WORDS'"},
	    {"core a-name-of-more-than-thirty-one-characters\n", "t:1: one name of at most 31"},
	    {"core x\nfetch buffer 2\ncycles 1\nload-use 1\ntaken 1\nunaligned 1\n",
		"t:6: `unaligned' is what a simple fetch has"},
	    {HEAD "taken 3 beq bne\ntaken 2 jal\n", NULL}, {HEAD "taken 3 mul\n", "t:6: `mul' is no branch"},
	    {HEAD "taken 3 bez\n", "t:6: there is no instruction `bez'"},
	    {HEAD "taken x beq\n", "t:6: a number of cycles from 0 to 100"},
	    {HEAD "taken 101 beq\n", "t:6: a number of cycles from 0 to 100"},
	    {HEAD "taken 3 beq\n\ntaken 4 bne beq\n", "t:8: `beq' has what it takes behind it already"},
	    {HEAD "# less\ntaken 1 beq\n", "t:7: less than the 2 of the line `taken' for all"},
	    {"core x\nfetch simple\ncycles 1\nload-use 1\ntaken 3 beq\n", "there is no line `taken' for all"},
	    {"core x\nfetch simple\ncycles 1\nload-use 1 but stores\ntaken 0\n", NULL},
	    {"core x\nfetch simple\ncycles 1\nload-use 1 but loads\n", "t:4: a number of cycles from 0 to 100"},
	    {HEAD "load-use 2\n", "t:6: `load-use' is there twice"},
	    {HEAD "fetch simple\n", "t:6: `fetch' is there twice"},
	    {HEAD "unaligned 1\nunaligned 1\n", "t:7: `unaligned' is there twice"},
	    {HEAD "wait wfi\nwait wfi\n", "t:7: `wfi' waits already"},
	    {HEAD "cycles 18446744073709551617 mul\n", "t:6: a number of cycles from 1 to 1000"},
	    {HEAD "cycles 1001 mul\n", "t:6: a number of cycles from 1 to 1000"},
	    {HEAD "cycles 5 + 1001 * bits mul\n", "t:6: `+ N * MEASURE'"},
	    {HEAD "cycles 5 + -1 * bits mul\n", "t:6: `+ N * MEASURE'"},
	    {HEAD "unaligned -1\n", "t:6: a number of cycles from 0 to 100"}, {"core\n", "t:1: one name"},
	    {"core two names\n", "t:1: one name"}, {"core x\nfetch buffer 1\n", "t:2: `simple' or"},
	    {"core x\nfetch\n", "t:2: `simple' or"}, {"core x\nfetch simple\ncycles\n", "t:3: a number of cycles"},
	    {"core x\n\x01\x02\n", "t:2: a byte 0x01 that is no text"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct core core;
		char detail[512] = "";
		int error = core_read(&core, cases[i].text, "t", detail, sizeof detail);
		ck_assert_msg(
		    (error == CORE_OK) == (cases[i].detail == NULL), "%s: %d %s", cases[i].text, error, detail);
		if (cases[i].detail != NULL)
			ck_assert_msg(strstr(detail, cases[i].detail) != NULL, "%s: %s", cases[i].text, detail);
	}
	struct core core;
	char detail[512];
	ck_assert_int_eq(core_open(&core, "no-such-core", detail, sizeof detail), CORE_EOPEN);
	ck_assert_ptr_nonnull(strstr(detail, "no built-in core"));
	for (size_t i = 0; core_names[i] != NULL; i++)
		ck_assert_int_eq(core_open(&core, core_names[i], detail, sizeof detail), CORE_OK);
}
END_TEST

/* Cycles of words in a row, from a transfer's target on; all taken or none. */
static unsigned cycles_of(const struct core *core, const uint32_t *words, size_t count, uint64_t pc, unsigned *last)
{
	struct core_state state = CORE_START;
	unsigned sum = 0;
	for (size_t i = 0; i < count; i++) {
		struct core_insn facts;
		struct isa_insn insn;
		isa_decode(words[i], ISA_CORE, &insn);
		core_facts(core, &insn, pc, &facts);
		*last = core_next(core, &state, &facts, false, 0);
		sum += *last;
		pc += insn.length;
	}
	return sum;
}

/* docs/core.md, section 4 */
START_TEST(consequences)
{
	struct core core;
	unsigned last;
	/* c.nop fills the buffer; c.lw a0,0(a0); c.addi a0,1 or a1,1 */
	const uint32_t load_use[] = {1, 1, 1, 1, 1, 1, 0x4108, 0x0505},
		       load_other[] = {1, 1, 1, 1, 1, 1, 0x4108, 0x0585}, add[] = {0x00158593},
		       csr[] = {0x00158593, 0xC0002573 /* csrr a0,cycle */};
	core_default(&core);
	cycles_of(&core, load_use, 8, 0x80000000, &last);
	ck_assert_uint_eq(last, 2);
	cycles_of(&core, load_other, 8, 0x80000000, &last);
	ck_assert_uint_eq(last, 1);
	/* a target takes 2; 1 more if it is a 32-bit instruction that is not word aligned */
	ck_assert_uint_eq(cycles_of(&core, add, 1, 0x80000000, &last), 2);
	ck_assert_uint_eq(cycles_of(&core, add, 1, 0x80000002, &last), 3);
	cycles_of(&core, csr, 2, 0x80000000, &last);
	ck_assert_uint_eq(last, 2);
	struct isa_insn divide;
	isa_decode(0x02B55533 /* divu a0,a0,a1 */, ISA_CORE, &divide);
	ck_assert_uint_eq(core_cycles(&core, &divide, 0xFFFFFFFFu, 3), 35);
	ck_assert_uint_eq(core_cycles(&core, &divide, 0x00FFFFFFu, 3), 28);
	ck_assert_uint_eq(core_cycles(&core, &divide, 0, 3), 14);
	ck_assert_uint_eq(core_cycles(&core, &divide, 0, 0), 35);
}
END_TEST

/* The same, section 5, MUL_FAST 0: each two bits of rs1, and none of rs2. */
START_TEST(small_multiplier)
{
	static const struct {
		uint32_t rs1;
		unsigned cycles;
	} cases[] = {{0, 2}, {1, 2}, {2, 3}, {3, 3}, {4, 3}, {7, 3}, {8, 4}, {0x7FFFFFFF, 17}, {0x80000000, 18},
	    {0xFFFFFFFF, 18}};
	struct core core;
	struct core_insn facts;
	struct isa_insn multiply;
	char detail[512];
	ck_assert_int_eq(core_open(&core, "rivulet-small", detail, sizeof detail), CORE_OK);
	isa_decode(0x02B50533 /* mul a0,a0,a1 */, ISA_CORE, &multiply);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (uint32_t rs2 = 0; rs2 < 3; rs2++)
			ck_assert_uint_eq(core_cycles(&core, &multiply, cases[i].rs1, rs2 - 1), cases[i].cycles);
	core_facts(&core, &multiply, 0, &facts);
	ck_assert_uint_eq(facts.least, 2);
	ck_assert_uint_eq(facts.most, 18);
}
END_TEST

enum { NOP = 0x00000013, ADD = 0x00b50533, LW = 0x0005a503, ADDI = 0x00150513, SW = 0x00a5a023, BEQ = 0x00b50463 };
enum { JAL = 0x008000ef, JALR = 0x000500e7, MUL = 0x02b50533, MULH = 0x02b51533, DIV = 0x02b54533, ECALL = 0x73 };
enum { AMOADD = 0x00b6252f };

/* Cycles of an instruction and the next one, which comes at pc 8 or 10, without that one's own. */
static unsigned cycles_with(const struct core *core, uint32_t word, bool taken, uint32_t next, bool unaligned)
{
	struct core_state state = CORE_START;
	const uint32_t words[] = {NOP, word, next};
	unsigned sum = 0, own = 0;
	for (unsigned i = 0; i < 3; i++) {
		struct core_insn facts;
		struct isa_insn insn;
		isa_decode(words[i], ISA_ANY32, &insn);
		core_facts(core, &insn, 4u * i + (i == 2 && unaligned ? 2 : 0), &facts);
		unsigned took = core_next(core, &state, &facts, i == 1 && taken, 0);
		sum += i > 0 ? took : 0;
		own = facts.least;
	}
	return sum - own;
}

/* The tables of the documents that the descriptions name, row by row. */
START_TEST(documents)
{
	static const struct {
		const char *core;
		uint32_t word, next;
		bool taken, unaligned;
		unsigned cycles;
	} rows[] = {{"hazard3", ADD, NOP, false, false, 1}, {"hazard3", JAL, NOP, true, false, 2},
	    {"hazard3", JALR, NOP, true, false, 2}, {"hazard3", JALR, NOP, true, true, 3},
	    {"hazard3", BEQ, NOP, false, false, 1}, {"hazard3", BEQ, NOP, false, true, 1},
	    {"hazard3", BEQ, NOP, true, false, 2}, {"hazard3", BEQ, NOP, true, true, 3},
	    {"hazard3", LW, NOP, false, false, 1}, {"hazard3", LW, ADDI, false, false, 2},
	    {"hazard3", LW, SW, false, false, 1}, {"hazard3", SW, NOP, false, false, 1},
	    {"hazard3", MUL, NOP, false, false, 1}, {"hazard3", MULH, NOP, false, false, 1},
	    {"hazard3", DIV, NOP, false, false, 18}, {"hazard3", AMOADD, NOP, false, false, 4},
	    {"hazard3", ECALL, NOP, false, false, 3}, {"ibex", ADD, NOP, false, false, 1},
	    {"ibex", LW, NOP, false, false, 2}, {"ibex", LW, ADDI, false, false, 2}, {"ibex", SW, NOP, false, false, 2},
	    {"ibex", MUL, NOP, false, false, 3}, {"ibex", MULH, NOP, false, false, 4},
	    {"ibex", DIV, NOP, false, false, 38}, {"ibex", JAL, NOP, true, false, 2},
	    {"ibex", JALR, NOP, true, false, 2}, {"ibex", BEQ, NOP, false, false, 1},
	    {"ibex", BEQ, NOP, true, false, 3}, {"picorv32", JAL, NOP, true, false, 3},
	    {"picorv32", ADDI, NOP, false, false, 3}, {"picorv32", ADD, NOP, false, false, 3},
	    {"picorv32", BEQ, NOP, false, false, 3}, {"picorv32", LW, ADDI, false, false, 5},
	    {"picorv32", SW, NOP, false, false, 5}, {"picorv32", BEQ, NOP, true, false, 5},
	    {"picorv32", JALR, NOP, true, false, 6}, {"picorv32", MUL, NOP, false, false, 40},
	    {"picorv32", MULH, NOP, false, false, 72}, {"picorv32", DIV, NOP, false, false, 40}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct core core;
		char detail[512] = "";
		ck_assert_msg(core_open(&core, rows[i].core, detail, sizeof detail) == CORE_OK, "%s", detail);
		ck_assert_str_eq(core.name, rows[i].core);
		unsigned got = cycles_with(&core, rows[i].word, rows[i].taken, rows[i].next, rows[i].unaligned);
		ck_assert_msg(got == rows[i].cycles, "%s %08x, row %zu: %u, not %u", rows[i].core, rows[i].word, i, got,
		    rows[i].cycles);
	}
}
END_TEST

START_TEST(split)
{
	struct split_part parts[3] = {{.least = 2}, {.least = 14, .room = 21}, {.least = 1}};
	/* one has room: all is known */
	ck_assert_uint_eq(split_cycles(parts, sizeof *parts, 3, 1, 24), 0);
	ck_assert_uint_eq(parts[0].cycles, 2);
	ck_assert_uint_eq(parts[1].cycles, 21);
	ck_assert_uint_eq(parts[2].cycles, 1);
	ck_assert(split_fits(parts, sizeof *parts, 3, 2, 34));
	ck_assert(!split_fits(parts, sizeof *parts, 3, 2, 33));
	ck_assert(!split_fits(parts, sizeof *parts, 3, 1, 39));
	/* it does not fit: nothing is lost */
	ck_assert_uint_eq(split_cycles(parts, sizeof *parts, 3, 1, 100), 83);
	ck_assert_uint_eq(parts[0].cycles + parts[1].cycles + parts[2].cycles, 100);
	ck_assert(parts[0].cycles >= 2 && parts[1].cycles >= 14 && parts[2].cycles >= 1);
	/* less than the least: all of it is shared */
	ck_assert_uint_eq(split_cycles(parts, sizeof *parts, 3, 2, 17), 17);
	ck_assert_uint_eq(parts[0].cycles + parts[1].cycles + parts[2].cycles, 17);
	/* two have room: it is not known which had it, unless both had all */
	parts[2].room = 7;
	ck_assert_uint_eq(split_cycles(parts, sizeof *parts, 3, 1, 31), 14);
	ck_assert_uint_eq(parts[0].cycles + parts[1].cycles + parts[2].cycles, 31);
	ck_assert_uint_eq(split_cycles(parts, sizeof *parts, 3, 1, 45), 0);
	/* a wait has all that is left */
	parts[2].room = SPLIT_UNBOUNDED;
	split_cycles(parts, sizeof *parts, 3, 1, 1000);
	ck_assert_uint_eq(parts[2].cycles, 1000 - 16);
}
END_TEST

/* Neighbours together get what they get one by one, in each of the ways to split. */
START_TEST(split_together)
{
	uint32_t x = 1;
	unsigned ways = 0;
	for (unsigned turn = 0; turn < 20000; turn++) {
		struct split_part parts[12];
		struct split_sum sums[4] = {{0}};
		unsigned kind = turn % 4, least = 0, room = 0;
		for (unsigned i = 0; i < 12; i++) {
			x = x * 1664525 + 1013904223;
			parts[i] = (struct split_part){.least = x >> 28, .room = kind == 0 ? 0 : x >> 24 & 3};
			if (kind == 3 && (x >> 20 & 3) == 0)
				parts[i].room = SPLIT_UNBOUNDED;
			least += parts[i].least;
			room += parts[i].room == SPLIT_UNBOUNDED ? 100 : parts[i].room;
			split_add(&sums[i / 3], &parts[i]);
		}
		x = x * 1664525 + 1013904223;
		uint64_t cycles = (x >> 8) % (least + 2 * room + 3);
		uint64_t shared = split_cycles(parts, sizeof *parts, 12, 1, cycles), all = 0;
		ck_assert_uint_eq(split_sums(sums, sizeof *sums, 4, cycles), shared);
		for (unsigned i = 0; i < 4; i++) {
			ck_assert_uint_eq(
			    sums[i].cycles, parts[3 * i].cycles + parts[3 * i + 1].cycles + parts[3 * i + 2].cycles);
			all += sums[i].cycles;
		}
		ck_assert(all == cycles || least == 0 || room == 0);
		if (shared == 0)
			ways |= 1;
		else if (cycles < least)
			ways |= 2;
		else
			ways |= cycles > least + room ? 4 : 8;
	}
	ck_assert_uint_eq(ways, 15);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cycles");
	TCase *tcase = tcase_create("cycles");
	tcase_add_test(tcase, nonsense);
	tcase_add_test(tcase, consequences);
	tcase_add_test(tcase, small_multiplier);
	tcase_add_test(tcase, documents);
	tcase_add_test(tcase, split);
	tcase_add_test(tcase, split_together);
	suite_add_tcase(suite, tcase);
	return suite_finish(suite);
}
