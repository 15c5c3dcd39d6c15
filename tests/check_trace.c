/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The golden model of the trace unit against docs/trace-unit.md, rule by rule; section numbers are of that document. */
#include "isa/isa.h"
#include "model/trace/private.h"
#include "tests/trace_bench.h"

/* Two instructions and an indirect jump: a trace of history 1. */
static void plain_trace(uint64_t start)
{
	op(start);
	op(start + 4);
	indirect(start + 8, start);
}

/* ---------------------------------------------------------------- sections 1 and 9, register masks */

START_TEST(defaults)
{
	trace_config_default(&config);
	ck_assert_uint_eq(config.xlen, 32);
	ck_assert_uint_eq(config.hist, 32);
	ck_assert_uint_eq(config.fifo_depth, 16);
	ck_assert_uint_eq(config.ranges, 1);
	ck_assert_uint_eq(config.cycle_bits, 16);
	ck_assert_uint_eq(config.insn_bits, 16);
	ck_assert_uint_eq(config.repeat_bits, 8);
	ck_assert_uint_eq(config.sample_bits, 24);
	ck_assert(config.with_reason && config.with_cycles && config.with_insns && config.with_repeat &&
		  config.with_sample && config.with_dither && config.with_mode && config.with_freeze &&
		  config.with_lost && config.with_lifo && config.with_context && config.with_term);
	trace_config_fig5(&config);
	ck_assert_uint_eq(config.xlen, 32);
	ck_assert_uint_eq(config.hist, 8);
	ck_assert_uint_eq(config.fifo_depth, 0);
	ck_assert_uint_eq(config.ranges, 0);
	ck_assert(!config.with_reason && !config.with_cycles && !config.with_insns && !config.with_repeat &&
		  !config.with_sample && !config.with_dither && !config.with_mode && !config.with_freeze &&
		  !config.with_lost && !config.with_lifo && !config.with_context && !config.with_term);
	static const char *const names[] = {"none", "backward", "indirect", "full", "trap", "xret", "left", "off"};
	for (unsigned i = 0; i < 8; i++)
		ck_assert_str_eq(record_reason_name(i), names[i]);
	ck_assert_str_eq(record_reason_name(8), "gap");
	ck_assert_str_eq(record_reason_name(9), "unknown");
}
END_TEST

/* Every register reads its reset value of the table; ID.HIST and CAPS are as built. */
START_TEST(reset_values)
{
	configure(_i);
	for (int again = 0; again < 2; again++) {
		reset();
#define REG(name, index, access, reset, present, bits, text)                                                           \
	if (index > RV_REG_CAPS && index != RV_REG_LFSR && index != RV_REG_REC_INFO)                                   \
		ck_assert_msg(rd(index) == reset, "%s reads %x", #name, rd(index));
#define FIELD(reg, name, lsb, width, access, bits, text)
#include "regs/trace_regs.def"
#undef REG
#undef FIELD
		ck_assert_uint_eq(rd(RV_REG_LFSR), config.with_dither);
		/* REPEAT is the constant 1 without WITH_REPEAT, and LAST can always be read */
		ck_assert_uint_eq(rd(RV_REG_REC_INFO), _i == FIG5 ? 1 << RV_REC_INFO_REPEAT_LSB : 0);
		for (unsigned i = 48; i < 64; i++)
			ck_assert_uint_eq(rd(i), 0);
		/* dirty it, and reset again */
		wr(RV_REG_CTRL, RV_CTRL_MODES_MASK | RV_CTRL_ENABLE_MASK | RV_CTRL_IE_MASK);
		for (unsigned i = 0; i < 3; i++)
			plain_trace(BASE);
		settle();
		ck_assert_uint_gt(pushed_count, 0);
	}
}
END_TEST

START_TEST(identification)
{
	static const uint32_t id[] = {0x52540801, 0x52542001, 0x52544001};
	static const uint32_t caps[] = {0x00000000, 0x00103FFE, 0x04009FFF};
	configure(_i);
	config.with_repeat = _i != 0;
	reset();
	ck_assert_uint_eq(rd(RV_REG_ID), id[_i]);
	ck_assert_uint_eq(rd(RV_REG_CAPS), caps[_i]);
	/* each option has its own bit */
	bool *const options[] = {&config.with_reason, &config.with_cycles, &config.with_insns, &config.with_repeat,
	    &config.with_sample, &config.with_dither, &config.with_mode, &config.with_freeze, &config.with_lost,
	    &config.with_lifo, &config.with_context, &config.with_term};
	trace_config_fig5(&config);
	for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
		*options[i] = true;
		reset();
		ck_assert_uint_eq(rd(RV_REG_CAPS), 2u << i);
		*options[i] = false;
	}
}
END_TEST

/* The bits that a write of all ones and of a pattern leaves, in units with everything, with nothing, with odd widths. */
static uint32_t kept(unsigned index)
{
	bool context = config.with_context, wide = config.xlen == 64;
	uint32_t high_hist = config.hist > 32 ? UINT32_MAX >> (64 - config.hist) : 0;
	switch (index) {
	case RV_REG_CTRL:
		return RV_CTRL_ENABLE_MASK | RV_CTRL_IE_MASK |
		       (config.with_term ? RV_CTRL_NO_BACKWARD_MASK | RV_CTRL_NO_INDIRECT_MASK : 0) |
		       (config.with_freeze ? RV_CTRL_HANDLERS_MASK : 0) |
		       (config.with_repeat ? RV_CTRL_REPEAT_MASK : 0) | (config.with_sample ? RV_CTRL_SAMPLE_MASK : 0) |
		       (config.with_lifo && config.fifo_depth ? RV_CTRL_LIFO_MASK : 0) |
		       (config.with_range_start ? RV_CTRL_RANGE_START_MASK : 0) |
		       (config.with_mode ? RV_CTRL_MODES_MASK : 0) |
		       ((1u << config.ranges) - 1) << RV_CTRL_RANGE_EN_LSB;
	case RV_REG_CUR_START:
		return context ? UINT32_MAX : 0;
	case RV_REG_CUR_START_HI:
		return context && wide ? UINT32_MAX : 0;
	case RV_REG_CUR_HIST:
		return !context ? 0 : config.hist >= 32 ? UINT32_MAX : (1u << config.hist) - 1;
	case RV_REG_CUR_HIST_HI:
		return context ? high_hist : 0;
	case RV_REG_CUR_INFO:
		return context && config.with_insns ? ((1u << config.insn_bits) - 1) << RV_CUR_INFO_INSNS_LSB : 0;
	case RV_REG_CUR_CYCLES:
		return context && config.with_cycles ? UINT32_MAX >> (32 - config.cycle_bits) : 0;
	case RV_REG_RESUME:
		return context && config.with_freeze ? UINT32_MAX : 0;
	case RV_REG_RESUME_HI:
		return context && config.with_freeze && wide ? UINT32_MAX : 0;
	case RV_REG_DEPTH:
		return context && config.with_freeze ? 15 : 0;
	case RV_REG_WATERMARK:
		return config.fifo_depth ? 2 * config.fifo_depth - 1 : 0; /* the bits of COUNT */
	case RV_REG_LOST:
		return config.with_lost ? UINT32_MAX : 0;
	case RV_REG_PERIOD:
	case RV_REG_COUNTER:
		return config.with_sample ? UINT32_MAX >> (32 - config.sample_bits) : 0;
	case RV_REG_DITHER:
	case RV_REG_LFSR:
		return config.with_dither ? 0xFFFF : 0;
	default:
		if (index >= RV_REG_RANGE0_LO && index < RV_REG_RANGE0_LO + 4 * config.ranges)
			return index & 1 && !wide ? 0 : UINT32_MAX;
		return trace_kept(&config, index); /* a newer one: as the table says */
	}
}

START_TEST(masks)
{
	configure(_i % CONFIGS);
	if (_i >= CONFIGS) { /* odd widths */
		config.hist = 37;
		config.cycle_bits = 9;
		config.insn_bits = 11;
		config.sample_bits = 13;
		config.with_context = true;
	}
	static const uint32_t patterns[] = {UINT32_MAX, 0x12345678, 0xEDCBA987, 0xFFFF0000, 0};
	for (unsigned index = 0; index < 64; index++) {
		if (index == RV_REG_ID || index == RV_REG_CAPS || index == RV_REG_STATUS || index == RV_REG_REC_INFO)
			continue;
		for (unsigned p = 0; p < 5; p++) {
			reset();
			wr(index, patterns[p]);
			uint32_t want = patterns[p] & kept(index);
			if (index == RV_REG_CTRL && !config.with_mode)
				want |= RV_CTRL_MODES_MASK;
			if (index == RV_REG_LFSR && config.with_dither && want == 0)
				want = 1;
			ck_assert_msg(rd(index) == want, "register %u, %08x written: %08x, not %08x", index,
			    patterns[p], rd(index), want);
		}
	}
	/* writes to registers that cannot be written change nothing */
	uint64_t written = 0;
#define REG(name, index, access, reset, present, bits, text) written |= (uint64_t)(#access[1] == 'W') << index;
#define FIELD(reg, name, lsb, width, access, bits, text)
#include "regs/trace_regs.def"
#undef REG
#undef FIELD
	reset();
	struct trace before = t;
	for (unsigned i = 0; i < 64; i++)
		if (!(written >> i & 1))
			wr(i, UINT32_MAX);
	ck_assert_mem_eq(&t, &before, sizeof t);
}
END_TEST

/* ---------------------------------------------------------------- FIG. 7 */

START_TEST(fig7)
{
	const uint64_t xxx = BASE + 0x100, aaa = BASE + 0x1000, bbb = BASE + 0x1100, ccc = BASE + 0x1800,
		       ddd = BASE + 0x1200, www = BASE + 0x40;
	configure(_i);
	config.hist = _i == WIDE ? 64 : 8;
	enable(0);
	/* a trace from XXX with the outcomes 00101 */
	uint64_t pc = xxx;
	static const bool outcomes[] = {false, false, true, false, true};
	for (unsigned i = 0; i < 5; i++) {
		branch(pc, pc + 0x20, outcomes[i]);
		pc += outcomes[i] ? 0x20 : 4;
	}
	indirect(pc, aaa);
	op(aaa);
	expect_current(xxx, 0x25); /* 00100101 */
	ck_assert_uint_eq(rd(RV_REG_COUNT), 0);
	idle(1);
	/* second load and first load */
	expect_current(aaa, 0x01); /* 00000001 */
	idle(1);                   /* the buffer's read */
	expect_head(xxx, 0x25);
	branch(aaa + 4, bbb, true); /* if Z, and it is */
	idle(1);
	expect_current(aaa, 0x03); /* 00000011 */
	op(bbb);
	branch(bbb + 4, ccc, false); /* if N, and it is not */
	idle(1);
	expect_current(aaa, 0x06);  /* 00000110 */
	branch(bbb + 8, ddd, true); /* if C, and it is */
	idle(1);
	expect_current(aaa, 0x0D); /* 00001101 */
	op(ddd);
	expect_head(xxx, 0x25);
	wr(RV_REG_POP, 0);
	indirect(ddd + 4, www);
	idle(1);
	expect_current(aaa, 0x0D);
	ck_assert_uint_eq(pushed_count, 1);
	op(www);
	ck_assert_uint_eq(pushed_count, 2);
	idle(1);
	expect_head(aaa, 0x0D);
	expect_current(www, 0x01);
	ck_assert_uint_eq(rd(RV_REG_STATUS),
	    RV_STATUS_NONEMPTY_MASK | (config.fifo_depth ? 0 : RV_STATUS_FULL_MASK) | RV_STATUS_CUR_VALID_MASK);
	expect(0, xxx, 0x25, TRACE_INDIRECT);
	expect(1, aaa, 0x0D, TRACE_INDIRECT);
	expect_more(1, 1, config.with_cycles ? 13 : 0, config.with_insns ? 7 : 0);
}
END_TEST

/* ---------------------------------------------------------------- section 3: decoder */

enum kind { OTHER, BR, JMP, IND, RET };
static const char *const kind_names[] = {"other", "branch", "jump", "indirect", "trap return"};

/* How the unit decodes an instruction: it retires alone and goes to its own address, which tells all kinds apart. */
static enum kind kind_of(uint32_t insn)
{
	enable(0);
	go(insn, BASE + 0x100, BASE + 0x100);
	settle();
	if (pushed_count == 0)
		return OTHER;
	switch (pushed[0].reason) {
	case TRACE_BACKWARD:
		return pushed[0].hist == 1 ? JMP : BR;
	case TRACE_INDIRECT:
		return IND;
	case TRACE_XRET:
		return RET;
	default:
		ck_abort_msg("%08x: reason %u", insn, pushed[0].reason);
		return OTHER;
	}
}

static const struct {
	uint32_t word;
	const char *text;
	enum kind kind;
} words[] = {
    {0x00b50463, "beq a0,a1,.+8", BR},
    {0xfeb51ce3, "bne a0,a1,.-8", BR},
    {0x00b54263, "blt a0,a1,.+4", BR},
    {0x8062d063, "bge t0,t1,.-4096", BR},
    {0x7e946fe3, "bltu s0,s1,.+4094", BR},
    {0x01f07063, "bgeu zero,t6,.", BR},
    {0x001000ef, "jal ra,.+2048", JMP},
    {0x0000006f, "j .", JMP},
    {0x000280e7, "jalr ra,0(t0)", IND},
    {0x00008067, "jalr zero,0(ra)", IND},
    {0x30200073, "mret", RET},
    {0x10200073, "sret", RET},
    {0xc391, "c.beqz a5,.+4", BR},
    {0xf001, "c.bnez s0,.-256", BR},
    {0xa095, "c.j .+100", JMP},
    {0xbff5, "c.j .-4", JMP},
    {0x8082, "c.jr ra", IND},
    {0x9782, "c.jalr a5", IND},
    {0x8002, "c.jr zero, reserved", OTHER},
    {0x9002, "c.ebreak", OTHER},
    {0x00000073, "ecall", OTHER},
    {0x00100073, "ebreak", OTHER},
    {0x10500073, "wfi", OTHER},
    {0x00200073, "uret", OTHER},
    {0x70200073, "mnret", OTHER},
    {0x7b200073, "dret", OTHER},
    {0x30200173, "mret with rd", OTHER},
    {0x30208073, "mret with rs1", OTHER},
    {0x12000073, "sfence.vma", OTHER},
    {0x30059573, "csrrw a0,mstatus,a1", OTHER},
    {0x30202073, "csrrs zero,0x302,zero", OTHER},
    {0x0001, "c.nop", OTHER},
    {0x00c58533, "add a0,a1,a2", OTHER},
    {0x00000517, "auipc a0,0", OTHER},
    {0x852e, "c.mv a0,a1", OTHER},
    {0x952e, "c.add a0,a1", OTHER},
    {0x4188, "c.lw a0,0(a1)", OTHER},
    {0x0000100f, "fence.i", OTHER},
    {0x0505, "c.addi a0,1", OTHER},
    {0x4505, "c.li a0,1", OTHER},
    {0x6505, "c.lui a0,1", OTHER},
    {0x0506, "c.slli a0,1", OTHER},
    {0x4082, "c.lwsp ra,0(sp)", OTHER},
    {0xc006, "c.swsp ra,0(sp)", OTHER},
    {0xe398, "c.sd a4,0(a5)", OTHER},
    {0x638c, "c.ld a1,0(a5)", OTHER},
};

START_TEST(decoder_words)
{
	configure(_i);
	config.with_reason = true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		/* beyond a 16-bit instruction the upper half has no meaning */
		static const uint32_t uppers[] = {0, 0xFFFF0000, 0x30200000};
		for (unsigned u = 0; u < ((words[i].word & 3) == 3 ? 1 : 3); u++)
			ck_assert_str_eq(kind_names[kind_of(words[i].word | uppers[u])], kind_names[words[i].kind]);
	}
	/* c.jal is c.addiw on RV64 */
	ck_assert_str_eq(kind_names[kind_of(0x2095)], kind_names[config.xlen == 32 ? JMP : OTHER]);
}
END_TEST

static enum kind kind_by_table(uint32_t insn)
{
	struct isa_insn decoded;
	isa_decode(insn, ISA_CORE, &decoded);
	if (decoded.class_bits & ISA_BRANCH)
		return BR;
	if (decoded.class_bits & ISA_JUMP)
		return JMP;
	if (decoded.class_bits & ISA_INDIRECT)
		return IND;
	return decoded.class_bits & ISA_RET ? RET : OTHER;
}

/* All 16-bit instructions, and 32-bit ones of every opcode and funct3, against the instruction table; what the table
 * does not know cannot retire. */
START_TEST(decoder_table)
{
	soc();
	unsigned known = 0;
	for (uint32_t insn = 0; insn < 0x10000; insn++) {
		struct isa_insn decoded;
		isa_decode(insn, ISA_CORE, &decoded);
		if ((insn & 3) == 3 || decoded.op == ISA_ILLEGAL)
			continue;
		known++;
		enum kind want = kind_by_table(insn);
		config.xlen = 32;
		ck_assert_msg(kind_of(insn) == want, "%04x is a %s", insn, kind_names[want]);
		config.xlen = 64;
		if ((insn & 0xE003) == 0x2001)
			want = OTHER;
		ck_assert_msg(kind_of(insn) == want, "%04x is a %s (XLEN 64)", insn, kind_names[want]);
	}
	ck_assert_uint_gt(known, 28000);
	config.xlen = 32;
	uint32_t seed = 1;
	for (uint32_t i = 0; i < 1u << 18; i++) {
		seed = seed * 1664525u + 1013904223u;
		/* low bits of the counter: opcode and funct3 */
		uint32_t insn = (seed & 0xFFFF8F80) | (i & 0x1F) << 2 | (i >> 5 & 7) << 12 | 3;
		struct isa_insn decoded;
		isa_decode(insn, ISA_CORE, &decoded);
		if (decoded.op == ISA_ILLEGAL)
			continue;
		enum kind want = kind_by_table(insn);
		ck_assert_msg(kind_of(insn) == want, "%08x is a %s", insn, kind_names[want]);
	}
}
END_TEST

/* The outcome is next_pc against pc plus length. */
START_TEST(outcomes)
{
	configure(_i);
	enable(0);
	/* 32-bit: to the next instruction, to itself + 2, elsewhere */
	go(beq(4), BASE, BASE + 4);
	go(beq(2), BASE + 4, BASE + 6);
	/* 16-bit */
	go(0xc391, BASE + 6, BASE + 8);
	go(0xc391, BASE + 8, BASE + 12);
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_CUR_HIST), 0x15); /* 1 0101 */
	/* the address space wraps at XLEN bits: not taken at its very end */
	enable(0);
	uint64_t top = config.xlen == 64 ? UINT64_MAX - 3 : 0xFFFFFFFC;
	go(beq(64), top, 0);
	idle(1);
	ck_assert_uint_eq(rd(RV_REG_CUR_HIST), 2);
	ck_assert_uint_eq(pushed_count, 0);
}
END_TEST

/* A backward transfer: unsigned next_pc <= pc. */
START_TEST(backward_transfers)
{
	configure(_i);
	const uint64_t middle = config.xlen == 64 ? UINT64_C(0x8000000000000000) : 0x80000000;
	const uint64_t top = config.xlen == 64 ? UINT64_MAX - 15 : 0xFFFFFFF0;
	const struct {
		uint64_t pc, target;
		bool back;
	} cases[] = {{BASE + 64, BASE, true}, {BASE + 64, BASE + 60, true}, {BASE + 64, BASE + 64, true},
	    {BASE + 64, BASE + 66, false}, {BASE + 64, BASE + 128, false}, {middle - 8, middle + 8, false},
	    {middle + 8, middle - 8, true}, {top, 16, true}, {16, top, false}, {0, 0, true}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (unsigned kind = 0; kind < 3; kind++) {
			enable(0);
			if (kind == 0)
				jump(cases[i].pc, cases[i].target);
			else
				branch(cases[i].pc, cases[i].target, kind == 1);
			settle();
			ck_assert_uint_eq(pushed_count, cases[i].back && kind != 2);
			if (pushed_count)
				expect(0, cases[i].pc, kind == 0 ? 1 : 3, TRACE_BACKWARD);
		}
	/* indirect jumps and trap returns forward are no less an end, and backward no backward transfer */
	enable(0);
	indirect(BASE, BASE + 64);
	mret(BASE + 64, BASE);
	settle();
	ck_assert_uint_eq(pushed_count, 2);
	expect(0, BASE, 1, TRACE_INDIRECT);
	expect(1, BASE + 64, 1, TRACE_XRET);
}
END_TEST

/* ---------------------------------------------------------------- sections 5 and 6: ends */

/* SHIFT in one cycle, SECOND LOAD in the next ([0057]): the outcome of the branch that ends a trace is in its pair. */
START_TEST(two_loads)
{
	soc();
	enable(0);
	branch(BASE, BASE + 8, false);
	branch(BASE + 4, BASE, true);
	ck_assert_uint_eq(t.cur_hist, 2);
	ck_assert(!t.end);
	idle(1); /* SHIFT */
	ck_assert_uint_eq(t.cur_hist, 5);
	ck_assert(t.end);
	ck_assert_uint_eq(t.end_reason, TRACE_BACKWARD);
	ck_assert_uint_eq(pushed_count, 0);
	idle(1); /* SECOND LOAD */
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE, 5, TRACE_BACKWARD);
	ck_assert(!t.cur_valid && !t.end);
	ck_assert_uint_eq(t.cur_start, BASE);
	/* a trace in every cycle: SECOND LOAD of one while the next shifts */
	enable(0);
	for (unsigned i = 0; i < 10; i++)
		branch(BASE + 16 * i, BASE, true);
	settle();
	ck_assert_uint_eq(pushed_count, 10);
	for (unsigned i = 0; i < 10; i++) {
		expect(i, BASE + 16 * i, 3, TRACE_BACKWARD);
		expect_more(i, 1, i == 0 ? 2 : 1, 1);
	}
}
END_TEST

/* The marker in bit H-1 ends the trace; H-1 outcomes are held, none is lost. */
START_TEST(full_history)
{
	static const unsigned widths[] = {8, 9, 31, 32, 33, 63, 64};
	for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++) {
		configure(_i);
		config.hist = widths[w];
		for (unsigned last = 0; last < 3; last++) {
			enable(last == 2 ? RV_CTRL_NO_BACKWARD_MASK : 0);
			uint64_t pc = BASE + 4096, hist = 1;
			for (unsigned i = 0; i + 2 < config.hist; i++) {
				bool taken = i % 3 == 1;
				branch(pc, pc + 8, taken);
				hist = hist << 1 | taken;
				pc += taken ? 8 : 4;
			}
			settle();
			ck_assert_uint_eq(pushed_count, 0);
			ck_assert_uint_eq(t.cur_hist, hist);
			/* the last outcome: forward, or back, which is the first reason unless it is switched off */
			branch(pc, last ? BASE : pc + 8, true);
			op(BASE);
			settle();
			ck_assert_uint_eq(pushed_count, 1);
			hist = hist << 1 | 1;
			ck_assert_uint_eq(hist >> (config.hist - 1), 1);
			bool off = last == 2 && config.with_term;
			expect(0, BASE + 4096, hist, last && !off ? TRACE_BACKWARD : TRACE_FULL);
			ck_assert_uint_eq(t.cur_hist, 1);
			ck_assert(t.cur_valid);
		}
	}
}
END_TEST

/* Jumps and other instructions do not shift. */
START_TEST(nothing_else_shifts)
{
	configure(_i);
	enable(0);
	op(BASE);
	jump(BASE + 4, BASE + 100);
	go(0x0001, BASE + 100, BASE + 102);
	go(0xa095, BASE + 102, BASE + 202);
	idle(3);
	expect_current(BASE, 1);
	ck_assert_uint_eq(pushed_count, 0);
	if (config.with_insns)
		ck_assert_uint_eq(rd(RV_REG_CUR_INFO), 4u << RV_CUR_INFO_INSNS_LSB);
}
END_TEST

START_TEST(termination_switches)
{
	soc();
	config.with_term = _i;
	enable(RV_CTRL_NO_BACKWARD_MASK | RV_CTRL_NO_INDIRECT_MASK);
	branch(BASE + 64, BASE, true);
	jump(BASE, BASE);
	indirect(BASE, BASE + 8);
	mret(BASE + 8, BASE);
	settle();
	if (_i) {
		ck_assert_uint_eq(pushed_count, 1);
		expect(0, BASE + 64, 3, TRACE_XRET);
		expect_more(0, 1, 5, 4);
	} else {
		ck_assert_uint_eq(pushed_count, 4);
		expect(0, BASE + 64, 3, TRACE_BACKWARD);
		expect(1, BASE, 1, TRACE_BACKWARD);
		expect(2, BASE, 1, TRACE_INDIRECT);
		expect(3, BASE + 8, 1, TRACE_XRET);
	}
	/* each alone */
	enable(RV_CTRL_NO_INDIRECT_MASK);
	indirect(BASE, BASE + 64);
	jump(BASE + 64, BASE);
	settle();
	ck_assert_uint_eq(pushed_count, _i ? 1 : 2);
	expect(_i ? 0u : 1u, _i ? BASE : BASE + 64, 1, TRACE_BACKWARD);
	enable(RV_CTRL_NO_BACKWARD_MASK);
	jump(BASE + 64, BASE);
	indirect(BASE, BASE + 64);
	settle();
	ck_assert_uint_eq(pushed_count, _i ? 1 : 2);
	expect(_i ? 0u : 1u, _i ? BASE + 64 : BASE, 1, TRACE_INDIRECT);
}
END_TEST

/* OFF: the pair is handed over when ENABLE goes; the instruction in S in the cycle of the write still counts. */
START_TEST(switched_off)
{
	configure(_i);
	enable(0);
	op(BASE);
	branch(BASE + 4, BASE + 64, true);
	struct trace_retire r = retired(NOP, BASE + 64, BASE + 68);
	step(&r, &(struct trace_bus){.write = true, .index = RV_REG_CTRL, .wdata = RV_CTRL_MODES_MASK});
	ck_assert_uint_eq(pushed_count, 0);
	ck_assert_uint_eq(t.cur_hist, 3);
	op(BASE + 68);
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE, 3, TRACE_OFF);
	expect_more(0, 1, config.with_cycles ? 3 : 0, config.with_insns ? 2 : 0);
	branch(BASE + 72, BASE, true);
	settle();
	ck_assert_uint_eq(pushed_count, 1);
	ck_assert_uint_eq(rd(RV_REG_CUR_HIST), 0);
	ck_assert_uint_eq(rd(RV_REG_CUR_CYCLES), 0);
	/* on again: the write takes effect for the instruction that follows */
	struct trace_retire last = retired(NOP, BASE + 0x100, BASE + 0x104);
	step(&last, &(struct trace_bus){0});
	step(&(struct trace_retire){0},
	    &(struct trace_bus){.write = true, .index = RV_REG_CTRL, .wdata = RV_CTRL_MODES_MASK | 1});
	op(BASE + 0x104);
	idle(1);
	expect_current(BASE + 0x104, 1);
	/* the reason of a trace that has ended already stays */
	pushed_count = 0;
	jump(BASE + 0x108, BASE);
	wr(RV_REG_CTRL, 0);
	idle(3);
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE + 0x104, 1, TRACE_BACKWARD);
}
END_TEST

/* Traps and handlers are discontinuities where nothing freezes. */
START_TEST(traps_end_traces)
{
	soc();
	config.with_freeze = _i;
	enable(RV_CTRL_HANDLERS_MASK);
	op(BASE);
	branch(BASE + 4, BASE + 64, false);
	trap(BASE + 8, HANDLER);
	ck_assert_uint_eq(pushed_count, 0);
	enter(NOP, HANDLER, HANDLER + 4);
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE, 2, TRACE_TRAP);
	expect_more(0, 1, 3, 2);
	branch(HANDLER + 4, HANDLER + 16, true);
	mret(HANDLER + 16, BASE + 8);
	op(BASE + 8);
	/* an interrupt: no instruction traps, the next one has intr, and belongs to the new trace */
	enter(NOP, HANDLER, HANDLER + 4);
	op(HANDLER + 4);
	idle(1);
	ck_assert_uint_eq(pushed_count, 3);
	expect(1, HANDLER, 3, TRACE_XRET);
	expect_more(1, 1, 4, 3);
	expect(2, BASE + 8, 1, TRACE_TRAP);
	expect_more(2, 1, 1, 1);
	expect_current(HANDLER, 1);
	/* a pair that has just ended is not ended again by the trap after it */
	enable(RV_CTRL_HANDLERS_MASK);
	jump(BASE + 8, BASE);
	trap(BASE, HANDLER);
	trap(HANDLER, HANDLER);
	settle();
	ck_assert_uint_eq(pushed_count, 1);
	expect(0, BASE + 8, 1, TRACE_BACKWARD);
	ck_assert_uint_eq(rd(RV_REG_DEPTH), 0);
	ck_assert_uint_eq(rd(RV_REG_RESUME), _i ? HANDLER : 0);
}
END_TEST

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

/* ---------------------------------------------------------------- section 6: counters and context */

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
	Suite *suite = suite_create("trace");
	const struct {
		const char *name;
		const TTest *test;
		int end; /* loops, 0: once */
	} cases[] = {
	    {"registers", defaults, 0},
	    {"registers", reset_values, CONFIGS},
	    {"registers", identification, CONFIGS},
	    {"registers", masks, 2 * CONFIGS},
	    {"figure 7", fig7, CONFIGS},
	    {"decoder", decoder_words, CONFIGS},
	    {"decoder", decoder_table, 0},
	    {"decoder", outcomes, CONFIGS},
	    {"decoder", backward_transfers, CONFIGS},
	    {"ends", two_loads, 0},
	    {"ends", full_history, CONFIGS},
	    {"ends", nothing_else_shifts, CONFIGS},
	    {"ends", termination_switches, 2},
	    {"ends", switched_off, CONFIGS},
	    {"ends", traps_end_traces, 2},
	    {"freeze", handler_is_left_out, 0},
	    {"freeze", shortest_handler, 0},
	    {"freeze", return_elsewhere, 0},
	    {"freeze", trapped_return, 0},
	    {"freeze", depth_runs_over, 0},
	    {"freeze", frozen_after_end, 0},
	    {"freeze", handlers_traced, 0},
	    {"scope", modes, 2},
	    {"scope", ranges, 2},
	    {"scope", left_scope, 0},
	    {"pair", counters_saturate, 0},
	    {"pair", cycles_are_complete, 0},
	    {"pair", context_switch, 2},
	    {"pair", written_history, 2},
	    {"pair", no_context, 0},
	    {"pair", write_wins, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		TCase *tcase = tcase_create(cases[i].name);
		tcase_set_timeout(tcase, 60);
		tcase_add_loop_test(tcase, cases[i].test, 0, cases[i].end ? cases[i].end : 1);
		suite_add_tcase(suite, tcase);
	}
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
