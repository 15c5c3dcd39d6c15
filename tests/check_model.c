/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The golden model's core and devices, held to docs/core.md by programs of a few instructions. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "common/rivulet_regs.h"

#define BASE 0x80000000u
#define HANDLER (BASE + 0x800) /* mtvec of the programs; interrupt c of MODE 1 goes to HANDLER + 4 * c */
#define DATA (BASE + 0x1000)
#define USER (BASE + 0x2000)
#define CLINT 0x02000000u
#define UART 0x10000000u

enum { ZERO, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5 };
enum {
	MSTATUS = 0x300,
	MIE = 0x304,
	MTVEC = 0x305,
	MCOUNTEREN = 0x306,
	MSCRATCH = 0x340,
	MEPC = 0x341,
	MCAUSE = 0x342,
	MTVAL = 0x343,
	MIP = 0x344,
	MCYCLE = 0xB00,
	MINSTRET = 0xB02,
	CYCLE = 0xC00,
	INSTRET = 0xC02
};
enum {
	NOP = 0x13,
	C_NOP = 0x0001,
	ECALL = 0x73,
	EBREAK = 0x00100073,
	MRET = 0x30200073,
	WFI = 0x10500073,
	FENCE_I = 0x100F
};

/* ---------------------------------------------------------------- a small assembler and a log of what retires */

static struct model *model;
static struct model_config config;
static struct model_in in;
static uint32_t at; /* where the next instruction goes */
static struct model_out last, retired[8192];
static unsigned count;

static void half(uint32_t value)
{
	uint16_t h = (uint16_t)value;
	ck_assert_int_eq(model_write(model, at, &h, 2), 0);
	at += 2;
}
static void word(uint32_t value)
{
	half(value);
	half(value >> 16);
}
static void insn(uint32_t value)
{
	if ((value & 3) == 3)
		word(value);
	else
		half(value);
}
static uint32_t enc_r(uint32_t funct7, uint32_t funct3, uint32_t rd, uint32_t rs1, uint32_t rs2)
{
	return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33;
}
static uint32_t enc_i(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1, int imm)
{
	return (uint32_t)imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
static uint32_t addi(uint32_t rd, uint32_t rs1, int imm)
{
	return enc_i(0x13, 0, rd, rs1, imm);
}
static uint32_t load(uint32_t funct3, uint32_t rd, uint32_t rs1, int imm)
{
	return enc_i(0x03, funct3, rd, rs1, imm);
}
static uint32_t jalr(uint32_t rd, uint32_t rs1, int imm)
{
	return enc_i(0x67, 0, rd, rs1, imm);
}
static uint32_t store(uint32_t funct3, uint32_t rs2, uint32_t rs1, int imm)
{
	uint32_t i = (uint32_t)imm & 0xFFF;
	return i >> 5 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (i & 31) << 7 | 0x23;
}
static uint32_t branch(uint32_t funct3, uint32_t rs1, uint32_t rs2, int offset)
{
	uint32_t o = (uint32_t)offset;
	return (o >> 12 & 1) << 31 | (o >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (o >> 1 & 15) << 8 |
	       (o >> 11 & 1) << 7 | 0x63;
}
static uint32_t jal(uint32_t rd, int offset)
{
	uint32_t o = (uint32_t)offset;
	return (o >> 20 & 1) << 31 | (o >> 1 & 0x3FF) << 21 | (o >> 11 & 1) << 20 | (o >> 12 & 0xFF) << 12 | rd << 7 |
	       0x6F;
}
static uint32_t csrrw(uint32_t rd, uint32_t csr, uint32_t rs1)
{
	return csr << 20 | rs1 << 15 | 1 << 12 | rd << 7 | 0x73;
}
static uint32_t csrrs(uint32_t rd, uint32_t csr, uint32_t rs1)
{
	return csrrw(rd, csr, rs1) ^ 3 << 12;
}
static uint32_t csrrsi(uint32_t rd, uint32_t csr, uint32_t imm)
{
	return csrrw(rd, csr, imm) ^ 7 << 12;
}
static uint32_t csrrci(uint32_t rd, uint32_t csr, uint32_t imm)
{
	return csrrw(rd, csr, imm) ^ 6 << 12;
}
static void li(uint32_t rd, uint32_t value)
{
	word(((value + 0x800) & 0xFFFFF000u) | rd << 7 | 0x37);
	word(addi(rd, rd, (int)(value & 0xFFF)));
}
static void set_csr(uint32_t csr, uint32_t value)
{
	li(T0, value);
	word(csrrw(ZERO, csr, T0));
}

static void start(void)
{
	model_close(model);
	model = NULL;
	ck_assert_int_eq(model_open(&model, &config), 0);
	in = (struct model_in){.uart_rx = true};
	count = 0;
	/* nops where traps go */
	at = HANDLER;
	for (int i = 0; i < 64; i++)
		word(NOP);
	word(jal(ZERO, 0));
	at = BASE;
}
/* start, and a program that sets mtvec. */
static void start_handled(uint32_t mode)
{
	start();
	set_csr(MTVEC, HANDLER | mode);
}
static void setup(void)
{
	model_config_default(&config);
	config.pmp_regions = 0; /* tests/check_model_pmp.c has it */
	start();
}
static void teardown(void)
{
	model_close(model);
	model = NULL;
}

static void run(unsigned cycles)
{
	while (cycles--) {
		model_cycle(model, &in, &last);
		if (last.valid && count < sizeof retired / sizeof *retired)
			retired[count++] = last;
	}
}
/* Index of the first retirement at pc. */
static unsigned find(uint32_t pc)
{
	for (unsigned i = 0; i < count; i++)
		if (retired[i].pc == pc)
			return i;
	ck_abort_msg("0x%x never retired", pc);
	return 0;
}
static bool happened(uint32_t pc)
{
	for (unsigned i = 0; i < count; i++)
		if (retired[i].pc == pc)
			return true;
	return false;
}
static uint32_t csr_now(enum model_csr which)
{
	uint32_t values[MODEL_CSR_COUNT];
	model_csrs(model, values);
	return values[which];
}
static uint32_t memory(uint32_t address)
{
	uint32_t value = 0;
	ck_assert_int_eq(model_read(model, address, &value, 4), 0);
	return value;
}

/* ---------------------------------------------------------------- cycles (sections 4 and 5) */

/* Cycles that the instruction at pc takes: between the retirements around it, less the one of the instruction behind
 * it. */
static unsigned cost(uint32_t pc)
{
	run(120);
	unsigned i = find(pc);
	ck_assert_uint_gt(i, 0);
	return (unsigned)(retired[i + 1].cycle - retired[i - 1].cycle) - 1;
}

/* Cost of one instruction among c.nops, which leave the port to it. */
static unsigned cost_of(uint32_t value)
{
	start();
	model_set_reg(model, A0, DATA);
	model_set_reg(model, A1, 7);
	model_set_reg(model, A2, 3);
	for (int i = 0; i < 8; i++)
		half(C_NOP);
	uint32_t pc = at;
	insn(value);
	for (int i = 0; i < 64; i++)
		half(C_NOP);
	return cost(pc);
}

START_TEST(cycles_single)
{
	static const uint32_t one[] = {NOP, C_NOP, 0x00000537 /* lui */, 0x00000517 /* auipc */, 0x00B57533 /* and */,
	    0x40B55533 /* sra */, 0x0FF0000F /* fence */, 0x00B52023 /* sw */, 0x00B51023 /* sh */, 0x00B50023 /* sb */,
	    0xC10C /* c.sw a1,0(a0) */, 0x00B50463 /* beq a0,a1: not taken */, 0xC111 /* c.beqz a0: not taken */,
	    0x00052603 /* lw a2 */, 0x00054603 /* lbu */, 0x4110 /* c.lw a2,0(a0) */};
	for (size_t i = 0; i < sizeof one / sizeof *one; i++)
		ck_assert_msg(cost_of(one[i]) == 1, "0x%x: %u cycles, expected 1", one[i], cost_of(one[i]));
	static const uint32_t two[] = {FENCE_I, 0x00B51463 /* bne: taken */, 0xE111 /* c.bnez a0: taken */,
	    0x008000EF /* jal */, 0xA011 /* c.j */, 0x2011 /* c.jal */, 0x34059573 /* csrrw */, 0x34002573 /* csrrs */,
	    0x3400D573 /* csrrwi */, 0x30002573, 0x7C202573 /* a register of the trace unit */};
	for (size_t i = 0; i < sizeof two / sizeof *two; i++)
		ck_assert_msg(cost_of(two[i]) == 2, "0x%x: %u cycles, expected 2", two[i], cost_of(two[i]));
}
END_TEST

/* A load costs one more if the next instruction reads its result, in every way of reading it. */
START_TEST(cycles_load_use)
{
	static const struct {
		uint32_t next;
		unsigned cycles;
	} after[] = {{0x00C58533, 2} /* add a0,a1,a2 */, {0x00B60533, 2} /* add a0,a2,a1 */, {0x00160613, 2} /* addi */,
	    {0x00C52023, 2} /* sw a2 */, {0x00062583, 2} /* lw a1,0(a2) */, {0x34061073, 2} /* csrrw */,
	    {0x00B60263, 2} /* beq a2,a1,.+4 */, {0x0605, 2} /* c.addi a2,1 */, {0x85B2, 2} /* c.mv a1,a2 */,
	    {0x4609, 1} /* c.li a2: only writes it */, {0x00B50533, 1} /* reads others */,
	    {0x34065073, 1} /* csrrwi: the field is a number */, {0x0FF6000F, 1} /* fence: the field is ignored */,
	    {0x00060637, 1} /* lui: bits of the immediate */};
	for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
		start();
		model_set_reg(model, A0, DATA);
		at = DATA;
		word(DATA);
		at = BASE;
		for (int n = 0; n < 8; n++)
			half(C_NOP);
		uint32_t pc = at;
		insn(0x4110); /* c.lw a2,0(a0) */
		insn(after[i].next);
		for (int n = 0; n < 64; n++)
			half(C_NOP);
		run(60);
		unsigned n = find(pc);
		unsigned between = (unsigned)(retired[n + 1].cycle - retired[n].cycle);
		unsigned own = (after[i].next & 0x7F) == 0x73 ? 1 : 0; /* Zicsr: its own second cycle */
		ck_assert_msg(between == after[i].cycles + own, "0x%x: %u cycles behind the load, expected %u",
		    after[i].next, between, after[i].cycles + own);
	}
	/* a load of x0 delays nobody */
	start();
	model_set_reg(model, A0, DATA);
	for (int n = 0; n < 8; n++)
		half(C_NOP);
	uint32_t pc = at;
	word(load(2, ZERO, A0, 0));
	word(enc_r(0, 0, A1, ZERO, ZERO));
	for (int n = 0; n < 32; n++)
		half(C_NOP);
	run(60);
	ck_assert_uint_eq(retired[find(pc) + 1].cycle - retired[find(pc)].cycle, 1);
}
END_TEST

/* A run of 32-bit instructions uses up a word a cycle, so D starves behind a load or store. */
START_TEST(cycles_starved)
{
	for (int stores = 0; stores < 2; stores++) {
		start();
		model_set_reg(model, A0, DATA);
		for (int i = 0; i < 8; i++)
			word(NOP);
		uint32_t pc = at;
		word(stores ? store(2, A1, A0, 0) : load(2, A1, A0, 0));
		for (int i = 0; i < 20; i++)
			word(NOP);
		run(40);
		unsigned n = find(pc);
		ck_assert_uint_eq(retired[n].cycle - retired[n - 1].cycle, 1);
		ck_assert_uint_eq(retired[n + 1].cycle - retired[n].cycle, 1);
		ck_assert_uint_eq(retired[n + 2].cycle - retired[n + 1].cycle, 2);
		ck_assert_uint_eq(retired[n + 3].cycle - retired[n + 2].cycle, 1);
	}
}
END_TEST

/* Taken transfers: 2, and 1 more to a 32-bit instruction that is not word aligned. */
START_TEST(cycles_transfers)
{
	for (int kind = 0; kind < 5; kind++)
		for (int odd = 0; odd < 2; odd++)
			for (int wide = 0; wide < 2; wide++) {
				start();
				uint32_t target = BASE + 0x100 + (odd ? 2 : 0);
				model_set_reg(model, A0, target);
				word(csrrw(ZERO, MEPC, A0));
				set_csr(MSTATUS, 3 << 11);
				half(C_NOP);
				half(C_NOP);
				uint32_t pc = at;
				int offset = (int)(target - at);
				const uint32_t transfers[] = {jal(RA, offset), jalr(RA, A0, 0),
				    branch(0, ZERO, ZERO, offset), MRET, 0x8502 /* c.jr a0 */};
				insn(transfers[kind]);
				at = target;
				insn(wide ? NOP : C_NOP);
				for (int i = 0; i < 32; i++)
					half(C_NOP);
				run(60);
				unsigned n = find(pc);
				ck_assert_uint_eq(retired[n + 1].pc, target);
				unsigned took = (unsigned)(retired[n + 1].cycle - retired[n].cycle);
				ck_assert_msg(took == (odd && wide ? 3u : 2u), "transfer %d to 0x%x, %s: %u cycles",
				    kind, target, wide ? "32-bit" : "16-bit", took);
			}
}
END_TEST

static unsigned muldiv_cost(unsigned funct3, uint32_t a, uint32_t b)
{
	start();
	model_set_reg(model, A1, a);
	model_set_reg(model, A2, b);
	for (int i = 0; i < 8; i++)
		half(C_NOP);
	uint32_t pc = at;
	word(enc_r(1, funct3, A0, A1, A2));
	for (int i = 0; i < 40; i++)
		half(C_NOP);
	return cost(pc);
}

START_TEST(cycles_muldiv)
{
	static const uint32_t values[] = {0, 1, 2, 3, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 100};
	for (int fast = 0; fast < 2; fast++) {
		config.mul_fast = fast;
		for (size_t i = 0; i < 8; i++)
			for (unsigned funct3 = 1; funct3 < 4; funct3++)
				ck_assert_uint_eq(muldiv_cost(funct3, values[i], values[7 - i]), fast ? 4 : 34);
		for (unsigned bits = 0; bits <= 32; bits++) {
			uint32_t b = bits ? 1u << (bits - 1) : 0;
			ck_assert_uint_eq(muldiv_cost(0, 0xFFFFFFFF, b), fast ? 3 : 2 + bits);
			ck_assert_uint_eq(muldiv_cost(0, b, b | (b ? b - 1 : 0)), fast ? 3 : 2 + bits);
			/* by the number of bits of the dividend: a byte that is not needed saves 7 cycles, the last is always done */
			unsigned division = bits > 24 ? 35 : bits > 16 ? 28 : bits > 8 ? 21 : 14;
			for (unsigned funct3 = 4; funct3 < 8; funct3++) {
				ck_assert_uint_eq(muldiv_cost(funct3, b, 3), division);
				ck_assert_uint_eq(muldiv_cost(funct3, b, 0xFFFFFFFD), division);
				ck_assert_uint_eq(muldiv_cost(funct3, b, 0), 35);
				ck_assert_uint_eq(muldiv_cost(funct3, 0 - b, 3), b == 0       ? 14
										 : funct3 & 1 ? 35
											      : division);
			}
		}
	}
}
END_TEST

/* Exception: 3 until the first instruction of the handler is in X. */
START_TEST(cycles_trap)
{
	static const uint32_t traps[] = {ECALL, EBREAK, 0x9002, 0x0000, 0xFFFFFFFF, 0x00152583 /* lw a1,1(a0) */,
	    0xC0059073 /* csrrw cycle */, 0x000025AF /* lr.w: no A here */};
	for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) {
		start_handled(0);
		model_set_reg(model, A0, DATA);
		half(C_NOP);
		half(C_NOP);
		uint32_t pc = at;
		insn(traps[i]);
		run(60);
		unsigned n = find(pc);
		ck_assert(retired[n].trap && retired[n + 1].pc == HANDLER && retired[n + 1].intr);
		ck_assert_uint_eq(retired[n + 1].cycle - retired[n].cycle, 3);
		/* a Zicsr instruction is found illegal in its second cycle */
		ck_assert_uint_eq(retired[n].cycle - retired[n - 1].cycle, traps[i] == 0xC0059073 ? 2 : 1);
	}
}
END_TEST

START_TEST(cycles_wfi)
{
	/* pending and enabled, but not taken: one cycle */
	start();
	word(csrrsi(ZERO, MIE, 8));
	li(A0, CLINT);
	word(addi(A1, ZERO, 1));
	word(store(2, A1, A0, 0));
	for (int i = 0; i < 4; i++)
		word(NOP);
	uint32_t pc = at;
	word(WFI);
	for (int i = 0; i < 8; i++)
		word(NOP);
	ck_assert_uint_eq(cost(pc), 1);

	/* not pending: until the line rises. in of cycle t is the line of t + 1. */
	start();
	li(A0, 1u << 11);
	word(csrrs(ZERO, MIE, A0));
	pc = at;
	word(WFI);
	for (int i = 0; i < 8; i++)
		word(NOP);
	run(50);
	ck_assert(!happened(pc));
	uint64_t rises = last.cycle + 2;
	in.irq_ext = true;
	run(10);
	/* complete in X in the cycle of the line, in W one later */
	ck_assert_uint_eq(retired[find(pc)].cycle, rises + 1);

	/* a pending interrupt that is not enabled does not wake it */
	start();
	in.irq_ext = true;
	pc = at;
	word(WFI);
	run(100);
	ck_assert(!happened(pc));
}
END_TEST

/* ---------------------------------------------------------------- results */

static const uint32_t corners[] = {0, 1, 2, 3, 5, 31, 32, 33, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x55555555, 0xAAAAAAAA,
    0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0xDEADBEEF};
#define CORNERS (sizeof corners / sizeof *corners)

/* Shift and add, and shift and subtract, bit by bit: nothing here is a C multiplication or division. */
static uint64_t product(uint32_t a, uint32_t b)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < 32; i++)
		if (b >> i & 1)
			sum += (uint64_t)a << i;
	return sum;
}
static uint32_t quotient(uint32_t a, uint32_t b, uint32_t *rest)
{
	uint64_t r = 0;
	uint32_t q = 0;
	for (unsigned i = 32; i--;) {
		r = r << 1 | (a >> i & 1);
		q <<= 1;
		if (r >= b) {
			r -= b;
			q |= 1;
		}
	}
	*rest = (uint32_t)r;
	return q; /* all ones, and rest a, for b = 0 */
}
static bool less(uint32_t a, uint32_t b, bool is_signed)
{
	uint32_t flip = is_signed ? 0x80000000u : 0;
	return (a ^ flip) < (b ^ flip);
}
static uint32_t reference(unsigned funct7, unsigned funct3, uint32_t a, uint32_t b)
{
	uint32_t sa = a >> 31 ? UINT32_MAX : 0, q, r;
	unsigned amount = b & 31;
	if (funct7 == 1) {
		uint64_t p = product(a, b);
		uint32_t high = (uint32_t)(p >> 32);
		bool na = a >> 31, nb = b >> 31;
		switch (funct3) {
		case 0:
			return (uint32_t)p;
		case 1:
			return high - (na ? b : 0) - (nb ? a : 0);
		case 2:
			return high - (na ? b : 0);
		case 3:
			return high;
		case 4:
		case 6:
			q = quotient(na ? 0 - a : a, nb ? 0 - b : b, &r);
			if (b == 0)
				return funct3 == 4 ? UINT32_MAX : a;
			return funct3 == 4 ? (na != nb ? 0 - q : q) : na ? 0 - r : r;
		case 5:
			return quotient(a, b, &r);
		default:
			quotient(a, b, &r);
			return r;
		}
	}
	switch (funct3) {
	case 0:
		return funct7 ? a + ~b + 1 : a + b;
	case 1:
		return (uint32_t)((uint64_t)a << amount);
	case 2:
		return less(a, b, true);
	case 3:
		return less(a, b, false);
	case 4:
		return (a | b) & ~(a & b);
	case 5:
		return (uint32_t)(((funct7 ? (uint64_t)sa << 32 : 0) | a) >> amount);
	case 6:
		return ~(~a & ~b);
	default:
		return ~(~a | ~b);
	}
}

START_TEST(results_of_registers)
{
	static const uint8_t functs[][2] = {{0, 0}, {32, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {32, 5}, {0, 6},
	    {0, 7}, {1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}, {1, 7}};
	unsigned funct7 = functs[_i][0], funct3 = functs[_i][1];
	for (int fast = 0; fast < 2; fast++) {
		config.mul_fast = fast;
		for (size_t i = 0; i < CORNERS; i++) {
			start();
			uint32_t pc = at;
			for (size_t j = 0; j < CORNERS; j++) {
				li(A1, corners[i]);
				li(A2, corners[j]);
				word(enc_r(funct7, funct3, A0, A1, A2));
			}
			word(jal(ZERO, 0));
			run(CORNERS * 50);
			for (size_t j = 0; j < CORNERS; j++, pc += 20) {
				const struct model_out *o = &retired[find(pc + 16)];
				uint32_t expected = reference(funct7, funct3, corners[i], corners[j]);
				ck_assert_msg(o->rd_addr == A0 && o->rd_wdata == expected,
				    "funct7 %u funct3 %u of 0x%x, 0x%x: 0x%x, expected 0x%x", funct7, funct3,
				    corners[i], corners[j], o->rd_wdata, expected);
				ck_assert(o->rs1_rdata == corners[i] && o->rs2_rdata == corners[j]);
			}
		}
	}
}
END_TEST

/* The corner cases that the manual lists, as numbers. */
START_TEST(results_known)
{
	static const struct {
		unsigned funct3;
		uint32_t a, b, result;
	} known[] = {{4, 0x80000000, 0xFFFFFFFF, 0x80000000}, {6, 0x80000000, 0xFFFFFFFF, 0}, {4, 7, 0, 0xFFFFFFFF},
	    {5, 7, 0, 0xFFFFFFFF}, {6, 7, 0, 7}, {7, 7, 0, 7}, {6, 0xFFFFFFF9, 2, 0xFFFFFFFF},
	    {4, 0xFFFFFFF9, 2, 0xFFFFFFFD}, {6, 7, 0xFFFFFFFE, 1}, {1, 0x80000000, 0x80000000, 0x40000000},
	    {2, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, {3, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE},
	    {1, 0xFFFFFFFF, 0xFFFFFFFF, 0}, {2, 0x80000000, 0xFFFFFFFF, 0x80000000}, {0, 0xFFFFFFFF, 0xFFFFFFFF, 1}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		start();
		model_set_reg(model, A1, known[i].a);
		model_set_reg(model, A2, known[i].b);
		word(enc_r(1, known[i].funct3, A0, A1, A2));
		run(60);
		ck_assert_msg(model_reg(model, A0) == known[i].result, "funct3 %u of 0x%x, 0x%x: 0x%x", known[i].funct3,
		    known[i].a, known[i].b, model_reg(model, A0));
	}
}
END_TEST

START_TEST(results_of_immediates)
{
	static const int imms[] = {0, 1, -1, 31, 2047, -2048, 0x555};
	for (size_t i = 0; i < CORNERS; i++)
		for (size_t j = 0; j < sizeof imms / sizeof *imms; j++)
			for (unsigned funct3 = 0; funct3 < 8; funct3++)
				for (unsigned arithmetic = 0; arithmetic < (funct3 == 5 ? 2 : 1); arithmetic++) {
					bool shift = funct3 == 1 || funct3 == 5;
					int imm = shift ? (imms[j] & 31) | (int)arithmetic << 10 : imms[j];
					start();
					model_set_reg(model, A1, corners[i]);
					word(enc_i(0x13, funct3, A0, A1, imm));
					run(6);
					uint32_t b = shift ? (uint32_t)imm & 31 : (uint32_t)imm;
					ck_assert_uint_eq(model_reg(model, A0),
					    reference(arithmetic ? 32 : 0, funct3, corners[i], b));
				}
}
END_TEST

START_TEST(results_of_branches)
{
	for (size_t i = 0; i < CORNERS; i++)
		for (size_t j = 0; j < CORNERS; j++)
			for (unsigned funct3 = 0; funct3 < 8; funct3++) {
				if (funct3 == 2 || funct3 == 3)
					continue;
				uint32_t a = corners[i], b = corners[j];
				bool taken = funct3 < 2 ? i == j : less(a, b, funct3 < 6);
				start();
				model_set_reg(model, A1, a);
				model_set_reg(model, A2, b);
				word(branch(funct3, A1, A2, 0x100));
				run(6);
				ck_assert_msg(retired[0].next_pc == ((taken != (funct3 & 1)) ? BASE + 0x100 : BASE + 4),
				    "funct3 %u of 0x%x, 0x%x", funct3, a, b);
			}
}
END_TEST

/* x0 stays 0, whatever writes it. */
START_TEST(x0_is_zero)
{
	model_set_reg(model, ZERO, 5);
	model_set_reg(model, A0, DATA);
	word(addi(ZERO, ZERO, 5));
	word(load(2, ZERO, A0, 0));
	word(jal(ZERO, 4));
	word(csrrw(ZERO, MSCRATCH, A0));
	word(csrrsi(ZERO, MSCRATCH, 0));
	word(enc_r(0, 0, A1, ZERO, ZERO));
	run(30);
	ck_assert_uint_eq(model_reg(model, ZERO), 0);
	ck_assert_uint_eq(model_reg(model, A1), 0);
	ck_assert_uint_eq(retired[0].rd_addr, 0);
}
END_TEST

START_TEST(loads_and_stores)
{
	static const struct {
		unsigned funct3, offset;
		uint32_t result;
	} loads[] = {{0, 0, 0x11}, {0, 3, 0xFFFFFF84}, {0, 2, 0xFFFFFFF3}, {1, 0, 0x2211}, {1, 2, 0xFFFF84F3},
	    {2, 0, 0x84F32211}, {4, 3, 0x84}, {4, 1, 0x22}, {5, 2, 0x84F3}, {5, 0, 0x2211}};
	for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
		start();
		at = DATA;
		word(0x84F32211);
		at = BASE;
		model_set_reg(model, A0, DATA + 0x10);
		word(load(loads[i].funct3, A1, A0, (int)loads[i].offset - 0x10));
		run(8);
		ck_assert_uint_eq(model_reg(model, A1), loads[i].result);
		ck_assert_uint_eq(retired[0].mem_addr, DATA + loads[i].offset);
		ck_assert_uint_eq(retired[0].mem_rmask, (1u << (1u << (loads[i].funct3 & 3))) - 1);
	}
	static const struct {
		unsigned funct3, offset;
		uint32_t result;
	} stores[] = {{0, 0, 0x111111EF}, {0, 1, 0x1111EF11}, {0, 3, 0xEF111111}, {1, 0, 0x1111BEEF},
	    {1, 2, 0xBEEF1111}, {2, 0, 0xDEADBEEF}};
	for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
		start();
		at = DATA;
		word(0x11111111);
		at = BASE;
		model_set_reg(model, A0, DATA + 0x10);
		model_set_reg(model, A1, 0xDEADBEEF);
		word(store(stores[i].funct3, A1, A0, (int)stores[i].offset - 0x10));
		run(8);
		ck_assert_uint_eq(memory(DATA), stores[i].result);
		ck_assert_uint_eq(retired[0].mem_wmask, (1u << (1u << stores[i].funct3)) - 1);
	}
}
END_TEST

/* ---------------------------------------------------------------- exceptions */

enum { NO_C = 1, NO_M = 2, IN_USER = 4, TW = 8 };

/* What the trap at pc left; the instruction behind must not have done anything. */
static void check_trap(uint32_t pc, uint32_t cause, uint32_t tval, unsigned mode)
{
	unsigned i = find(pc);
	ck_assert_msg(retired[i].trap, "0x%x did not trap", pc);
	ck_assert_uint_eq(retired[i].next_pc, HANDLER);
	ck_assert_uint_eq(retired[i].mode, mode);
	ck_assert_uint_eq(retired[i].rd_addr, 0);
	ck_assert_uint_eq(retired[i + 1].pc, HANDLER);
	ck_assert(retired[i + 1].intr && retired[i + 1].mode == 3 && !retired[i + 2].intr);
	ck_assert_uint_eq(csr_now(MODEL_MEPC), pc);
	ck_assert_uint_eq(csr_now(MODEL_MCAUSE), cause);
	ck_assert_uint_eq(csr_now(MODEL_MTVAL), tval);
	ck_assert_uint_eq(csr_now(MODEL_MODE), 3);
	ck_assert_uint_eq(csr_now(MODEL_MSTATUS) >> 11 & 3, mode);
}

static const struct exception {
	const char *name;
	unsigned flags;
	uint32_t insn, cause, tval;
} exceptions[] = {
    {"illegal word", 0, 0xFFFFFFFF, 2, 0},
    {"illegal half", 0, 0x0000, 2, 0},
    {"c.slli by 32", 0, 0x1582, 2, 0},
    {"c.lwsp to x0", 0, 0x4002, 2, 0},
    {"sret", 0, 0x10200073, 2, 0},
    {"sfence.vma", 0, 0x12000073, 2, 0},
    {"mul without M", NO_M, 0x02C585B3, 2, 0},
    {"16 bits without C", NO_C, 0x0001, 2, 0},
    {"mret in U", IN_USER, MRET, 2, 0},
    {"wfi in U, TW", IN_USER | TW, WFI, 2, 0},
    {"machine CSR in U", IN_USER, 0x340025F3, 2, 0},
    {"trace CSR in U", IN_USER, 0x7C2025F3, 2, 0},
    {"cycle in U, not enabled", IN_USER, 0xC00025F3, 2, 0},
    {"instret in U, not enabled", IN_USER, 0xC02025F3, 2, 0},
    {"time does not exist", 0, 0xC01025F3, 2, 0},
    {"timeh does not exist", 0, 0xC81025F3, 2, 0},
    {"no such CSR", 0, 0x180025F3, 2, 0},
    {"write to mhartid", 0, 0xF14595F3, 2, 0},
    {"csrrsi writes cycle", 0, 0xC000E5F3, 2, 0},
    {"ecall from M", 0, ECALL, 11, 0},
    {"ecall from U", IN_USER, ECALL, 8, 0},
    {"ebreak", 0, EBREAK, 3, 0 /* pc */},
    {"ebreak in U", IN_USER, EBREAK, 3, 0},
    {"c.ebreak", 0, 0x9002, 3, 0},
    {"lw at 1", 0, 0x00152583, 4, DATA + 1},
    {"lw at 2", 0, 0x00252583, 4, DATA + 2},
    {"lh at 1", 0, 0x00151583, 4, DATA + 1},
    {"lhu at 3", 0, 0x00355583, 4, DATA + 3},
    {"sw at 2", 0, 0x00B52123, 6, DATA + 2},
    {"sh at 3", 0, 0x00B511A3, 6, DATA + 3},
    {"sw at 1 in U", IN_USER, 0x00B520A3, 6, DATA + 1},
    {"lw outside", 0, 0x00062583, 5, 0x40000000},
    {"lbu outside", 0, 0x00164583, 5, 0x40000001},
    {"c.lw outside", 0, 0x420C, 5, 0x40000000},
    {"sw outside", 0, 0x00B62023, 7, 0x40000000},
    {"sb outside", 0, 0x00B601A3, 7, 0x40000003},
    {"sw outside in U", IN_USER, 0x00B62023, 7, 0x40000000},
    {"misaligned goes before access", 0, 0x00162583, 4, 0x40000001},
    {"jal to 2 without C", NO_C, 0x006005EF, 0, 0 /* pc + 6, filled in */},
    {"jalr to 2 without C", NO_C, 0x002505E7, 0, DATA + 2},
    {"branch to 2 without C", NO_C, 0x00B58363, 0, 0},
};
#define EXCEPTIONS (sizeof exceptions / sizeof *exceptions)

/* Programs the way into U mode at USER; the rest of the program goes there. */
static void enter_user(uint32_t mstatus)
{
	set_csr(MSTATUS, mstatus);
	set_csr(MEPC, USER);
	word(MRET);
	at = USER;
}

START_TEST(exception)
{
	const struct exception *e = &exceptions[_i];
	bool user = e->flags & IN_USER;
	config.with_c = !(e->flags & NO_C);
	config.with_m = !(e->flags & NO_M);
	start();
	set_csr(MTVEC, HANDLER);
	if (user)
		enter_user(e->flags & TW ? 1u << 21 : 0);
	li(A0, DATA);
	li(A2, 0x40000000);
	li(A1, 0x12345678);
	word(addi(A3, ZERO, 1)); /* the one before: done */
	uint32_t pc = at;
	insn(e->insn);
	insn(config.with_c ? 0x4689 /* c.li a3,2 */ : addi(A3, ZERO, 2));
	if (config.with_c)
		insn(0xC114); /* c.sw a3,0(a0) */
	run(80);
	uint32_t tval = e->cause == 3 ? pc : e->cause == 0 && e->tval == 0 ? pc + 6 : e->tval;
	check_trap(pc, e->cause, tval, user ? 0 : 3);
	ck_assert_msg(model_reg(model, A3) == 1, "%s: the instruction behind it ran", e->name);
	ck_assert_msg(model_reg(model, A1) == 0x12345678, "%s: rd was written", e->name);
	ck_assert_msg(memory(DATA) == 0, "%s: memory was written", e->name);
	ck_assert(!happened(pc + 2) && !happened(pc + 4));
	ck_assert_uint_eq(retired[find(pc)].insn, (e->insn & 3) == 3 ? e->insn : e->insn & 0xFFFF);
}
END_TEST

/* Fetch faults: behind the end of RAM, in a device, and the second half of an instruction. */
START_TEST(fetch_faults)
{
	static const uint32_t targets[] = {0x40000000, 0x40000002, CLINT, UART, 0x10010000};
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		start_handled(0);
		li(A0, targets[i]);
		word(jalr(RA, A0, 0));
		run(60);
		check_trap(targets[i], 1, targets[i], 3);
		ck_assert_uint_eq(retired[find(targets[i])].insn, 0);
		ck_assert_uint_eq(model_reg(model, RA), BASE + 12 + 12);
	}
	uint32_t end = config.ram_base + config.ram_size;
	start_handled(0);
	li(A0, end - 2);
	word(jalr(RA, A0, 0));
	at = end - 2;
	half(0x0013); /* low half of a 32-bit instruction */
	run(60);
	check_trap(end - 2, 1, end, 3);
	/* a 16-bit instruction there is whole, and only the next one faults */
	start_handled(0);
	li(A0, end - 2);
	word(jalr(RA, A0, 0));
	at = end - 2;
	half(0x4689); /* c.li a3,2 */
	run(60);
	check_trap(end, 1, end, 3);
	ck_assert_uint_eq(model_reg(model, A3), 2);
}
END_TEST

/* The last word of RAM, and each device's window to its ends. */
START_TEST(bus_windows)
{
	static const struct {
		uint32_t address;
		bool there;
	} places[] = {{BASE - 4, false}, {BASE, true}, {BASE + (128 << 10) - 4, true}, {BASE + (128 << 10), false},
	    {CLINT - 4, false}, {CLINT + 8, true}, {CLINT + 0xFFFC, true}, {CLINT + 0x10000, false}, {UART - 4, false},
	    {UART + 12, true}, {UART + 16, false}, {0x10010000, true}, {0x1001000C, true}, {0x10010010, false},
	    {0, false}, {0xFFFFFFFC, false}};
	for (int sim = 0; sim < 2; sim++)
		for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
			config.sim = sim;
			start_handled(0);
			li(A0, places[i].address);
			uint32_t pc = at;
			word(load(2, A1, A0, 0));
			run(40);
			bool there = places[i].there && (sim || places[i].address >> 4 != 0x1001000);
			ck_assert_msg(retired[find(pc)].trap == !there, "0x%x", places[i].address);
		}
}
END_TEST

/* ---------------------------------------------------------------- interrupts */

#define LINES ((1u << 3) | (1u << 7) | (1u << 11) | (1u << 16))

/* A program that raises all four lines and enables `enabled`, then does `counting` of addi a3,a3,1. */
static void raise_all(uint32_t mode, uint32_t enabled)
{
	start_handled(mode);
	in.irq_ext = true;
	li(A0, CLINT);
	word(addi(A1, ZERO, 1));
	word(store(2, A1, A0, 0));
	li(A0, CLINT + 0x4000);
	word(store(2, ZERO, A0, 0));
	word(store(2, ZERO, A0, 4));
	set_csr(RV_CSR_LOST, 1);
	set_csr(RV_CSR_CTRL, RV_CTRL_IE_MASK);
	set_csr(MIE, enabled);
	for (int i = 0; i < 8; i++)
		word(NOP);
}

START_TEST(interrupt_priority)
{
	static const unsigned order[] = {11, 3, 7, 16};
	unsigned subset = (unsigned)_i & 15;
	uint32_t mode = (uint32_t)_i >> 4, enabled = 0;
	int expected = -1;
	for (unsigned i = 4; i--;)
		if (subset >> i & 1) {
			enabled |= 1u << order[i];
			expected = (int)order[i];
		}
	raise_all(mode, enabled);
	word(csrrsi(ZERO, MSTATUS, 8));
	uint32_t from = at;
	for (int i = 0; i < 100; i++)
		word(addi(A3, A3, 1));
	run(120);
	ck_assert(last.irq_soft && last.irq_timer && last.irq_ext && last.irq_trace);
	if (expected < 0) {
		ck_assert(model_reg(model, A3) > 0 && csr_now(MODEL_MCAUSE) == 0);
		return;
	}
	uint32_t vector = HANDLER + (mode ? 4 * (uint32_t)expected : 0);
	ck_assert_uint_eq(csr_now(MODEL_MCAUSE), 0x80000000u | (uint32_t)expected);
	ck_assert_uint_eq(csr_now(MODEL_MTVAL), 0);
	unsigned i = find(vector);
	ck_assert(retired[i].intr && retired[i].mode == 3);
	/* precise: what lies before mepc has retired, the rest not */
	uint32_t mepc = csr_now(MODEL_MEPC);
	ck_assert_uint_eq(retired[i - 1].next_pc, mepc);
	ck_assert(!happened(mepc));
	ck_assert_uint_eq(
	    mepc, from); /* MIE is set at the end of the CSR's last cycle: the very next instruction is the marker */
	ck_assert_uint_eq(model_reg(model, A3), 0);
	ck_assert_uint_eq(csr_now(MODEL_MSTATUS) & 0x88, 0x80);
	/* marker in X, W, vector in D, X, W: 3 cycles until it is in X */
	ck_assert_uint_eq(retired[i].cycle - retired[i - 1].cycle, 4);
}
END_TEST

/* mip shows the lines, and cannot be written; mie keeps only the four. */
START_TEST(interrupt_registers)
{
	raise_all(0, 0xFFFFFFFF);
	word(csrrw(A1, MIP, ZERO));
	word(csrrs(A2, MIP, ZERO));
	word(csrrs(A4, MIE, ZERO));
	word(jal(ZERO, 0));
	run(150);
	ck_assert_uint_eq(model_reg(model, A1), LINES);
	ck_assert_uint_eq(model_reg(model, A2), LINES);
	ck_assert_uint_eq(model_reg(model, A4), LINES);
}
END_TEST

/* In U mode interrupts are taken with MIE = 0 too. */
START_TEST(interrupt_in_user)
{
	raise_all(0, 1u << 7);
	enter_user(0);
	for (int i = 0; i < 32; i++)
		word(NOP);
	run(150);
	ck_assert_uint_eq(csr_now(MODEL_MCAUSE), 0x80000007);
	ck_assert_uint_eq(csr_now(MODEL_MEPC), USER);
	ck_assert_uint_eq(csr_now(MODEL_MSTATUS) >> 11 & 3, 0);
	/* MRET copied MPIE = 0; the trap saved MIE = 0 */
	ck_assert_uint_eq(csr_now(MODEL_MSTATUS) & 0x88, 0);
}
END_TEST

/* A multi-cycle operation is dropped, whatever cycle it is in, and a store that is interrupted writes nothing. */
START_TEST(interrupt_in_the_middle)
{
	static const uint32_t insns[] = {0x02C5C533 /* div a0,a1,a2 */, 0x02C58533 /* mul */,
	    0x34059573 /* csrrw a0,mscratch,a1 */, 0x00B72023 /* sw a1,0(a4) */, 0x00072503 /* lw a0,0(a4) */,
	    0x01C0056F /* jal a0 */, WFI};
	for (size_t i = 0; i < sizeof insns / sizeof *insns; i++)
		for (unsigned when = 0; when < 60; when++) {
			start_handled(0);
			li(A0, 1u << 11);
			word(csrrw(ZERO, MIE, A0));
			li(A0, 99);
			li(A1, 1000);
			li(A2, 7);
			li(A4, DATA);
			word(csrrsi(ZERO, MSTATUS, 8));
			uint32_t pc = at;
			word(insns[i]);
			at = pc;
			word(insns[i]);
			for (int n = 0; n < 64; n++)
				word(NOP);
			run(when);
			in.irq_ext = true;
			run(100);
			ck_assert_uint_eq(csr_now(MODEL_MCAUSE), 0x8000000B);
			uint32_t mepc = csr_now(MODEL_MEPC);
			ck_assert(!happened(mepc));
			bool done = happened(pc);
			ck_assert(done == (mepc > pc));
			uint32_t results[] = {142, 7000, 0, 99, 0, pc + 4, 99};
			if (done)
				ck_assert_uint_eq(model_reg(model, A0), results[i]);
			else if (mepc == pc)
				ck_assert_uint_eq(model_reg(model, A0), 99);
			ck_assert_uint_eq(memory(DATA), i == 3 && done ? 1000 : 0);
			ck_assert_uint_eq(csr_now(MODEL_MSCRATCH), i == 2 && done ? 1000 : 0);
			/* an interrupt waits for WFI to retire */
			if (insns[i] == WFI)
				ck_assert(mepc != pc);
		}
}
END_TEST

/* An exception in X when an interrupt is there: the interrupt goes first, and the exception comes at the return. */
START_TEST(interrupt_before_exception)
{
	raise_all(0, 1u << 3);
	word(csrrsi(ZERO, MSTATUS, 8));
	uint32_t pc = at;
	word(ECALL);
	at = HANDLER;
	li(A0, CLINT);
	word(store(2, ZERO, A0, 0));
	word(NOP);
	word(MRET);
	for (unsigned n = 0; n < 150 && csr_now(MODEL_MCAUSE) == 0; n++)
		run(1);
	ck_assert_uint_eq(csr_now(MODEL_MCAUSE), 0x80000003);
	ck_assert_uint_eq(csr_now(MODEL_MEPC), pc);
	ck_assert(!happened(pc));
	for (unsigned n = 0; n < 60 && csr_now(MODEL_MCAUSE) != 11; n++)
		run(1);
	ck_assert_uint_eq(csr_now(MODEL_MCAUSE), 11);
	ck_assert_uint_eq(csr_now(MODEL_MEPC), pc);
}
END_TEST

/* ---------------------------------------------------------------- U mode, MRET, mstatus */

START_TEST(counters_in_user)
{
	for (uint32_t enable = 0; enable < 8; enable++) {
		static const uint32_t csrs[] = {0xC00, 0xC80, 0xC02, 0xC82, 0xC01};
		for (size_t i = 0; i < 5; i++) {
			start_handled(0);
			set_csr(MCOUNTEREN, enable | 0xFFFFFFF8u);
			enter_user(0);
			uint32_t pc = at;
			word(csrrs(A0, csrs[i], ZERO));
			run(60);
			bool allowed = i < 2 ? enable & 1 : i < 4 ? enable & 4 : false;
			ck_assert_msg(retired[find(pc)].trap == !allowed, "0x%x with mcounteren %u", csrs[i], enable);
			ck_assert_uint_eq(csr_now(MODEL_MCOUNTEREN), enable & 5);
		}
	}
}
END_TEST

START_TEST(wfi_in_user)
{
	start_handled(0);
	set_csr(MIE, 8);
	enter_user(0);
	uint32_t pc = at;
	word(WFI);
	run(60);
	ck_assert(!happened(pc)); /* legal with TW = 0: it waits */
	ck_assert_uint_eq(csr_now(MODEL_MCAUSE), 0);
	ck_assert_uint_eq(csr_now(MODEL_MODE), 0);
	start_handled(0);
	set_csr(MSTATUS, 1u << 21);
	pc = at;
	word(WFI);
	run(60);
	ck_assert(!happened(pc)); /* TW does not matter in M */
	ck_assert_uint_eq(csr_now(MODEL_MCAUSE), 0);
}
END_TEST

/* Every combination of the bits that MRET moves. */
START_TEST(mret_rules)
{
	for (uint32_t bits = 0; bits < 32; bits++) {
		uint32_t mie = 0, mpie = bits >> 1 & 1, mpp = bits >> 2 & 1 ? 3 : 0, mprv = bits >> 3 & 1,
			 tw = bits >> 4 & 1;
		start_handled(0);
		set_csr(MEPC, USER);
		set_csr(MSTATUS, mie << 3 | mpie << 7 | mpp << 11 | mprv << 17 | tw << 21);
		word(MRET);
		at = USER;
		for (int i = 0; i < 16; i++)
			word(NOP);
		word(jal(ZERO, 0));
		run(40);
		ck_assert(happened(USER) && retired[find(USER)].mode == mpp);
		ck_assert_uint_eq(csr_now(MODEL_MODE), mpp);
		ck_assert_uint_eq(csr_now(MODEL_MSTATUS), mpie << 3 | 1u << 7 | (mpp == 3 ? mprv : 0) << 17 | tw << 21);
	}
}
END_TEST

START_TEST(csr_fields)
{
	static const struct {
		uint32_t csr, write, reads;
	} fields[] = {{0x300, 0xFFFFFFFF, 0x00221888}, {0x300, 0x00000800, 0}, {0x300, 0x00001000, 0},
	    {0x310, 0xFFFFFFFF, 0}, {0x301, 0, 0x40101104}, {0x305, 0xFFFFFFFF, 0xFFFFFF81},
	    {0x305, 0xFFFFFFFE, 0xFFFFFFFC}, {0x305, 0x8000007D, 0x80000001}, {0x341, 0xFFFFFFFF, 0xFFFFFFFE},
	    {0x342, 0xFFFFFFFF, 0x8000001F}, {0x343, 0xFFFFFFFF, 0xFFFFFFFF}, {0x340, 0xA5A5A5A5, 0xA5A5A5A5},
	    {0x306, 0xFFFFFFFF, 5}, {0x320, 0xFFFFFFFF, 0}, {0xB03, 0xFFFFFFFF, 0}, {0xB1F, 0xFFFFFFFF, 0},
	    {0xB83, 0xFFFFFFFF, 0}, {0xB9F, 1, 0}, {0x323, 1, 0}, {0x33F, 1, 0}, {0x30A, 0xFFFFFFFF, 0},
	    {0x31A, 0xFFFFFFFF, 0}};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		start();
		set_csr(fields[i].csr, fields[i].write);
		uint32_t pc = at;
		word(csrrs(A0, fields[i].csr, ZERO));
		run(30);
		ck_assert(!retired[find(pc)].trap);
		ck_assert_msg(model_reg(model, A0) == fields[i].reads, "0x%x: 0x%x, expected 0x%x", fields[i].csr,
		    model_reg(model, A0), fields[i].reads);
	}
	static const uint32_t constants[][2] = {{0xF11, 0}, {0xF12, 0}, {0xF13, 0x52495631}, {0xF14, 0}, {0xF15, 0}};
	for (size_t i = 0; i < 5; i++) {
		start();
		word(csrrs(A0, constants[i][0], ZERO));
		run(20);
		ck_assert(!retired[0].trap);
		ck_assert_uint_eq(model_reg(model, A0), constants[i][1]);
	}
	config.with_c = config.with_m = false;
	start();
	model_set_reg(model, A0, 0xFFFFFFFF);
	word(csrrs(A1, 0x301, ZERO));
	word(csrrw(ZERO, MEPC, A0));
	word(jal(ZERO, 0));
	run(20);
	ck_assert_uint_eq(model_reg(model, A1), 0x40100100);
	ck_assert_uint_eq(csr_now(MODEL_MEPC), 0xFFFFFFFC);
}
END_TEST

/* Set and clear, by register and by number; with x0 or 0 they do not write. */
START_TEST(csr_operations)
{
	model_set_reg(model, A0, 0xF0F0F0F0);
	model_set_reg(model, A1, 0x00FF00FF);
	word(csrrw(A2, MSCRATCH, A0));
	word(csrrs(A3, MSCRATCH, A1));
	word(csrrw(A4, MSCRATCH, A1) ^ 2 << 12); /* csrrc */
	word(csrrsi(A5, MSCRATCH, 31));
	word(csrrci(T1, MSCRATCH, 5));
	word(csrrw(T2, MSCRATCH, 9) ^ 4 << 12); /* csrrwi: mscratch := 9 */
	word(csrrs(S0, 0xF14, ZERO));
	word(csrrci(S1, 0xC00, 0));
	run(40);
	ck_assert_uint_eq(model_reg(model, A2), 0);
	ck_assert_uint_eq(model_reg(model, A3), 0xF0F0F0F0);
	ck_assert_uint_eq(model_reg(model, A4), 0xF0FFF0FF);
	ck_assert_uint_eq(model_reg(model, A5), 0xF000F000);
	ck_assert_uint_eq(model_reg(model, T1), 0xF000F01F);
	ck_assert_uint_eq(model_reg(model, T2), 0xF000F01A);
	ck_assert_uint_eq(csr_now(MODEL_MSCRATCH), 9);
	for (unsigned i = 0; i < 8; i++)
		ck_assert(!retired[i].trap);
}
END_TEST

/* Counters: what a read sees, what a write replaces. */
START_TEST(counters)
{
	word(csrrs(A0, MCYCLE, ZERO));
	word(csrrs(A1, MINSTRET, ZERO));
	word(csrrs(A2, CYCLE, ZERO));
	word(csrrs(A3, INSTRET, ZERO));
	word(NOP);
	word(NOP);
	word(csrrs(A4, MINSTRET, ZERO));
	run(40);
	/* read in the second cycle in X, one before W; the first cycle sees 0 */
	ck_assert_uint_eq(model_reg(model, A0), retired[0].cycle - 1);
	ck_assert_uint_eq(model_reg(model, A2), retired[2].cycle - 1);
	/* every instruction before it has counted, if it retired before this cycle */
	ck_assert_uint_eq(model_reg(model, A1), 1);
	ck_assert_uint_eq(model_reg(model, A3), 3);
	ck_assert_uint_eq(model_reg(model, A4), 6);

	start();
	set_csr(0xB82, 5);
	set_csr(0xB02, 0xFFFFFFFF);
	word(NOP);
	word(NOP);
	word(csrrs(A0, 0xB02, ZERO));
	word(csrrs(A1, 0xB82, ZERO));
	set_csr(0xB80, 7);
	set_csr(0xB00, 0xFFFFFFF0);
	uint32_t written = at - 4;
	for (int i = 0; i < 30; i++)
		word(NOP);
	run(30);
	/* the write does not count itself: two nops */
	ck_assert_uint_eq(model_reg(model, A0), 1);
	ck_assert_uint_eq(model_reg(model, A1), 6);
	run(30);
	uint64_t cycle = (uint64_t)csr_now(MODEL_MCYCLEH) << 32 | csr_now(MODEL_MCYCLE);
	/* written at the end of its last cycle in X: in W it reads as written; csr_now is after the last cycle */
	ck_assert_uint_eq(cycle, 0x7FFFFFFF0 + (last.cycle + 1 - retired[find(written)].cycle));
}
END_TEST

/* A trapped instruction does not count, nor does an interrupt marker. */
START_TEST(minstret_of_traps)
{
	start_handled(0);
	word(NOP);
	word(ECALL);
	run(60);
	unsigned n = 0;
	for (unsigned i = 0; i < count; i++)
		n += !retired[i].trap;
	ck_assert_uint_eq(csr_now(MODEL_MINSTRET), n);
	ck_assert_uint_eq(last.order + 1 - (last.valid ? 0u : 1u), count);
}
END_TEST

/* ---------------------------------------------------------------- self-modifying code */

START_TEST(self_modifying)
{
	for (int fenced = 0; fenced < 2; fenced++) {
		start();
		uint32_t target = BASE + 8 + (fenced ? 4 : 0);
		model_set_reg(model, A0, target);
		model_set_reg(model, A1, addi(A2, ZERO, 2));
		word(NOP);
		word(store(2, A1, A0, 0));
		if (fenced)
			word(FENCE_I);
		word(addi(A2, ZERO, 1));
		word(NOP);
		run(20);
		ck_assert_uint_eq(retired[find(target)].insn, fenced ? addi(A2, ZERO, 2) : addi(A2, ZERO, 1));
		ck_assert_uint_eq(model_reg(model, A2), fenced ? 2 : 1);
		ck_assert_uint_eq(memory(target), addi(A2, ZERO, 2));
	}
}
END_TEST

/* ---------------------------------------------------------------- devices */

START_TEST(timer_counts)
{
	li(A0, CLINT + 0xBFF8);
	uint32_t pc = at;
	word(load(2, A1, A0, 0));
	word(load(2, A2, A0, 4));
	li(A0, CLINT + 0x4000);
	uint32_t compare = at;
	word(load(2, A3, A0, 0));
	word(load(2, A4, A0, 4));
	word(addi(A5, ZERO, 80));
	word(store(2, A5, A0, 0));
	word(store(2, ZERO, A0, 4));
	run(60);
	/* read in the request cycle, one before W */
	ck_assert_uint_eq(model_reg(model, A1), retired[find(pc)].cycle - 1);
	ck_assert_uint_eq(model_reg(model, A2), 0);
	ck_assert(happened(compare));
	ck_assert_uint_eq(model_reg(model, A3), 0xFFFFFFFF);
	ck_assert_uint_eq(model_reg(model, A4), 0xFFFFFFFF);
	/* mtime is the cycle; the line is mtime >= mtimecmp of the cycle before */
	for (unsigned n = 60; n < 100; n++) {
		run(1);
		ck_assert_uint_eq(last.cycle, n);
		ck_assert_msg(last.irq_timer == (n >= 81), "cycle %u", n);
	}
}
END_TEST

START_TEST(timer_written)
{
	li(A0, CLINT + 0xBFF8);
	word(addi(A1, ZERO, 1000));
	uint32_t low = at;
	word(store(2, A1, A0, 0));
	word(NOP);
	uint32_t reads = at;
	word(load(2, A2, A0, 0));
	word(addi(A1, ZERO, 3));
	word(store(2, A1, A0, 4));
	word(load(2, A3, A0, 4));
	run(60);
	ck_assert_uint_eq(model_reg(model, A2), 1000 + (retired[find(reads)].cycle - retired[find(low)].cycle) - 1);
	ck_assert_uint_eq(model_reg(model, A3), 3);
}
END_TEST

/* Drives one byte into the UART's receiver. */
static void drive(uint8_t byte, unsigned period, bool stop)
{
	in.uart_rx = false;
	run(period);
	for (unsigned i = 0; i < 8; i++) {
		in.uart_rx = byte >> i & 1;
		run(period);
	}
	in.uart_rx = stop;
	run(period);
	in.uart_rx = true;
}

/* A program that reads STATUS to a1, DATA to a2, STATUS to a3, after the byte has come. */
static void uart_reader(void)
{
	start();
	li(A0, UART);
	uint32_t loop = at;
	word(branch(0, A5, ZERO, 0)); /* waits for a5, which the test sets */
	ck_assert_uint_eq(loop, BASE + 8);
	word(load(2, A1, A0, 4));
	word(load(2, A2, A0, 0));
	word(load(2, A3, A0, 4));
	word(load(2, A4, A0, 0));
	word(addi(A5, ZERO, 0));
	word(jal(ZERO, -24));
}

START_TEST(uart_receives)
{
	static const uint8_t bytes[] = {0x00, 0xFF, 0x55, 0xA3};
	static const uint16_t divs[] = {3, 7, 100};
	for (size_t d = 0; d < 3; d++)
		for (size_t i = 0; i < sizeof bytes; i++) {
			config.uart_div = divs[d];
			uart_reader();
			drive(bytes[i], divs[d] + 1u, true);
			run(divs[d] + 4u);
			model_set_reg(model, A5, 1);
			run(30);
			ck_assert_uint_eq(model_reg(model, A1), 1 | 2 | 8);
			ck_assert_uint_eq(model_reg(model, A2), bytes[i]);
			ck_assert_uint_eq(model_reg(model, A3), 1 | 8);
			ck_assert_uint_eq(model_reg(model, A4), 0x80000000u | bytes[i]);
		}
}
END_TEST

/* A second byte before the first is taken is dropped and sets overrun; a low stop bit drops the byte; a glitch is no
 * start bit. */
START_TEST(uart_receive_errors)
{
	uart_reader();
	drive(0x12, 8, true);
	run(20);
	drive(0x34, 8, true);
	run(20);
	model_set_reg(model, A5, 1);
	run(30);
	ck_assert_uint_eq(model_reg(model, A1), 1 | 2 | 4 | 8);
	ck_assert_uint_eq(model_reg(model, A2), 0x12);
	ck_assert_uint_eq(model_reg(model, A3), 1 | 8);
	uart_reader();
	drive(0x12, 8, false);
	run(40);
	in.uart_rx = false;
	run(2);
	in.uart_rx = true;
	run(200);
	model_set_reg(model, A5, 1);
	run(30);
	ck_assert_uint_eq(model_reg(model, A1), 1 | 8);
	ck_assert_uint_eq(model_reg(model, A2) >> 31, 1);
}
END_TEST

/* The receive interrupt is line 11, if enabled. */
START_TEST(uart_interrupt)
{
	for (uint32_t enable = 0; enable < 2; enable++) {
		start();
		li(A0, UART);
		li(A1, enable << 8);
		word(store(2, A1, A0, 4));
		word(jal(ZERO, 0));
		run(40);
		ck_assert(!last.irq_ext);
		drive(0x5A, 8, true);
		run(10);
		ck_assert_int_eq(last.irq_ext, (int)enable);
	}
}
END_TEST

/* The line of a sent byte, cycle by cycle. */
START_TEST(uart_sends)
{
	li(A0, UART);
	word(addi(A1, ZERO, 0xC5));
	uint32_t pc = at;
	word(store(2, A1, A0, 0));
	word(jal(ZERO, 0));
	unsigned n = 0;
	while (!happened(pc) && n++ < 50)
		run(1);
	/* written in the cycle before W; it moves in the cycle of W; low from the next one on */
	static const bool bits[] = {0, 1, 0, 1, 0, 0, 0, 1, 1, 1};
	ck_assert(last.uart_tx);
	for (unsigned bit = 0; bit < 10; bit++)
		for (unsigned i = 0; i < 8; i++) {
			run(1);
			ck_assert_msg(last.uart_tx == bits[bit], "bit %u, cycle %u", bit, i);
		}
	for (unsigned i = 0; i < 40; i++) {
		run(1);
		ck_assert(last.uart_tx);
	}
}
END_TEST

START_TEST(console_and_exit)
{
	li(A0, 0x10010000);
	word(addi(A1, ZERO, 'x'));
	word(store(0, A1, A0, 0));
	word(store(2, A1, A0, 4));
	bool console = false, exits = false;
	for (int i = 0; i < 20; i++) {
		run(1);
		console |= last.console_valid && last.console_byte == 'x';
		exits |= last.exit_valid && last.exit_code == 'x';
	}
	ck_assert(console && exits);
}
END_TEST

/* Reset in the middle of a run starts again, and RAM and registers keep theirs. */
START_TEST(reset_again)
{
	start_handled(0);
	li(A3, 77);
	word(ECALL);
	run(50);
	ck_assert_uint_eq(csr_now(MODEL_MCAUSE), 11);
	in.rst = true;
	run(3);
	in.rst = false;
	ck_assert_uint_eq(csr_now(MODEL_MCYCLE), 0);
	ck_assert_uint_eq(csr_now(MODEL_MODE), 3);
	ck_assert_uint_eq(model_reg(model, A3), 77);
	run(1);
	ck_assert(last.cycle == 0 && last.bus_valid && last.bus_fetch && last.bus_addr == BASE);
	count = 0;
	run(50);
	ck_assert_uint_eq(retired[0].pc, BASE);
	ck_assert_uint_eq(csr_now(MODEL_MCAUSE), 11);
}
END_TEST

START_TEST(configurations)
{
	struct model *m = NULL;
	struct model_config c;
	static const uint32_t sizes[] = {0, 1, 1022, (64u << 20) + 4, UINT32_MAX};
	for (size_t i = 0; i < 5; i++) {
		model_config_default(&c);
		c.ram_size = sizes[i];
		ck_assert_int_eq(model_open(&m, &c), MODEL_ECONFIG);
	}
	model_config_default(&c);
	c.trace.hist = 65;
	ck_assert_int_eq(model_open(&m, &c), MODEL_ECONFIG);
	c.trace.hist = 7;
	ck_assert_int_eq(model_open(&m, &c), MODEL_ECONFIG);
	ck_assert_ptr_null(m);
	model_close(NULL);
	/* direct access ends where RAM ends */
	uint8_t bytes[8] = {0};
	uint32_t end = config.ram_base + config.ram_size;
	ck_assert_int_eq(model_write(model, end - 8, bytes, 8), 0);
	ck_assert_int_eq(model_write(model, end - 7, bytes, 8), MODEL_EADDRESS);
	ck_assert_int_eq(model_read(model, BASE - 1, bytes, 1), MODEL_EADDRESS);
	ck_assert_int_eq(model_read(model, end, bytes, 1), MODEL_EADDRESS);
	ck_assert_int_eq(model_read(model, 0xFFFFFFFF, bytes, 8), MODEL_EADDRESS);
	for (int e = MODEL_OK; e >= MODEL_EADDRESS; e--)
		ck_assert(strlen(model_strerror(e)) > 0 && strcmp(model_strerror(e), model_strerror(-99)));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("model");
	TCase *c = NULL;
#define CASE(name)                                                                                                     \
	c = tcase_create(name);                                                                                        \
	tcase_add_checked_fixture(c, setup, teardown);                                                                 \
	tcase_set_timeout(c, 60);                                                                                      \
	suite_add_tcase(suite, c)
	CASE("cycles");
	tcase_add_test(c, cycles_single);
	tcase_add_test(c, cycles_load_use);
	tcase_add_test(c, cycles_starved);
	tcase_add_test(c, cycles_transfers);
	tcase_add_test(c, cycles_muldiv);
	tcase_add_test(c, cycles_trap);
	tcase_add_test(c, cycles_wfi);
	CASE("results");
	tcase_add_loop_test(c, results_of_registers, 0, 18);
	tcase_add_test(c, results_known);
	tcase_add_test(c, results_of_immediates);
	tcase_add_test(c, results_of_branches);
	tcase_add_test(c, x0_is_zero);
	tcase_add_test(c, loads_and_stores);
	CASE("exceptions");
	tcase_add_loop_test(c, exception, 0, (int)EXCEPTIONS);
	tcase_add_test(c, fetch_faults);
	tcase_add_test(c, bus_windows);
	CASE("interrupts");
	tcase_add_loop_test(c, interrupt_priority, 0, 32);
	tcase_add_test(c, interrupt_registers);
	tcase_add_test(c, interrupt_in_user);
	tcase_add_test(c, interrupt_in_the_middle);
	tcase_add_test(c, interrupt_before_exception);
	CASE("privilege");
	tcase_add_test(c, counters_in_user);
	tcase_add_test(c, wfi_in_user);
	tcase_add_test(c, mret_rules);
	tcase_add_test(c, csr_fields);
	tcase_add_test(c, csr_operations);
	tcase_add_test(c, counters);
	tcase_add_test(c, minstret_of_traps);
	tcase_add_test(c, self_modifying);
	CASE("devices");
	tcase_add_test(c, timer_counts);
	tcase_add_test(c, timer_written);
	tcase_add_test(c, uart_receives);
	tcase_add_test(c, uart_receive_errors);
	tcase_add_test(c, uart_interrupt);
	tcase_add_test(c, uart_sends);
	tcase_add_test(c, console_and_exit);
	tcase_add_test(c, reset_again);
	tcase_add_test(c, configurations);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
