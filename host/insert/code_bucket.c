/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A path is counted in the slot of a hash table, or in its own counter (INSERTER_BUCKET). */
#include "host/insert/inserter_private.h"

#define SLOTS_LOG 8 /* of INSERTER_SLOTS */
_Static_assert(1u << SLOTS_LOG == INSERTER_SLOTS, "slots are found by so many bits");

void bucket_number(struct words *o, const struct inserter_code *c, unsigned to, unsigned reg, unsigned scratch)
{
	const struct inserter *in = o->in;
	int64_t more = c->value;
	if (c->by != 0) {
		words_put(o, ISA_SRAI, to, reg, 0, in->word == 8 ? 3 : 2);
		more += c->arguments[3].value;
		reg = to;
	}
	if (more != 0)
		words_add(o, to, reg, more, scratch);
	else if (reg != to)
		words_put(o, ISA_ADDI, to, reg, 0, 0);
}

struct slot {     /* of a hash table, at s[0] */
	bool low; /* s[0] has the upper part of the address, by LUI; words_low() */
	uint32_t symbol;
	int64_t addend;
};

/* A word of it: where the address is known by its parts, the lower one is the displacement. */
static void slot_word(struct words *o, const struct slot *slot, enum isa_op op, unsigned reg, int32_t at)
{
	const bool store = op == ISA_SW;
	const enum isa_op sized = store ? store_op(o->in) : load_op(o->in);
	const unsigned base = o->scratch[0];
	if (!slot->low) {
		if (store)
			words_put(o, sized, 0, base, reg, at);
		else
			words_put(o, sized, reg, base, 0, at);
		return;
	}
	struct edit_word *w = store ? words_open(o, sized, 0, base, reg) : words_open(o, sized, reg, base, 0);
	words_low(o, w, 0, store, slot->symbol, slot->addend + at);
}

/* Its address: that in the argument, or by the path's number, with a register for its upper part. */
static struct slot put_slot(struct words *o, const struct inserter_argument *slots, unsigned number, unsigned upper)
{
	const int32_t bits = 8 * (int32_t)o->in->word;
	const struct slot slot = {o->in->word == 4, slots->symbol, slots->value};
	const unsigned to = o->scratch[0], base = number == WORDS_NONE ? to : upper;
	if (number != WORDS_NONE) {
		words_put(o, ISA_SLLI, to, number, 0, bits - SLOTS_LOG);
		words_put(o, ISA_SRLI, to, to, 0, bits - SLOTS_LOG - (slot.low ? 3 : 4));
	}
	if (slot.low)
		words_high(o, base, slots->symbol, slots->value);
	else
		words_address(o, base, slots->symbol, slots->value);
	if (number != WORDS_NONE)
		words_put(o, ISA_ADD, to, to, base, 0);
	return slot;
}

bool bucket_at_hand(const struct inserter *in, const struct inserter_code *c)
{
	const struct inserter_argument *number = &c->arguments[0];
	return number->kind == INSERTER_VARIABLE && in_register(in, (unsigned)number->value) && c->value == 0 &&
	       c->by == 0;
}

/* The slot and the path that is wanted there; the path that has it goes into *path. */
static struct slot put_slot_path(struct words *o, const struct inserter_code *c, unsigned *wanted, unsigned *path)
{
	const uint32_t *s = o->scratch;
	const struct inserter_argument *number = &c->arguments[0];
	const bool constant = number->kind == INSERTER_CONSTANT;
	*path = bucket_at_hand(o->in, c) ? s[1] : s[2];
	*wanted = constant ? s[1] : words_get(o, (unsigned)number->value, s[1]);
	if (!constant && !bucket_at_hand(o->in, c)) {
		bucket_number(o, c, s[1], *wanted, s[2]);
		*wanted = s[1];
	}
	const struct slot slot = put_slot(o, &c->arguments[2], constant ? WORDS_NONE : *wanted, *path);
	slot_word(o, &slot, ISA_LW, *path, 0);
	if (constant) /* while the load goes on */
		words_constant(o, *wanted, number->value);
	return slot;
}

/* The path's counter, if the variable is even; behind it a jump over what else counts. Indices of this, and of the
 * branch to what else counts. */
static void put_even(struct words *o, const struct inserter_code *c, size_t *odd, size_t *over)
{
	const struct inserter *in = o->in;
	const uint32_t *s = o->scratch;
	const int64_t bytes = c->value * (int64_t)in->width;
	const unsigned r = words_get(o, (unsigned)c->arguments[0].value, s[1]);
	words_put(o, ISA_ANDI, s[0], r, 0, 1);
	words_put(o, ISA_BNE, 0, s[0], 0, 4)->to = EDIT_TO_WORD;
	*odd = o->count - 1;
	const bool far = !fits_twelve_bits(bytes);
	const unsigned base = far ? s[1] : r;
	const unsigned sum = base == s[1] ? s[0] : s[1]; /* a variable that is a word of the stack is in s[1] */
	if (far)
		words_add(o, base, r, bytes, s[0]);
	words_put(o, load_op(in), sum, base, 0, far ? 0 : (int32_t)bytes);
	words_put(o, ISA_ADDI, sum, sum, 0, 1);
	words_put(o, store_op(in), 0, base, sum, far ? 0 : (int32_t)bytes);
	words_put(o, ISA_JAL, 0, 0, 0, 4)->to = EDIT_TO_WORD;
	*over = o->count - 1;
}

/* A slot is the path's, and counts it here, or another one's, or nobody's: then the runtime counts. On RV32 it has 31
 * bits; the runtime takes what is more. With --atomic the runtime counts there.
 *
 *	slli s0, r, 24     lw  s1, %lo(slots)(s0)         bne  s1, r, runtime
 *	srli s0, s0, 21    lw  s2, %lo(slots + 4)(s0)     addi s2, s2, 1
 *	lui  s1, %hi(slots)                               sw   s2, %lo(slots + 4)(s0)
 *	add  s0, s0, s1                                   bgez s2, done
 *
 * Neither load is waited for. Where s2 is not free, s1 takes the count too, behind the branch. A number that has to be
 * made is in one register more. Where the path may have a counter, that comes first (put_even()):
 *
 *	andi s0, r, 1      lw   s1, x(r)      j done
 *	bnez s0, slot      addi s1, s1, 1     slot: srai s1, r, 2
 *	                   sw   s1, x(r)            ...
 */
void bucket_put(struct words *o, const struct inserter_code *c, uint32_t live)
{
	const uint32_t *s = o->scratch;
	const struct inserter *in = o->in;
	const bool carries = in->word == 4;
	const size_t first = o->count;
	size_t other, done;
	unsigned wanted, path;
	if (in->atomic && carries) {
		words_runtime_call(o, c, live);
		return;
	}
	size_t odd = 0, over = 0;
	if (c->by != 0) {
		put_even(o, c, &odd, &over);
		if (!o->full)
			o->w[odd].target = o->count;
	}
	const struct slot slot = put_slot_path(o, c, &wanted, &path);
	const unsigned need = words_need(in, c);
	const bool early = o->scratch_count > need && !in->atomic;
	const unsigned count = early ? s[need] : path;
	if (early)
		slot_word(o, &slot, ISA_LW, count, (int32_t)in->word);
	words_put(o, ISA_BNE, 0, path, wanted, 4)->to = EDIT_TO_WORD;
	other = o->count - 1;
	if (in->atomic) {
		words_put(o, ISA_ADDI, s[0], s[0], 0, (int32_t)in->word);
		words_put(o, ISA_ADDI, count, 0, 0, 1);
		words_put(o, ISA_AMOADD_D, 0, s[0], count, 0);
	} else {
		if (!early)
			slot_word(o, &slot, ISA_LW, count, (int32_t)in->word);
		words_put(o, ISA_ADDI, count, count, 0, 1);
		slot_word(o, &slot, ISA_SW, count, (int32_t)in->word);
	}
	if (carries)
		words_put(o, ISA_BGE, 0, count, 0, 4)->to = EDIT_TO_WORD;
	else
		words_put(o, ISA_JAL, 0, 0, 0, 4)->to = EDIT_TO_WORD;
	done = o->count - 1;
	if (!o->full)
		o->w[other].target = o->count;
	words_runtime_call(o, c, live);
	if (o->full)
		return;
	for (size_t i = first; i < o->count; i++)
		o->w[i].relax = false; /* the branches know their distance, and the slots' address is a sum */
	o->w[done].target = o->count;
	if (c->by != 0)
		o->w[over].target = o->count;
}
