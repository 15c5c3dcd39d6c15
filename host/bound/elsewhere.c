/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Code that takes its stack pointer from elsewhere goes on elsewhere: longjmp() and the unwinder of exceptions behind
 * an earlier call, a switch of contexts in another task. Its return is none, so its time is no part of its caller.
 *
 *     ld   sp, 104(a0)        longjmp()            sub  sp, sp, a5      alloca()
 *     csrrw sp, mscratch, sp  a handler's stack    mv   sp, s1          back from it; s1: mv s1, sp
 *     add  sp, sp, a4         the unwinder         la   sp, stack_top   the program begins
 *     no bound                                     the function's own stack, or a new one
 *
 * A register is followed back in its block. Beyond it, it is made from sp if that is what all of the function that
 * writes it does, but for what brings back a caller's register at the end. At any doubt there is no bound.
 */
#include <stdlib.h>
#include "host/bound/private.h"
#include "isa/isa.h"

#define SP 2u
#define FRAME_POINTER 8u
#define SAVED_OVER_CALLS 0x0FFC0300u

struct block_insns {
	const struct cfg *cfg;
	uint32_t function;
	struct isa_insn *all;
	uint32_t count;
};

static bool changes_register(const struct isa_insn *insn, unsigned reg)
{
	struct isa_registers regs;
	isa_registers(insn, &regs);
	return (regs.x_written >> reg & 1) != 0;
}

/* Whether it brings back what a register held for the caller. */
static bool brings_back(const struct isa_insn *insn, unsigned reg)
{
	return (SAVED_OVER_CALLS >> reg & 1) != 0 &&
	       (insn->op >= ISA_CM_PUSH || ((insn->class_bits & ISA_LOAD) != 0 && insn->rs1 == SP));
}

/* The registers that are made from sp behind an instruction of a block, if `from` are before it. */
static uint32_t made_from_stack(const struct isa_insn *insn, uint32_t from)
{
	struct isa_registers regs;
	isa_registers(insn, &regs);
	const bool sums = insn->op == ISA_ADDI || insn->op == ISA_ANDI, copies = insn->op == ISA_ADD && insn->rs1 == 0;
	const bool moves = (sums && (from >> insn->rs1 & 1) != 0) || (copies && (from >> insn->rs2 & 1) != 0);
	return ((moves ? from | 1u << insn->rd : from & ~regs.x_written) | 1u << SP) & ~1u;
}

/* Whether the function makes the register from sp, and from nothing else. */
static bool made_in_function(const struct block_insns *b, unsigned reg)
{
	const struct cfg_function *f = &b->cfg->functions[b->function];
	bool made = false;
	for (uint32_t k = f->blocks; k < f->blocks + f->block_count; k++) {
		const struct cfg_block *block = &b->cfg->blocks[k];
		uint64_t at = block->start;
		uint32_t from = 1u << SP;
		struct isa_insn insn;
		for (uint32_t i = 0; i < block->insns && image_insn(b->cfg->image, at, 0, &insn);
		     i++, at += insn.length) {
			from = made_from_stack(&insn, from);
			if (!changes_register(&insn, reg) || brings_back(&insn, reg))
				continue;
			if ((from >> reg & 1) == 0)
				return false;
			made = true;
		}
	}
	return made;
}

/* The last instruction before `end` that writes a register; NULL: none in the block. */
static const struct isa_insn *writer_of(const struct block_insns *b, uint32_t end, unsigned reg, uint32_t *at)
{
	for (*at = end; (*at)-- > 0;) {
		if (changes_register(&b->all[*at], reg))
			return &b->all[*at];
	}
	return NULL;
}

/* Whether a register holds a number that the code says, before instruction `end`. */
static bool is_constant_register(const struct block_insns *b, uint32_t end, unsigned reg)
{
	uint32_t at;
	const struct isa_insn *insn = reg == 0 ? NULL : writer_of(b, end, reg, &at);
	if (reg == 0)
		return true;
	if (insn == NULL)
		return false;
	if (insn->op == ISA_LUI || insn->op == ISA_AUIPC)
		return true;
	const bool one = insn->op == ISA_ADDI || insn->op == ISA_ADDIW || insn->op == ISA_SLLI;
	return one && is_constant_register(b, at, insn->rs1);
}

/* How far a register is followed: code made to be followed for ever gets no bound. */
#define FOLLOWED_MAX 32u

static bool is_own_stack(const struct block_insns *b, uint32_t end, unsigned reg, unsigned depth);

/* Whether the result of an instruction is a place of the function's own stack, or of a new one. */
static bool makes_own_stack(const struct block_insns *b, uint32_t at, unsigned depth)
{
	const struct isa_insn *insn = &b->all[at];
	if (insn->op >= ISA_CM_PUSH || insn->op == ISA_LUI || insn->op == ISA_AUIPC) /* cm.push and its kin */
		return true;
	if (insn->op == ISA_ADDI || insn->op == ISA_ANDI)
		return is_own_stack(b, at, insn->rs1, depth + 1);
	if (insn->op == ISA_SUB) /* alloca() */
		return is_own_stack(b, at, insn->rs1, depth + 1);
	if (insn->op == ISA_ADD)
		return (is_constant_register(b, at, insn->rs2) && is_own_stack(b, at, insn->rs1, depth + 1)) ||
		       (is_constant_register(b, at, insn->rs1) && is_own_stack(b, at, insn->rs2, depth + 1));
	/* it was kept in the frame */
	if ((insn->class_bits & ISA_LOAD) != 0)
		return insn->rs1 == SP || (insn->rs1 == FRAME_POINTER && is_own_stack(b, at, FRAME_POINTER, depth + 1));
	return false;
}

static bool is_own_stack(const struct block_insns *b, uint32_t end, unsigned reg, unsigned depth)
{
	uint32_t at;
	if (reg == SP) /* what writes it is looked at by itself */
		return true;
	if (depth > FOLLOWED_MAX)
		return false;
	if (writer_of(b, end, reg, &at) != NULL)
		return makes_own_stack(b, at, depth);
	return made_in_function(b, reg);
}

int bound_stack_from(struct bound_maker *m, uint32_t number)
{
	const struct cfg_block *block = &m->cfg->blocks[number];
	struct block_insns b = {m->cfg, block->function, malloc((block->insns + 1u) * sizeof *b.all), 0};
	uint64_t at = block->start;
	int error = b.all == NULL ? BOUND_ENOMEM : BOUND_OK;
	for (; error == BOUND_OK && b.count < block->insns; b.count++) {
		if (!image_insn(m->cfg->image, at, 0, &b.all[b.count]))
			break;
		if (b.all[b.count].op != ISA_OTHER && changes_register(&b.all[b.count], SP) &&
		    !makes_own_stack(&b, b.count, 0))
			error = bound_lacks(m, block->function, at, BOUND_ELSEWHERE);
		at += b.all[b.count].length;
	}
	free(b.all);
	return error;
}
