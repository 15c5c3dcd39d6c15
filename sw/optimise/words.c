/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Words of RV32IMC to instructions and back, for what traces have: a short cut past isa/, whose general decoder takes
 * some hundred cycles on the core. What this does not know is decoded there. tests/check_optimise.c holds the two
 * against each other: every 16-bit word, 32-bit words of every form.
 */
#include "sw/optimise/private.h"

static const uint8_t loads[8] = {ISA_LB, ISA_LH, ISA_LW, 0, ISA_LBU, ISA_LHU};
static const uint8_t stores[8] = {ISA_SB, ISA_SH, ISA_SW};
static const uint8_t branches[8] = {ISA_BEQ, ISA_BNE, 0, 0, ISA_BLT, ISA_BGE, ISA_BLTU, ISA_BGEU};
static const uint8_t immediates[8] = {ISA_ADDI, ISA_SLLI, ISA_SLTI, ISA_SLTIU, ISA_XORI, ISA_SRLI, ISA_ORI, ISA_ANDI};
static const uint8_t registers[8] = {ISA_ADD, ISA_SLL, ISA_SLT, ISA_SLTU, ISA_XOR, ISA_SRL, ISA_OR, ISA_AND};
static const uint8_t products[8] = {ISA_MUL, ISA_MULH, ISA_MULHSU, ISA_MULHU, ISA_DIV, ISA_DIVU, ISA_REM, ISA_REMU};

static bool read_wide(uint32_t w, struct optimise_insn *insn)
{
	unsigned funct3 = w >> 12 & 7, funct7 = w >> 25;
	unsigned rd = w >> 7 & 31, rs1 = w >> 15 & 31, rs2 = w >> 20 & 31;
	uint32_t imm = SIGNED(w, 31, 20, 0);
	unsigned op, kind = KIND_PLAIN;
	switch (w >> 2 & 31) {
	case 0x03 >> 2:
		op = loads[funct3];
		kind = KIND_LOAD;
		rs2 = 0;
		break;
	case 0x13 >> 2:
		op = immediates[funct3];
		rs2 = 0;
		if (op == ISA_SRLI && funct7 == 0x20) {
			op = ISA_SRAI;
			imm &= 31;
		} else if ((op == ISA_SRLI || op == ISA_SLLI) && funct7 != 0) {
			op = 0;
		}
		break;
	case 0x17 >> 2:
	case 0x37 >> 2:
		op = w & 0x20 ? ISA_LUI : ISA_AUIPC;
		kind = KIND_SET;
		imm = w & ~0xFFFu;
		rs1 = rs2 = 0;
		break;
	case 0x23 >> 2:
		op = stores[funct3];
		kind = KIND_STORE;
		imm = (imm & ~31u) | rd;
		rd = 0;
		break;
	case 0x33 >> 2:
		op = funct7 == 0 ? registers[funct3] : funct7 == 1 ? products[funct3] : 0;
		if (funct7 == 0x20)
			op = funct3 == 0 ? ISA_SUB : funct3 == 5 ? ISA_SRA : 0;
		imm = 0;
		break;
	case 0x63 >> 2:
		op = branches[funct3];
		kind = KIND_EXIT;
		imm = SIGNED(w, 31, 31, 12) | FIELD(w, 30, 25, 5) | FIELD(w, 11, 8, 1) | FIELD(w, 7, 7, 11);
		rd = 0;
		break;
	case 0x67 >> 2:
		op = funct3 == 0 ? ISA_JALR : 0;
		kind = rd == 0 ? KIND_INDIRECT : KIND_STOP;
		rs2 = 0;
		break;
	case 0x6F >> 2:
		op = ISA_JAL;
		kind = rd == 0 ? KIND_JUMP : KIND_CALL;
		imm = SIGNED(w, 31, 31, 20) | FIELD(w, 30, 21, 1) | FIELD(w, 20, 20, 11) | FIELD(w, 19, 12, 12);
		rs1 = rs2 = 0;
		break;
	default:
		return false;
	}
	insn->word = w;
	insn->imm = (int32_t)imm;
	insn->op = (uint8_t)op;
	insn->rd = (uint8_t)rd;
	insn->rs1 = (uint8_t)rs1;
	insn->rs2 = (uint8_t)rs2;
	insn->length = 4;
	insn->kind = (uint8_t)kind;
	return op != 0;
}

/* Quadrant 1, funct3 4: what computes on registers 8 to 15. */
static unsigned narrow_computes(uint32_t w, uint32_t *imm)
{
	static const uint8_t ops[4] = {ISA_SUB, ISA_XOR, ISA_OR, ISA_AND};
	bool high = (w & 0x1000) != 0;
	switch (w >> 10 & 3) {
	case 0:
		return high ? 0 : ISA_SRLI;
	case 1:
		return high ? 0 : ISA_SRAI;
	case 2:
		return ISA_ANDI;
	default:
		*imm = 0;
		return high ? 0 : ops[w >> 5 & 3];
	}
}

static bool read_narrow(uint32_t w, struct optimise_insn *insn)
{
	unsigned rd = w >> 7 & 31, low = 8 + (w >> 2 & 7), high = 8 + (w >> 7 & 7), rs1 = rd, rs2 = 0;
	uint32_t imm = SIGNED(w << 19, 31, 31, 5) | FIELD(w, 6, 2, 0); /* format CI */
	unsigned op = 0, kind = KIND_PLAIN;
	switch ((w & 3) << 3 | w >> 13) {
	case 0 << 3 | 0: /* c.addi4spn */
		imm = FIELD(w, 12, 11, 4) | FIELD(w, 10, 7, 6) | FIELD(w, 6, 6, 2) | FIELD(w, 5, 5, 3);
		op = imm != 0 ? ISA_ADDI : 0;
		rd = low;
		rs1 = 2;
		break;
	case 0 << 3 | 2: /* c.lw, c.sw */
	case 0 << 3 | 6:
		imm = FIELD(w, 12, 10, 3) | FIELD(w, 6, 6, 2) | FIELD(w, 5, 5, 6);
		op = w & 0x8000 ? ISA_SW : ISA_LW;
		kind = op == ISA_SW ? KIND_STORE : KIND_LOAD;
		rd = op == ISA_SW ? 0 : low;
		rs2 = op == ISA_SW ? low : 0;
		rs1 = high;
		break;
	case 1 << 3 | 0: /* c.addi; c.nop is decoded in isa/ */
		op = rd != 0 ? ISA_ADDI : 0;
		break;
	case 1 << 3 | 1: /* c.jal, c.j */
	case 1 << 3 | 5:
		imm = SIGNED(w << 19, 31, 31, 11) | FIELD(w, 11, 11, 4) | FIELD(w, 10, 9, 8) | FIELD(w, 8, 8, 10) |
		      FIELD(w, 7, 7, 6) | FIELD(w, 6, 6, 7) | FIELD(w, 5, 3, 1) | FIELD(w, 2, 2, 5);
		op = ISA_JAL;
		rd = w & 0x8000 ? 0 : 1;
		kind = rd == 0 ? KIND_JUMP : KIND_CALL;
		rs1 = 0;
		break;
	case 1 << 3 | 2: /* c.li */
		op = ISA_ADDI;
		rs1 = 0;
		break;
	case 1 << 3 | 3: /* c.addi16sp, c.lui */
		if (rd == 2) {
			imm = SIGNED(w << 19, 31, 31, 9) | FIELD(w, 6, 6, 4) | FIELD(w, 5, 5, 6) | FIELD(w, 4, 3, 7) |
			      FIELD(w, 2, 2, 5);
			op = imm != 0 ? ISA_ADDI : 0;
		} else {
			imm <<= 12;
			op = imm != 0 ? ISA_LUI : 0;
			kind = KIND_SET;
			rs1 = 0;
		}
		break;
	case 1 << 3 | 4:
		rd = rs1 = high;
		op = narrow_computes(w, &imm);
		rs2 = (w >> 10 & 3) == 3 ? low : 0;
		break;
	case 1 << 3 | 6: /* c.beqz, c.bnez */
	case 1 << 3 | 7:
		imm = SIGNED(w << 19, 31, 31, 8) | FIELD(w, 11, 10, 3) | FIELD(w, 6, 5, 6) | FIELD(w, 4, 3, 1) |
		      FIELD(w, 2, 2, 5);
		op = w & 0x2000 ? ISA_BNE : ISA_BEQ;
		kind = KIND_EXIT;
		rd = 0;
		rs1 = high;
		break;
	case 2 << 3 | 0: /* c.slli */
		op = w & 0x1000 ? 0 : ISA_SLLI;
		break;
	case 2 << 3 | 2: /* c.lwsp */
		imm = FIELD(w, 12, 12, 5) | FIELD(w, 6, 4, 2) | FIELD(w, 3, 2, 6);
		op = rd != 0 ? ISA_LW : 0;
		kind = KIND_LOAD;
		rs1 = 2;
		break;
	case 2 << 3 | 4: /* c.jr, c.mv, c.add; c.ebreak and c.jalr are decoded in isa/ */
		imm = 0;
		rs2 = w >> 2 & 31;
		if (rs2 != 0) {
			op = ISA_ADD;
			rs1 = w & 0x1000 ? rd : 0;
		} else if (!(w & 0x1000) && rd != 0) {
			op = ISA_JALR;
			kind = KIND_INDIRECT;
			rd = 0;
		}
		break;
	case 2 << 3 | 6: /* c.swsp */
		imm = FIELD(w, 12, 9, 2) | FIELD(w, 8, 7, 6);
		op = ISA_SW;
		kind = KIND_STORE;
		rs1 = 2;
		rs2 = w >> 2 & 31;
		rd = 0;
		break;
	default:
		break;
	}
	insn->word = w;
	insn->imm = (int32_t)imm;
	insn->op = (uint8_t)op;
	insn->rd = (uint8_t)rd;
	insn->rs1 = (uint8_t)rs1;
	insn->rs2 = (uint8_t)rs2;
	insn->length = 2;
	insn->kind = (uint8_t)kind;
	return op != 0;
}

bool optimise_read_word(uint32_t word, struct optimise_insn *insn)
{
	return (word & 3) == 3 ? read_wide(word, insn) : read_narrow(word & 0xFFFF, insn);
}

/* ---------------------------------------------------------------- and back */

static bool fits(int32_t value, unsigned bits)
{
	return value >= -(1 << (bits - 1)) && value < 1 << (bits - 1);
}

static bool saved(unsigned reg) /* one that most 16-bit forms can name */
{
	return (reg & 0x18) == 8;
}

/* Format CI. */
static uint32_t ci(uint32_t word, unsigned rd, uint32_t imm)
{
	return word | rd << 7 | FIELD(imm, 5, 5, 12) | FIELD(imm, 4, 0, 2);
}

static uint32_t narrow_addi(unsigned rd, unsigned rs1, int32_t value)
{
	uint32_t imm = (uint32_t)value;
	if (rd == 0)
		return 0;
	if (value == 0 && rs1 != 0)
		return 0x8002u | rd << 7 | (uint32_t)rs1 << 2; /* c.mv */
	if ((rs1 == 0 || rd == rs1) && fits(value, 6))
		return ci(rs1 == 0 ? 0x4001 : 0x0001, rd, imm);
	if (rd == 2 && rs1 == 2 && (imm & 15) == 0 && fits(value, 10))
		return 0x6101u | FIELD(imm, 9, 9, 12) | FIELD(imm, 4, 4, 6) | FIELD(imm, 6, 6, 5) |
		       FIELD(imm, 8, 7, 3) | FIELD(imm, 5, 5, 2);
	if (saved(rd) && rs1 == 2 && (imm & ~0x3FCu) == 0)
		return (uint32_t)(rd - 8) << 2 | FIELD(imm, 5, 4, 11) | FIELD(imm, 9, 6, 7) | FIELD(imm, 2, 2, 6) |
		       FIELD(imm, 3, 3, 5);
	return 0;
}

/* LW, SW: data is the register that is loaded or stored. */
static uint32_t narrow_access(bool store, unsigned data, unsigned base, uint32_t imm)
{
	if (base == 2 && (imm & ~0xFCu) == 0 && store)
		return 0xC002u | FIELD(imm, 5, 2, 9) | FIELD(imm, 7, 6, 7) | data << 2;
	if (base == 2 && (imm & ~0xFCu) == 0 && data != 0)
		return 0x4002u | FIELD(imm, 5, 5, 12) | data << 7 | FIELD(imm, 4, 2, 4) | FIELD(imm, 7, 6, 2);
	if (saved(base) && saved(data) && (imm & ~0x7Cu) == 0)
		return (store ? 0xC000u : 0x4000u) | FIELD(imm, 5, 3, 10) | (base - 8) << 7 | FIELD(imm, 2, 2, 6) |
		       FIELD(imm, 6, 6, 5) | (data - 8) << 2;
	return 0;
}

/* 0: there is no 16-bit form. */
static uint32_t narrow_word(unsigned op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm)
{
	bool commutes = op == ISA_ADD || op == ISA_XOR || op == ISA_OR || op == ISA_AND;
	if (commutes && rd != rs1 && rs1 != 0 && (rd == rs2 || rs2 == 0)) {
		unsigned other = rs1;
		rs1 = rs2;
		rs2 = other;
	}
	switch (op) {
	case ISA_ADDI:
		return narrow_addi(rd, rs1, imm);
	case ISA_LUI:
		return rd != 0 && rd != 2 && imm != 0 && (imm & 0xFFF) == 0 && fits(imm, 18)
			   ? ci(0x6001, rd, (uint32_t)imm >> 12)
			   : 0;
	case ISA_LW:
		return narrow_access(false, rd, rs1, (uint32_t)imm);
	case ISA_SW:
		return narrow_access(true, rs2, rs1, (uint32_t)imm);
	case ISA_SLLI:
		return rd == rs1 && rd != 0 && imm > 0 && imm < 32 ? ci(0x0002, rd, (uint32_t)imm) : 0;
	case ISA_SRLI:
	case ISA_SRAI:
		return rd == rs1 && saved(rd) && imm > 0 && imm < 32
			   ? ci(op == ISA_SRLI ? 0x8001 : 0x8401, rd - 8, (uint32_t)imm)
			   : 0;
	case ISA_ANDI:
		return rd == rs1 && saved(rd) && fits(imm, 6) ? ci(0x8801, rd - 8, (uint32_t)imm) : 0;
	case ISA_SUB:
	case ISA_XOR:
	case ISA_OR:
	case ISA_AND: {
		uint32_t which = op == ISA_SUB ? 0 : op == ISA_XOR ? 1 : op == ISA_OR ? 2 : 3;
		return rd == rs1 && saved(rd) && saved(rs2) ? 0x8C01u | (rd - 8) << 7 | which << 5 | (rs2 - 8) << 2 : 0;
	}
	case ISA_ADD:
		if (rd == 0 || rs2 == 0 || (rs1 != 0 && rs1 != rd))
			return 0;
		return (rs1 == 0 ? 0x8002u : 0x9002u) | rd << 7 | rs2 << 2;
	default:
		return 0;
	}
}

static unsigned find(const uint8_t table[8], unsigned op)
{
	unsigned funct3 = 0;
	while (funct3 < 7 && table[funct3] != op)
		funct3++;
	return funct3;
}

static uint32_t wide_word(unsigned op, unsigned rd, unsigned rs1, unsigned rs2, int32_t value)
{
	uint32_t imm = (uint32_t)value;
	if (op >= ISA_LB && op <= ISA_LHU)
		return fits(value, 12) ? 0x03u | find(loads, op) << 12 | rd << 7 | rs1 << 15 | imm << 20 : 0;
	if (op >= ISA_SB && op <= ISA_SW)
		return fits(value, 12) ? 0x23u | (op - ISA_SB) << 12 | FIELD(imm, 4, 0, 7) | rs1 << 15 | rs2 << 20 |
					     FIELD(imm, 11, 5, 25)
				       : 0;
	if (op == ISA_SLLI || op == ISA_SRLI || op == ISA_SRAI)
		return imm < 32 ? 0x13u | (op == ISA_SLLI ? 1u : 5u) << 12 | rd << 7 | rs1 << 15 | imm << 20 |
				      (op == ISA_SRAI ? 1u << 30 : 0)
				: 0;
	if (op >= ISA_ADDI && op <= ISA_ANDI)
		return fits(value, 12) ? 0x13u | find(immediates, op) << 12 | rd << 7 | rs1 << 15 | imm << 20 : 0;
	uint32_t registers_word = 0x33u | rd << 7 | rs1 << 15 | rs2 << 20;
	if (op == ISA_SUB || op == ISA_SRA)
		return registers_word | 1u << 30 | (op == ISA_SRA ? 5u << 12 : 0);
	if (op >= ISA_ADD && op <= ISA_AND)
		return registers_word | find(registers, op) << 12;
	if (op >= ISA_MUL && op <= ISA_REMU)
		return registers_word | 1u << 25 | (op - ISA_MUL) << 12;
	if (op == ISA_LUI)
		return (imm & 0xFFF) == 0 ? 0x37u | rd << 7 | imm : 0;
	if (op == ISA_JALR)
		return fits(value, 12) ? 0x67u | rd << 7 | rs1 << 15 | imm << 20 : 0;
	return 0;
}

uint32_t optimise_make_word(unsigned op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm, bool narrow)
{
	uint32_t word = narrow ? narrow_word(op, rd, rs1, rs2, imm) : 0;
	return word != 0 ? word : wide_word(op, rd, rs1, rs2, imm);
}
