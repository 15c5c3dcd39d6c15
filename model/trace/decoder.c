/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/trace/private.h"

#define MRET 0x30200073u
#define SRET 0x10200073u

/* Bits hi..lo of the instruction, placed at bit `at`. */
static uint64_t field(uint32_t insn, unsigned hi, unsigned lo, unsigned at)
{
	return (uint64_t)(insn >> lo & ((1u << (hi - lo + 1)) - 1)) << at;
}

/* The offset of a direct transfer, sign-extended. */
static uint64_t offset_of(uint32_t insn, bool wide, bool br)
{
	uint64_t magnitude, sign;
	if (wide && br) {
		magnitude = field(insn, 7, 7, 11) | field(insn, 30, 25, 5) | field(insn, 11, 8, 1);
		sign = field(insn, 31, 31, 12);
	} else if (wide) {
		magnitude = field(insn, 19, 12, 12) | field(insn, 20, 20, 11) | field(insn, 30, 21, 1);
		sign = field(insn, 31, 31, 20);
	} else if (br) {
		magnitude = field(insn, 6, 5, 6) | field(insn, 2, 2, 5) | field(insn, 11, 10, 3) | field(insn, 4, 3, 1);
		sign = field(insn, 12, 12, 8);
	} else {
		magnitude = field(insn, 8, 8, 10) | field(insn, 10, 9, 8) | field(insn, 6, 6, 7) |
			    field(insn, 7, 7, 6) | field(insn, 2, 2, 5) | field(insn, 11, 11, 4) | field(insn, 5, 3, 1);
		sign = field(insn, 12, 12, 11);
	}
	return magnitude - sign;
}

/* CM.POPRETZ, CM.POPRET, CM.JT, CM.JALT */
static bool is_zcmp_transfer(uint32_t insn)
{
	unsigned top = insn >> 8 & 0xFF;
	return (insn & 3) == 2 && (top == 0xBC || top == 0xBE || (top & 0xFC) == 0xA0);
}

/* CSRRW(I) of mtvec or stvec; CSRRS(I) and CSRRC(I) only with bits to set or clear. */
static bool is_vector_write(uint32_t insn)
{
	const unsigned csr = insn >> 20, kind = insn >> 12 & 3, source = insn >> 15 & 31;
	return (insn & 0x7F) == 0x73 && kind != 0 && (kind == 1 || source != 0) && (csr == 0x305 || csr == 0x105);
}

/* The class of a 16-bit instruction. */
static void decode_short(unsigned xlen, uint32_t insn, bool *jmp, struct trace_decoded *s)
{
	unsigned funct3 = insn >> 13 & 7, rs2 = insn >> 2 & 31, rs1 = insn >> 7 & 31;
	if ((insn & 3) == 1) {
		*jmp = funct3 == 5 || (funct3 == 1 && xlen == 32);
		s->br = funct3 >= 6;
	} else if ((insn & 3) == 2) {
		s->ind = funct3 == 4 && rs2 == 0 && rs1 != 0;
	}
}

void trace_decoder(const struct trace_config *c, const struct trace_retire *i, struct trace_decoded *s)
{
	*s = (struct trace_decoded){0};
	if (!i->valid || i->trap)
		return;
	bool wide = (i->insn & 3) == 3, jmp = false;
	if (wide) {
		unsigned opcode = i->insn & 0x7F;
		s->br = opcode == 0x63;
		jmp = opcode == 0x6F;
		s->ind = opcode == 0x67;
		s->ret = i->insn == MRET || i->insn == SRET;
	} else {
		decode_short(c->xlen, i->insn, &jmp, s);
	}
	s->vector = c->with_heal && is_vector_write(i->insn);
	if (c->with_zcmp && is_zcmp_transfer(i->insn))
		s->ind = true;
	if (c->ret_mask && (i->insn & c->ret_mask) == c->ret_match) {
		*s = (struct trace_decoded){.ret = true};
		jmp = false;
	}
	uint64_t behind = (i->pc + (wide ? 4 : 2)) & trace_ones(c->xlen);
	s->outcome = s->br && i->next_pc != behind;
	s->back = (jmp || s->outcome) && i->next_pc <= i->pc;
	if (c->with_check && !s->ind && !s->ret) {
		uint64_t target = (i->pc + offset_of(i->insn, wide, s->br)) & trace_ones(c->xlen);
		bool goes_on = !jmp && i->next_pc == behind;
		bool goes_there = (s->br || jmp) && i->next_pc == target;
		s->astray = !goes_on && !goes_there;
	}
}
