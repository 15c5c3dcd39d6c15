/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/induction.h"
#include "isa/isa.h"

struct changed { /* registers */
	uint32_t written, twice;
	int32_t step[32];
	uint32_t at[32]; /* block that makes the step */
	bool narrow[32];
};

/* What a block changes; its last instruction. */
static bool look_at_changes(
    const struct graph *g, const struct graph_block *block, uint32_t index, struct changed *c, struct isa_insn *insn)
{
	const struct edit_section *s = &g->edit->sections[block->section];
	struct isa_registers regs;
	for (uint32_t at = block->first; at <= block->last; at++) {
		if (s->atoms[at].kind == EDIT_PAD)
			continue;
		if (s->atoms[at].kind != EDIT_INSN)
			return false;
		graph_insn(g, &s->atoms[at], insn);
		isa_registers(insn, &regs);
		c->twice |= c->written & regs.x_written;
		c->written |= regs.x_written;
		if ((insn->op == ISA_ADDI || insn->op == ISA_ADDIW) && insn->rd == insn->rs1 &&
		    s->atoms[at].relocs == 0) {
			c->step[insn->rd] = insn->imm;
			c->narrow[insn->rd] = insn->op == ISA_ADDIW;
			c->at[insn->rd] = index;
		}
	}
	return true;
}

bool insert_induction_of(const struct graph *g, const uint32_t *blocks, uint32_t count, uint32_t decides,
    struct insert_induction *found, uint32_t *stepped)
{
	struct changed c = {0};
	struct isa_insn insn = {0}, last = {0};
	for (uint32_t i = 0; i < count; i++) {
		const struct graph_block *block = &g->blocks[blocks[i]];
		if (block->section == GRAPH_NONE) /* a table's vertex has no code */
			continue;
		if (!look_at_changes(g, block, i, &c, &insn))
			return false;
		if (i == decides)
			last = insn;
		if (i == decides && g->edit->sections[block->section].atoms[block->last].flow != EDIT_BRANCH)
			return false;
	}
	const unsigned compared[2] = {last.rs1, last.rs2}, *other = &compared[1];
	for (unsigned i = 0; i < 2; i++, other = &compared[0]) {
		unsigned x = compared[i];
		uint32_t size = c.step[x] < 0 ? (uint32_t)-c.step[x] : (uint32_t)c.step[x];
		bool invariant = (c.written >> *other & 1) == 0 || *other == 0;
		if (x == 0 || size == 0 || (size & (size - 1)) != 0 || (c.twice >> x & 1) != 0 || !invariant)
			continue;
		*found =
		    (struct insert_induction){.x = x, .down = c.step[x] < 0, .narrow = c.narrow[x], .step = c.step[x]};
		while (size >> found->shift > 1)
			found->shift++;
		*stepped = c.at[x];
		return true;
	}
	return false;
}

bool insert_induction(const struct graph *g, const struct graph_block *block, struct insert_induction *found)
{
	uint32_t index = (uint32_t)(block - g->blocks), at;
	return insert_induction_of(g, &index, 1, 0, found, &at);
}
