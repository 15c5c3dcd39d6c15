/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The model of the trace unit: what is traced. Section 4 of docs/trace-unit.md. */
#include "isa/isa.h"
#include "model/trace/private.h"
#include "tests/suite.h"
#include "tests/trace_bench.h"

/* ---------------------------------------------------------------- section 4: freezing */

START_TEST(handler_is_left_out)
{
	soc();
	enable(0);
	op(BASE);
	branch(BASE + 4, BASE + 64, true);
	trap(BASE + 64, HANDLER); /* does not complete */
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_RESUME), BASE + 64);
	enter(NOP, HANDLER, HANDLER + 4);
	branch(HANDLER + 4, HANDLER, true);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 1);
	uint32_t cycles = rd(RV_REG_CUR_CYCLES);
	enter(NOP, HANDLER, HANDLER + 4); /* nested */
	indirect(HANDLER + 4, HANDLER + 32);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 2);
	mret(HANDLER + 32, HANDLER + 8);
	op(HANDLER + 8);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 1);
	mret(HANDLER + 12, BASE + 64);
	ck_assert_uint_eq(rd(RV_REG_CUR_CYCLES), cycles);
	op(BASE + 64);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 0);
	ck_assert_uint_eq(rd(RV_REG_RESUME), BASE + 64);
	/* an interrupt between two instructions */
	enter(NOP, HANDLER, HANDLER + 4);
	mret(HANDLER + 4, BASE + 68);
	branch(BASE + 68, BASE, true);
	settle();
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE, 7, TRACE_BACKWARD);
	/* cycles: 1 of enabling, 2 instructions, trap, 1 idle; then 1 and 1 after the returns */
	expect_more(0, 1, 7, 4);
}
END_TEST

/* A handler of one instruction, a trap return: depth goes up and down in one cycle. */
START_TEST(shortest_handler)
{
	soc();
	enable(0);
	op(BASE);
	enter(MRET, HANDLER, BASE + 4);
	branch(BASE + 4, BASE, true);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 0);
	settle();
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE, 3, TRACE_BACKWARD);
	expect_more(0, 1, 3, 2);
}
END_TEST

START_TEST(return_elsewhere)
{
	soc();
	enable(0);
	op(BASE);
	branch(BASE + 4, BASE + 16, false);
	trap(BASE + 8, HANDLER); /* say ECALL: the handler returns behind it */
	enter(NOP, HANDLER, HANDLER + 4);
	mret(HANDLER + 4, BASE + 12);
	op(BASE + 12);
	ck_assert_uint_eq(pushed_count, 0);
	ck_assert(t.end);
	idle(1);
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE, 2, TRACE_TRAP);
	expect_more(0, 1, 4, 2);
	expect_current(BASE + 12, 1);
	/* an inner handler may return anywhere; only the outermost return counts */
	trap(BASE + 16, HANDLER);
	enter(NOP, HANDLER, HANDLER + 4);
	trap(HANDLER + 4, HANDLER);
	enter(NOP, HANDLER, HANDLER + 4);
	mret(HANDLER + 4, HANDLER + 8);
	mret(HANDLER + 8, BASE + 16);
	jump(BASE + 16, BASE);
	settle();
	ck_assert_uint_eq(pushed_count, 2);
	expect(1, BASE + 12, 1, TRACE_BACKWARD);
	/* without a current pair nothing ends */
	trap(BASE, HANDLER);
	enter(MRET, HANDLER, BASE + 4);
	settle();
	ck_assert(!t.end);
	op(BASE + 4);
	jump(BASE + 8, BASE);
	settle();
	ck_assert_uint_eq(pushed_count, 3);
	expect(2, BASE + 4, 1, TRACE_BACKWARD);
	/* a trap return at depth 0 is the program's own */
	mret(BASE + 8, BASE + 64);
	op(BASE + 64);
	settle();
	ck_assert_uint_eq(pushed_count, 4);
	expect(3, BASE + 8, 1, TRACE_XRET);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 0);
	ck_assert_uint_eq(rd(RV_REG_RESUME), BASE + 68);
}
END_TEST

/* A trap return that traps itself (illegal in U mode) goes nowhere. */
START_TEST(trapped_return)
{
	soc();
	enable(0);
	op(BASE);
	trap(BASE + 4, HANDLER);
	enter(NOP, HANDLER, HANDLER + 4);
	struct trace_retire r = retired(MRET, HANDLER + 4, HANDLER);
	r.trap = true;
	step(&r, &(struct trace_bus){0});
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 1);
	/* nor do trapped branches shift, or trapped jumps end a trace */
	enable(0);
	op(BASE);
	static const uint32_t insns[] = {0x00B50063, 0x0000006F, JALR, MRET};
	for (unsigned i = 0; i < 4; i++) {
		r = retired(insns[i], BASE + 4, BASE);
		r.trap = true;
		step(&r, &(struct trace_bus){0});
		settle();
	}
	expect_current(BASE, 1);
	ck_assert_uint_eq(rd(RV_REG_CUR_INFO), 1u << RV_CUR_INFO_INSNS_LSB);
	ck_assert_uint_eq(pushed_count, 0);
}
END_TEST

/* Depth 15 is the deepest: the sixteenth trap ends the trace. */
START_TEST(depth_runs_over)
{
	soc();
	config.with_heal = false;
	enable(0);
	op(BASE);
	for (unsigned i = 1; i <= 15; i++) {
		enter(NOP, HANDLER, HANDLER + 4);
		idle(1);
		ck_assert_uint_eq(rd(RV_REG_DEPTH), i);
		ck_assert(t.cur_valid);
	}
	enter(NOP, HANDLER, HANDLER + 4);
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 15);
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE, 1, TRACE_TRAP);
	/* a return in the cycle of the overrun leaves 14 */
	enter(MRET, HANDLER, HANDLER);
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 14);
	ck_assert_uint_eq(pushed_count, 1);
}
END_TEST

/* A trace that its last instruction ended is handed over although a handler follows at once. */
START_TEST(frozen_after_end)
{
	soc();
	enable(0);
	op(BASE);
	jump(BASE + 4, BASE);
	enter(NOP, HANDLER, HANDLER + 4);
	idle(1);
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE, 1, TRACE_BACKWARD);
	expect_more(0, 1, 3, 2);
	idle(5);
	ck_assert_uint_eq(rd(RV_REG_CUR_CYCLES), 0);
	/* OFF while frozen: handed over too */
	enable(0);
	op(BASE);
	enter(NOP, HANDLER, HANDLER + 4);
	wr(RV_REG_CTRL, RV_CTRL_MODES_MASK);
	settle();
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE, 1, TRACE_OFF);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 1);
}
END_TEST

/* HANDLERS = 1: DEPTH stays as it is, RESUME goes on. */
START_TEST(handlers_traced)
{
	soc();
	enable(RV_CTRL_HANDLERS_MASK);
	op(BASE);
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_RESUME), BASE + 4);
	trap(BASE + 4, HANDLER);
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_RESUME), BASE + 4);
	enter(NOP, HANDLER, HANDLER + 4);
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_RESUME), HANDLER + 4);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 0);
	wr(RV_REG_DEPTH, 3);
	enter(NOP, HANDLER, HANDLER + 4);
	mret(HANDLER + 4, BASE);
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 3);
	ck_assert_uint_eq(rd(RV_REG_RESUME), BASE);
	/* freezing while tracing is off: the depth is kept all the same */
	reset();
	op(BASE);
	enter(NOP, HANDLER, HANDLER + 4);
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 1);
	ck_assert_uint_eq(rd(RV_REG_RESUME), BASE + 4);
}
END_TEST

/* ---------------------------------------------------------------- section 4: scope */

START_TEST(modes)
{
	soc();
	config.with_mode = _i;
	static const uint8_t all[] = {MODE_U, MODE_S, MODE_M};
	for (unsigned m = 0; m < 3; m++) {
		enable(0);
		wr(RV_REG_CTRL, RV_CTRL_ENABLE_MASK | UINT32_C(1) << (RV_CTRL_MODES_LSB + all[m]));
		for (unsigned i = 0; i < 3; i++) {
			mode = all[i];
			op(BASE + 64 * i);
			branch(BASE + 64 * i + 4, BASE + 64 * i + 12, true);
		}
		wr(RV_REG_CTRL, 0);
		settle();
		ck_assert_uint_eq(pushed_count, 1);
		if (!_i)
			expect(0, BASE, 0xF, TRACE_OFF);
		else if (m < 2)
			expect(0, BASE + 64 * m, 3, TRACE_LEFT);
		else
			expect(0, BASE + 128, 3, TRACE_OFF);
	}
}
END_TEST

/* A unit that heals, in a handler below a program in U mode that had two branches. */
static void into_handler(uint32_t ctrl)
{
	soc();
	enable(ctrl);
	mode = MODE_U;
	branch(BASE, BASE + 8, true);
	branch(BASE + 8, BASE + 16, true);
	mode = MODE_M;
	enter(NOP, BASE + 0x800, BASE + 0x804);
	settle();
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 1);
}

/* What heals DEPTH: the pair ends with TRAP, and what follows is the next trace. */
static void expect_healed(uint64_t next)
{
	settle();
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 0);
	branch(next, next + 8, true);
	wr(RV_REG_CTRL, 0);
	settle();
	ck_assert_uint_eq(pushed_count, 2);
	expect(0, BASE, 7, TRACE_TRAP);
	expect(1, next, 3, TRACE_OFF);
}

/* Code that expects a trap sets the address of handlers before each, and goes on there: no handler returns. */
START_TEST(vector_rewritten)
{
	static const struct {
		uint32_t insn;
		bool writes;
	} all[] = {{0x30529073, true}, /* csrw mtvec, t0 */
	    {0x305292F3, true},        /* csrrw t0, mtvec, t0 */
	    {0x10529073, true},        /* csrw stvec, t0 */
	    {0x3050D073, true},        /* csrwi mtvec, 1 */
	    {0x30505073, true},        /* csrwi mtvec, 0 */
	    {0x3052A073, true},        /* csrs mtvec, t0 */
	    {0x3050F073, true},        /* csrci mtvec, 1 */
	    {0x305022F3, false},       /* csrr t0, mtvec */
	    {0x30506073, false},       /* csrsi mtvec, 0 */
	    {0x30429073, false},       /* csrw mie, t0 */
	    {0x20529073, false},       /* csrw vstvec, t0 */
	    {0x30500073, false}, {0x30529067, false}, {0x30529077, false}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		into_handler(0);
		go(all[i].insn, BASE + 0x804, BASE + 0x808);
		if (all[i].writes) {
			expect_healed(BASE + 0x808);
			continue;
		}
		settle();
		ck_assert_uint_eq(rd(RV_REG_DEPTH), 1);
		/* as it was without the option */
		into_handler(0);
		t.config.with_heal = false;
		go(0x30529073, BASE + 0x804, BASE + 0x808);
		settle();
		ck_assert_uint_eq(rd(RV_REG_DEPTH), 1);
	}
	/* one that trapped has written nothing */
	into_handler(0);
	struct trace_retire r = retired(0x30529073, BASE + 0x804, BASE + 0x800);
	r.trap = true;
	step(&r, &(struct trace_bus){0});
	settle();
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 1);
}
END_TEST

/* A handler without an end: 8^LIMIT instructions since the last one began or returned are left out, and one more. */
START_TEST(handler_without_end)
{
	const unsigned limit = (unsigned)_i;
	const uint32_t most = limit == 0 ? 100000 : UINT32_C(1) << 3 * limit;
	into_handler(limit << RV_CTRL_LIMIT_LSB);
	for (uint32_t n = 1; n <= most; n++)
		go(NOP, BASE + 0x804, BASE + 0x804);
	settle();
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 1);
	if (limit == 0)
		return;
	go(NOP, BASE + 0x804, BASE + 0x808);
	expect_healed(BASE + 0x808);
	/* a nested one, and its return, begin the count anew; what comes back in time is healed by nothing */
	into_handler(limit << RV_CTRL_LIMIT_LSB);
	for (uint32_t n = 1; n <= most; n++)
		go(NOP, BASE + 0x804, BASE + 0x804);
	enter(NOP, BASE + 0x900, BASE + 0x904);
	for (uint32_t n = 1; n <= most; n++)
		go(NOP, BASE + 0x904, BASE + 0x904);
	go(MRET, BASE + 0x904, BASE + 0x804);
	for (uint32_t n = 1; n <= most; n++)
		go(NOP, BASE + 0x804, BASE + 0x804);
	go(MRET, BASE + 0x804, BASE + 16);
	settle();
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 0);
	ck_assert_uint_eq(pushed_count, 0);
}
END_TEST

/* No handler runs below the mode in which it began: the instruction that does is the program's. */
START_TEST(below_the_handler)
{
	into_handler(0);
	mode = MODE_U;
	branch(BASE + 0x200, BASE + 0x208, true);
	wr(RV_REG_CTRL, 0);
	settle();
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 0);
	ck_assert_uint_eq(pushed_count, 2);
	expect(0, BASE, 7, TRACE_TRAP);
	expect(1, BASE + 0x200, 3, TRACE_OFF);
}
END_TEST

/* More handlers than DEPTH can count, and none returned: the last one is the program's. */
START_TEST(sixteenth_handler)
{
	into_handler(0);
	for (unsigned i = 2; i <= 15; i++)
		enter(NOP, BASE + 0x800, BASE + 0x804);
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 15);
	enter(NOP, BASE + 0x800, BASE + 0x804);
	wr(RV_REG_CTRL, 0);
	settle();
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 0);
	ck_assert_uint_eq(pushed_count, 2);
	expect(0, BASE, 7, TRACE_TRAP);
	expect(1, BASE + 0x800, 1, TRACE_OFF);
}
END_TEST

/* LO <= pc < HI, of any enabled range; with none enabled everything is in scope. */
START_TEST(ranges)
{
	configure(WIDE);
	config.xlen = _i ? 64 : 32;
	const uint64_t high = _i ? UINT64_C(0x123400000000) : 0;
	for (unsigned range = 0; range < 4; range++) {
		enable(RV_CTRL_MODES_MASK);
		for (unsigned i = 0; i < 4; i++) {
			uint64_t lo = high + BASE + 0x100 * i, hi = lo + 0x80;
			const uint32_t bounds[] = {
			    (uint32_t)lo, (uint32_t)(lo >> 32), (uint32_t)hi, (uint32_t)(hi >> 32)};
			for (unsigned word = 0; word < 4; word++)
				wr(RV_REG_RANGE0_LO + 4 * i + word, bounds[word]);
		}
		const uint64_t lo = high + BASE + 0x100 * range, hi = lo + 0x80;
		static const bool inside[4] = {false, true, true, false};
		const uint64_t pcs[4] = {lo - 2, lo, hi - 2, hi};
		for (unsigned i = 0; i < 4; i++) {
			control(UINT32_C(1) << (RV_CTRL_RANGE_EN_LSB + range));
			op(pcs[i]);
			settle();
			ck_assert_uint_eq(rd(RV_REG_STATUS) >> RV_STATUS_CUR_VALID_LSB & 1, inside[i]);
			ck_assert_uint_eq(t.outside, !inside[i]);
			/* another range, none, all */
			control(UINT32_C(1) << (RV_CTRL_RANGE_EN_LSB + (range + 1) % 4));
			op(pcs[i]);
			settle();
			ck_assert(!t.cur_valid);
			control(RV_CTRL_RANGE_EN_MASK);
			op(pcs[i]);
			settle();
			ck_assert_uint_eq(t.cur_valid, inside[i]);
			control(0);
			op(pcs[i]);
			settle();
			ck_assert(t.cur_valid);
			wr(RV_REG_CTRL, 0);
			settle();
		}
	}
	/* the upper half of an address counts */
	if (_i) {
		control(UINT32_C(1) << RV_CTRL_RANGE_EN_LSB);
		op(BASE);
		settle();
		ck_assert(!t.cur_valid);
	}
}
END_TEST

/* A trace ends where it leaves its scope; the cycles outside belong to nobody. */
START_TEST(left_scope)
{
	soc();
	enable(0);
	wr(RV_REG_RANGE0_LO, BASE);
	wr(RV_REG_RANGE0_HI, BASE + 0x100);
	wr(RV_REG_CTRL, RV_CTRL_MODES_MASK | RV_CTRL_ENABLE_MASK | UINT32_C(1) << RV_CTRL_RANGE_EN_LSB);
	op(BASE + 0x400);
	idle(7);
	ck_assert_uint_eq(rd(RV_REG_CUR_CYCLES), 0);
	op(BASE);
	branch(BASE + 4, BASE + 0x400, true); /* it is inside, its target is not */
	idle(3);
	ck_assert_uint_eq(rd(RV_REG_CUR_CYCLES), 4);
	branch(BASE + 0x400, BASE, true); /* outside: not in the pair */
	ck_assert_uint_eq(pushed_count, 0);
	idle(1);
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE, 3, TRACE_LEFT);
	expect_more(0, 1, 5, 2);
	ck_assert_uint_eq(rd(RV_REG_CUR_CYCLES), 0);
	idle(9);
	/* trapped instructions and handlers neither leave nor enter */
	op(BASE);
	trap(BASE + 0x500, HANDLER);
	enter(NOP, HANDLER, HANDLER + 4);
	op(HANDLER + 4);
	idle(1);
	ck_assert(t.cur_valid && !t.outside);
	mret(HANDLER + 8, BASE + 0x500);
	op(BASE + 0x500);
	settle();
	ck_assert_uint_eq(pushed_count, 2);
	expect(1, BASE, 1, TRACE_LEFT);
	expect_more(1, 1, 2, 1);
	/* left by an instruction that ends the trace: its own reason is first */
	op(BASE + 0x10);
	indirect(BASE + 0x14, BASE + 0x600);
	op(BASE + 0x600);
	settle();
	ck_assert_uint_eq(pushed_count, 3);
	expect(2, BASE + 0x10, 1, TRACE_INDIRECT);
	/* a pair that is written while the program is outside goes on inside */
	wr(RV_REG_CUR_START, BASE + 0x20);
	wr(RV_REG_CUR_HIST, 6);
	wr(RV_REG_CUR_INFO, 9u << RV_CUR_INFO_INSNS_LSB);
	idle(2);
	ck_assert(t.cur_valid && t.outside);
	ck_assert_uint_eq(rd(RV_REG_CUR_CYCLES), 0);
	op(BASE + 0x24);
	idle(3);
	ck_assert_uint_eq(rd(RV_REG_CUR_CYCLES), 3);
	jump(BASE + 0x28, BASE);
	settle();
	ck_assert_uint_eq(pushed_count, 4);
	expect(3, BASE + 0x20, 6, TRACE_BACKWARD);
	expect_more(3, 1, 5, 11);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"freeze", handler_is_left_out, 0}, {"freeze", shortest_handler, 0},
	    {"freeze", return_elsewhere, 0}, {"freeze", trapped_return, 0}, {"freeze", depth_runs_over, 0},
	    {"freeze", frozen_after_end, 0}, {"freeze", handlers_traced, 0}, {"heal", vector_rewritten, 0},
	    {"heal", handler_without_end, 7}, {"heal", below_the_handler, 0}, {"heal", sixteenth_handler, 0},
	    {"scope", modes, 2}, {"scope", ranges, 2}, {"scope", left_scope, 0}};
	return SUITE_RUN("trace scope", cases, NULL, NULL);
}
