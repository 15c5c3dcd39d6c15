/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/standard/code.h"

#include <stdlib.h>
#include "isa/isa.h"

#define BLOCK_MOST 64 /* instructions of a block */

struct standard_code *standard_code_open(const struct image *image)
{
	struct standard_code *code = calloc(1, sizeof *code);
	if (code == NULL)
		return NULL;
	code->image = image;
	code->ones = image_xlen(image) == 64 ? UINT64_MAX : UINT32_MAX;
	for (unsigned i = 0; i < STANDARD_INSNS; i++)
		code->insns[i].pc = 1; /* of no instruction */
	for (unsigned i = 0; i < STANDARD_BLOCKS; i++)
		code->blocks[i].pc = 1;
	return code;
}

void standard_code_close(struct standard_code *code)
{
	free(code);
}

static bool is_link(unsigned reg)
{
	return reg == 1 || reg == 5;
}

static uint8_t class_of_jalr(const struct isa_insn *insn)
{
	if (!is_link(insn->rd))
		return is_link(insn->rs1) ? STANDARD_RETURN : STANDARD_INDIRECT;
	return is_link(insn->rs1) && insn->rs1 != insn->rd ? STANDARD_SWAP : STANDARD_CALL_INDIRECT;
}

static uint8_t standard_class_of(const struct isa_insn *insn)
{
	if ((insn->class_bits & ISA_BRANCH) != 0)
		return STANDARD_BRANCH;
	if ((insn->class_bits & ISA_JUMP) != 0)
		return is_link(insn->rd) ? STANDARD_CALL : STANDARD_JUMP;
	if ((insn->class_bits & ISA_RET) != 0)
		return STANDARD_TRAP_RETURN;
	if ((insn->class_bits & ISA_TRAPS) != 0)
		return STANDARD_TRAPS;
	if ((insn->class_bits & ISA_INDIRECT) == 0)
		return STANDARD_PLAIN;
	if (insn->op == ISA_JALR)
		return class_of_jalr(insn);
	return (insn->class_bits & ISA_RETURN) != 0 ? STANDARD_RETURN : STANDARD_INDIRECT;
}

static void fill_standard_insn(const struct standard_code *code, uint64_t pc, struct standard_insn *out)
{
	struct isa_insn insn;
	*out = (struct standard_insn){.pc = pc};
	if ((pc & 1) != 0 || !image_insn(code->image, pc, 0, &insn))
		return;
	out->word = (uint32_t)insn.word;
	out->length = insn.length;
	out->class = standard_class_of(&insn);
	out->rd = insn.rd;
	out->rs1 = insn.rs1;
	out->imm = insn.imm;
	if (out->class >= STANDARD_BRANCH && out->class <= STANDARD_CALL)
		out->target = isa_target(&insn, pc) & code->ones;
	out->constant = (insn.op == ISA_LUI || insn.op == ISA_AUIPC) && insn.rd != 0;
	out->value = ((insn.op == ISA_AUIPC ? pc : 0) + (uint64_t)(int64_t)insn.imm) & code->ones;
}

const struct standard_insn *standard_code_decode(struct standard_code *code, uint64_t pc)
{
	struct standard_insn *insn = &code->insns[pc >> 1 & (STANDARD_INSNS - 1)];
	fill_standard_insn(code, pc, insn);
	return insn;
}

static void fill_standard_block(struct standard_code *code, uint64_t pc, struct standard_block *out)
{
	*out = (struct standard_block){.pc = pc, .last = pc, .behind = pc};
	while (out->class == STANDARD_PLAIN && out->count < BLOCK_MOST) {
		const struct standard_insn *insn = standard_code_at(code, out->behind);
		if (insn->length == 0 || insn->class == STANDARD_TRAPS)
			return;
		out->count++;
		out->halves += insn->length / 2;
		out->last = out->behind;
		out->behind = (out->behind + insn->length) & code->ones;
		out->target = insn->target;
		out->class = insn->class;
	}
}

const struct standard_block *standard_code_measure(struct standard_code *code, uint64_t pc)
{
	struct standard_block *block = &code->blocks[pc >> 1 & (STANDARD_BLOCKS - 1)];
	fill_standard_block(code, pc, block);
	return block;
}

bool standard_sequential(const struct standard_insn *before, const struct standard_insn *insn, uint64_t *target)
{
	bool jalr = insn->class >= STANDARD_CALL_INDIRECT && insn->class <= STANDARD_INDIRECT && insn->rs1 != 0;
	if (!jalr || !before->constant || before->rd != insn->rs1 || before->pc + before->length != insn->pc)
		return false;
	*target = (before->value + (uint64_t)(int64_t)insn->imm) & ~UINT64_C(1);
	return true;
}
