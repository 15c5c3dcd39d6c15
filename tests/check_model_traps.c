/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The golden model's core: exceptions and interrupts. */
#include "tests/model_bench.h"
#include "tests/suite.h"

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

int main(void)
{
	const struct suite_case cases[] = {
	    {"exceptions", exception, (int)EXCEPTIONS},
	    {"exceptions", fetch_faults, 0},
	    {"exceptions", bus_windows, 0},
	    {"interrupts", interrupt_priority, 32},
	    {"interrupts", interrupt_registers, 0},
	    {"interrupts", interrupt_in_user, 0},
	    {"interrupts", interrupt_in_the_middle, 0},
	    {"interrupts", interrupt_before_exception, 0},
	};
	return SUITE_RUN("model traps", cases, setup, teardown);
}
