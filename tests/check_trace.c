/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The golden model of the trace unit against docs/trace-unit.md, rule by rule; section numbers are of that document. */
#include "isa/isa.h"
#include "model/trace/private.h"
#include "tests/suite.h"
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
	ck_assert_str_eq(record_reason_name(TRACE_REASONS), "unknown");
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
	static const uint32_t id[] = {0x52540802, 0x52542002, 0x52544002};
	static const uint32_t caps[] = {0x00000000, 0x20103FFE, 0x24009FFF};
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

/* The bits that a write of all ones and of a pattern leaves, in units with everything, with nothing, with odd
 * widths. */
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
		       (config.with_mode ? RV_CTRL_MODES_MASK : 0) | (config.with_heal ? RV_CTRL_LIMIT_MASK : 0) |
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
		return !context ? 0
				: (config.with_insns ? ((1u << config.insn_bits) - 1) << RV_CUR_INFO_INSNS_LSB : 0) |
				      (config.with_range_start ? RV_CUR_INFO_SKIP_MASK : 0);
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
	configure(_i % CONFIGS);
	config.hist = _i % CONFIGS == WIDE ? 64 : 8;
	config.with_next_pc = _i >= CONFIGS;
	if (config.with_next_pc)
		config.with_context = false;
	enable(0);
	/* a trace from XXX with the outcomes 00101 */
	uint64_t pc = xxx;
	static const bool outcomes[] = {false, false, true, false, true};
	for (unsigned i = 0; i < 5; i++) {
		branch(pc, pc + 0x20, outcomes[i]);
		pc += outcomes[i] ? 0x20 : 4;
	}
	indirect(pc, aaa);
	if (config.with_next_pc) { /* NEXT PC is loaded before the instruction at it */
		idle(2);
		expect_current(aaa, 0x01);
		ck_assert(!t.cur_valid);
		idle(1);
		expect_current(aaa, 0x01);
		op(aaa);
	} else {
		op(aaa);
		expect_current(xxx, 0x25); /* 00100101 */
		ck_assert_uint_eq(rd(RV_REG_COUNT), 0);
	}
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
	if (config.with_next_pc) {
		idle(1);
		expect_current(www, 0x01);
	}
	op(www);
	ck_assert_uint_eq(pushed_count, 2);
	idle(1);
	expect_head(aaa, 0x0D);
	expect_current(www, 0x01);
	ck_assert_uint_eq(rd(RV_REG_STATUS),
	    RV_STATUS_NONEMPTY_MASK | (config.fifo_depth ? 0 : RV_STATUS_FULL_MASK) | RV_STATUS_CUR_VALID_MASK);
	expect(0, xxx, 0x25, TRACE_INDIRECT);
	expect(1, aaa, 0x0D, TRACE_INDIRECT);
	const uint32_t cycles = config.with_next_pc ? 16 : 13; /* with it the reads above take three cycles more */
	expect_more(1, 1, config.with_cycles ? cycles : 0, config.with_insns ? 7 : 0);
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

int main(void)
{
	const struct suite_case cases[] = {
	    {"registers", defaults, 0},
	    {"registers", reset_values, CONFIGS},
	    {"registers", identification, CONFIGS},
	    {"registers", masks, 2 * CONFIGS},
	    {"figure 7", fig7, 2 * CONFIGS},
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
	};
	return SUITE_RUN("trace", cases, NULL, NULL);
}
