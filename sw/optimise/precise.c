/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The state of the program while it is in the cache. At loads, stores, exits and the end of a trace the registers are
 * those of the program as soon as what was put off is done. From any other instruction the trace is followed to the
 * next of these places:
 *
 *   trace   load  add  add  load  branch ... jump         stub   fix  fix  jump
 *             ▲    └────┴───►▲      ▲          ▲                   └────┴──►▲
 *         optimise_restore() is right here                             the target's
 */
#include "sw/optimise/private.h"

const struct optimise_patch *optimise_patch_at(const struct optimise *optimise, uint32_t pc)
{
	if (optimise_trace_at(optimise, pc) == NULL)
		return NULL;
	for (uint32_t i = 0; i < optimise->patch_count; i++)
		if (optimise->patches[i].pc == pc && optimise->patches[i].until == 0)
			return &optimise->patches[i];
	return NULL;
}

uint32_t optimise_pc(const struct optimise *optimise, uint32_t address, const struct optimise_insn **insn)
{
	uint32_t offset = address - optimise->config.cache;
	if (address < optimise->config.cache || offset >= optimise->cache_used)
		return 0;
	for (uint32_t i = 0; i < optimise->insn_count; i++) {
		const struct optimise_insn *k = &optimise->insns[i];
		if (offset >= 2u * k->at && offset < 2u * k->at + k->size) {
			if (insn != NULL)
				*insn = k;
			return k->kind == KIND_EXIT && optimise_asks(k) ? k->target : k->pc;
		}
		if (k->kind == KIND_EXIT && !(k->flags & OPTIMISE_DIRECT) && offset >= k->word &&
		    offset < k->word + 4u) {
			if (insn != NULL)
				*insn = k;
			return k->target;
		}
	}
	return 0;
}

void optimise_restore(const struct optimise *optimise, const struct optimise_insn *insn, uint32_t x[32])
{
	for (uint16_t fix = insn->fix; fix != 0; fix = optimise->fixes[fix].next) {
		const struct optimise_fix *f = &optimise->fixes[fix];
		if (f->kind == FIX_ADD) {
			x[f->reg] += (uint32_t)f->value;
		} else if (f->kind == FIX_SET) {
			x[f->reg] = (uint32_t)f->value;
		} else if (f->kind == FIX_COPY) {
			x[f->reg] = x[f->value & 31];
		} else if (f->kind == FIX_SWAP) {
			uint32_t other = x[f->value & 31];
			x[f->value & 31] = x[f->reg];
			x[f->reg] = other;
		} else if (f->kind == FIX_WORD) {
			struct isa_insn division;
			isa_decode((uint32_t)f->value, ISA_CORE, &division);
			x[division.rd] = optimise_alu((uint8_t)division.op, x[division.rs1], x[division.rs2]);
			x[0] = 0;
		} else {
			bool ok;
			struct isa_insn late;
			const struct optimise_patch *patch = optimise_patch_at(optimise, (uint32_t)f->value);
			uint32_t word =
			    patch != NULL ? patch->before : optimise_word(optimise, (uint32_t)f->value, &ok);
			isa_decode(word, ISA_CORE, &late);
			bool immediate = optimise_immediate(late.op);
			x[late.rd] = optimise_alu(late.op, x[late.rs1], immediate ? (uint32_t)late.imm : x[late.rs2]);
			x[0] = 0;
		}
	}
}

/* Instructions of a stub, as they are written there: they add, set, copy, exchange, divide; a jump is the last. */
static bool leave_stub(
    const struct optimise *optimise, const uint8_t *bytes, uint32_t offset, uint32_t x[32], uint32_t *pc)
{
	for (unsigned n = 0; n < 128 && offset + 4 <= optimise->cache_used; n++) {
		struct isa_insn insn;
		uint32_t word = 0;
		for (unsigned i = 0; i < 4; i++)
			word |= (uint32_t)bytes[offset + i] << 8 * i;
		isa_decode(word, ISA_CORE, &insn);
		if (insn.op == ISA_JAL && insn.rd == 0) {
			*pc = (uint32_t)isa_target(&insn, optimise->config.cache + offset);
			for (uint32_t i = 0; i < optimise->trace_count; i++)
				if (optimise_address(optimise, &optimise->traces[i]) == *pc)
					*pc = optimise->traces[i].pc;
			return *pc - optimise->config.cache >= optimise->cache_used;
		}
		if (insn.op == ISA_LUI)
			x[insn.rd] = (uint32_t)insn.imm;
		else if (insn.op == ISA_ADDI)
			x[insn.rd] = x[insn.rs1] + (uint32_t)insn.imm;
		else if (insn.op == ISA_ADD || insn.op == ISA_XOR || optimise_division(insn.op))
			x[insn.rd] = optimise_alu((uint8_t)insn.op, x[insn.rs1], x[insn.rs2]);
		else
			return false;
		x[0] = 0;
		offset += insn.length;
	}
	return false;
}

/* The trace that has an instruction. */
static const struct optimise_trace *trace_of(const struct optimise *optimise, uint32_t index)
{
	for (uint32_t i = 0; i < optimise->trace_count; i++)
		if (index - optimise->traces[i].first < optimise->traces[i].count)
			return &optimise->traces[i];
	return NULL;
}

bool optimise_leave(
    const struct optimise *optimise, const uint8_t *bytes, uint32_t address, uint32_t x[32], uint32_t *pc)
{
	const struct optimise_insn *insn = NULL;
	uint32_t offset = address - optimise->config.cache;
	if (offset >= optimise->cache_used || (address & 1) != 0)
		return false;
	for (uint32_t i = 0; i < optimise->insn_count && insn == NULL; i++) {
		const struct optimise_insn *k = &optimise->insns[i];
		if (k->kind == KIND_EXIT && !(k->flags & OPTIMISE_DIRECT) && offset - k->word < (uint32_t)k->imm)
			return leave_stub(optimise, bytes, offset, x, pc);
		/* a constant is made by two instructions */
		if (k->size != 0 && (k->kind == KIND_SET ? offset - 2u * k->at < k->size : offset == 2u * k->at))
			insn = k;
	}
	if (insn == NULL)
		return false;
	const struct optimise_trace *trace = trace_of(optimise, (uint32_t)(insn - optimise->insns));
	if (trace == NULL)
		return false;
	const struct optimise_insn *end = &optimise->insns[trace->first + trace->count];
	for (; insn < end && optimise_pure(insn); insn++) {
		if (insn->flags & OPTIMISE_GONE)
			continue;
		bool immediate = optimise_immediate(insn->op);
		x[insn->rd] = insn->kind == KIND_SET ? (uint32_t)insn->imm
						     : optimise_alu(insn->op, x[insn->rs1],
							   immediate ? (uint32_t)insn->imm : x[insn->rs2]);
		x[0] = 0;
	}
	if (insn == end)
		return false;
	optimise_restore(optimise, insn, x);
	*pc = insn->kind == KIND_JUMP || (insn->kind == KIND_EXIT && optimise_asks(insn)) ? insn->target : insn->pc;
	return true;
}
