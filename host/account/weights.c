/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/account/private.h"

#define MULTIPLY 3
#define MULTIPLY_HIGH 4
#define DIVIDE 25 /* 14 to 35, by the size of the dividend */

void account_cost(const struct isa_insn *insn, uint64_t pc, struct cost *cost)
{
	*cost = (struct cost){.weight = 1};
	/* a 32-bit instruction across two words needs both */
	cost->refill = insn->length == 4 && (pc & 2) != 0 ? 2 : 1;
	cost->transfer =
	    (insn->class_bits & (ISA_BRANCH | ISA_JUMP | ISA_INDIRECT | ISA_RET)) != 0 || insn->op == ISA_FENCE_I;
	if ((insn->class_bits & ISA_LOAD) != 0)
		cost->load = insn->rd;
	switch (insn->op) {
	case ISA_MUL:
		cost->weight = MULTIPLY;
		break;
	case ISA_MULH:
	case ISA_MULHSU:
	case ISA_MULHU:
		cost->weight = MULTIPLY_HIGH;
		break;
	case ISA_DIV:
	case ISA_DIVU:
	case ISA_REM:
	case ISA_REMU:
		cost->weight = DIVIDE;
		break;
	case ISA_CSRRW:
	case ISA_CSRRS:
	case ISA_CSRRC:
	case ISA_CSRRWI:
	case ISA_CSRRSI:
	case ISA_CSRRCI:
		cost->weight = 2;
		break;
	default:
		break;
	}
	/* the 5-bit immediate of CSRR*I is in rs1, but reads no register */
	if (insn->op != ISA_CSRRWI && insn->op != ISA_CSRRSI && insn->op != ISA_CSRRCI)
		cost->reads[0] = insn->rs1;
	cost->reads[1] = insn->rs2;
}

unsigned account_weigh(struct weigher *weigher, const struct cost *cost, bool goes)
{
	unsigned weight = cost->weight;
	if (weigher->refill)
		weight += cost->refill;
	else if (weigher->load != 0 && (weigher->load == cost->reads[0] || weigher->load == cost->reads[1]))
		weight++;
	weigher->refill = cost->transfer && goes;
	weigher->load = cost->load;
	return weight;
}

void account_share_out(struct step *steps, size_t count, uint64_t cycles)
{
	uint64_t total = 0, passed = 0, given = 0;
	for (size_t i = 0; i < count; i++)
		total += steps[i].weight;
	for (size_t i = 0; i < count; i++) {
		passed += steps[i].weight;
		uint64_t upto = (uint64_t)((unsigned __int128)cycles * passed / total);
		steps[i].cycles = upto - given;
		given = upto;
	}
}
