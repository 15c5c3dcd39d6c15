/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What is known of the link registers x1 and x5 along a trace, and where it has saved them on the stack. */
#include "sw/optimise/private.h"

static unsigned link_index(uint8_t reg)
{
	return reg == 1 ? 0 : reg == 5 ? 1 : 2;
}

/* Stores relative to sp do not touch other words of the stack; any other might. */
static void follow_store(struct optimise_links *l, const struct optimise_insn *insn)
{
	unsigned link = link_index(insn->rs2);
	int32_t offset = insn->imm + l->moved;
	if (insn->rs1 != 2)
		l->saved = 0;
	for (unsigned i = l->saved; i-- > 0;)
		if (l->offset[i] > offset - 4 && l->offset[i] < offset + 4) {
			l->saved--;
			l->offset[i] = l->offset[l->saved];
			l->value[i] = l->value[l->saved];
		}
	if (insn->rs1 == 2 && insn->op == ISA_SW && link < 2 && l->link[link] != 0 && l->saved < OPTIMISE_SAVED) {
		l->offset[l->saved] = offset;
		l->value[l->saved++] = l->link[link];
	}
}

static uint32_t loaded(const struct optimise_links *l, const struct optimise_insn *insn)
{
	for (unsigned i = 0; insn->op == ISA_LW && insn->rs1 == 2 && i < l->saved; i++)
		if (l->offset[i] == insn->imm + l->moved)
			return l->value[i];
	return 0;
}

void optimise_links_follow(struct optimise_links *l, const struct optimise_insn *insn)
{
	unsigned link = link_index(insn->rd);
	if (insn->kind == KIND_STORE)
		follow_store(l, insn);
	else if (link < 2)
		l->link[link] = insn->kind == KIND_CALL ? insn->pc + insn->length : loaded(l, insn);
	else if (insn->rd == 2 && insn->op == ISA_ADDI && insn->rs1 == 2)
		l->moved += insn->imm;
	else if (insn->rd == 2)
		l->saved = 0;
}

uint32_t optimise_links_return(const struct optimise_links *l, const struct optimise_insn *insn)
{
	unsigned link = link_index(insn->rs1);
	return link < 2 && insn->imm == 0 ? l->link[link] : 0;
}
