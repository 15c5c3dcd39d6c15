/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The hot-trace table of the trace unit's golden model: section 8 of docs/trace-unit.md, rule by rule. */
#include "tests/trace_bench.h"
#include "tests/suite.h"

static void tabled(unsigned entries, unsigned ways)
{
	soc();
	trace_config_table(&config, entries, ways);
	config.table_count_bits = 8;
	enable(RV_CTRL_TABLE_MASK);
	idle(entries / ways); /* it is cleared */
}

/* A trace of one instruction at a place; the trace ends with the next. */
static void trace_at(uint64_t start)
{
	jump(start, start);
	settle();
}

static void expect_count(unsigned i, uint64_t start, unsigned count)
{
	ck_assert_uint_gt(pushed_count, i);
	ck_assert_uint_eq(pushed[i].start, start);
	ck_assert_uint_eq(pushed[i].count, count);
}

/* Equal traces are one entry, which leaves with its count for another one of its set. */
#define IN_SET(n) (BASE + 2ull * (n) + 2ull * sets * (n)) /* start addresses of one set: what is added folds to 0 */
START_TEST(table_counts)
{
	const unsigned ways = 1u << _i, sets = 64 / ways;
	tabled(64, ways);
	ck_assert_uint_eq(rd(RV_REG_TABLE_CAPS),
	    64 | ways << RV_TABLE_CAPS_WAYS_LSB | RV_TABLE_CAPS_RATE_MASK | RV_TABLE_CAPS_INDEX_MASK |
		RV_TABLE_CAPS_CONTEXT_MASK | 8 << RV_TABLE_CAPS_COUNT_BITS_LSB | 32u << RV_TABLE_CAPS_CYCLE_BITS_LSB);
	for (unsigned n = 0; n < ways; n++)
		for (unsigned i = 0; i < 5 + n; i++)
			trace_at(IN_SET(n));
	idle(4);
	ck_assert_uint_eq(pushed_count, 0);
	/* not the oldest any more */
	trace_at(BASE);
	trace_at(IN_SET(ways));
	idle(4);
	ck_assert_uint_eq(pushed_count, 1);
	expect_count(0, ways == 1 ? BASE : IN_SET(1), 6);
	ck_assert_uint_eq(rd(RV_REG_REC_COUNT), 6);
	ck_assert_uint_eq(rd(RV_REG_REC_INFO) >> RV_REC_INFO_REPEAT_LSB & 0xFF, 6);
	ck_assert_uint_eq(rd(RV_REG_LOST), 0);
}
END_TEST

/* An entry whose count is full leaves, and a new one begins. */
START_TEST(table_full_count)
{
	tabled(64, 4);
	for (unsigned i = 0; i < 600; i++)
		trace_at(BASE);
	idle(4);
	ck_assert_uint_eq(pushed_count, 2);
	expect_count(0, BASE, 255);
	expect_count(1, BASE, 255);
	wr(RV_REG_TABLE, RV_TABLE_DRAIN_MASK);
	ck_assert_uint_eq(rd(RV_REG_TABLE), RV_TABLE_DRAIN_MASK);
	idle(64 + 4);
	ck_assert_uint_eq(rd(RV_REG_TABLE), 0);
	ck_assert_uint_eq(pushed_count, 3);
	expect_count(2, BASE, 90);
	/* a whole trace and one that is cut off are not the same */
	trace_at(BASE);
	op(BASE);
	control(0);
	wr(RV_REG_CTRL, RV_CTRL_MODES_MASK | RV_CTRL_TABLE_MASK);
	wr(RV_REG_TABLE, RV_TABLE_DRAIN_MASK);
	idle(80);
	ck_assert_uint_eq(pushed_count, 5);
}
END_TEST

/* Takes the record at the head, and gives another one the time to come. */
static unsigned take_counted(void)
{
	uint32_t count = rd(RV_REG_REC_COUNT);
	wr(RV_REG_POP, 0);
	idle(3);
	return count;
}

/* A drain waits while half of the buffer is full, goes on while the program runs, and nothing is lost or counted
 * twice. */
START_TEST(table_drain)
{
	unsigned traces = 0, taken = 0;
	tabled(64, 2);
	for (unsigned i = 0; i < 40; i++, traces++)
		trace_at(BASE + 2 * i);
	wr(RV_REG_TABLE, RV_TABLE_DRAIN_MASK);
	idle(200);
	ck_assert_uint_eq(rd(RV_REG_TABLE), RV_TABLE_DRAIN_MASK);
	ck_assert_uint_ge(rd(RV_REG_COUNT), config.fifo_depth / 2);
	for (unsigned i = 0; i < 300; i++, traces++) {
		trace_at(BASE + 2 * (i % 50));
		taken += take_counted();
	}
	ck_assert_uint_eq(rd(RV_REG_TABLE), 0);
	wr(RV_REG_TABLE, RV_TABLE_DRAIN_MASK);
	while (rd(RV_REG_TABLE) || rd(RV_REG_COUNT))
		taken += take_counted();
	ck_assert_uint_eq(taken, traces);
	ck_assert_uint_eq(rd(RV_REG_LOST), 0);
}
END_TEST

/* Off, newest first, or while it is cleared: every record passes by. */
START_TEST(table_passed)
{
	tabled(64, 2);
	control(_i == 0 ? 0 : RV_CTRL_TABLE_MASK | (_i == 1 ? RV_CTRL_LIFO_MASK : 0));
	if (_i == 2) { /* and what a reset found in it is gone */
		trace_at(BASE);
		enable(RV_CTRL_TABLE_MASK);
	}
	for (unsigned i = 0; i < 3; i++)
		trace_at(BASE);
	idle(40);
	ck_assert_uint_eq(pushed_count, 3);
	for (unsigned i = 0; i < 3; i++)
		expect_count(i, BASE, 1);
}
END_TEST

/* HOLD: nothing takes a place, and what finds none is counted. RATE: what takes one by lot stands for 2^RATE, and on
 * average all are counted. */
START_TEST(table_policy)
{
	const unsigned sets = 64, rate = 3, turns = 4000;
	tabled(64, 1);
	wr(RV_REG_TABLE_POLICY, RV_TABLE_POLICY_HOLD_MASK);
	trace_at(BASE);
	for (unsigned i = 0; i < 5; i++)
		trace_at(IN_SET(1));
	idle(4);
	ck_assert_uint_eq(pushed_count, 0);
	ck_assert_uint_eq(rd(RV_REG_TABLE_MISSED), 5);
	wr(RV_REG_TABLE_MISSED, 0);
	wr(RV_REG_TABLE_POLICY, rate);
	unsigned counted = 0;
	for (unsigned i = 0; i < turns; i++) {
		trace_at(IN_SET(1 + i % 2));
		counted += take_counted();
	}
	const unsigned missed = rd(RV_REG_TABLE_MISSED), drawn = (unsigned)pushed_count;
	ck_assert_uint_gt(drawn, turns / 16 - 100); /* every other one is there */
	ck_assert_uint_lt(drawn, turns / 16 + 100);
	ck_assert_uint_gt(missed, turns / 3);
	ck_assert_uint_gt(counted, turns - 1200);
	ck_assert_uint_lt(counted, turns + 1200);
	ck_assert_uint_eq(rd(RV_REG_LOST), 0);
}
END_TEST

/* Whose a trace is, is a part of its key, and an entry can be read where it is. */
START_TEST(table_take)
{
	tabled(64, 4);
	trace_at(BASE);
	wr(RV_REG_TABLE_CONTEXT, 5);
	for (unsigned i = 0; i < 3; i++)
		trace_at(BASE);
	unsigned found[2] = {0};
	for (uint32_t i = 0; i < 64; i++) {
		wr(RV_REG_TABLE_TAKE, RV_TABLE_TAKE_TAKE_MASK | 6u << RV_TABLE_TAKE_WORD_LSB | i);
		idle(5);
		ck_assert(!(rd(RV_REG_TABLE_TAKE) & RV_TABLE_TAKE_TAKE_MASK));
		const uint32_t count = rd(RV_REG_TABLE_ENTRY);
		wr(RV_REG_TABLE_TAKE, 7u << RV_TABLE_TAKE_WORD_LSB);
		const uint32_t context = rd(RV_REG_TABLE_ENTRY);
		wr(RV_REG_TABLE_TAKE, 0);
		if (count)
			ck_assert_uint_eq(rd(RV_REG_TABLE_ENTRY), (uint32_t)BASE);
		found[0] += context == 0 ? count : 0;
		found[1] += context == 5 ? count : 0;
	}
	ck_assert_uint_eq(found[0], 1);
	ck_assert_uint_eq(found[1], 3);
	ck_assert_uint_eq(pushed_count, 0); /* nothing has changed by it */
	wr(RV_REG_TABLE, RV_TABLE_DRAIN_MASK);
	idle(80);
	ck_assert_uint_eq(pushed_count, 2);
	ck_assert_uint_eq(pushed[0].count + pushed[1].count, 4);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"counts", table_counts, 3}, {"full count", table_full_count, 0},
	    {"drain", table_drain, 0}, {"who has no place", table_policy, 0}, {"an entry is read", table_take, 0},
	    {"passed", table_passed, 3}};
	return SUITE_RUN("trace table", cases, NULL, NULL);
}
