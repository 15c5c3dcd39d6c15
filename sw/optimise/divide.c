/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Strength reduction. A division takes 14 to 35 cycles (docs/core.md section 5), a multiplication 3:
 *
 *   divu q, a, b               divu q, a, b
 *   remu r, a, b               mul  r, q, b
 *                              sub  r, a, r
 *
 * which is right for every dividend and divisor, zero and overflow among them: DIV, DIVU by zero give -1 and
 * a - (-1) * 0 = a, which is what REM, REMU give. The other order is the same with the quotient made first, where
 * nobody sees its register in between. Multiplications, divisions by a power of two that the trace knows are shifts.
 */
#include "sw/optimise/private.h"

static bool is_quotient(uint8_t op)
{
	return op == ISA_DIV || op == ISA_DIVU;
}

static bool is_remainder(uint8_t op)
{
	return op == ISA_REM || op == ISA_REMU;
}

static bool partners(const struct optimise_insn *quotient, const struct optimise_insn *remainder)
{
	return is_quotient(quotient->op) && is_remainder(remainder->op) &&
	       (quotient->op == ISA_DIV) == (remainder->op == ISA_REM) && quotient->rs1 == remainder->rs1 &&
	       quotient->rs2 == remainder->rs2;
}

static struct optimise_insn make(uint32_t pc, uint8_t op, uint8_t rd, uint8_t rs1, uint8_t rs2)
{
	return (struct optimise_insn){
	    .pc = pc, .op = op, .rd = rd, .rs1 = rs1, .rs2 = rs2, .kind = KIND_PLAIN, .flags = OPTIMISE_EDITED};
}

/* insns[i] is a remainder whose quotient is in register q. One more instruction is needed: a gap, or false. */
static bool from_quotient(struct optimise_insn *insns, uint32_t i, uint8_t q, uint32_t *room)
{
	struct optimise_insn old = insns[i];
	uint8_t r = old.rd;
	if (r == 0 || r == old.rs1 || *room == 0)
		return false;
	insns[i] = make(old.pc, ISA_MUL, r, q, old.rs2);
	(*room)--;
	insns[i].target = 1; /* a subtraction follows: expand() */
	insns[i].word = old.rs1;
	return true;
}

/* A quotient behind the remainder: they change places if nothing between knows the difference. */
static bool quotient_first(struct optimise_insn *insns, uint32_t i, uint32_t k)
{
	uint8_t q = insns[k].rd, r = insns[i].rd;
	if (q == 0 || q == r || q == insns[i].rs1 || q == insns[i].rs2)
		return false;
	for (uint32_t j = i + 1; j < k; j++)
		if (!optimise_pure(&insns[j]) ||
		    ((optimise_reads(&insns[j]) | optimise_writes(&insns[j])) >> q & 1) != 0)
			return false;
	struct optimise_insn quotient = insns[k];
	for (uint32_t j = k; j > i; j--)
		insns[j] = insns[j - 1];
	insns[i] = quotient;
	return true;
}

/* The partner of the division at i, before one of the registers is written; count if there is none. */
static uint32_t partner(const struct optimise_insn *insns, uint32_t count, uint32_t i)
{
	uint32_t operands = optimise_reads(&insns[i]), own = optimise_writes(&insns[i]);
	bool quotient = is_quotient(insns[i].op);
	if ((operands & own) != 0)
		return count;
	for (uint32_t k = i + 1; k < count; k++) {
		if (quotient ? partners(&insns[i], &insns[k]) : partners(&insns[k], &insns[i]))
			return k;
		uint32_t written = optimise_writes(&insns[k]);
		if ((written & (operands | (quotient ? own : 0))) != 0)
			return count;
	}
	return count;
}

/* Known powers of two. */
static void by_constant(struct optimise_insn *insn, uint32_t divisor)
{
	unsigned shift = (unsigned)__builtin_ctz(divisor);
	if ((divisor & (divisor - 1)) != 0 || insn->rd == 0)
		return;
	if (insn->op == ISA_DIVU || insn->op == ISA_MUL) {
		*insn = make(insn->pc, insn->op == ISA_DIVU ? ISA_SRLI : ISA_SLLI, insn->rd, insn->rs1, 0);
		insn->imm = (int32_t)shift;
	} else if (insn->op == ISA_REMU && divisor - 1 <= 2047) {
		*insn = make(insn->pc, ISA_ANDI, insn->rd, insn->rs1, 0);
		insn->imm = (int32_t)(divisor - 1);
	}
}

/* Puts the subtractions behind their multiplications. The trace grows into the free room behind it. */
static void expand(struct optimise *optimise, struct optimise_trace *trace, uint32_t more)
{
	struct optimise_insn *insns = &optimise->insns[trace->first];
	uint32_t to = trace->count + more;
	for (uint32_t i = trace->count; i-- > 0;) {
		struct optimise_insn insn = insns[i];
		if (insn.kind == KIND_PLAIN && insn.op == ISA_MUL && insn.flags & OPTIMISE_EDITED && insn.target == 1) {
			insns[--to] = make(insn.pc, ISA_SUB, insn.rd, (uint8_t)insn.word, insn.rd);
			insn.target = 0;
			insn.word = 0;
		}
		insns[--to] = insn;
	}
	trace->count += more;
}

void optimise_divide(struct optimise *optimise, struct optimise_trace *trace)
{
	struct optimise_insn *insns = &optimise->insns[trace->first];
	uint32_t known = 1, room = trace->spare, had = room;
	uint32_t constant[32] = {0};
	for (uint32_t i = 0; i < trace->count; i++) {
		struct optimise_insn *insn = &insns[i];
		if (insn->kind == KIND_PLAIN && known >> insn->rs2 & 1 && constant[insn->rs2] != 0)
			by_constant(insn, constant[insn->rs2]);
		if (insn->kind == KIND_PLAIN && (is_quotient(insn->op) || is_remainder(insn->op))) {
			uint32_t k = partner(insns, trace->count, i);
			if (k < trace->count && is_remainder(insn->op) && room > 0 && insns[i].rd != insns[i].rs1)
				k = quotient_first(insns, i, k) ? i + 1 : trace->count;
			if (k < trace->count && is_quotient(insns[i].op) && insns[i].rd != 0)
				from_quotient(insns, k, insns[i].rd, &room);
		}
		uint32_t written = optimise_writes(insn);
		known &= ~written;
		/* written: not by a NOP, whose x0 stays 0 */
		if (written != 0 &&
		    (insn->kind == KIND_SET || (insn->op == ISA_ADDI && insn->rs1 == 0 && insn->kind == KIND_PLAIN))) {
			known |= written;
			constant[insn->rd] = (uint32_t)insn->imm;
		}
	}
	if (room != had)
		expand(optimise, trace, had - room);
	trace->spare = (uint8_t)room;
}
