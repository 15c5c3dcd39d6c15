/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/induction.h"

bool insert_induction(const struct graph *g, const struct graph_block *block, struct insert_induction *found)
{
	const struct edit_section *s = &g->edit->sections[block->section];
	uint32_t written = 0, twice = 0;
	int32_t step[32] = {0};
	bool narrow[32] = {0};
	struct isa_insn insn;
	struct isa_registers regs;
	for (uint32_t at = block->first; at <= block->last; at++) {
		if (s->atoms[at].kind == EDIT_PAD)
			continue;
		if (s->atoms[at].kind != EDIT_INSN)
			return false;
		graph_insn(g, &s->atoms[at], &insn);
		isa_registers(&insn, &regs);
		twice |= written & regs.x_written;
		written |= regs.x_written;
		if ((insn.op == ISA_ADDI || insn.op == ISA_ADDIW) && insn.rd == insn.rs1 && s->atoms[at].relocs == 0) {
			step[insn.rd] = insn.imm;
			narrow[insn.rd] = insn.op == ISA_ADDIW;
		}
	}
	if (s->atoms[block->last].flow != EDIT_BRANCH)
		return false;
	const unsigned compared[2] = {insn.rs1, insn.rs2}, *other = &compared[1];
	for (unsigned i = 0; i < 2; i++, other = &compared[0]) {
		unsigned x = compared[i];
		uint32_t size = step[x] < 0 ? (uint32_t)-step[x] : (uint32_t)step[x];
		bool invariant = (written >> *other & 1) == 0 || *other == 0;
		if (x == 0 || size == 0 || (size & (size - 1)) != 0 || (twice >> x & 1) != 0 || !invariant)
			continue;
		*found = (struct insert_induction){.x = x, .down = step[x] < 0, .narrow = narrow[x], .step = step[x]};
		while (size >> found->shift > 1)
			found->shift++;
		return true;
	}
	return false;
}
