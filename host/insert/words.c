/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Instructions one by one: addresses, constants, variables. code.c makes codes of them. */
#include <elf.h>
#include <stdlib.h>
#include "host/base/decoded.h"
#include "host/insert/inserter_private.h"
#include "isa/isa.h"

#define SP 2u

void words_init(struct words *o, const struct inserter *in, uint32_t block, uint32_t atom)
{
	*o = (struct words){.in = in, .block = block, .atom = atom, .to = GRAPH_NONE};
}

void words_free(struct words *o)
{
	free(o->w);
	o->w = NULL;
}

static struct edit_word *add_edit_word(struct words *o)
{
	static struct edit_word nowhere;
	if (o->count == o->size) {
		size_t larger = 2 * o->size + 16;
		struct edit_word *w = o->count >= WORDS_MAX ? NULL : realloc(o->w, larger * sizeof *w);
		if (w == NULL) {
			o->full = true;
			return &nowhere;
		}
		o->w = w;
		o->size = larger;
	}
	return &o->w[o->count++];
}

struct edit_word *words_put(struct words *o, enum isa_op op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm)
{
	struct isa_insn insn, small;
	uint64_t word = 0;
	struct edit_word *w = add_edit_word(o);
	if (isa_make(o->in->set, op, (uint8_t)rd, (uint8_t)rs1, (uint8_t)rs2, imm, &insn) != ISA_OK)
		o->full = true;
	/* a jump's length is not known yet */
	if (o->in->compressed && !(o->in->even && op == ISA_JAL) && isa_compress(&insn, o->in->set, &small) == ISA_OK)
		insn = small;
	isa_encode(&insn, &word);
	*w = (struct edit_word){.word = (uint32_t)word, .length = insn.length};
	return w;
}

void words_even(struct words *o)
{
	uint32_t bytes = 0;
	for (size_t i = 0; i < o->count; i++)
		bytes += o->w[i].length;
	for (size_t i = o->count; bytes % 4 != 0 && i-- > 0;) {
		struct isa_insn insn, full;
		uint64_t word;
		if (o->w[i].length != 2 || decode_again(o->w[i].word, o->in->set, &insn) != 2 ||
		    isa_expand(&insn, o->in->set, &full) != ISA_OK || isa_encode(&full, &word) != ISA_OK)
			continue;
		o->w[i].word = (uint32_t)word;
		o->w[i].length = 4;
		bytes += 2;
	}
	o->full = o->full || bytes % 4 != 0;
}

struct edit_word *words_open(struct words *o, enum isa_op op, unsigned rd, unsigned rs1, unsigned rs2)
{
	struct isa_insn insn;
	uint64_t word = 0;
	struct edit_word *w = add_edit_word(o);
	isa_make(o->in->set, op, (uint8_t)rd, (uint8_t)rs1, (uint8_t)rs2, 0, &insn);
	isa_encode(&insn, &word);
	*w = (struct edit_word){.word = (uint32_t)word, .length = 4, .heat = o->heat};
	return w;
}

/* For a while; the unwind entry says so. */
void words_stack(struct words *o, int32_t by)
{
	if (by == 0)
		return;
	o->pushed -= by;
	struct edit_word *w = words_put(o, ISA_ADDI, SP, SP, 0, by);
	w->unwind = EDIT_SAID | EDIT_FRAMED | EDIT_KEPT;
	w->pushed = (int16_t)o->pushed;
}

/* ---------------------------------------------------------------- addresses and constants */
static bool addresses_by_pc(const struct inserter *in)
{
	return in->word == 8;
}

/* The upper part of an address; index of the word. */
size_t words_high(struct words *o, unsigned rd, uint32_t symbol, int64_t addend)
{
	bool pc = addresses_by_pc(o->in);
	struct edit_word *w = words_open(o, pc ? ISA_AUIPC : ISA_LUI, rd, 0, 0);
	w->type = pc ? R_RISCV_PCREL_HI20 : R_RISCV_HI20;
	w->symbol = symbol;
	w->addend = addend;
	w->tag = o->array;
	w->relax = !o->in->g->writes_gp;
	return o->count - 1;
}

void words_low(struct words *o, struct edit_word *w, size_t high, bool store, uint32_t symbol, int64_t addend)
{
	bool pc = addresses_by_pc(o->in);
	if (pc)
		w->type = store ? R_RISCV_PCREL_LO12_S : R_RISCV_PCREL_LO12_I;
	else
		w->type = store ? R_RISCV_LO12_S : R_RISCV_LO12_I;
	w->symbol = symbol;
	w->addend = pc ? 0 : addend;
	w->tag = o->array;
	if (pc) {
		w->to = EDIT_TO_WORD;
		w->target = high;
	}
	w->relax = !o->in->g->writes_gp;
}

void words_address(struct words *o, unsigned rd, uint32_t symbol, int64_t addend)
{
	size_t high = words_high(o, rd, symbol, addend);
	words_low(o, words_open(o, ISA_ADDI, rd, rd, 0), high, false, symbol, addend);
}

void words_constant(struct words *o, unsigned rd, int64_t value)
{
	if (fits_twelve_bits(value)) {
		words_put(o, ISA_ADDI, rd, 0, 0, (int32_t)value);
		return;
	}
	int32_t low = (int32_t)((uint32_t)value << 20) >> 20;
	words_put(o, ISA_LUI, rd, 0, 0, (int32_t)((uint32_t)value - (uint32_t)low));
	if (low != 0)
		words_put(o, o->in->word == 8 ? ISA_ADDIW : ISA_ADDI, rd, rd, 0, low);
	o->full = o->full || value < INT32_MIN || value > INT32_MAX;
}

/* rd = rs + value; scratch: another register, for large ones. */
void words_add(struct words *o, unsigned rd, unsigned rs, int64_t value, unsigned scratch)
{
	if (fits_twelve_bits(value)) {
		if (value != 0 || rd != rs)
			words_put(o, ISA_ADDI, rd, rs, 0, (int32_t)value);
		return;
	}
	words_constant(o, scratch, value);
	words_put(o, ISA_ADD, rd, rs, scratch, 0);
}

/* ---------------------------------------------------------------- variables */

void words_slot(struct words *o, unsigned v, bool store, unsigned reg)
{
	int32_t displacement;
	unsigned base = frame_base(o->in, o->block, o->atom, o->in->variables[v].at, &displacement);
	if (base == SP)
		displacement += o->pushed;
	if (store)
		words_put(o, store_op(o->in), 0, base, reg, displacement);
	else
		words_put(o, load_op(o->in), reg, base, 0, displacement);
}

/* The register that a variable is in; a slot is loaded into scratch. */
unsigned words_get(struct words *o, unsigned v, unsigned scratch)
{
	if (v >= INSERTER_X(0)) {
		unsigned x = v - INSERTER_X(0);
		bool below = x == SP && (o->pushed > 0 || o->in->frame);
		if ((o->saved_low >> x & 1) != 0)
			words_put(o, load_op(o->in), scratch, SP, 0, (int32_t)o->saved[x] + o->pushed);
		else if (below)
			words_add(o, scratch, SP, o->pushed + (int64_t)frame_bytes(o->in), WORDS_NONE);
		else
			return x;
		return scratch;
	}
	if (in_register(o->in, v)) {
		unsigned x = o->in->variables[v].reg;
		if ((o->saved_low >> x & 1) == 0)
			return x;
		words_put(o, load_op(o->in), scratch, SP, 0, (int32_t)o->saved[x] + o->pushed);
		return scratch;
	}
	words_slot(o, v, false, scratch);
	return scratch;
}

/* The register in which a variable is to be computed; put() then stores it. */
unsigned words_target(const struct words *o, unsigned v, unsigned scratch)
{
	return in_register(o->in, v) ? o->in->variables[v].reg : scratch;
}

void words_set(struct words *o, unsigned v, unsigned reg)
{
	if (!in_register(o->in, v))
		words_slot(o, v, true, reg);
	else if (o->in->variables[v].reg != reg)
		words_put(o, ISA_ADDI, o->in->variables[v].reg, reg, 0, 0);
}

void words_word_at(struct words *o, uint32_t symbol, bool store, unsigned reg, unsigned address)
{
	size_t high = words_high(o, address, symbol, 0);
	struct edit_word *w =
	    store ? words_open(o, store_op(o->in), 0, address, reg) : words_open(o, load_op(o->in), reg, address, 0);
	words_low(o, w, high, store, symbol, 0);
}

/* ---------------------------------------------------------------- calls */
void words_call(struct words *o, unsigned link, uint32_t symbol)
{
	struct edit_word *high = words_open(o, ISA_AUIPC, link, 0, 0);
	high->type = R_RISCV_CALL_PLT;
	high->symbol = symbol;
	high->relax = true;
	words_open(o, ISA_JALR, link, link, 0);
}

void words_hook(struct words *o, uint32_t symbol)
{
	words_call(o, 5, symbol);
}
