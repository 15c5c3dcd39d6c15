/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_MODEL_BENCH_H
#define RIVULET_TESTS_MODEL_BENCH_H
/*
 * The golden model on the bench, for the check_model suites: a small assembler that writes programs of a few
 * instructions, and a log of what retires.
 */
#include <check.h>
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

static inline void half(uint32_t value)
{
	uint16_t h = (uint16_t)value;
	ck_assert_int_eq(model_write(model, at, &h, 2), 0);
	at += 2;
}
static inline void word(uint32_t value)
{
	half(value);
	half(value >> 16);
}
static inline void insn(uint32_t value)
{
	if ((value & 3) == 3)
		word(value);
	else
		half(value);
}
static inline uint32_t enc_r(uint32_t funct7, uint32_t funct3, uint32_t rd, uint32_t rs1, uint32_t rs2)
{
	return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33;
}
static inline uint32_t enc_i(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1, int imm)
{
	return (uint32_t)imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
static inline uint32_t addi(uint32_t rd, uint32_t rs1, int imm)
{
	return enc_i(0x13, 0, rd, rs1, imm);
}
static inline uint32_t load(uint32_t funct3, uint32_t rd, uint32_t rs1, int imm)
{
	return enc_i(0x03, funct3, rd, rs1, imm);
}
static inline uint32_t jalr(uint32_t rd, uint32_t rs1, int imm)
{
	return enc_i(0x67, 0, rd, rs1, imm);
}
static inline uint32_t store(uint32_t funct3, uint32_t rs2, uint32_t rs1, int imm)
{
	uint32_t i = (uint32_t)imm & 0xFFF;
	return i >> 5 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (i & 31) << 7 | 0x23;
}
static inline uint32_t branch(uint32_t funct3, uint32_t rs1, uint32_t rs2, int offset)
{
	uint32_t o = (uint32_t)offset;
	return (o >> 12 & 1) << 31 | (o >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (o >> 1 & 15) << 8 |
	       (o >> 11 & 1) << 7 | 0x63;
}
static inline uint32_t jal(uint32_t rd, int offset)
{
	uint32_t o = (uint32_t)offset;
	return (o >> 20 & 1) << 31 | (o >> 1 & 0x3FF) << 21 | (o >> 11 & 1) << 20 | (o >> 12 & 0xFF) << 12 | rd << 7 |
	       0x6F;
}
static inline uint32_t csrrw(uint32_t rd, uint32_t csr, uint32_t rs1)
{
	return csr << 20 | rs1 << 15 | 1 << 12 | rd << 7 | 0x73;
}
static inline uint32_t csrrs(uint32_t rd, uint32_t csr, uint32_t rs1)
{
	return csrrw(rd, csr, rs1) ^ 3 << 12;
}
static inline uint32_t csrrsi(uint32_t rd, uint32_t csr, uint32_t imm)
{
	return csrrw(rd, csr, imm) ^ 7 << 12;
}
static inline uint32_t csrrci(uint32_t rd, uint32_t csr, uint32_t imm)
{
	return csrrw(rd, csr, imm) ^ 6 << 12;
}
static inline void li(uint32_t rd, uint32_t value)
{
	word(((value + 0x800) & 0xFFFFF000u) | rd << 7 | 0x37);
	word(addi(rd, rd, (int)(value & 0xFFF)));
}
static inline void set_csr(uint32_t csr, uint32_t value)
{
	li(T0, value);
	word(csrrw(ZERO, csr, T0));
}

static inline void start(void)
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
static inline void start_handled(uint32_t mode)
{
	start();
	set_csr(MTVEC, HANDLER | mode);
}
static inline void setup(void)
{
	model_config_default(&config);
	config.pmp_regions = 0; /* tests/check_model_pmp.c has it */
	start();
}
static inline void teardown(void)
{
	model_close(model);
	model = NULL;
}

static inline void run(unsigned cycles)
{
	while (cycles--) {
		model_cycle(model, &in, &last);
		if (last.valid && count < sizeof retired / sizeof *retired)
			retired[count++] = last;
	}
}
/* Index of the first retirement at pc. */
static inline unsigned find(uint32_t pc)
{
	for (unsigned i = 0; i < count; i++)
		if (retired[i].pc == pc)
			return i;
	ck_abort_msg("0x%x never retired", pc);
	return 0;
}
static inline bool happened(uint32_t pc)
{
	for (unsigned i = 0; i < count; i++)
		if (retired[i].pc == pc)
			return true;
	return false;
}
static inline uint32_t csr_now(enum model_csr which)
{
	uint32_t values[MODEL_CSR_COUNT];
	model_csrs(model, values);
	return values[which];
}
static inline uint32_t memory(uint32_t address)
{
	uint32_t value = 0;
	ck_assert_int_eq(model_read(model, address, &value, 4), 0);
	return value;
}

/* Programs the way into U mode at USER; the rest of the program goes there. */
static inline void enter_user(uint32_t mstatus)
{
	set_csr(MSTATUS, mstatus);
	set_csr(MEPC, USER);
	word(MRET);
	at = USER;
}
#endif
