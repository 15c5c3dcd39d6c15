/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Counters: one word of memory each, or two on RV32 with 64 bits; of a thread's own they are as far away as its copy
 * is.
 *
 *        lw   a, counter      one addition, two words      lw   a, low
 *        addi a, a, by                                     add  a, a, from
 *        sw   a, counter                                   sw   a, low
 *                                                          sltu b, a, from     what it carried
 *                                                          lw   a, high ...
 */
#include <elf.h>
#include "host/insert/inserter_private.h"
#include "isa/isa.h"

#define TP 4u
#define NONE WORDS_NONE

/* reg = reg + by, or + another register. */
static void add_to_register(struct words *o, unsigned reg, int64_t by, unsigned from, unsigned scratch)
{
	if (from != NONE)
		words_put(o, ISA_ADD, reg, reg, from, 0);
	else
		words_add(o, reg, reg, by, scratch);
}

/* 64 bits on RV32: the low word was stored, `sum`; into the high one at `base` + `at` goes what it carried. */
static void counter_add_at(struct words *o, unsigned base, int64_t at, int64_t by, unsigned from, const uint32_t *s)
{
	const unsigned a = s[1], scratch = s[2];
	const struct inserter *in = o->in;
	enum isa_op load = in->width == 8 && in->word == 8 ? ISA_LD : ISA_LW,
		    store = in->width == 8 && in->word == 8 ? ISA_SD : ISA_SW;
	bool carries = in->width == 8 && in->word == 4;
	words_put(o, load, a, base, 0, (int32_t)at);
	add_to_register(o, a, by, from, scratch);
	words_put(o, store, 0, base, a, (int32_t)at);
	if (!carries)
		return;
	if (from == NONE && by == 1) {
		struct edit_word *skip = words_put(o, ISA_BNE, 0, a, 0, 4);
		size_t branch = o->count - 1;
		skip->to = EDIT_TO_WORD;
		words_put(o, ISA_LW, a, base, 0, (int32_t)at + 4);
		words_put(o, ISA_ADDI, a, a, 0, 1);
		words_put(o, ISA_SW, 0, base, a, (int32_t)at + 4);
		if (!o->full)
			o->w[branch].target = o->count;
		return;
	}
	if (from == NONE) {
		words_constant(o, scratch, by);
		from = scratch;
	}
	words_put(o, ISA_SLTU, scratch, a, from, 0);
	words_put(o, ISA_LW, a, base, 0, (int32_t)at + 4);
	words_put(o, ISA_ADD, a, a, scratch, 0);
	words_put(o, ISA_SW, 0, base, a, (int32_t)at + 4);
}

/* s[0]: the address; s[1]: free. One instruction adds, so that no other thread and no handler comes between. */
static void counter_atomic(struct words *o, int64_t by, unsigned from, const uint32_t *s)
{
	if (from == NONE) {
		words_constant(o, s[1], by);
		from = s[1];
	}
	words_put(o, o->in->width == 8 ? ISA_AMOADD_D : ISA_AMOADD_W, 0, s[0], from, 0);
}

/* From the address of a counter to that of the running thread's: the distance is a variable of the thread. */
void counter_thread(struct words *o, unsigned reg, unsigned scratch)
{
	const struct inserter *in = o->in;
	struct edit_word *w = words_open(o, ISA_LUI, scratch, 0, 0);
	w->type = R_RISCV_TPREL_HI20;
	w->symbol = in->thread;
	w = words_open(o, ISA_ADD, scratch, scratch, TP);
	w->type = R_RISCV_TPREL_ADD;
	w->symbol = in->thread;
	w = words_open(o, load_op(in), scratch, scratch, 0);
	w->type = R_RISCV_TPREL_LO12_I;
	w->symbol = in->thread;
	words_put(o, ISA_ADD, reg, reg, scratch, 0);
}

/* At an address that the linker knows. */
void counter_add(struct words *o, int64_t value, int64_t by, unsigned from, const uint32_t *s)
{
	const struct inserter *in = o->in;
	int64_t bytes = value * (int64_t)in->width;
	if (in->atomic) {
		words_address(o, s[0], in->counters, bytes);
		counter_atomic(o, by, from, s);
		return;
	}
	if ((in->width == 8 && in->word == 4) || in->thread != 0) {
		words_address(o, s[0], in->counters, bytes);
		if (in->thread != 0)
			counter_thread(o, s[0], s[1]);
		counter_add_at(o, s[0], 0, by, from, s);
		return;
	}
	enum isa_op load = in->width == 8 ? ISA_LD : ISA_LW, store = in->width == 8 ? ISA_SD : ISA_SW;
	size_t high = words_high(o, s[0], in->counters, bytes);
	words_low(o, words_open(o, load, s[1], s[0], 0), high, false, in->counters, bytes);
	add_to_register(o, s[1], by, from, s[2]);
	words_low(o, words_open(o, store, 0, s[0], s[1]), high, true, in->counters, bytes);
}

/* On a variable that holds an address. */
void counter_add_by(struct words *o, unsigned v, int64_t value, int64_t by, unsigned from, const uint32_t *s)
{
	int64_t bytes = value * (int64_t)o->in->width;
	unsigned base = words_get(o, v, s[0]);
	if (o->in->atomic) {
		words_add(o, s[0], base, bytes, s[1]);
		counter_atomic(o, by, from, s);
		return;
	}
	if (!fits_twelve_bits(bytes)) { /* of counters with 8 bytes the upper half is near too */
		/* the upper part by LUI, the lower one as displacement */
		int64_t low = (int64_t)((uint64_t)bytes << 52) >> 52;
		unsigned high = s[0] == base ? s[1] : s[0];
		words_put(o, ISA_LUI, high, 0, 0, (int32_t)((uint32_t)bytes - (uint32_t)low));
		words_put(o, ISA_ADD, s[0], high, base, 0);
		base = s[0];
		bytes = low;
	}
	counter_add_at(o, base, bytes, by, from, s);
}

void counter_array(struct words *o, unsigned reg, int64_t bytes, uint32_t part)
{
	o->array = (uint8_t)(INSERTER_TAG_ARRAY + part);
	words_address(o, reg, o->in->counters, bytes);
	o->array = 0;
}

/* count[r + x]++; r = y; count[r + x] += n - 1, if there was a turn. Loads are not waited for but once. */
void counter_turns(struct words *o, const struct inserter_code *c, unsigned from, const uint32_t *scratch)
{
	unsigned s = scratch[0], r;
	enum isa_op load = load_op(o->in), store = store_op(o->in);
	int32_t x = (int32_t)(c->by * (int64_t)o->in->width);
	struct edit_word *skip = words_put(o, ISA_BEQ, 0, from, 0, 4);
	size_t branch = o->count - 1;
	skip->to = EDIT_TO_WORD;
	r = words_get(o, c->var, scratch[1]);
	words_put(o, load, s, r, 0, x);
	words_put(o, ISA_ADDI, from, from, 0, -1);
	words_put(o, ISA_ADDI, s, s, 0, 1);
	words_put(o, store, 0, r, s, x);
	/* the linker must not make shorter what is branched over */
	counter_array(o, r, c->value * (int64_t)o->in->width, c->symbol);
	for (size_t i = 1; i <= 2 && !o->full; i++)
		o->w[o->count - i].relax = false;
	words_put(o, load, s, r, 0, x);
	words_put(o, ISA_ADD, s, s, from, 0);
	words_put(o, store, 0, r, s, x);
	words_set(o, c->var, r);
	if (!o->full)
		o->w[branch].target = o->count;
}

void counter_memory(struct words *o, const struct inserter_code *c, unsigned from, const uint32_t *s)
{
	size_t high = words_high(o, s[0], c->symbol, c->value);
	words_low(o, words_open(o, load_op(o->in), s[1], s[0], 0), high, false, c->symbol, c->value);
	add_to_register(o, s[1], c->by, from, s[2]);
	words_low(o, words_open(o, store_op(o->in), 0, s[0], s[1]), high, true, c->symbol, c->value);
}
