/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/trace/private.h"

#define MRET 0x30200073u
#define SRET 0x10200073u

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

void trace_decoder(const struct trace *trace, struct trace_decoded *s)
{
	const struct trace_retire *i = &trace->s;
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
		decode_short(trace->config.xlen, i->insn, &jmp, s);
	}
	uint64_t behind = (i->pc + (wide ? 4 : 2)) & trace_ones(trace->config.xlen);
	s->outcome = s->br && i->next_pc != behind;
	s->back = (jmp || s->outcome) && i->next_pc <= i->pc;
}
