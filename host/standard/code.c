/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/standard/code.h"

#include <stdlib.h>
#include "common/sizes.h"
#include "isa/isa.h"

#define ENTRIES SIZED(65536u, 256u) /* a power of two; 3 MB */

struct standard_code {
	const struct image *image;
	uint64_t ones; /* of the width */
	struct standard_insn entries[ENTRIES];
};

struct standard_code *standard_code_open(const struct image *image)
{
	struct standard_code *code = calloc(1, sizeof *code);
	if (code == NULL)
		return NULL;
	code->image = image;
	code->ones = image_xlen(image) == 64 ? UINT64_MAX : UINT32_MAX;
	for (unsigned i = 0; i < ENTRIES; i++)
		code->entries[i].pc = 1; /* of no instruction */
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

const struct standard_insn *standard_code_at(struct standard_code *code, uint64_t pc)
{
	struct standard_insn *entry = &code->entries[pc >> 1 & (ENTRIES - 1)];
	if (entry->pc != pc)
		fill_standard_insn(code, pc, entry);
	return entry;
}

bool standard_sequential(const struct standard_insn *before, const struct standard_insn *insn, uint64_t *target)
{
	bool jalr = insn->class >= STANDARD_CALL_INDIRECT && insn->class <= STANDARD_INDIRECT && insn->rs1 != 0;
	if (!jalr || !before->constant || before->rd != insn->rs1 || before->pc + before->length != insn->pc)
		return false;
	*target = (before->value + (uint64_t)(int64_t)insn->imm) & ~UINT64_C(1);
	return true;
}
