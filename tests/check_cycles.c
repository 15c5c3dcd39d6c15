/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Cycle rules: descriptions that are nonsense, what docs/core.md section 4 says of ours, records split by them. */
#include <check.h>
#include <string.h>
#include "host/cycles/core.h"
#include "host/cycles/split.h"

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
		"`unaligned' is what a simple fetch has"},
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
	ck_assert_uint_eq(split_cycles(parts, sizeof *parts, 3, 1, 100), 100);
	ck_assert_uint_eq(parts[0].cycles + parts[1].cycles + parts[2].cycles, 100);
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

int main(void)
{
	Suite *suite = suite_create("cycles");
	TCase *tcase = tcase_create("cycles");
	tcase_add_test(tcase, nonsense);
	tcase_add_test(tcase, consequences);
	tcase_add_test(tcase, split);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
