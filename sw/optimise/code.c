/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The program's instructions, decoded once. */
#include "sw/optimise/private.h"

const char *const optimise_pass_names[OPTIMISE_PASSES] = {"unroll", "inline", "forward", "dead", "stack", "divide",
    "slots", "align", "compress", "link", "rename", "reciprocal"};

const char *optimise_strerror(int error)
{
	switch (error) {
	case OPTIMISE_OK:
		return "no error";
	case OPTIMISE_EMEMORY:
		return "the optimiser's working memory is too small";
	case OPTIMISE_ECONFIG:
		return "the code cache is not word aligned or too far from the program, or a length is 0";
	case OPTIMISE_ECHANGED:
		return "the program's code has changed since its trace was made";
	default:
		return "unknown error";
	}
}

static const uint8_t *bytes_at(const struct optimise *optimise, uint32_t pc)
{
	const struct optimise_config *c = &optimise->config;
	if ((c->range_start != 0 || c->range_end != 0) && (pc < c->range_start || pc >= c->range_end))
		return NULL;
	for (unsigned i = 0; i < c->code_count; i++)
		if (pc >= c->code[i].base && pc - c->code[i].base <= c->code[i].size - 2 && c->code[i].size >= 2)
			return c->code[i].bytes + (pc - c->code[i].base);
	return NULL;
}

uint32_t optimise_far_word(const struct optimise *optimise, uint32_t pc, bool *ok)
{
	const uint8_t *low = bytes_at(optimise, pc);
	*ok = low != NULL;
	if (low == NULL)
		return 0;
	uint32_t word = (uint32_t)low[0] | (uint32_t)low[1] << 8;
	if ((word & 3) != 3)
		return word;
	const uint8_t *high = bytes_at(optimise, pc + 2);
	*ok = high != NULL;
	return high == NULL ? 0 : word | (uint32_t)high[0] << 16 | (uint32_t)high[1] << 24;
}

static uint8_t kind_of(const struct isa_insn *insn)
{
	if (insn->class_bits & ISA_BRANCH)
		return KIND_EXIT;
	if (insn->class_bits & ISA_LOAD)
		return KIND_LOAD;
	if (insn->class_bits & ISA_STORE)
		return KIND_STORE;
	switch (insn->op) {
	case ISA_JAL:
		return insn->rd == 0 ? KIND_JUMP : KIND_CALL;
	case ISA_JALR:
		return insn->rd == 0 ? KIND_INDIRECT : KIND_STOP;
	case ISA_LUI:
	case ISA_AUIPC:
		return KIND_SET;
	case ISA_ADD:
	case ISA_SUB:
	case ISA_SLL:
	case ISA_SLT:
	case ISA_SLTU:
	case ISA_XOR:
	case ISA_SRL:
	case ISA_SRA:
	case ISA_OR:
	case ISA_AND:
		return KIND_PLAIN;
	default:
		return optimise_immediate(insn->op) || optimise_product(insn->op) ? KIND_PLAIN : KIND_STOP;
	}
}

/* AUIPC: the same value from any place. */
static void absolute(struct optimise_insn *insn)
{
	if (insn->op != ISA_AUIPC)
		return;
	insn->op = ISA_LUI;
	insn->imm = (int32_t)(insn->pc + (uint32_t)insn->imm);
	insn->flags = OPTIMISE_EDITED;
}

void optimise_decode_word(uint32_t word, uint32_t pc, struct optimise_insn *out)
{
	struct isa_insn insn;
	*out = (struct optimise_insn){.pc = pc};
	if (optimise_read_word(word, out)) {
		if (out->kind == KIND_EXIT || out->kind == KIND_JUMP || out->kind == KIND_CALL)
			out->target = pc + (uint32_t)out->imm;
		absolute(out);
		return;
	}
	isa_decode(word, ISA_CORE, &insn);
	*out = (struct optimise_insn){.pc = pc,
	    .word = (uint32_t)insn.word,
	    .imm = insn.imm,
	    .op = insn.op,
	    .rd = insn.rd,
	    .rs1 = insn.rs1,
	    .rs2 = insn.rs2,
	    .length = insn.length,
	    .kind = kind_of(&insn)};
	if (insn.class_bits & (ISA_BRANCH | ISA_JUMP))
		out->target = (uint32_t)isa_target(&insn, pc);
	absolute(out);
}

/* The word that the program has at pc, not that of a patch. False: a patch overwrites a part of it, because the program
 * had not been seen to come here. */
static bool without_patch(const struct optimise *optimise, uint32_t pc, uint32_t *word)
{
	if (!optimise_may_begin(optimise, pc) && !optimise_may_begin(optimise, pc - 2) &&
	    !optimise_may_begin(optimise, pc + 2))
		return true;
	for (uint32_t i = 0; i < optimise->patch_count; i++) {
		const struct optimise_patch *patch = &optimise->patches[i];
		if (patch->until != 0)
			continue;
		if (patch->pc == pc) {
			*word = patch->before;
			return true;
		}
		if (patch->pc + 2 == pc || (patch->pc == pc + 2 && (*word & 3) == 3))
			return false;
	}
	return true;
}

static uint32_t traits_of(const struct optimise_insn *insn)
{
	uint32_t written = 1u << insn->rd, links = 1u << 1 | 1u << 5;
	if (insn->kind == KIND_STORE)
		return insn->rs1 == 2 && (links >> insn->rs2 & 1) != 0 ? TRAIT_SPECIAL : TRAIT_STORE;
	if (insn->kind > KIND_STORE || optimise_division(insn->op))
		return TRAIT_SPECIAL | (optimise_product(insn->op) ? TRAIT_PRODUCT : 0);
	return ((written & (links | 1u << 2)) != 0 ? TRAIT_SPECIAL : 0) |
	       (insn->kind == KIND_LOAD && insn->rs1 == 2 ? TRAIT_STACK : 0) |
	       (optimise_product(insn->op) ? TRAIT_PRODUCT : 0) | (optimise_copies(insn) ? TRAIT_COPY : 0);
}

const struct optimise_insn *optimise_decode(struct optimise *optimise, uint32_t pc)
{
	struct optimise_decoded *d = optimise_place(optimise, pc);
	bool ok;
	if (d->insn.pc == pc)
		return &d->insn;
	uint32_t word = optimise_word(optimise, pc, &ok);
	if (!ok || (pc & 1) != 0 || !without_patch(optimise, pc, &word))
		return NULL;
	optimise_see(optimise, pc);
	optimise_decode_word(word, pc, &d->insn);
	d->traits = traits_of(&d->insn);
	return &d->insn;
}

uint32_t optimise_alu(uint8_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case ISA_ADD:
	case ISA_ADDI:
		return a + b;
	case ISA_SUB:
		return a - b;
	case ISA_SLL:
	case ISA_SLLI:
		return a << (b & 31);
	case ISA_SRL:
	case ISA_SRLI:
		return a >> (b & 31);
	case ISA_SRA:
	case ISA_SRAI:
		return (uint32_t)((int32_t)a >> (b & 31));
	case ISA_SLT:
	case ISA_SLTI:
		return (int32_t)a < (int32_t)b;
	case ISA_SLTU:
	case ISA_SLTIU:
		return a < b;
	case ISA_XOR:
	case ISA_XORI:
		return a ^ b;
	case ISA_OR:
	case ISA_ORI:
		return a | b;
	case ISA_AND:
	case ISA_ANDI:
		return a & b;
	case ISA_MUL:
		return a * b;
	case ISA_MULH:
		return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
	case ISA_MULHSU:
		return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int64_t)(uint64_t)b) >> 32);
	case ISA_MULHU:
		return (uint32_t)((uint64_t)a * b >> 32);
	case ISA_DIVU:
		return b == 0 ? UINT32_MAX : a / b;
	case ISA_REMU:
		return b == 0 ? a : a % b;
	case ISA_DIV:
		return b == 0                                ? UINT32_MAX
		       : a == 0x80000000u && b == UINT32_MAX ? a
							     : (uint32_t)((int32_t)a / (int32_t)b);
	default: /* REM */
		return b == 0 ? a : a == 0x80000000u && b == UINT32_MAX ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
	}
}
