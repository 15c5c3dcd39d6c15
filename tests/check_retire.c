/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The rules of the retire port (model/retire_check.h), each kept and each broken. The RTL of the same rules: make
 * check-ports. */
#include <check.h>
#include <string.h>
#include "model/retire_check.h"
#include "tests/suite.h"

#define BASE UINT64_C(0x80000000)
#define NOP 0x00000013u
#define C_NOP 0x0001u
#define BEQ_8 0x00B50463u  /* beq a0, a1, pc + 8 */
#define C_BEQZ_4 0xC111u   /* c.beqz a0, pc + 4 */
#define JAL_16 0x010000EFu /* jal ra, pc + 16 */
#define C_J_8 0xA021u      /* c.j pc + 8 */
#define C_JAL_8 0x2021u    /* c.jal pc + 8; c.addiw of RV64 */
#define JALR 0x000080E7u   /* jalr ra, 0(ra) */
#define MRET 0x30200073u
#define ECALL 0x00000073u
#define EBREAK 0x00100073u
#define C_EBREAK 0x9002u
#define RETIRQ 0x0400000Bu /* PicoRV32's */
#define CM_JT 0xA002u
#define HANDLER 0x100u

#define RULE(name) (1u << RETIRE_##name)

static struct retire_check check;
static struct trace_config config;

static void setup(void)
{
	trace_config_default(&config);
	retire_check_init(&check, &config);
}

/* What the next retirement breaks. Offsets are from BASE. */
static unsigned show(uint32_t insn, uint64_t pc, uint64_t next_pc, const char *flags)
{
	const struct trace_retire retire = {.insn = insn,
	    .pc = BASE + pc,
	    .next_pc = BASE + next_pc,
	    .trap = strchr(flags, 't') != NULL,
	    .intr = strchr(flags, 'i') != NULL,
	    .mode = strchr(flags, 'U') != NULL   ? 0
		    : strchr(flags, 'S') != NULL ? 1
		    : strchr(flags, 'H') != NULL ? 2
						 : 3};
	return retire_check(&check, &retire);
}

/* A stretch of a run as it should be: straight code, both lengths, every transfer, an exception, an interrupt. */
START_TEST(kept)
{
	ck_assert_uint_eq(show(NOP, 0, 4, ""), 0);
	ck_assert_uint_eq(show(C_NOP, 4, 6, ""), 0);
	ck_assert_uint_eq(show(BEQ_8, 6, 10, ""), 0);
	ck_assert_uint_eq(show(BEQ_8, 10, 18, ""), 0);
	ck_assert_uint_eq(show(C_BEQZ_4, 18, 22, ""), 0);
	ck_assert_uint_eq(show(C_BEQZ_4, 22, 24, ""), 0);
	ck_assert_uint_eq(show(JAL_16, 24, 40, ""), 0);
	ck_assert_uint_eq(show(C_J_8, 40, 48, ""), 0);
	ck_assert_uint_eq(show(C_JAL_8, 48, 56, ""), 0);
	ck_assert_uint_eq(show(JALR, 56, 0x2000, ""), 0);
	/* an exception: its next_pc is the handler's address; the handler begins with intr and ends with MRET */
	ck_assert_uint_eq(show(ECALL, 0x2000, HANDLER, "t"), 0);
	ck_assert_uint_eq(show(NOP, HANDLER, HANDLER + 4, "i"), 0);
	ck_assert_uint_eq(show(MRET, HANDLER + 4, 0x2004, ""), 0);
	/* any instruction may trap, wherever it would have gone */
	ck_assert_uint_eq(show(BEQ_8, 0x2004, HANDLER, "t"), 0);
	ck_assert_uint_eq(show(MRET, HANDLER, 0x2008, "i"), 0);
	/* an interrupt: next_pc of the instruction before is where the program goes on, not the handler */
	ck_assert_uint_eq(show(NOP, 0x2008, 0x200C, ""), 0);
	ck_assert_uint_eq(show(NOP, HANDLER, HANDLER + 4, "i"), 0);
	ck_assert_uint_eq(show(MRET, HANDLER + 4, 0x200C, ""), 0);
	/* down to U by a trap return, up again by a trap */
	ck_assert_uint_eq(show(MRET, 0x200C, 0x3000, ""), 0);
	ck_assert_uint_eq(show(C_NOP, 0x3000, 0x3002, "U"), 0);
	ck_assert_uint_eq(show(C_EBREAK, 0x3002, HANDLER, "Ut"), 0);
	ck_assert_uint_eq(show(MRET, HANDLER, 0x3004, "i"), 0);
	ck_assert_uint_eq(show(EBREAK, 0x3004, HANDLER, "Ut"), 0);
	ck_assert_uint_eq(check.retired, 23);
	for (int i = 0; i < RETIRE_RULES; i++)
		ck_assert_uint_eq(check.broken[i], 0);
}
END_TEST

/* Each rule broken by one retirement, and by nothing else: what is broken, by which core. */
static const struct {
	const char *what;
	struct step {
		uint32_t insn;
		uint64_t pc, next_pc;
		const char *flags;
	} before, step;
	unsigned broken;
} breaches[] = {
    {"an interrupt without intr", {NOP, 0, 4, ""}, {NOP, HANDLER, HANDLER + 4, ""}, RULE(FOLLOWS)},
    {"a retirement that is not shown", {NOP, 0, 4, ""}, {NOP, 8, 12, ""}, RULE(FOLLOWS)},
    {"next_pc of the interrupted instruction is the handler's", {NOP, 0, 4, ""}, {NOP, 4, HANDLER, ""}, RULE(NEXT)},
    {"next_pc taken as pc + 4", {NOP, 0, 4, ""}, {JAL_16, 4, 8, ""}, RULE(NEXT)},
    {"a branch that goes elsewhere", {NOP, 0, 4, ""}, {BEQ_8, 4, 16, ""}, RULE(NEXT)},
    {"a 16-bit instruction shown expanded", {NOP, 0, 4, ""}, {NOP, 4, 6, ""}, RULE(NEXT)},
    {"a trap return that nobody described", {NOP, 0, 4, ""}, {RETIRQ, 4, 0x40, ""}, RULE(NEXT)},
    {"a jump of Zcmt without WITH_ZCMP", {NOP, 0, 4, ""}, {CM_JT, 4, 0x40, ""}, RULE(NEXT)},
    {"intr at interrupts alone", {ECALL, 0, HANDLER, "t"}, {NOP, HANDLER, HANDLER + 4, ""}, RULE(INTR)},
    {"next_pc of what trapped is not the handler", {ECALL, 0, 4, "t"}, {NOP, HANDLER, HANDLER + 4, "i"}, RULE(HANDLER)},
    {"ECALL completes", {NOP, 0, 4, ""}, {ECALL, 4, 8, ""}, RULE(ECALL)},
    {"EBREAK completes", {NOP, 0, 4, ""}, {EBREAK, 4, 8, ""}, RULE(ECALL)},
    {"C.EBREAK completes", {NOP, 0, 4, ""}, {C_EBREAK, 4, 6, ""}, RULE(ECALL)},
    {"bit 0 of a JALR's sum", {NOP, 0, 4, ""}, {JALR, 4, 0x41, ""}, RULE(EVEN)},
    {"mode rises without intr", {NOP, 0, 4, "U"}, {NOP, 4, 8, ""}, RULE(MODE)},
    {"mode falls without a return", {NOP, 0, 4, ""}, {NOP, 4, 8, "U"}, RULE(MODE)},
    {"mode falls at an interrupt", {NOP, 0, 4, ""}, {NOP, HANDLER, HANDLER + 4, "iS"}, RULE(MODE)},
    {"a mode that is none", {NOP, 0, 4, "H"}, {NOP, 4, 8, "H"}, RULE(MODE)},
};

START_TEST(broken)
{
	const struct step *before = &breaches[_i].before, *step = &breaches[_i].step;
	show(before->insn, before->pc, before->next_pc, before->flags);
	memset(check.broken, 0, sizeof check.broken);
	unsigned got = show(step->insn, step->pc, step->next_pc, step->flags);
	ck_assert_msg(
	    got == breaches[_i].broken, "%s: rules %#x, not %#x", breaches[_i].what, got, breaches[_i].broken);
	for (unsigned i = 0; i < RETIRE_RULES; i++)
		ck_assert_uint_eq(check.broken[i], got >> i & 1);
}
END_TEST

/* The first retirement follows on nothing, and in whatever mode. */
START_TEST(first)
{
	ck_assert_uint_eq(show(NOP, 0x1234, 0x1238, "S"), 0);
	setup();
	ck_assert_uint_eq(show(NOP, 0x1234, 0x1238, "i"), 0);
}
END_TEST

/* Fifteen handlers may be inside each other; the sixteenth begins because their ends were not seen. */
START_TEST(returns)
{
	uint64_t pc = 0;
	for (int i = 1; i <= 40; i++, pc = HANDLER) {
		ck_assert_uint_eq(show(NOP, pc, pc + 4, ""), i == 1 ? 0 : RULE(FOLLOWS));
		ck_assert_uint_eq(show(NOP, HANDLER, HANDLER + 4, "i"), i % 16 == 0 ? RULE(RETURN) : 0);
	}
	ck_assert_uint_eq(check.broken[RETIRE_RETURN], 2);
	/* with their returns: never */
	setup();
	for (int i = 0; i < 100; i++) {
		ck_assert_uint_eq(show(NOP, 0, 4, ""), 0);
		ck_assert_uint_eq(show(MRET, HANDLER, 0, "i"), 0);
	}
	/* a return that traps is none */
	setup();
	for (int i = 1; i <= 16; i++)
		ck_assert_uint_eq(show(MRET, HANDLER, HANDLER, "it"), i == 16 ? RULE(RETURN) : 0);
	/* more returns than handlers: boot code goes down by MRET */
	setup();
	for (int i = 0; i < 20; i++)
		ck_assert_uint_eq(show(MRET, 0, 0, ""), 0);
	for (int i = 1; i <= 16; i++)
		ck_assert_uint_eq(show(NOP, HANDLER, HANDLER + 4, "i"), i == 16 ? RULE(RETURN) : 0);
}
END_TEST

/* What the unit's parameters change. */
START_TEST(parameters)
{
	config.ret_match = RETIRQ;
	config.ret_mask = 0xFE00007Fu;
	config.with_zcmp = true;
	retire_check_init(&check, &config);
	for (int i = 0; i < 100; i++) {
		ck_assert_uint_eq(show(NOP, 0, 4, ""), 0);
		ck_assert_uint_eq(show(RETIRQ | 3u << 15, HANDLER, 0, "i"), 0);
	}
	ck_assert_uint_eq(show(CM_JT, 0, 0x40, ""), 0);
	/* of XLEN 64 all bits count, and C.JAL is C.ADDIW */
	trace_config_default(&config);
	config.xlen = 64;
	retire_check_init(&check, &config);
	ck_assert_uint_eq(show(NOP, UINT64_C(0x700000000), UINT64_C(0x700000004), ""), 0);
	ck_assert_uint_eq(show(C_JAL_8, UINT64_C(0x700000004), UINT64_C(0x70000000C), ""), RULE(NEXT));
	ck_assert_uint_eq(show(C_JAL_8, UINT64_C(0x70000000C), UINT64_C(0x70000000E), ""), 0);
	ck_assert_uint_eq(show(NOP, UINT64_C(0x80000000E), UINT64_C(0x800000012), ""), RULE(FOLLOWS));
	ck_assert_uint_eq(show(JAL_16, UINT64_C(0x800000012), 0x22, ""), RULE(NEXT));
	/* of 32 the addresses go round */
	setup();
	struct trace_retire last = {.insn = NOP, .pc = 0xFFFFFFFC, .next_pc = 0, .mode = 3};
	ck_assert_uint_eq(retire_check(&check, &last), 0);
}
END_TEST

START_TEST(texts)
{
	for (unsigned i = 0; i < RETIRE_RULES; i++) {
		ck_assert_uint_gt(strlen(retire_rule_text((enum retire_rule)i)), 10);
		ck_assert_uint_gt(strlen(retire_rule_cure((enum retire_rule)i)), 10);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("retire");
	TCase *rules = tcase_create("rules");
	tcase_add_checked_fixture(rules, setup, NULL);
	tcase_add_test(rules, kept);
	tcase_add_loop_test(rules, broken, 0, sizeof breaches / sizeof *breaches);
	tcase_add_test(rules, first);
	tcase_add_test(rules, returns);
	tcase_add_test(rules, parameters);
	tcase_add_test(rules, texts);
	suite_add_tcase(suite, rules);
	return suite_finish(suite);
}
