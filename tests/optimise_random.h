/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_OPTIMISE_RANDOM_H
#define RIVULET_OPTIMISE_RANDOM_H
/* Random code for the optimiser: every instruction that it knows, over few registers so that they depend on each other,
 * with short branches, jumps, calls and returns. Not to be executed by a core, only interpreted. */
#include <string.h>
#include "isa/isa.h"
#include "tests/optimise_judge.h"

/* Fills size bytes. */
static inline void random_code(uint8_t *bytes, uint32_t size, uint32_t seed)
{
	static const uint8_t registers[] = {0, 1, 2, 2, 5, 8, 9, 10, 11, 12, 13, 14, 15, 15, 16, 28};
	static const enum isa_op immediates[] = {
	    ISA_ADDI, ISA_SLTI, ISA_SLTIU, ISA_XORI, ISA_ORI, ISA_ANDI, ISA_SLLI, ISA_SRLI, ISA_SRAI};
	static const enum isa_op registers_only[] = {
	    ISA_ADD, ISA_SUB, ISA_SLL, ISA_SLT, ISA_SLTU, ISA_XOR, ISA_SRL, ISA_SRA, ISA_OR, ISA_AND};
	static const enum isa_op products[] = {
	    ISA_MUL, ISA_MULH, ISA_MULHSU, ISA_MULHU, ISA_DIV, ISA_DIVU, ISA_REM, ISA_REMU};
	static const enum isa_op loads[] = {ISA_LB, ISA_LH, ISA_LW, ISA_LBU, ISA_LHU},
				 stores[] = {ISA_SB, ISA_SH, ISA_SW};
	static const enum isa_op branches[] = {ISA_BEQ, ISA_BNE, ISA_BLT, ISA_BGE, ISA_BLTU, ISA_BGEU};
	uint32_t at = 0;
	memset(bytes, 0, size);
	while (at + 4 <= size) {
		uint32_t r = judge_random(&seed), kind = r % 100;
		uint8_t rd = registers[r >> 8 & 15], rs1 = registers[r >> 12 & 15], rs2 = registers[r >> 16 & 15];
		int32_t imm = (int32_t)(judge_random(&seed) % 64) - 16;
		enum isa_op op;
		if (kind < 25) {
			op = immediates[r % 9];
			rs1 = kind < 12 ? rd : rs1; /* additions to oneself are what is put off */
			op = kind < 15 ? ISA_ADDI : op;
			imm = op == ISA_SLLI || op == ISA_SRLI || op == ISA_SRAI ? imm & 31 : imm;
			rs2 = 0;
		} else if (kind < 40) {
			op = registers_only[r % 10];
			rs1 = kind < 29 ? 0 : rs1; /* copies */
			op = kind < 29 ? ISA_ADD : op;
			imm = 0;
		} else if (kind < 52) {
			op = products[r % 8];
			op = kind < 48 ? products[4 + r % 4] : op;
			rs1 = kind < 46 ? 10 : rs1;
			rs2 = kind < 46 ? 11 : rs2;
			imm = 0;
		} else if (kind < 66) {
			op = loads[r % 5];
			rs2 = 0;
			imm &= ~3;
		} else if (kind < 76) {
			op = stores[r % 3];
			rd = 0;
			imm &= ~3;
		} else if (kind < 80) {
			op = r & 1 << 20 ? ISA_LUI : ISA_AUIPC;
			imm = (int32_t)(judge_random(&seed) << 12);
			rs1 = rs2 = 0;
		} else if (kind < 93) {
			op = branches[r % 6];
			rd = 0;
			imm = (int32_t)(judge_random(&seed) % 64) * 2 - 48;
			imm = imm == 0 ? 8 : imm;
		} else if (kind < 97) {
			op = ISA_JAL;
			rd = kind == 93 ? 0 : kind == 94 ? 5 : 1;
			rs1 = rs2 = 0;
			imm = (int32_t)(judge_random(&seed) % 128) * 2 - 100;
			imm = imm == 0 ? 8 : imm;
		} else {
			op = ISA_JALR;
			rd = 0;
			rs1 = kind == 97 ? 5 : 1;
			rs2 = 0;
			imm = 0;
		}
		struct isa_insn insn, small;
		if (isa_make(ISA_CORE, op, rd, rs1, rs2, imm, &insn) != ISA_OK)
			continue;
		if ((r >> 24 & 3) != 0 && isa_compress(&insn, ISA_CORE, &small) == ISA_OK)
			insn = small;
		for (unsigned i = 0; i < insn.length; i++)
			bytes[at + i] = (uint8_t)(insn.word >> 8 * i);
		at += insn.length;
	}
}
#endif
