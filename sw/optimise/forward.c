/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Constants forwarded, and additions of constants put off:
 *
 *   lw   a0, 0(a4)                lw   a0, 0(a4)
 *   addi a4, a4, 4                                       pending: a4 += 4
 *   bne  a0, a1, exit             bne  a0, a1, exit      its stub: addi a4, a4, 4
 *   lw   a0, 0(a4)                lw   a0, 4(a4)
 *   addi a4, a4, 4                                       pending: a4 += 8
 *   add  a2, a2, a4               addi a4, a4, 8
 *                                 add  a2, a2, a4
 *
 * What is put off is done before it is needed, by exits, and by whoever shows the registers of a fault to the program.
 * A value is put off only if something is won: the same register is added to again, or overwritten. The stack pointer
 * is never put off: an interrupt handler may use the stack.
 */
#include "sw/optimise/private.h"

enum pending { NOW, ADD, SET };

struct forward {
	struct optimise *optimise;
	struct optimise_insn *insns;
	uint32_t count, to; /* of the trace; written so far */
	uint32_t flow;
	uint8_t pending[32]; /* enum pending */
	int32_t value[32];   /* to be added, to be set */
	uint32_t known;      /* registers that hold the constant in constant[] */
	uint32_t constant[32];
	uint32_t any;        /* registers with something pending */
	uint16_t list, tail; /* the fixes for it, and those of another pass behind them */
	bool listed, ok;
};

static void forget(struct forward *f, unsigned reg)
{
	if (f->pending[reg] != NOW)
		f->listed = false;
	f->pending[reg] = NOW;
	f->any &= ~(1u << reg);
	f->known &= ~(1u << reg);
}

static void put_off(struct forward *f, unsigned reg, enum pending what, int32_t value)
{
	f->pending[reg] = (uint8_t)what;
	f->value[reg] = value;
	f->any |= 1u << reg;
	f->listed = false;
	if (what == ADD && value == 0) {
		f->pending[reg] = NOW;
		f->any &= ~(1u << reg);
	}
}

/* At most PENDING registers at once, so that the lists of a trace have a bound (see optimise_forward()). */
#define PENDING 4u
static bool has_room(const struct forward *f, unsigned reg)
{
	unsigned count = 0;
	for (uint32_t any = f->any; any != 0; any &= any - 1)
		count++;
	return (f->any >> reg & 1) != 0 || count < PENDING;
}

static void list_pending(struct forward *f)
{
	unsigned r = 1;
	for (uint32_t any = f->any >> 1; any != 0; any >>= 1, r++)
		if (any & 1)
			f->list = optimise_fix(f->optimise, f->list, f->pending[r] == ADD ? FIX_ADD : FIX_SET,
			    (uint8_t)r, f->value[r], &f->ok);
}

static inline uint16_t fixes(struct forward *f, uint16_t tail)
{
	if (f->listed && f->tail == tail)
		return f->list;
	f->list = f->tail = tail;
	if (f->any != 0)
		list_pending(f);
	f->listed = true;
	return f->list;
}

static inline bool fits(int64_t value)
{
	return value >= -2048 && value <= 2047;
}

/* What is pending of a register is done here. */
static void settle(struct forward *f, unsigned reg, uint32_t pc)
{
	if (!(f->any >> reg & 1))
		return;
	struct optimise_insn insn = {.pc = pc, .rd = (uint8_t)reg, .imm = f->value[reg], .flags = OPTIMISE_EDITED};
	insn.kind = f->pending[reg] == SET ? KIND_SET : KIND_PLAIN;
	insn.op = f->pending[reg] == SET ? ISA_LUI : ISA_ADDI;
	insn.rs1 = f->pending[reg] == SET ? 0 : (uint8_t)reg;
	bool set = f->pending[reg] == SET;
	uint32_t value = (uint32_t)f->value[reg];
	f->insns[f->to++] = insn;
	forget(f, reg);
	if (set) {
		f->known |= 1u << reg;
		f->constant[reg] = value;
	}
}

static bool own_addition(const struct optimise_insn *insn, unsigned reg)
{
	return insn->op == ISA_ADDI && insn->rd == reg && insn->rs1 == reg;
}

/* Is it worth it to put off reg at instruction i? flow: how often the trace comes to i. */
static bool worth(const struct forward *f, uint32_t i, unsigned reg, enum pending what, int32_t value)
{
	uint32_t flow = f->flow;
	const struct optimise_insn *insn = &f->insns[i], *end = &f->insns[f->count];
	while (++insn < end) {
		if (own_addition(insn, reg))
			return fits((int64_t)value + insn->imm) || what == SET;
		if (optimise_reads(insn) >> reg & 1) {
			bool base = (insn->kind == KIND_LOAD || (insn->kind == KIND_STORE && insn->rs2 != reg)) &&
				    insn->rs1 == reg;
			if (what != ADD || !base || !fits((int64_t)insn->imm + value))
				return false;
		}
		if (optimise_writes(insn) >> reg & 1)
			return true;
		if (insn->kind == KIND_EXIT) {
			if (insn->flow > flow / 8)
				return false;
			flow -= insn->flow;
		}
	}
	return false;
}

static bool known(const struct forward *f, unsigned reg, uint32_t *value)
{
	*value = reg == 0 ? 0 : f->constant[reg];
	return reg == 0 || (f->known >> reg & 1) != 0;
}

/* The value that a pure instruction computes, if its operands are known. */
static bool evaluate(const struct forward *f, const struct optimise_insn *insn, uint32_t *value)
{
	uint32_t a, b;
	if (insn->kind == KIND_SET) {
		*value = (uint32_t)insn->imm;
		return true;
	}
	bool immediate = optimise_immediate(insn->op);
	if (!known(f, insn->rs1, &a) || (!immediate && !known(f, insn->rs2, &b)))
		return false;
	if (immediate)
		b = (uint32_t)insn->imm;
	*value = optimise_alu(insn->op, a, b);
	return true;
}

/* Loads, stores, additions take a pending addition into their offset. */
static void fold(struct forward *f, struct optimise_insn *insn)
{
	unsigned base = insn->rs1;
	bool takes = insn->kind == KIND_LOAD || (insn->kind == KIND_STORE && insn->rs2 != base) ||
		     (insn->op == ISA_ADDI && insn->rd != base);
	if (!takes || f->pending[base] != ADD || !fits((int64_t)insn->imm + f->value[base]))
		return;
	insn->imm += f->value[base];
	insn->flags |= OPTIMISE_EDITED;
}

static void settle_operands(struct forward *f, const struct optimise_insn *insn, unsigned folded)
{
	uint32_t reads = f->any == 0 ? 0 : optimise_reads(insn) & f->any & ~(1u << folded);
	for (unsigned r = 0; reads != 0; reads >>= 1, r++)
		if (reads & 1)
			settle(f, r, insn->pc);
}

/* The instruction itself changes where it stands, and then moves up behind what has been written. What was put off
 * before it has left room there, so nothing is overwritten. */
static void write(struct forward *f, const struct optimise_insn *insn)
{
	if (insn != &f->insns[f->to])
		f->insns[f->to] = *insn;
	f->to++;
}

static void pure(struct forward *f, uint32_t i, struct optimise_insn *at)
{
	uint32_t value = 0;
	unsigned rd = at->rd;
	if (rd == 0)
		return;
	if (own_addition(at, rd) && rd != 2) {
		if (f->pending[rd] == SET) {
			put_off(f, rd, SET, (int32_t)((uint32_t)f->value[rd] + (uint32_t)at->imm));
			return;
		}
		int64_t sum = (int64_t)at->imm + (f->pending[rd] == ADD ? f->value[rd] : 0);
		if (fits(sum) && (f->pending[rd] == ADD || (has_room(f, rd) && worth(f, i, rd, ADD, (int32_t)sum)))) {
			put_off(f, rd, ADD, (int32_t)sum);
			f->known &= ~(1u << rd);
			return;
		}
	}
	bool constant = evaluate(f, at, &value) && (optimise_reads(at) & f->any) == 0;
	if (constant && f->pending[rd] == NOW && f->known >> rd & 1 && f->constant[rd] == value)
		return; /* it is there already */
	if (constant && rd != 2 && has_room(f, rd) && (at->kind == KIND_SET || at->rs1 == 0) &&
	    worth(f, i, rd, SET, (int32_t)value)) {
		forget(f, rd);
		put_off(f, rd, SET, (int32_t)value);
		return;
	}
	if (constant && fits((int32_t)value) && at->kind == KIND_PLAIN && at->rs1 != 0) {
		at->op = ISA_ADDI;
		at->rs1 = at->rs2 = 0;
		at->imm = (int32_t)value;
		at->flags |= OPTIMISE_EDITED;
	}
	int32_t before = at->imm;
	fold(f, at);
	settle_operands(f, at, at->imm != before ? at->rs1 : 0);
	forget(f, rd);
	if (constant) {
		f->known |= 1u << rd;
		f->constant[rd] = value;
	}
	write(f, at);
}

void optimise_forward(struct optimise *optimise, struct optimise_trace *trace)
{
	struct forward f = {.optimise = optimise,
	    .insns = &optimise->insns[trace->first],
	    .count = trace->count,
	    .flow = trace->flow,
	    .ok = true,
	    .listed = true};
	/* A list of PENDING fixes for each instruction at most; without room for them nothing is put off. */
	if (optimise->fix_room - optimise->fix_count < PENDING * trace->count ||
	    optimise->fix_count + PENDING * trace->count > UINT16_MAX)
		return;
	for (uint32_t i = 0; i < f.count; i++) {
		struct optimise_insn *insn = &f.insns[i];
		if (optimise_pure(insn)) {
			pure(&f, i, insn);
			continue;
		}
		int32_t before = insn->imm;
		if (insn->kind == KIND_LOAD || insn->kind == KIND_STORE)
			fold(&f, insn);
		settle_operands(&f, insn, insn->imm != before ? insn->rs1 : 0);
		if (insn->kind == KIND_JUMP || insn->kind == KIND_INDIRECT)
			for (unsigned r = 1; r < 32 && f.any >> r != 0; r++)
				settle(&f, r, insn->pc);
		insn->fix = fixes(&f, insn->fix);
		if (optimise_writes(insn) != 0)
			forget(&f, insn->rd);
		if (insn->kind == KIND_EXIT)
			f.flow -= insn->flow < f.flow ? insn->flow : f.flow;
		write(&f, insn);
	}
	for (uint32_t i = f.to; i < f.count; i++)
		f.insns[i].flags |= OPTIMISE_GONE;
	optimise_close_gaps(optimise, trace);
}
