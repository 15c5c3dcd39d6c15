/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_TRACE_BENCH_H
#define RIVULET_TESTS_TRACE_BENCH_H
/*
 * A trace unit on the bench, for the check_trace suites: what retires and what is written goes in, every pushed record
 * is kept, and what must hold in every cycle is checked in every cycle. One call is one clock cycle unless it says
 * otherwise.
 */
#include "model/trace.h"
#include "common/rivulet_regs.h"

#include <check.h>
#include <string.h>

#define PUSHED_MAX 8192
#define MODE_U 0
#define MODE_S 1
#define MODE_M 3
#define NOP 0x00000013u
#define JALR 0x000280E7u /* jalr ra, 0(t0) */
#define MRET 0x30200073u
#define SRET 0x10200073u

static struct trace_config config;
static struct trace t;
static struct trace_out out;
static struct record pushed[PUSHED_MAX];
static size_t pushed_count;
static uint8_t mode;

/* beq a0, a1, offset */
static inline uint32_t beq(int64_t offset)
{
	uint32_t o = (uint32_t)offset;
	return 0x00B50063u | (o >> 12 & 1) << 31 | (o >> 5 & 0x3F) << 25 | (o >> 1 & 15) << 8 | (o >> 11 & 1) << 7;
}

/* jal ra, offset */
static inline uint32_t jal(int64_t offset)
{
	uint32_t o = (uint32_t)offset;
	return 0x000000EFu | (o >> 20 & 1) << 31 | (o >> 1 & 0x3FF) << 21 | (o >> 11 & 1) << 20 |
	       (o >> 12 & 0xFF) << 12;
}

/* As ck_assert(), which takes a system call each time that it holds. */
#define must(condition)                                                                                                \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			ck_abort_msg("does not hold: %s", #condition);                                                 \
	} while (0)

static void step(const struct trace_retire *retire, const struct trace_bus *bus)
{
	trace_cycle(&t, retire, bus, &out);
	if (out.rec_valid) {
		must(pushed_count < PUSHED_MAX);
		pushed[pushed_count++] = out.rec;
		must(out.rec.count >= 1);
		must(out.rec.hist != 0);
	}
	must(t.cur_hist != 0);
	if (t.config.hist < 64)
		must((t.cur_hist >> t.config.hist) == 0);
	if (!t.cur_valid) {
		must((t.cur_hist) == 1);
		must(!t.end);
	}
	/* the marker in the top bit ends the trace */
	if (t.cur_hist >> (t.config.hist - 1))
		must(t.end);
	must(t.count <= (t.config.fifo_depth ? t.config.fifo_depth : 1));
}

static inline void idle(unsigned cycles)
{
	while (cycles--)
		step(&(struct trace_retire){0}, &(struct trace_bus){0});
}

/* Stage S and SECOND LOAD have passed. */
static inline void settle(void)
{
	idle(2);
}

static inline void wr(unsigned index, uint32_t value)
{
	step(&(struct trace_retire){0}, &(struct trace_bus){.write = true, .index = (uint8_t)index, .wdata = value});
}

static inline uint32_t rd(unsigned index)
{
	return trace_reg_read(&t, index);
}

static inline struct trace_retire retired(uint32_t insn, uint64_t pc, uint64_t next)
{
	return (struct trace_retire){.valid = true, .mode = mode, .insn = insn, .pc = pc, .next_pc = next};
}

static inline void go(uint32_t insn, uint64_t pc, uint64_t next)
{
	struct trace_retire r = retired(insn, pc, next);
	step(&r, &(struct trace_bus){0});
}

static inline void op(uint64_t pc)
{
	go(NOP, pc, pc + 4);
}
static inline void branch(uint64_t pc, uint64_t target, bool taken)
{
	go(beq((int64_t)(target - pc)), pc, taken ? target : pc + 4);
}
static inline void jump(uint64_t pc, uint64_t target)
{
	go(jal((int64_t)(target - pc)), pc, target);
}
static inline void indirect(uint64_t pc, uint64_t target)
{
	go(JALR, pc, target);
}
static inline void mret(uint64_t pc, uint64_t target)
{
	go(MRET, pc, target);
}

/* The instruction at pc traps. */
static inline void trap(uint64_t pc, uint64_t handler)
{
	struct trace_retire r = retired(0x00000073, pc, handler);
	r.trap = true;
	step(&r, &(struct trace_bus){0});
}

/* First instruction of a handler. */
static inline void enter(uint32_t insn, uint64_t pc, uint64_t next)
{
	struct trace_retire r = retired(insn, pc, next);
	r.intr = true;
	step(&r, &(struct trace_bus){0});
}

#define BASE UINT64_C(0x80000000)
#define HANDLER UINT64_C(0x80008000)

enum { FIG5, SOC, WIDE, CONFIGS };
static inline void configure(int which)
{
	if (which == FIG5) {
		trace_config_fig5(&config);
	} else {
		trace_config_default(&config);
		config.with_repeat = false; /* with it every record takes a cycle more, in the hold record */
		if (which == WIDE) {
			config.xlen = 64;
			config.hist = 64;
			config.fifo_depth = 1024;
			config.ranges = 4;
			config.cycle_bits = 32;
		}
	}
}
static inline void soc(void)
{
	configure(SOC);
}
static inline void soc_with_repeat(void)
{
	soc();
	config.with_repeat = true;
}

static inline void reset(void)
{
	trace_reset(&t, &config);
	pushed_count = 0;
	mode = MODE_M;
}

/* Resets the unit, and switches it on with these bits of CTRL besides ENABLE and MODES. */
static inline void enable(uint32_t ctrl)
{
	reset();
	wr(RV_REG_CTRL, RV_CTRL_MODES_MASK | RV_CTRL_ENABLE_MASK | ctrl);
}

/* Writes CTRL: as enable(), in a running unit. */
static inline void control(uint32_t ctrl)
{
	wr(RV_REG_CTRL, RV_CTRL_MODES_MASK | RV_CTRL_ENABLE_MASK | ctrl);
}

/* Record i that was pushed. A macro, so that a failure names the line of the test. */
#define expect(i, start_, hist_, reason_)                                                                              \
	do {                                                                                                           \
		ck_assert_uint_gt(pushed_count, i);                                                                    \
		ck_assert_uint_eq(pushed[i].start, start_);                                                            \
		ck_assert_uint_eq(pushed[i].hist, hist_);                                                              \
		ck_assert_str_eq(record_reason_name(pushed[i].reason),                                                 \
		    record_reason_name(config.with_reason ? (unsigned)(reason_) : TRACE_NONE));                        \
	} while (0)
#define expect_more(i, repeat_, cycles_, insns_)                                                                       \
	do {                                                                                                           \
		ck_assert_uint_gt(pushed_count, i);                                                                    \
		ck_assert_uint_eq(pushed[i].count, repeat_);                                                           \
		ck_assert_uint_eq(pushed[i].cycles, cycles_);                                                          \
		ck_assert_uint_eq(pushed[i].insns, insns_);                                                            \
	} while (0)

/* The record at the head, read by registers as software does. */
#define expect_head(start_, hist_)                                                                                     \
	do {                                                                                                           \
		ck_assert_uint_eq(rd(RV_REG_REC_START), (uint32_t)(start_));                                           \
		ck_assert_uint_eq(rd(RV_REG_REC_START_HI), (uint32_t)((uint64_t)(start_) >> 32));                      \
		ck_assert_uint_eq(rd(RV_REG_REC_HIST), (uint32_t)(hist_));                                             \
		ck_assert_uint_eq(rd(RV_REG_REC_HIST_HI), (uint32_t)((uint64_t)(hist_) >> 32));                        \
	} while (0)
#define expect_current(start_, hist_)                                                                                  \
	do {                                                                                                           \
		ck_assert_uint_eq(rd(RV_REG_CUR_START), (uint32_t)(start_));                                           \
		ck_assert_uint_eq(rd(RV_REG_CUR_START_HI), (uint32_t)((uint64_t)(start_) >> 32));                      \
		ck_assert_uint_eq(rd(RV_REG_CUR_HIST), (uint32_t)(hist_));                                             \
		ck_assert_uint_eq(rd(RV_REG_CUR_HIST_HI), (uint32_t)((uint64_t)(hist_) >> 32));                        \
	} while (0)
#endif
