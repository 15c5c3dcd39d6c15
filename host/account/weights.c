/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * How the cycles of a path are shared out to its instructions. A record knows how long the path took, not which of its
 * instructions waited; what each takes without waiting is known for the core of this project (docs/core.md sections 4
 * and 5), and is a good guess for other small cores: a divide costs more than an addition anywhere.
 */
#include "host/account/private.h"

#define MULTIPLY 3
#define MULTIPLY_HIGH 4
#define DIVIDE 25 /* 14 to 35, by the size of the dividend */

void account_cost(const struct isa_insn *insn, struct cost *cost)
{
	*cost = (struct cost){.weight = 1, .taken = 1};
	if ((insn->class_bits & ISA_BRANCH) != 0)
		cost->taken = 2;
	if ((insn->class_bits & (ISA_JUMP | ISA_INDIRECT | ISA_RET)) != 0 || insn->op == ISA_FENCE_I)
		cost->weight = cost->taken = 2;
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

void account_weigh(struct maker *maker)
{
	size_t at = 0;
	const struct cost *before = NULL;
	for (size_t i = 0; i < maker->visit_count; i++) {
		const struct visited *visit = &maker->visits[i];
		for (uint32_t k = 0; k < visit->count; k++, at++) {
			struct step *step = &maker->steps[at];
			const struct cost *cost = &maker->costs[step->row];
			step->weight = 1;
			if (maker->weights == ACCOUNT_EQUAL)
				continue;
			bool taken = k + 1 == visit->count && visit->outcome == 1;
			step->weight = taken ? cost->taken : cost->weight;
			/* the load is what the user waits for */
			if (before != NULL && before->load != 0 &&
			    (before->load == cost->reads[0] || before->load == cost->reads[1]))
				maker->steps[at - 1].weight++;
			before = cost;
		}
	}
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
