/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Which records the golden model of the trace unit keeps, and where: sections 7 and 8 of docs/trace-unit.md, rule by
 * rule. */
#include "tests/trace_bench.h"
#include "tests/suite.h"

/* ---------------------------------------------------------------- section 7: sampling */

START_TEST(sampling)
{
	soc();
	enable(RV_CTRL_SAMPLE_MASK | RV_CTRL_REPEAT_MASK);
	wr(RV_REG_PERIOD, 4);
	/* 0 and 1 both mean the next one */
	for (uint32_t first = 0; first < 4; first++) {
		wr(RV_REG_COUNTER, first);
		pushed_count = 0;
		for (unsigned i = 0; i < 12; i++) {
			jump(BASE + 4 * i, BASE);
			settle();
		}
		uint32_t skip = first > 1 ? first - 1 : 0;
		ck_assert_uint_eq(pushed_count, (12 - skip + 3) / 4);
		for (unsigned i = 0; i < pushed_count; i++) {
			expect(i, BASE + 4 * (skip + 4 * i), 1, TRACE_BACKWARD);
			ck_assert_uint_eq(pushed[i].count, 1);
		}
	}
	/* the flag stays until it is written as 1 */
	ck_assert(rd(RV_REG_STATUS) & RV_STATUS_SAMPLE_MASK);
	wr(RV_REG_STATUS, ~(uint32_t)RV_STATUS_SAMPLE_MASK);
	ck_assert(rd(RV_REG_STATUS) & RV_STATUS_SAMPLE_MASK);
	wr(RV_REG_STATUS, RV_STATUS_SAMPLE_MASK);
	ck_assert(!(rd(RV_REG_STATUS) & RV_STATUS_SAMPLE_MASK));
	/* off: the counter stays, everything is pushed */
	control(0);
	wr(RV_REG_COUNTER, 3);
	pushed_count = 0;
	for (unsigned i = 0; i < 5; i++)
		jump(BASE, BASE);
	settle();
	ck_assert_uint_eq(pushed_count, 5);
	ck_assert_uint_eq(rd(RV_REG_COUNTER), 3);
	/* the bit has no meaning without the option */
	config.with_sample = config.with_dither = false;
	enable(RV_CTRL_SAMPLE_MASK);
	for (unsigned i = 0; i < 5; i++)
		jump(BASE, BASE);
	settle();
	ck_assert_uint_eq(pushed_count, 5);
}
END_TEST

/* The random part: the generator's value before its four steps, under the mask, modulo 2^SAMPLE_BITS. */
START_TEST(dither)
{
	soc();
	config.sample_bits = _i ? 8 : 24;
	enable(RV_CTRL_SAMPLE_MASK);
	wr(RV_REG_LFSR, 0xACE1);
	wr(RV_REG_PERIOD, 200);
	wr(RV_REG_DITHER, 0x3F);
	/* after four steps each, by hand: ACE1 -> E270 -> 7138 -> 389C -> 1C4E, and so on */
	ck_assert_uint_eq(rd(RV_REG_LFSR), 0xACE1);
	uint16_t x = 0xACE1;
	unsigned left = 1; /* traces until the sample */
	unsigned samples = 0;
	for (unsigned i = 0; i < 3000; i++) {
		pushed_count = 0;
		jump(BASE + 4 * i, BASE);
		settle();
		ck_assert_uint_eq(pushed_count, left == 1);
		if (left == 1) {
			left = (200 + (x & 0x3Fu)) & (_i ? 0xFFu : 0xFFFFFFu);
			ck_assert_uint_eq(rd(RV_REG_COUNTER), left);
			if (left == 0)
				left = 1;
			samples++;
		} else {
			left--;
		}
		for (unsigned k = 0; k < 4; k++) {
			unsigned bit = x & 1u;
			x = (uint16_t)(x >> 1);
			if (bit)
				x ^= 0xB400;
		}
		ck_assert_uint_eq(rd(RV_REG_LFSR), x);
		if (i == 0)
			ck_assert_uint_eq(x, 0x1C4E);
	}
	ck_assert_uint_gt(samples, 10);
}
END_TEST

/* The generator runs at every latch, sampling or not, and not without one; all its 65535 states come. */
START_TEST(generator)
{
	soc();
	enable(0);
	idle(5);
	ck_assert_uint_eq(rd(RV_REG_LFSR), 1);
	op(BASE);
	settle();
	ck_assert_uint_eq(rd(RV_REG_LFSR), 1);
	unsigned period = 0;
	do {
		pushed_count = 0;
		jump(BASE, BASE);
		settle();
		ck_assert_uint_ne(rd(RV_REG_LFSR), 0);
		period++;
	} while (rd(RV_REG_LFSR) != 1 && period < 70000);
	ck_assert_uint_eq(period, 65535);
	config.with_dither = false;
	enable(RV_CTRL_SAMPLE_MASK);
	wr(RV_REG_PERIOD, 9);
	wr(RV_REG_DITHER, 0xFFFF);
	jump(BASE, BASE);
	settle();
	ck_assert_uint_eq(rd(RV_REG_COUNTER), 9);
	ck_assert_uint_eq(rd(RV_REG_LFSR), 0);
}
END_TEST

/* ---------------------------------------------------------------- section 7: repeat */

static void loop_trace(uint64_t start, unsigned extra)
{
	for (unsigned i = 0; i < extra; i++)
		op(start);
	branch(start + 8, start, true);
}

START_TEST(repeats)
{
	soc_with_repeat();
	enable(RV_CTRL_REPEAT_MASK);
	for (unsigned i = 0; i < 10; i++)
		loop_trace(BASE, 1);
	settle();
	ck_assert_uint_eq(pushed_count, 0);
	ck_assert(t.hold_valid);
	ck_assert_uint_eq(t.hold.count, 10);
	loop_trace(BASE + 0x100, 1);
	settle();
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE, 3, TRACE_BACKWARD);
	expect_more(0, 10, 1 + 20, 2); /* one cycle from enabling to the first instruction in S */
	/* switched off: the pair in one cycle, what is held in the next */
	op(BASE + 0x200);
	struct trace_bus off = {.write = true, .index = RV_REG_CTRL, .wdata = RV_CTRL_REPEAT_MASK | RV_CTRL_MODES_MASK};
	step(&(struct trace_retire){0}, &off);
	ck_assert_uint_eq(pushed_count, 1);
	idle(1);
	ck_assert_uint_eq(pushed_count, 2); /* the loop from BASE + 0x100 made room for the pair */
	expect(1, BASE + 0x100, 3, TRACE_BACKWARD);
	ck_assert(t.hold_valid);
	idle(1);
	ck_assert_uint_eq(pushed_count, 3);
	expect(2, BASE + 0x200, 1, TRACE_OFF);
	expect_more(2, 1, 3, 1);
	ck_assert(!t.hold_valid);
	idle(3);
	ck_assert_uint_eq(pushed_count, 3);
}
END_TEST

/* Off with nothing current: what is held goes in the next cycle. */
START_TEST(held_record_is_handed_over)
{
	soc_with_repeat();
	enable(RV_CTRL_REPEAT_MASK);
	loop_trace(BASE, 1);
	settle();
	ck_assert(t.hold_valid && !t.cur_valid);
	idle(20);
	ck_assert_uint_eq(pushed_count, 0);
	wr(RV_REG_CTRL, RV_CTRL_REPEAT_MASK);
	ck_assert_uint_eq(pushed_count, 0);
	idle(1);
	ck_assert_uint_eq(pushed_count, 1);
	/* repeating switched off, or sampling or LIFO on, while tracing */
	static const uint32_t others[] = {
	    0, RV_CTRL_REPEAT_MASK | RV_CTRL_SAMPLE_MASK, RV_CTRL_REPEAT_MASK | RV_CTRL_LIFO_MASK};
	for (unsigned i = 0; i < 3; i++) {
		enable(RV_CTRL_REPEAT_MASK);
		loop_trace(BASE, 1);
		loop_trace(BASE, 1);
		settle();
		control(others[i]);
		ck_assert_uint_eq(pushed_count, 0);
		idle(1);
		ck_assert_uint_eq(pushed_count, 1);
		ck_assert_uint_eq(pushed[0].count, 2);
		ck_assert(!t.hold_valid);
	}
	/* with a trace that ends in that very cycle: h first, n behind it, unless sampling does not keep it */
	for (unsigned i = 0; i < 3; i++) {
		enable(RV_CTRL_REPEAT_MASK);
		wr(RV_REG_COUNTER, 5);
		loop_trace(BASE, 1);
		settle();
		loop_trace(BASE + 0x100, 0);
		control(others[i]); /* the branch is in S */
		idle(1);
		ck_assert_uint_eq(pushed_count, 1);
		expect(0, BASE, 3, TRACE_BACKWARD);
		idle(1);
		ck_assert_uint_eq(pushed_count, others[i] & RV_CTRL_SAMPLE_MASK ? 1 : 2);
		ck_assert_uint_eq(rd(RV_REG_LOST), 0);
		ck_assert_uint_eq(rd(RV_REG_COUNTER), others[i] & RV_CTRL_SAMPLE_MASK ? 4 : 5);
	}
}
END_TEST

/* Every reason not to merge. */
START_TEST(not_repeated)
{
	soc_with_repeat();
	config.repeat_bits = 3;
	config.cycle_bits = 8;
	/* the count's limit: 7 */
	enable(RV_CTRL_REPEAT_MASK);
	for (unsigned i = 0; i < 15; i++)
		loop_trace(BASE, 0);
	settle();
	ck_assert_uint_eq(pushed_count, 2);
	expect_more(0, 7, 8, 1);
	expect_more(1, 7, 7, 1);
	ck_assert_uint_eq(t.hold.count, 1);
	/* the sum of cycles: 255 fits, 256 does not */
	for (unsigned more = 0; more < 2; more++) {
		enable(RV_CTRL_REPEAT_MASK);
		idle(98); /* and one for enabling */
		loop_trace(BASE, 0);
		idle(155 + more - 1);
		loop_trace(BASE, 0);
		settle();
		ck_assert_uint_eq(pushed_count, more);
		ck_assert_uint_eq(t.hold.count, 2 - more);
		ck_assert_uint_eq(t.hold.cycles + (more ? pushed[0].cycles : 0), 255 + more);
	}
	/* without WITH_CYCLES there is no sum */
	config.with_cycles = false;
	enable(RV_CTRL_REPEAT_MASK);
	for (unsigned i = 0; i < 4; i++) {
		loop_trace(BASE, 0);
		idle(200);
	}
	ck_assert_uint_eq(pushed_count, 0);
	ck_assert_uint_eq(t.hold.count, 4);
	config.with_cycles = true;
	config.cycle_bits = 16;
	/* another number of instructions on the same path cannot be, but for cut counts; it is compared only if it is
	 * counted */
	for (unsigned with = 0; with < 2; with++) {
		config.with_insns = with;
		enable(RV_CTRL_REPEAT_MASK);
		loop_trace(BASE, 1);
		loop_trace(BASE, 2);
		settle();
		ck_assert_uint_eq(pushed_count, with);
	}
	/* another start, history, reason */
	enable(RV_CTRL_REPEAT_MASK);
	loop_trace(BASE, 1);
	loop_trace(BASE + 2, 1);
	settle();
	ck_assert_uint_eq(pushed_count, 1);
	enable(RV_CTRL_REPEAT_MASK);
	branch(BASE, BASE + 16, false);
	jump(BASE + 4, BASE);
	branch(BASE, BASE + 16, true);
	jump(BASE + 4, BASE);
	settle();
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE, 2, TRACE_BACKWARD);
	enable(RV_CTRL_REPEAT_MASK);
	jump(BASE, BASE);
	indirect(BASE, BASE);
	settle();
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE, 1, TRACE_BACKWARD);
	/* trap returns, traps and scope are never merged; indirect and full are */
	enable(RV_CTRL_REPEAT_MASK | RV_CTRL_HANDLERS_MASK);
	mret(BASE, BASE);
	mret(BASE, BASE);
	op(BASE);
	trap(BASE + 4, BASE);
	op(BASE);
	trap(BASE + 4, BASE);
	settle();
	ck_assert_uint_eq(pushed_count, 3);
	expect(0, BASE, 1, TRACE_XRET);
	expect(1, BASE, 1, TRACE_XRET);
	expect(2, BASE, 1, TRACE_TRAP);
	enable(RV_CTRL_REPEAT_MASK);
	indirect(BASE, BASE);
	indirect(BASE, BASE);
	settle();
	ck_assert_uint_eq(pushed_count, 0);
	ck_assert_uint_eq(t.hold.count, 2);
	for (unsigned i = 0; i < 3 * 31; i++)
		branch(BASE + 4 * (i % 31), BASE + 0x200, false);
	settle();
	ck_assert_uint_eq(pushed_count, 1);
	ck_assert_uint_eq(t.hold.reason, TRACE_FULL);
	ck_assert_uint_eq(t.hold.count, 3);
	/* nothing is merged while sampling, in LIFO mode, or without the option */
	for (unsigned i = 0; i < 3; i++) {
		static const uint32_t ctrl[] = {RV_CTRL_SAMPLE_MASK, RV_CTRL_LIFO_MASK, 0};
		config.with_repeat = i < 2;
		enable(RV_CTRL_REPEAT_MASK | ctrl[i]);
		for (unsigned k = 0; k < 4; k++)
			loop_trace(BASE, 1);
		settle();
		/* it is held for one cycle */
		ck_assert_uint_eq(pushed_count, i < 2 ? 3 : 4);
		ck_assert(t.hold_valid == (i < 2));
		idle(1);
		ck_assert_uint_eq(pushed_count, 4);
		ck_assert(!t.hold_valid);
	}
}
END_TEST

/* ---------------------------------------------------------------- section 8 */

/* Trace number i, told by its start. */
static void numbered(unsigned i)
{
	jump(BASE + 0x10000 + 4 * i, BASE);
}
#define NUMBER(i) ((uint32_t)(BASE + 0x10000 + 4 * (i)))

START_TEST(last_pair)
{
	configure(SOC);
	config.fifo_depth = 0;
	enable(0);
	wr(RV_REG_WATERMARK, 1);
	numbered(0);
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_COUNT), 0);
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_COUNT), 1);
	ck_assert_uint_eq(
	    rd(RV_REG_STATUS), RV_STATUS_NONEMPTY_MASK | RV_STATUS_FULL_MASK); /* no watermark without FIFO */
	ck_assert_uint_eq(rd(RV_REG_REC_START), NUMBER(0));
	ck_assert_uint_eq(
	    rd(RV_REG_REC_INFO), 1u << RV_REC_INFO_INSNS_LSB | 1 << RV_REC_INFO_REPEAT_LSB | TRACE_BACKWARD);
	ck_assert_uint_eq(rd(RV_REG_REC_CYCLES), 3); /* since ENABLE */
	/* overrun: the old one is lost */
	numbered(1);
	settle();
	ck_assert_uint_eq(rd(RV_REG_LOST), 1);
	ck_assert_uint_eq(rd(RV_REG_REC_START), NUMBER(1));
	ck_assert(rd(RV_REG_STATUS) & RV_STATUS_LOST_MASK);
	/* popped: it can still be read */
	wr(RV_REG_POP, 0);
	ck_assert_uint_eq(rd(RV_REG_COUNT), 0);
	ck_assert_uint_eq(rd(RV_REG_STATUS), RV_STATUS_LOST_MASK);
	ck_assert_uint_eq(rd(RV_REG_REC_START), NUMBER(1));
	wr(RV_REG_POP, 0);
	numbered(2);
	settle();
	ck_assert_uint_eq(rd(RV_REG_LOST), 1);
	/* popped in the cycle of the push: nothing is lost */
	numbered(3);
	idle(1);
	wr(RV_REG_POP, 0);
	ck_assert_uint_eq(rd(RV_REG_LOST), 1);
	ck_assert_uint_eq(rd(RV_REG_COUNT), 1);
	ck_assert_uint_eq(rd(RV_REG_REC_START), NUMBER(3));
	/* a lost record counts with its repetitions */
	config.with_repeat = true;
	enable(RV_CTRL_REPEAT_MASK);
	for (unsigned i = 0; i < 12; i++)
		numbered(i / 4);
	settle();
	ck_assert_uint_eq(pushed_count, 2);
	ck_assert_uint_eq(rd(RV_REG_LOST), 4);
	ck_assert_uint_eq(
	    rd(RV_REG_REC_INFO), 1u << RV_REC_INFO_INSNS_LSB | 4 << RV_REC_INFO_REPEAT_LSB | TRACE_BACKWARD);
}
END_TEST

START_TEST(fifo)
{
	static const unsigned depths[] = {2, 4, 16, 1024};
	soc();
	const unsigned depth = config.fifo_depth = depths[_i];
	enable(0);
	/* a record can be read from the cycle after the one behind its push */
	numbered(0);
	idle(2);
	ck_assert_uint_eq(rd(RV_REG_COUNT), 1);
	ck_assert(!(rd(RV_REG_STATUS) & RV_STATUS_NONEMPTY_MASK));
	ck_assert_uint_eq(rd(RV_REG_REC_START), 0);
	ck_assert_uint_eq(rd(RV_REG_REC_INFO), 0);
	ck_assert_uint_eq(rd(RV_REG_REC_CYCLES), 0);
	wr(RV_REG_POP, 0); /* too early: ignored */
	ck_assert_uint_eq(rd(RV_REG_COUNT), 1);
	ck_assert_uint_eq(rd(RV_REG_REC_START), NUMBER(0));
	ck_assert(rd(RV_REG_STATUS) & RV_STATUS_NONEMPTY_MASK);
	for (unsigned i = 1; i < depth; i++) {
		ck_assert(!(rd(RV_REG_STATUS) & RV_STATUS_FULL_MASK));
		numbered(i);
		settle();
		ck_assert_uint_eq(rd(RV_REG_COUNT), i + 1);
	}
	ck_assert(rd(RV_REG_STATUS) & RV_STATUS_FULL_MASK);
	/* full: new ones are lost */
	numbered(5000);
	numbered(5001);
	settle();
	ck_assert_uint_eq(rd(RV_REG_LOST), 2);
	ck_assert_uint_eq(rd(RV_REG_COUNT), depth);
	/* room by a pop in the same cycle */
	numbered(depth);
	idle(1);
	wr(RV_REG_POP, 0);
	ck_assert_uint_eq(rd(RV_REG_LOST), 2);
	ck_assert_uint_eq(rd(RV_REG_COUNT), depth);
	for (unsigned i = 1; i <= depth; i++) {
		ck_assert_uint_eq(rd(RV_REG_REC_START), NUMBER(i));
		ck_assert_uint_eq(rd(RV_REG_COUNT), depth + 1 - i);
		wr(RV_REG_POP, ~0u);
	}
	ck_assert_uint_eq(rd(RV_REG_COUNT), 0);
	ck_assert(!(rd(RV_REG_STATUS) & RV_STATUS_NONEMPTY_MASK));
	wr(RV_REG_POP, 0);
	ck_assert_uint_eq(rd(RV_REG_COUNT), 0);
	/* the last one popped while another comes: not readable for one cycle */
	numbered(0);
	idle(3);
	numbered(1);
	idle(1);
	wr(RV_REG_POP, 0);
	ck_assert_uint_eq(rd(RV_REG_COUNT), 1);
	ck_assert(!t.readable);
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_REC_START), NUMBER(1));
}
END_TEST

START_TEST(lifo)
{
	static const unsigned depths[] = {2, 4, 16, 1024};
	soc();
	const unsigned depth = config.fifo_depth = depths[_i];
	enable(RV_CTRL_LIFO_MASK);
	for (unsigned i = 0; i < depth; i++) {
		numbered(i);
		settle();
		ck_assert(!t.readable); /* a push was made in this cycle */
		idle(1);
		ck_assert_uint_eq(rd(RV_REG_REC_START), NUMBER(i));
	}
	ck_assert_uint_eq(rd(RV_REG_LOST), 0);
	ck_assert(rd(RV_REG_STATUS) & RV_STATUS_FULL_MASK);
	/* full: the oldest goes */
	numbered(depth);
	settle();
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_LOST), 1);
	ck_assert_uint_eq(rd(RV_REG_COUNT), depth);
	ck_assert_uint_eq(rd(RV_REG_REC_START), NUMBER(depth));
	/* pop and push in one cycle: the newest is replaced, nothing is lost */
	numbered(depth + 1);
	idle(1);
	wr(RV_REG_POP, 0);
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_LOST), 1);
	ck_assert_uint_eq(rd(RV_REG_COUNT), depth);
	for (unsigned i = 0; i < depth; i++) {
		ck_assert_uint_eq(rd(RV_REG_REC_START), i == 0 ? NUMBER(depth + 1) : NUMBER(depth - i));
		wr(RV_REG_POP, 0);
	}
	ck_assert_uint_eq(rd(RV_REG_COUNT), 0);
	/* the bit has no meaning without the option: first in, first out */
	config.with_lifo = false;
	enable(RV_CTRL_LIFO_MASK);
	numbered(0);
	numbered(1);
	settle();
	ck_assert_uint_eq(rd(RV_REG_REC_START), NUMBER(0));
}
END_TEST

START_TEST(loss_counter)
{
	soc_with_repeat();
	config.fifo_depth = 2;
	enable(RV_CTRL_REPEAT_MASK);
	for (unsigned i = 0; i < 5 * 8; i++)
		numbered(i / 5);
	settle();
	/* 8 different ones of 5 each: 2 in the FIFO, 1 held, 5 lost */
	ck_assert_uint_eq(pushed_count, 7);
	ck_assert_uint_eq(rd(RV_REG_LOST), 25);
	/* saturating, and writable */
	wr(RV_REG_LOST, UINT32_MAX - 3);
	numbered(9);
	settle();
	ck_assert_uint_eq(rd(RV_REG_LOST), UINT32_MAX);
	wr(RV_REG_LOST, 0);
	ck_assert(!(rd(RV_REG_STATUS) & RV_STATUS_LOST_MASK));
	config.with_lost = false;
	enable(0);
	for (unsigned i = 0; i < 9; i++)
		numbered(i);
	settle();
	ck_assert_uint_eq(rd(RV_REG_LOST), 0);
	ck_assert(!(rd(RV_REG_STATUS) & RV_STATUS_LOST_MASK));
}
END_TEST

START_TEST(watermark)
{
	soc();
	enable(0);
	for (unsigned i = 0; i < 4; i++)
		numbered(i);
	settle();
	for (unsigned level = 0; level < 8; level++) {
		wr(RV_REG_WATERMARK, level);
		ck_assert_uint_eq(rd(RV_REG_STATUS) >> RV_STATUS_WATERMARK_LSB & 1, level >= 1 && level <= 4);
	}
}
END_TEST

/* irq_o is a register: one cycle after its condition, for each of the five and only if it is enabled. */
START_TEST(interrupts)
{
	for (unsigned bit = 0; bit < 5; bit++)
		for (unsigned enabled = 0; enabled < 5; enabled++) {
			soc();
			config.fifo_depth = 2;
			enable(UINT32_C(1) << (RV_CTRL_IE_LSB + enabled));
			wr(RV_REG_WATERMARK, 2);
			uint32_t ctrl = UINT32_C(1) << (RV_CTRL_IE_LSB + enabled);
			switch (bit) {
			case RV_STATUS_NONEMPTY_LSB:
				numbered(0);
				idle(2);
				break;
			case RV_STATUS_WATERMARK_LSB:
				numbered(0);
				idle(3);
				wr(RV_REG_POP, 0);
				wr(RV_REG_WATERMARK, 1);
				numbered(0);
				idle(1);
				break;
			case RV_STATUS_FULL_LSB:
				wr(RV_REG_WATERMARK, 0);
				wr(RV_REG_CTRL, RV_CTRL_MODES_MASK | RV_CTRL_ENABLE_MASK);
				numbered(0);
				settle();
				numbered(0);
				settle();
				wr(RV_REG_CTRL, RV_CTRL_MODES_MASK | RV_CTRL_ENABLE_MASK | ctrl);
				break;
			case RV_STATUS_SAMPLE_LSB:
				control(ctrl | RV_CTRL_SAMPLE_MASK);
				numbered(0);
				idle(1);
				break;
			default:
				wr(RV_REG_LOST, 1);
				break;
			}
			/* the condition becomes true at the end of the cycle that is next, or is true already */
			bool irq = false;
			for (unsigned i = 0; i < 6; i++) {
				uint32_t pending = rd(RV_REG_STATUS) & rd(RV_REG_CTRL) >> RV_CTRL_IE_LSB & 0x1F;
				idle(1);
				ck_assert_uint_eq(t.irq, pending != 0);
				irq = t.irq;
			}
			idle(1);
			ck_assert_uint_eq(out.irq, irq);
			bool nonempty = bit != RV_STATUS_LOST_LSB;
			bool want = enabled == bit || (enabled == RV_STATUS_NONEMPTY_LSB && nonempty);
			ck_assert_msg(irq == want, "condition %u, enable %u", bit, enabled);
		}
	/* exact timing of one: seen in STATUS in a cycle, on the line in the next */
	soc();
	enable(RV_CTRL_IE_MASK);
	numbered(0);
	idle(3);
	ck_assert(rd(RV_REG_STATUS) & RV_STATUS_NONEMPTY_MASK);
	idle(1);
	ck_assert(!out.irq);
	wr(RV_REG_POP, 0);
	ck_assert(out.irq);
	idle(1);
	ck_assert(out.irq); /* the register still shows the cycle of the pop */
	idle(1);
	ck_assert(!out.irq);
}
END_TEST

/* The stream has every record, those that the buffer loses too. */
START_TEST(record_port)
{
	soc();
	config.fifo_depth = 0;
	enable(0);
	for (unsigned i = 0; i < 100; i++)
		numbered(i);
	settle();
	ck_assert_uint_eq(pushed_count, 100);
	ck_assert_uint_eq(rd(RV_REG_LOST), 99);
	for (unsigned i = 0; i < 100; i++)
		expect(i, NUMBER(i), 1, TRACE_BACKWARD);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"sampling", sampling, 0}, {"sampling", dither, 2},
	    {"sampling", generator, 0}, {"repeat", repeats, 0}, {"repeat", held_record_is_handed_over, 0},
	    {"repeat", not_repeated, 0}, {"buffer", last_pair, 0}, {"buffer", fifo, 4}, {"buffer", lifo, 4},
	    {"buffer", loss_counter, 0}, {"buffer", watermark, 0}, {"buffer", interrupts, 0},
	    {"buffer", record_port, 0}};
	return SUITE_RUN("trace records", cases, NULL, NULL);
}
