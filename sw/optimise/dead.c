/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Removes instructions without an effect: those that have no result (the NOPs that align code), copies of a register
 * onto itself, and results that are overwritten before anything reads them. Exits read all registers, and so do loads
 * and stores, because their fault shows the registers to the program.
 */
#include "sw/optimise/private.h"

static bool copy_onto_itself(const struct optimise_insn *insn)
{
	return (insn->op == ISA_ADDI && insn->rs1 == insn->rd && insn->imm == 0) ||
	       (insn->op == ISA_ADD &&
		   ((insn->rs1 == insn->rd && insn->rs2 == 0) || (insn->rs2 == insn->rd && insn->rs1 == 0)));
}

void optimise_dead(struct optimise *optimise, struct optimise_trace *trace)
{
	struct optimise_insn *insns = &optimise->insns[trace->first];
	uint32_t unseen = 0; /* registers whose value here nobody will see */
	for (uint32_t i = trace->count; i-- > 0;) {
		struct optimise_insn *insn = &insns[i];
		if (!optimise_pure(insn)) {
			unseen = 0;
			continue;
		}
		uint32_t written = optimise_writes(insn);
		if (written == 0 || (unseen & written) != 0 || (insn->kind == KIND_PLAIN && copy_onto_itself(insn))) {
			insn->flags |= OPTIMISE_GONE;
			continue;
		}
		unseen = (unseen | written) & ~optimise_reads(insn);
	}
	optimise_close_gaps(optimise, trace);
}
