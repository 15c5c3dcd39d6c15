/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Cycles of a trace that is left at its end, by docs/core.md sections 4 and 5; tests compare it with
 * host/cycles/rivulet.core. */
#include "sw/optimise/private.h"

static uint32_t own_cycles(const struct optimise_insn *insn)
{
	if (insn->kind == KIND_SET)
		return (insn->imm & 0xFFF) != 0 && (insn->imm < -2048 || insn->imm > 2047) ? 2 : 1;
	if (insn->kind != KIND_PLAIN)
		return insn->kind == KIND_JUMP || insn->kind == KIND_INDIRECT ? 2 : 1;
	if (insn->op < ISA_MUL)
		return 1;
	switch (insn->op) {
	case ISA_MUL:
		return 3;
	case ISA_MULH:
	case ISA_MULHSU:
	case ISA_MULHU:
		return 4;
	case ISA_DIV:
	case ISA_DIVU:
	case ISA_REM:
	case ISA_REMU:
		return 28; /* 14 to 35, by the dividend */
	default:
		return 1;
	}
}

uint32_t optimise_cost_in_program(const struct optimise_insn *insn, uint32_t next, uint32_t *loaded)
{
	uint32_t cycles = own_cycles(insn) + ((optimise_reads(insn) & *loaded) != 0);
	if (insn->kind == KIND_CALL || insn->op == ISA_JALR ||
	    (insn->kind == KIND_EXIT && next != insn->pc + insn->length))
		cycles = 2;
	*loaded = insn->kind == KIND_LOAD ? 1u << insn->rd & ~1u : 0;
	return cycles;
}

uint32_t optimise_cost(const struct optimise *optimise, const struct optimise_trace *trace)
{
	const struct optimise_insn *insn = &optimise->insns[trace->first], *end = insn + trace->count;
	uint32_t cycles = 0, loaded = 0;
	for (; insn < end; insn++) {
		cycles += own_cycles(insn);
		if (loaded != 0 && (optimise_reads(insn) & loaded) != 0)
			cycles++;
		loaded = insn->kind == KIND_LOAD ? 1u << insn->rd & ~1u : 0;
	}
	return cycles;
}
