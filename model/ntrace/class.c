/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/ntrace/private.h"

#define MRET 0x30200073u
#define SRET 0x10200073u

static bool is_link_register(unsigned reg)
{
	return reg == 1 || reg == 5;
}

static enum ntrace_kind kind_of_indirect(bool pops, bool pushes)
{
	if (pops)
		return pushes ? NTRACE_SWAP : NTRACE_RETURN;
	return pushes ? NTRACE_JUMP_CALL : NTRACE_JUMP;
}

static enum ntrace_kind kind_of_wide(const struct trace_retire *s, bool taken)
{
	const unsigned rd = s->insn >> 7 & 31, rs1 = s->insn >> 15 & 31;
	if (s->insn == MRET || s->insn == SRET)
		return NTRACE_JUMP;
	switch (s->insn & 0x7F) {
	case 0x63:
		return taken ? NTRACE_TAKEN : NTRACE_NOT_TAKEN;
	case 0x67:
		return kind_of_indirect(is_link_register(rs1) && rd != rs1, is_link_register(rd));
	case 0x6F:
		return is_link_register(rd) ? NTRACE_CALL : NTRACE_PLAIN;
	default:
		return NTRACE_PLAIN;
	}
}

static enum ntrace_kind kind_of_short(const struct ntrace_config *c, const struct trace_retire *s, bool taken)
{
	const unsigned funct3 = s->insn >> 13 & 7, rs1 = s->insn >> 7 & 31, rs2 = s->insn >> 2 & 31;
	const unsigned top = s->insn >> 8 & 0xFF; /* CM.POPRETZ, CM.POPRET; CM.JT, CM.JALT */
	if ((s->insn & 3) == 1 && funct3 >= 6)
		return taken ? NTRACE_TAKEN : NTRACE_NOT_TAKEN;
	if ((s->insn & 3) == 1)
		return funct3 == 1 && c->xlen == 32 ? NTRACE_CALL : NTRACE_PLAIN;
	if ((s->insn & 3) != 2)
		return NTRACE_PLAIN;
	if (c->with_zcmp && (top == 0xBC || top == 0xBE))
		return NTRACE_RETURN;
	if (c->with_zcmp && (top & 0xFC) == 0xA0)
		return NTRACE_JUMP;
	if (funct3 != 4 || rs2 != 0 || rs1 == 0)
		return NTRACE_PLAIN;
	if ((s->insn >> 12 & 1) != 0) /* C.JALR: rd is x1 */
		return kind_of_indirect(rs1 == 5, true);
	return kind_of_indirect(is_link_register(rs1), false);
}

enum ntrace_kind ntrace_class(const struct ntrace_config *c, const struct trace_retire *s)
{
	const bool wide = (s->insn & 3) == 3;
	const bool taken = s->next_pc != ((s->pc + (wide ? 4 : 2)) & ntrace_ones(c->xlen));
	if (c->ret_mask != 0 && (s->insn & c->ret_mask) == c->ret_match)
		return NTRACE_JUMP;
	return wide ? kind_of_wide(s, taken) : kind_of_short(c, s, taken);
}
