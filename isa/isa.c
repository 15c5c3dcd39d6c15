/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Decoding. */
#include "isa/private.h"

/* The first row of each group, as an enumeration that counts rows. */
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
enum group_start {
	ROW_ILLEGAL,
#define GROUP(key) FIRST_##key, JOIN(BEFORE_, __LINE__) = FIRST_##key - 1,
#define INSN(name, width, needs, match, mask, op, format) JOIN(ROW_, __LINE__),
#include "isa/insns.def"
#undef INSN
#undef GROUP
	ROW_COUNT
};

/* Index of a group: by opcode, or by quadrant and funct3. */
#define GROUP_INDEX(w) (((w)&3) == 3 ? 32 + ((w) >> 2 & 31) : ((w) >> 13 & 7) << 2 | ((w)&3))
static const uint16_t groups[64] = {
#define GROUP(key) [GROUP_INDEX(key)] = FIRST_##key,
#define INSN(name, width, needs, match, mask, op, format)
#include "isa/insns.def"
#undef INSN
#undef GROUP
};

const char *isa_strerror(int error)
{
	switch (error) {
	case ISA_OK:
		return "no error";
	case ISA_EOPERAND:
		return "an operand does not fit the instruction";
	case ISA_EROW:
		return "there is no such instruction";
	case ISA_EARCH:
		return "not an ISA string such as rv64imac_zicsr";
	default:
		return "unknown error";
	}
}

unsigned isa_length(uint16_t first)
{
	if ((first & 3) != 3)
		return 2;
	if ((first & 0x1F) != 0x1F)
		return 4;
	if ((first & 0x3F) == 0x1F)
		return 6;
	if ((first & 0x7F) == 0x3F)
		return 8;
	unsigned n = first >> 12 & 7;
	return n < 7 ? 10 + 2 * n : 2;
}

/* Bits high..low of word, moved to bit 0. */
static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
	return word >> low & ((2u << (high - low)) - 1);
}

static int32_t immediate_of(const struct isa_immediate *immediate, uint32_t w)
{
	uint32_t value = 0;
	for (unsigned i = 0; i < 8 && immediate->pieces[i].high; i++) {
		const struct isa_piece *p = &immediate->pieces[i];
		value |= bits(w, p->high, p->low) << p->to;
	}
	if (immediate->width == 0)
		return (int32_t)value;
	return (int32_t)(value << (32 - immediate->width)) >> (32 - immediate->width);
}

static uint8_t register_at(unsigned place, uint32_t w)
{
	switch (place & ~(unsigned)PLACE_FLOAT) {
	case PLACE_P7:
		return (uint8_t)bits(w, 11, 7);
	case PLACE_P15:
		return (uint8_t)bits(w, 19, 15);
	case PLACE_P20:
		return (uint8_t)bits(w, 24, 20);
	case PLACE_P27:
		return (uint8_t)bits(w, 31, 27);
	case PLACE_P2:
		return (uint8_t)bits(w, 6, 2);
	case PLACE_S7:
		return (uint8_t)(8 + bits(w, 9, 7));
	case PLACE_S2:
		return (uint8_t)(8 + bits(w, 4, 2));
	case PLACE_M7:
		return isa_saved(bits(w, 9, 7));
	case PLACE_M2:
		return isa_saved(bits(w, 4, 2));
	case PLACE_RA:
		return 1;
	case PLACE_SP:
		return 2;
	default:
		return 0;
	}
}

unsigned isa_stack_base(unsigned list, unsigned xlen)
{
	unsigned registers = list == 15 ? 13 : list - 3; /* ra, ra and s0, ...; 15 is all of them */
	return (registers * (xlen / 8) + 15) & ~15u;
}

/* Fills in what depends on the flags of a row; false: an operand is reserved. */
static bool special_operands(unsigned flags, uint32_t w, struct isa_insn *insn)
{
	if (flags & IMM_CONSTANT)
		insn->imm = flags & IMM_255 ? 255 : -1;
	if (flags & RM) {
		insn->rm = (uint8_t)bits(w, 14, 12);
		if (insn->rm == 5 || insn->rm == 6)
			return false;
	}
	if (flags & AQRL)
		insn->rm = (uint8_t)bits(w, 26, 25);
	if (flags & STACK) {
		insn->rm = (uint8_t)bits(w, 7, 4);
		if (insn->rm < 4)
			return false;
		insn->imm = (int32_t)(isa_stack_base(insn->rm, insn->xlen) + 16 * bits(w, 3, 2));
		if (insn->op == ISA_CM_PUSH)
			insn->imm = -insn->imm;
	}
	return !((flags & IMM_NONZERO && insn->imm == 0) || (flags & RD_NONZERO && insn->rd == 0) ||
		 (flags & RD_NOT_SP && insn->rd == 2) || (flags & RS1_NONZERO && insn->rs1 == 0) ||
		 (flags & RS2_NONZERO && insn->rs2 == 0) || (flags & DIFFERENT && insn->rs1 == insn->rs2));
}

static bool link_register(uint8_t r)
{
	return r == 1 || r == 5;
}

static unsigned class_of_jump(const struct isa_insn *insn)
{
	switch (insn->op) {
	case ISA_JAL:
		return ISA_JUMP | (link_register(insn->rd) ? ISA_CALL : 0u);
	case ISA_JALR:
		return ISA_INDIRECT | (link_register(insn->rd)                        ? ISA_CALL
					  : insn->rd == 0 && link_register(insn->rs1) ? ISA_RETURN
										      : 0u);
	case ISA_CM_POPRET:
	case ISA_CM_POPRETZ:
		return ISA_INDIRECT | ISA_RETURN | ISA_LOAD;
	case ISA_CM_JT:
		return ISA_INDIRECT;
	default:
		return ISA_INDIRECT | ISA_CALL; /* CM_JALT */
	}
}

static unsigned classify(const struct isa_insn *insn)
{
	switch (insn->op) {
	case ISA_BEQ:
	case ISA_BNE:
	case ISA_BLT:
	case ISA_BGE:
	case ISA_BLTU:
	case ISA_BGEU:
		return ISA_BRANCH;
	case ISA_JAL:
	case ISA_JALR:
	case ISA_CM_POPRET:
	case ISA_CM_POPRETZ:
	case ISA_CM_JT:
	case ISA_CM_JALT:
		return class_of_jump(insn);
	case ISA_MRET:
	case ISA_SRET:
	case ISA_MNRET:
	case ISA_DRET:
		return ISA_RET;
	case ISA_ECALL:
	case ISA_EBREAK:
	case ISA_ILLEGAL:
		return ISA_TRAPS;
	case ISA_LB:
	case ISA_LH:
	case ISA_LW:
	case ISA_LBU:
	case ISA_LHU:
	case ISA_LWU:
	case ISA_LD:
	case ISA_FLW:
	case ISA_FLD:
	case ISA_CM_POP:
		return ISA_LOAD;
	case ISA_SB:
	case ISA_SH:
	case ISA_SW:
	case ISA_SD:
	case ISA_FSW:
	case ISA_FSD:
	case ISA_CM_PUSH:
		return ISA_STORE;
	case ISA_LR_W:
	case ISA_LR_D:
		return ISA_LOAD | ISA_ATOMIC;
	case ISA_SC_W:
	case ISA_SC_D:
		return ISA_STORE | ISA_ATOMIC;
	default:
		if (insn->op >= ISA_AMOSWAP_W && insn->op <= ISA_AMOMAXU_D)
			return ISA_LOAD | ISA_STORE | ISA_ATOMIC;
		bool computes = insn->op == ISA_LUI || insn->op == ISA_AUIPC ||
				(insn->op >= ISA_ADDI && insn->op <= ISA_AND) ||
				(insn->op >= ISA_ADDIW && insn->op <= ISA_SRAW);
		bool nop = insn->op == ISA_ADDI && insn->rs1 == 0 && insn->imm == 0;
		return computes && insn->rd == 0 && !nop ? ISA_HINT : 0;
	}
}

/* Encodings that are no instruction whatever extensions there are: all zeros, the prefix of 192 bits and more (all ones
 * among it), and what is reserved beside the conditional branches and JALR, since nobody could say where it goes. */
static bool meaningless(uint32_t w)
{
	uint32_t low = w & 0xFFFF, opcode = w & 0x7F;
	return low == 0 || opcode == 0x63 || opcode == 0x67 || low == 0x8002 || (low & 0x707F) == 0x707F;
}

static unsigned unknown(uint64_t word, unsigned set, struct isa_insn *insn)
{
	unsigned length = isa_length((uint16_t)word);
	if ((word & 3) == 3 && !(set & ISA_EXT_LONG))
		length = 4;
	bool other = set & ISA_EXT_OTHER && !meaningless((uint32_t)word);
	*insn = (struct isa_insn){.word = length < 8 ? word & ((UINT64_C(1) << 8 * length) - 1) : word,
	    .length = (uint8_t)length,
	    .op = other ? ISA_OTHER : ISA_ILLEGAL,
	    .xlen = set & ISA_RV64 ? 64 : 32,
	    .class_bits = other ? 0 : ISA_TRAPS};
	return length;
}

unsigned isa_decode(uint64_t word, unsigned set, struct isa_insn *insn)
{
	bool wide = (word & 3) == 3;
	uint32_t w = wide ? (uint32_t)word : (uint32_t)word & 0xFFFF;
	unsigned index = GROUP_INDEX(w);
	set = isa_settle(set);
	for (unsigned i = groups[index]; i > 0 && i < ROW_COUNT && GROUP_INDEX(isa_table[i].match) == index; i++) {
		const struct isa_row *row = &isa_table[i];
		if ((w & row->mask) != row->match || !isa_row_fits(row, set))
			continue;
		const struct isa_format *format = &isa_formats[row->format];
		*insn = (struct isa_insn){.word = w,
		    .length = wide ? 4 : 2,
		    .op = row->op,
		    .rd = register_at(format->rd, w),
		    .rs1 = register_at(format->rs1, w),
		    .rs2 = register_at(format->rs2, w),
		    .rs3 = register_at(format->rs3, w),
		    .xlen = set & ISA_RV64 ? 64 : 32,
		    .imm = immediate_of(&isa_immediates[format->immediate], w),
		    .row = (uint16_t)i};
		if (format->flags && !special_operands(format->flags, w, insn))
			continue;
		insn->class_bits = (uint16_t)classify(insn);
		return insn->length;
	}
	return unknown(word, set, insn);
}

const char *isa_name(const struct isa_insn *insn)
{
	return insn->op == ISA_OTHER ? ".insn" : isa_table[insn->row < ROW_COUNT ? insn->row : 0].name;
}
