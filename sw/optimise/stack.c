/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Words on the stack that are in a register anyway: this trace has just stored or loaded them. Only addresses relative
 * to sp, and only until a store that is not relative to sp, which might go there too. All other loads stay: they could
 * be of devices, or of what an interrupt handler changes.
 */
#include "sw/optimise/private.h"

#define SLOTS 12u

struct slots {
	int32_t offset[SLOTS]; /* from sp at the beginning of the trace */
	uint8_t reg[SLOTS];
	unsigned count, next;
	int32_t moved; /* sp since then */
};

static void drop(struct slots *s, unsigned i)
{
	s->count--;
	s->offset[i] = s->offset[s->count];
	s->reg[i] = s->reg[s->count];
}

static void forget_register(struct slots *s, unsigned reg)
{
	for (unsigned i = s->count; i-- > 0;)
		if (s->reg[i] == reg)
			drop(s, i);
}

static void forget_word(struct slots *s, int32_t offset)
{
	for (unsigned i = s->count; i-- > 0;)
		if (s->offset[i] > offset - 4 && s->offset[i] < offset + 4)
			drop(s, i);
}

static void remember(struct slots *s, int32_t offset, unsigned reg)
{
	if (s->count == SLOTS)
		drop(s, s->next++ % SLOTS);
	s->offset[s->count] = offset;
	s->reg[s->count++] = (uint8_t)reg;
}

static void store(struct slots *s, const struct optimise_insn *insn)
{
	if (insn->rs1 != 2) {
		s->count = 0;
		return;
	}
	forget_word(s, insn->imm + s->moved);
	if (insn->op == ISA_SW)
		remember(s, insn->imm + s->moved, insn->rs2);
}

static void load(struct slots *s, struct optimise_insn *insn)
{
	bool word = insn->op == ISA_LW && insn->rs1 == 2 && insn->rd != 2 && insn->rd != 0;
	int32_t offset = insn->imm + s->moved;
	unsigned rd = insn->rd;
	for (unsigned i = 0; word && i < s->count; i++) {
		if (s->offset[i] != offset)
			continue;
		uint8_t reg = s->reg[i];
		if (reg == rd) {
			insn->flags |= OPTIMISE_GONE;
			return;
		}
		*insn = (struct optimise_insn){.pc = insn->pc,
		    .op = ISA_ADD,
		    .rd = insn->rd,
		    .rs2 = reg,
		    .kind = KIND_PLAIN,
		    .flags = OPTIMISE_EDITED};
		break;
	}
	forget_register(s, rd);
	if (word)
		remember(s, offset, rd);
}

void optimise_stack(struct optimise *optimise, struct optimise_trace *trace)
{
	struct optimise_insn *insns = &optimise->insns[trace->first];
	struct slots s = {.count = 0};
	for (uint32_t i = 0; i < trace->count; i++) {
		struct optimise_insn *insn = &insns[i];
		if (insn->kind == KIND_STORE) {
			store(&s, insn);
		} else if (insn->kind == KIND_LOAD) {
			load(&s, insn);
			if (insn->rd == 2 && !(insn->flags & OPTIMISE_GONE))
				s.count = 0;
		} else if (insn->rd == 2 && optimise_writes(insn) != 0) {
			if (insn->op == ISA_ADDI && insn->rs1 == 2)
				s.moved += insn->imm;
			else
				s.count = 0;
			forget_register(&s, 2);
		} else if (optimise_writes(insn) != 0) {
			forget_register(&s, insn->rd);
		}
	}
	optimise_close_gaps(optimise, trace);
}
