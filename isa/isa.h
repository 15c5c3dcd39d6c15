/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ISA_H
#define RIVULET_ISA_H
/*
 * The one instruction table: RV32IMC_Zicsr_Zifencei (the table has room for RV64 rows). The model executes by it, the
 * walker follows control transfers by it, the disassembler prints by it. Freestanding C11: the firmware uses it too.
 * Compressed instructions are rows of their own (isa_name gives "c.beqz"); isa_decode() gives their operands, and `op`
 * of their expansion.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum isa_op { /* what it does; a compressed instruction has the op of its expansion */
#define ISA_OP(name) ISA_##name,
#include "isa/ops.def" /* ILLEGAL first; LUI AUIPC JAL JALR BEQ ... REMU CSRRW ... ECALL EBREAK MRET WFI FENCE FENCE_I */
#undef ISA_OP
	ISA_OP_COUNT
};

enum isa_class {          /* bits; what a trace cares for (docs/trace-unit.md section 3) */
	ISA_BRANCH = 1,   /* conditional direct branch */
	ISA_JUMP = 2,     /* unconditional direct jump */
	ISA_INDIRECT = 4, /* indirect jump */
	ISA_RET = 8,      /* trap return */
	ISA_TRAPS = 16,   /* ECALL, EBREAK, illegal: does not complete */
	ISA_CALL = 32,    /* JAL or JALR that writes x1 or x5 */
	ISA_RETURN = 64,  /* JALR x0 by x1 or x5 */
	ISA_LOAD = 128,
	ISA_STORE = 256
};

struct isa_insn {
	uint32_t word;        /* as fetched; a 16-bit instruction in the low half, high half 0 */
	uint8_t length;       /* 2 or 4 */
	uint8_t op;           /* enum isa_op */
	uint8_t rd, rs1, rs2; /* 0 where the instruction has none */
	int32_t imm; /* offset, immediate, shift amount; CSR number for Zicsr (the 5-bit immediate is then in rs1) */
	uint16_t class_bits; /* enum isa_class */
	uint16_t row;        /* row of the table: name and format */
};

enum { ISA_NO_C = 1, ISA_NO_M = 2 }; /* options of isa_decode: decode as a core without C or M does */

/* Decodes the instruction whose low halfword is in bits 15..0 of word. Always fills *insn; an unknown encoding has op
 * ISA_ILLEGAL, length by its low bits. Returns the length. */
unsigned isa_decode(uint32_t word, unsigned options, struct isa_insn *insn);
const char *isa_name(const struct isa_insn *insn); /* "addi", "c.beqz", "illegal" */
/* "c.beqz a5,0x80000012": as objdump -M no-aliases,numeric=no prints it, one space after the mnemonic; target addresses
 * from pc. Returns the length that was needed, as snprintf. */
int isa_format(const struct isa_insn *insn, uint32_t pc, char *text, size_t size);
static inline uint32_t isa_target(const struct isa_insn *insn, uint32_t pc)
{
	return pc + (uint32_t)insn->imm;
} /* of ISA_BRANCH and ISA_JUMP */
extern const char *const isa_register_names[32]; /* ABI names */
#endif
