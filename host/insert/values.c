/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/values.h"

#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"

/* -msave-restore keeps ra and the first callee-saved registers on the stack. */
int values_millicode(const struct graph *g, const struct edit_atom *atom, const char *which)
{
	const char *name = atom->symbol != 0 ? object_symbol_name(g->edit->object, atom->symbol) : "";
	size_t length = strlen(which);
	if (strncmp(name, which, length) != 0 || name[length] < '0' || name[length] > '9')
		return -1;
	int n = atoi(name + length);
	return n <= 12 ? n : -1;
}

/* What it saves comes in groups of 16 bytes: registers in all, s0 to s(n - 1). */
int values_saved_by(const struct graph *g, int n)
{
	int group = g->edit->object->xlen == 64 ? n / 2 * 2 + 1 : n / 4 * 4 + 3;
	return group > 12 ? 12 : group;
}

int64_t values_save_bytes(const struct graph *g, int n)
{
	return g->edit->object->xlen == 64 ? 16 * (n / 2 + 1) : 16 * (n / 4 + 1);
}

void values_step(const struct graph *g, const struct edit_atom *atom, struct values *v)
{
	struct isa_insn insn;
	struct isa_registers regs;
	struct value result = {VALUE_UNKNOWN, 0};
	if (atom->kind == EDIT_PAD)
		return;
	graph_insn(g, atom, &insn);
	isa_registers(&insn, &regs);
	v->system = v->system || insn.op == ISA_ECALL;
	if (atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL) {
		int n = insn.rd == 5 ? values_millicode(g, atom, "__riscv_save_") : -1;
		if (n >= 0) {
			for (int i = 0; i < values_saved_by(g, n); i++)
				v->saved |= 1u << (i < 2 ? 8 + i : 16 + i);
			v->r[2].c -= values_save_bytes(g, n);
			v->r[5] = v->r[6] = v->r[1] = result;
			return;
		}
		uint32_t changed = insn.rd == 1 ? GRAPH_CALLER_SAVED | 2 : 0xFFFFFFFEu;
		for (unsigned i = 1; i < 32; i++) {
			if ((changed >> i & 1) != 0)
				v->r[i] = result;
		}
		return;
	}
	const struct value *a = &v->r[insn.rs1], *b = &v->r[insn.rs2];
	if ((insn.class_bits & ISA_STORE) != 0 && a->kind == VALUE_STACK && (insn.op == ISA_SW || insn.op == ISA_SD))
		v->saved |= 1u << insn.rs2 & GRAPH_CALLEE_SAVED;
	if ((insn.class_bits & ISA_LOAD) != 0 && a->kind == VALUE_STACK)
		v->saved &= ~(1u << insn.rd);
	bool plain = atom->relocs == 0;
	if (insn.op == ISA_ADDI && plain && (a->kind == VALUE_STACK || a->kind == VALUE_CONSTANT))
		result = (struct value){a->kind, a->c + insn.imm};
	else if (insn.op == ISA_LUI && plain)
		result = (struct value){VALUE_CONSTANT, (int64_t)(int32_t)((uint32_t)insn.imm)};
	else if (insn.op == ISA_ADD && a->kind >= VALUE_CONSTANT && b->kind >= VALUE_CONSTANT &&
		 !(a->kind == VALUE_STACK && b->kind == VALUE_STACK))
		result = (struct value){
		    a->kind == VALUE_STACK || b->kind == VALUE_STACK ? VALUE_STACK : VALUE_CONSTANT, a->c + b->c};
	else if (insn.op == ISA_SUB && a->kind >= VALUE_CONSTANT && b->kind == VALUE_CONSTANT)
		result = (struct value){a->kind, a->c - b->c};
	for (unsigned i = 1; i < 32; i++) {
		if ((regs.x_written >> i & 1) != 0)
			v->r[i] = i == insn.rd ? result : (struct value){VALUE_UNKNOWN, 0};
	}
}

bool values_meet(struct values *to, const struct values *from)
{
	bool changed = from->system && !to->system;
	uint32_t saved = to->r[2].kind == VALUE_NOT_YET ? from->saved : to->saved & from->saved;
	changed = changed || saved != to->saved;
	to->saved = saved;
	to->system = to->system || from->system;
	for (unsigned i = 0; i < 32; i++) {
		struct value *a = &to->r[i];
		const struct value *b = &from->r[i];
		if (b->kind == VALUE_NOT_YET || a->kind == VALUE_UNKNOWN || (a->kind == b->kind && a->c == b->c))
			continue;
		*a = a->kind == VALUE_NOT_YET ? *b : (struct value){VALUE_UNKNOWN, 0};
		changed = true;
	}
	return changed;
}
