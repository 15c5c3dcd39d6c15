/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Counters of a pair, and what a context switch of software does to it: section 6 of docs/trace-unit.md. */
#include "tests/trace_bench.h"
#include "tests/suite.h"

START_TEST(counters_saturate)
{
	soc();
	config.cycle_bits = 8;
	config.insn_bits = 8;
	for (int more = -1; more <= 3; more++) {
		enable(0);
		unsigned insns = (unsigned)(255 + more);
		/* cycle 1 is the one in which the first instruction is at the port */
		for (unsigned i = 0; i + 1 < insns; i++)
			op(BASE + 4 * i);
		jump(BASE + 4 * insns, BASE);
		settle();
		expect(0, BASE, 1, TRACE_BACKWARD);
		expect_more(0, 1, 255, insns < 255 ? insns : 255);
		ck_assert_uint_eq(pushed_count, 1);
		ck_assert_uint_eq(rd(RV_REG_CUR_INFO), 0);
	}
	enable(0);
	idle(300);
	ck_assert_uint_eq(rd(RV_REG_CUR_CYCLES), 255);
}
END_TEST

/* The cycles of the records partition the counted time, whatever lies between the instructions. */
START_TEST(cycles_are_complete)
{
	soc();
	enable(0);
	unsigned total = 0;
	for (unsigned i = 0; i < 50; i++) {
		op(BASE);
		idle(i % 7);
		jump(BASE + 4, BASE);
		idle(i % 3);
		total += 2 + i % 7 + i % 3;
	}
	/* the port is one cycle before S, and SECOND LOAD one after */
	idle(2 - 49 % 3);
	total += 2 - 49 % 3;
	ck_assert_uint_eq(pushed_count, 50);
	unsigned sum = rd(RV_REG_CUR_CYCLES);
	for (unsigned i = 0; i < 50; i++)
		sum += (unsigned)pushed[i].cycles;
	ck_assert_uint_eq(sum, total);
}
END_TEST

START_TEST(context_switch)
{
	configure(_i ? WIDE : SOC);
	const uint64_t start = _i ? UINT64_C(0x1234567880001000) : BASE + 0x1000;
	enable(0);
	/* process A, interrupted in the middle of a trace */
	op(start);
	branch(start + 4, start + 16, true);
	branch(start + 16, start + 64, false);
	enter(NOP, HANDLER, HANDLER + 4);
	settle();
	static const unsigned context[] = {RV_REG_CUR_START, RV_REG_CUR_START_HI, RV_REG_CUR_INFO, RV_REG_CUR_CYCLES,
	    RV_REG_RESUME, RV_REG_RESUME_HI, RV_REG_DEPTH, RV_REG_CUR_HIST_HI, RV_REG_CUR_HIST};
	uint32_t saved[sizeof context / sizeof *context];
	for (unsigned i = 0; i < sizeof context / sizeof *context; i++)
		saved[i] = rd(context[i]);
	/* process B has no pair yet, and runs */
	wr(RV_REG_CUR_HIST_HI, 0);
	wr(RV_REG_CUR_HIST, 0);
	wr(RV_REG_CUR_CYCLES, 0);
	wr(RV_REG_RESUME_HI, 0);
	wr(RV_REG_RESUME, 0x90000000);
	ck_assert_uint_eq(rd(RV_REG_CUR_HIST), 0);
	ck_assert(!(rd(RV_REG_STATUS) & RV_STATUS_CUR_VALID_MASK));
	mret(HANDLER + 4, 0x90000000);
	op(0x90000000);
	jump(0x90000004, 0x90000000);
	op(0x90000000);
	enter(NOP, HANDLER, HANDLER + 4);
	settle();
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, 0x90000000, 1, TRACE_BACKWARD);
	expect_more(0, 1, 2, 2);
	/* process A again */
	for (unsigned i = 0; i < sizeof context / sizeof *context; i++)
		wr(context[i], saved[i]);
	for (unsigned i = 0; i < sizeof context / sizeof *context; i++)
		ck_assert_uint_eq(rd(context[i]), saved[i]);
	expect_current(start, 6);
	mret(HANDLER + 4, start + 20);
	branch(start + 20, start, true);
	settle();
	ck_assert_uint_eq(pushed_count, 2);
	expect(1, start, 0xD, TRACE_BACKWARD);
	expect_more(1, 1, 5, 4);
}
END_TEST

/* A written history is used as it is; one with the marker in bit H-1 is full. */
START_TEST(written_history)
{
	configure(_i ? WIDE : SOC);
	enable(0);
	wr(RV_REG_CUR_START, BASE);
	wr(RV_REG_CUR_HIST, 0x40000000);
	ck_assert(t.cur_valid && !t.end);
	idle(2);
	ck_assert_uint_eq(pushed_count, 0);
	branch(BASE, BASE + 8, true);
	settle();
	if (!_i) {
		ck_assert_uint_eq(pushed_count, 1);
		expect(0, BASE, 0x80000001, TRACE_FULL);
	} else {
		ck_assert_uint_eq(pushed_count, 0);
		expect_current(BASE, 0x80000001);
	}
	/* full at once */
	enable(0);
	wr(RV_REG_CUR_START, BASE);
	wr(_i ? RV_REG_CUR_HIST_HI : RV_REG_CUR_HIST, 0x80000002);
	ck_assert(t.end);
	ck_assert_uint_eq(t.end_reason, TRACE_FULL);
	op(BASE + 0x100);
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE, _i ? 0x8000000200000001 : 0x80000002, TRACE_FULL);
	idle(1);
	expect_current(BASE + 0x100, 1);
	/* a write of the high half alone of no pair: the low half is the marker's 1, so the pair is valid; all zero: it
	 * is not */
	if (_i) {
		wr(RV_REG_CUR_HIST, 0);
		ck_assert(!t.cur_valid);
		wr(RV_REG_CUR_HIST_HI, 1);
		expect_current(BASE + 0x100, 0x100000001);
		wr(RV_REG_CUR_HIST, 0);
		expect_current(BASE + 0x100, 0x100000000);
		wr(RV_REG_CUR_HIST_HI, 0);
		expect_current(BASE + 0x100, 0);
		ck_assert(!t.cur_valid);
	}
	/* it takes back an end, and a reason */
	enable(0);
	op(BASE);
	jump(BASE + 4, BASE);
	step(&(struct trace_retire){0}, &(struct trace_bus){.write = true, .index = RV_REG_CUR_HIST, .wdata = 5});
	settle();
	ck_assert_uint_eq(pushed_count, 0);
	expect_current(BASE, 5);
}
END_TEST

/* Without WITH_CONTEXT the pair cannot be written. */
START_TEST(no_context)
{
	soc();
	config.with_context = false;
	enable(0);
	op(BASE);
	branch(BASE + 4, BASE + 16, true);
	enter(NOP, HANDLER, HANDLER + 4);
	settle();
	struct trace before = t;
	for (unsigned i = RV_REG_CUR_START; i <= RV_REG_DEPTH; i++)
		wr(i, 0x5A);
	ck_assert_mem_eq(&t, &before, sizeof t);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 1);
	ck_assert_uint_eq(rd(RV_REG_RESUME), BASE + 16);
}
END_TEST

/* Section 2: in one cycle a write wins over stage S; stage S has seen the old value; the other half and other registers
 * go S's way. */
START_TEST(write_wins)
{
	const struct trace_bus none = {0};
	configure(WIDE);
	struct {
		unsigned index;
		uint32_t value;
		uint64_t start, hist, resume;
		unsigned depth;
	} cases[] = {
	    {RV_REG_CUR_START, 0x77, 0xAAAA00000077, 2, 0x444400000104, 0},
	    {RV_REG_CUR_START_HI, 0x77, 0x770000BBBB, 2, 0x444400000104, 0},
	    {RV_REG_CUR_HIST, 9, 0x444400000100, 9, 0x444400000104, 0},
	    {RV_REG_CUR_HIST_HI, 9, 0x444400000100, 0x900000001, 0x444400000104, 0},
	    {RV_REG_RESUME, 0x77, 0x444400000100, 2, 0xCCCC00000077, 0},
	    {RV_REG_RESUME_HI, 0x77, 0x444400000100, 2, 0x770000DDDD, 0},
	    {RV_REG_DEPTH, 4, 0x444400000100, 2, 0x444400000104, 4},
	    {RV_REG_COUNT, 4, 0x444400000100, 2, 0x444400000104, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		enable(0);
		wr(RV_REG_CUR_START, 0xBBBB);
		wr(RV_REG_CUR_START_HI, 0xAAAA);
		wr(RV_REG_RESUME, 0xDDDD);
		wr(RV_REG_RESUME_HI, 0xCCCC);
		struct trace_retire r = retired(beq(8), 0x444400000100, 0x444400000104);
		step(&r, &none);
		wr(cases[i].index, cases[i].value); /* the branch is in S */
		ck_assert_uint_eq(t.cur_start, cases[i].start);
		ck_assert_uint_eq(t.cur_hist, cases[i].hist);
		ck_assert_uint_eq(t.resume, cases[i].resume);
		ck_assert_uint_eq(t.depth, cases[i].depth);
		ck_assert_uint_eq(t.cur_insns, 1);
		ck_assert(t.cur_valid);
	}
	/* in a narrow unit the high halves do not exist: a write there does nothing to S's update */
	soc();
	for (unsigned index = RV_REG_CUR_START; index <= RV_REG_RESUME_HI; index++) {
		if (index != RV_REG_CUR_START_HI && index != RV_REG_CUR_HIST_HI && index != RV_REG_RESUME_HI)
			continue;
		enable(0);
		branch(BASE, BASE + 16, true);
		wr(index, 0x77);
		expect_current(BASE, 3);
		ck_assert_uint_eq(rd(RV_REG_RESUME), BASE + 16);
	}
	/* the counters and STATUS.SAMPLE */
	enable(RV_CTRL_SAMPLE_MASK);
	wr(RV_REG_PERIOD, 100);
	jump(BASE, BASE);
	idle(1);
	wr(RV_REG_COUNTER, 50); /* in the cycle of SECOND LOAD */
	ck_assert_uint_eq(pushed_count, 1);
	ck_assert_uint_eq(rd(RV_REG_COUNTER), 50);
	wr(RV_REG_STATUS, RV_STATUS_SAMPLE_MASK);
	wr(RV_REG_COUNTER, 1);
	jump(BASE, BASE);
	idle(1);
	wr(RV_REG_PERIOD, 7); /* the reload takes the old one */
	ck_assert_uint_eq(rd(RV_REG_COUNTER), 100);
	ck_assert_uint_eq(rd(RV_REG_PERIOD), 7);
	wr(RV_REG_STATUS, RV_STATUS_SAMPLE_MASK);
	wr(RV_REG_COUNTER, 1);
	jump(BASE, BASE);
	idle(1);
	wr(RV_REG_STATUS, RV_STATUS_SAMPLE_MASK);
	ck_assert_uint_eq(pushed_count, 3);
	ck_assert(!(rd(RV_REG_STATUS) & RV_STATUS_SAMPLE_MASK));
	enable(0);
	jump(BASE, BASE);
	idle(1);
	wr(RV_REG_LFSR, 0x1234);
	ck_assert_uint_eq(rd(RV_REG_LFSR), 0x1234);
	/* CUR_CYCLES, CUR_INFO */
	enable(0);
	op(BASE);
	wr(RV_REG_CUR_CYCLES, 40);
	ck_assert_uint_eq(rd(RV_REG_CUR_CYCLES), 40);
	op(BASE + 4);
	wr(RV_REG_CUR_INFO, 30u << RV_CUR_INFO_INSNS_LSB);
	ck_assert_uint_eq(rd(RV_REG_CUR_INFO), 30u << RV_CUR_INFO_INSNS_LSB);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"pair", counters_saturate, 0}, {"pair", cycles_are_complete, 0},
	    {"pair", context_switch, 2}, {"pair", written_history, 2}, {"pair", no_context, 0},
	    {"pair", write_wins, 0}};
	return SUITE_RUN("trace context", cases, NULL, NULL);
}
