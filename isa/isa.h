/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ISA_H
#define RIVULET_ISA_H
/*
 * The one instruction table: RV32 and RV64, I M A F D C Zicsr Zifencei Zba Zbb Zbs Zbkb Zicond Zcb Zcmp Zcmt and the
 * trap returns. The model executes by it, the walker and the graphs follow control transfers by it, the disassembler
 * prints by it, the object editor writes by it. Freestanding C11: the firmware uses it too.
 *
 *   isa/insns.def    one row for each encoding: match, mask, what it does, which format its operands have
 *   isa/formats.def  one row for each format: where registers and immediate are, and how objdump prints them
 *   isa/ops.def      what instructions do
 *
 * Compressed instructions are rows of their own (isa_name gives "c.beqz"); isa_decode() gives their operands, and `op`
 * of their expansion. HINTs decode as the instructions that they are encoded as, with ISA_HINT in their class.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum isa_op { /* what it does; a compressed instruction has the op of its expansion */
#define ISA_OP(name) ISA_##name,
#include "isa/ops.def" /* ILLEGAL first; LUI AUIPC JAL JALR BEQ ... REMU CSRRW ... FENCE FENCE_I OTHER SRET ... */
#undef ISA_OP
	ISA_OP_COUNT
};

enum isa_class {          /* bits; what a trace cares for (docs/trace-unit.md section 3) */
	ISA_BRANCH = 1,   /* conditional direct branch */
	ISA_JUMP = 2,     /* unconditional direct jump */
	ISA_INDIRECT = 4, /* indirect jump: JALR, CM.POPRET, CM.POPRETZ, CM.JT, CM.JALT */
	ISA_RET = 8,      /* trap return */
	ISA_TRAPS = 16,   /* ECALL, EBREAK, illegal: does not complete */
	ISA_CALL = 32,    /* JAL or JALR that writes x1 or x5; CM.JALT */
	ISA_RETURN = 64,  /* JALR x0 by x1 or x5; CM.POPRET, CM.POPRETZ */
	ISA_LOAD = 128,
	ISA_STORE = 256,  /* an AMO is both */
	ISA_HINT = 512,   /* computes into x0, and is not the NOP */
	ISA_ATOMIC = 1024 /* of the A extension */
};

/* The set of instructions that isa_decode() knows: bits, to be or-ed. An encoding outside the set is ISA_ILLEGAL, or
 * ISA_OTHER under ISA_EXT_OTHER. */
enum isa_set {
	ISA_RV64 = 1 << 0,  /* XLEN is 64, else 32 */
	ISA_EXT_I = 1 << 1, /* with Zicsr, Zifencei, MRET, WFI */
	ISA_EXT_M = 1 << 2,
	ISA_EXT_A = 1 << 3,
	ISA_EXT_F = 1 << 4,
	ISA_EXT_D = 3 << 5, /* D, and its loads and stores in C: their encodings are those of Zcmp and Zcmt */
	ISA_EXT_C = 1 << 7,
	ISA_EXT_ZBA = 1 << 8,
	ISA_EXT_ZBB = 3 << 9, /* bit 10: what Zbb and Zbkb share */
	ISA_EXT_ZBKB = 3 << 10,
	ISA_EXT_ZBS = 1 << 12,
	ISA_EXT_ZICOND = 1 << 13,
	ISA_EXT_ZCB = 1 << 14,
	ISA_EXT_ZCMP = 1 << 15, /* takes the place of compressed D loads and stores */
	ISA_EXT_ZCMT = 1 << 16, /* the same */
	ISA_EXT_S = 1 << 17,    /* SRET, SFENCE.VMA, MNRET, DRET */
	ISA_EXT_LONG = 1 << 18, /* encodings of 48 bits and more have their length, else 4 bytes */
	ISA_EXT_OTHER =
	    1 << 19, /* unknown encodings are instructions that are no control transfers: ISA_OTHER. Without a
				    meaning stay: all zeros, all ones, and what is reserved beside branches and JALR. */

	ISA_CORE = ISA_EXT_I | ISA_EXT_M | ISA_EXT_C, /* what this project's core executes; all else traps there */
	/* every program: what compilers for Linux and bare metal emit, and unknown extensions walked over */
	ISA_ANY32 = ISA_EXT_I | ISA_EXT_M | ISA_EXT_A | ISA_EXT_F | ISA_EXT_D | ISA_EXT_C | ISA_EXT_ZBA | ISA_EXT_ZBB |
		    ISA_EXT_ZBKB | ISA_EXT_ZBS | ISA_EXT_ZICOND | ISA_EXT_ZCB | ISA_EXT_S | ISA_EXT_LONG |
		    ISA_EXT_OTHER,
	ISA_ANY64 = ISA_ANY32 | ISA_RV64
};

struct isa_insn {
	uint64_t word;             /* as fetched, bits behind its length 0; of one longer than 8 bytes the first 8 */
	uint8_t length;            /* bytes: 2, 4, 6, 8; under ISA_EXT_LONG up to 22 */
	uint8_t op;                /* enum isa_op */
	uint8_t rd, rs1, rs2, rs3; /* 0 where the instruction has none; which are floating point says isa_registers() */
	uint8_t rm;                /* rounding mode of F and D; aq * 2 + rl of A; register list (4 to 15) of Zcmp */
	uint8_t xlen;              /* 32, 64 */
	int32_t
	    imm; /* offset, immediate, shift amount; CSR number for Zicsr (the 5-bit immediate is then in rs1); stack
			adjustment of Zcmp; table index of Zcmt; predecessor * 16 + successor set of FENCE */
	uint16_t class_bits; /* enum isa_class */
	uint16_t row;        /* row of the table: name and format; 0: illegal or other */
};

enum isa_error {
	ISA_OK = 0,
	ISA_EOPERAND = -1, /* an operand does not fit the format: too far, odd, a register that it cannot name */
	ISA_EROW = -2,     /* the set has no such instruction */
	ISA_EARCH = -3     /* no ISA string */
};
const char *isa_strerror(int error);

/* Bytes of the instruction whose first halfword this is: 2, 4, 6, 8, 10 to 22 (ISA manual, section 1.5). The prefix
 * that is reserved for 192 bits and more gives 2: nobody knows how long those are. */
unsigned isa_length(uint16_t first);

/* Decodes the instruction whose low halfword is in bits 15..0 of word; what lies behind it is not looked at. Always
 * fills *insn; an unknown encoding has op ISA_ILLEGAL or ISA_OTHER. Returns the length. */
unsigned isa_decode(uint64_t word, unsigned set, struct isa_insn *insn);

/* The way back: the word of insn's row with insn's operands. Bits that the format does not name (a FENCE's rd) are
 * taken from insn->word, so that decode and encode give the same word; isa_decode() then isa_encode() after a change of
 * imm or a register edits an instruction. Length and class are not looked at. ISA_OK, ISA_EOPERAND. */
int isa_encode(const struct isa_insn *insn, uint64_t *word);
/* A new instruction, of 4 bytes if the op has such a form. Operands that it does not have must be 0. A floating-point
 * operation has the dynamic rounding mode. For rs3 or rm, set them behind this and encode again. */
int isa_make(unsigned set, enum isa_op op, uint8_t rd, uint8_t rs1, uint8_t rs2, int32_t imm, struct isa_insn *insn);
/* The same instruction in 2 bytes (ISA_EROW if there is no such form with these operands), or in 4 bytes. The result
 * does what insn does; an offset is taken as it is. */
int isa_compress(const struct isa_insn *insn, unsigned set, struct isa_insn *out);
int isa_expand(const struct isa_insn *insn, unsigned set, struct isa_insn *out);

/* Registers that an instruction reads and writes, one bit each; x0 never. An ISA_OTHER reads and writes all. What a
 * trap does is not in it: ECALL and illegal read and write nothing. CSRs, fcsr among them, are no registers here. */
struct isa_registers {
	uint32_t x_read, x_written, f_read, f_written;
};
void isa_registers(const struct isa_insn *insn, struct isa_registers *registers);

/* Bytes that a load or store moves at once, 0 if it is none; of CM.PUSH and CM.POP one register. */
unsigned isa_access_bytes(const struct isa_insn *insn);

const char *isa_name(const struct isa_insn *insn); /* "addi", "c.beqz", "illegal" */
/* "c.beqz a5,0x80000012": as objdump -M no-aliases,numeric=no prints it, one space after the mnemonic; target addresses
 * from pc. ISA_OTHER is ".insn 4, 0x1234560b", as the assembler takes it. Returns the length that was needed, as
 * snprintf. */
int isa_format(const struct isa_insn *insn, uint64_t pc, char *text, size_t size);

/* Target of ISA_BRANCH and ISA_JUMP; wraps as the XLEN does. */
static inline uint64_t isa_target(const struct isa_insn *insn, uint64_t pc)
{
	uint64_t target = pc + (uint64_t)(int64_t)insn->imm;
	return insn->xlen == 64 ? target : (uint32_t)target;
}

/* Whether row (1 ..) of the table is in the set; false behind the last row too. */
bool isa_row_in(unsigned row, unsigned set);
unsigned isa_rows(void); /* rows, row 0 (illegal) among them */

/* "rv64imafdc_zicsr_zba", also with versions ("rv32i2p1_m2p0"): Tag_RISCV_arch of an ELF file, or an option. Names of
 * other extensions set ISA_EXT_OTHER. */
int isa_parse(const char *arch, unsigned *set);

extern const char *const isa_register_names[32];       /* ABI names */
extern const char *const isa_float_register_names[32]; /* "ft0", ... */
#endif
