/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The golden model's core, held to docs/core.md by programs of a few instructions: cycles and results. */
#include "tests/model_bench.h"
#include "tests/suite.h"

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
				ck_assert_uint_eq(muldiv_cost(funct3, values[i], values[7 - i]), fast ? 4 : 18);
		for (unsigned bits = 0; bits <= 32; bits++) {
			uint32_t b = bits ? 1u << (bits - 1) : 0;
			ck_assert_uint_eq(muldiv_cost(0, b, 0xFFFFFFFF), fast ? 3 : 2 + bits / 2);
			ck_assert_uint_eq(muldiv_cost(0, b | (b ? b - 1 : 0), b), fast ? 3 : 2 + bits / 2);
			/* by the number of bits of the dividend: a byte that is not needed saves 7 cycles, the last is
			 * always done */
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

int main(void)
{
	const struct suite_case cases[] = {
	    {"cycles", cycles_single, 0},
	    {"cycles", cycles_load_use, 0},
	    {"cycles", cycles_starved, 0},
	    {"cycles", cycles_transfers, 0},
	    {"cycles", cycles_muldiv, 0},
	    {"cycles", cycles_trap, 0},
	    {"cycles", cycles_wfi, 0},
	    {"results", results_of_registers, 18},
	    {"results", results_known, 0},
	    {"results", results_of_immediates, 0},
	    {"results", results_of_branches, 0},
	    {"results", x0_is_zero, 0},
	    {"results", loads_and_stores, 0},
	};
	return SUITE_RUN("model", cases, setup, teardown);
}
