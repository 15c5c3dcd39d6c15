/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Calling contexts: what a call costs that goes where it went before (sw/probe/cycles.h).
 *
 *   call           now = cycles; hint = slot[k]
 *   enter          h = hint; h->tag, h->site, h->now as expected? else h = the runtime's; node = h
 *   leave          self += cycles; calls++; a carry, a new least or most? the runtime; now = 0; hint = back
 *
 * Registers that compressed instructions reach come first: on a core with one port half of the cost is fetch.
 */
#include "host/insert/inserter_private.h"
#include "sw/probe/cycles.h"
#include "isa/isa.h"

#define SP 2u
#define RA 1u
#define T0 5u
#define T1 6u
#define T2 7u
#define T3 28u

static bool short_reach(unsigned reg)
{
	return reg >= 8 && reg < 16;
}

/* The node's register is worked with itself. */
static bool in_place(const struct inserter *in, unsigned v)
{
	return in->variables[v].kind != INSERTER_SLOT && short_reach(in->variables[v].reg);
}

unsigned context_needs(const struct inserter *in, const struct inserter_code *c)
{
	if (c->op == INSERTER_CONTEXT_AGAIN || c->op == INSERTER_ADD_BYTES || c->op == INSERTER_ADD_BYTES_SIGNED)
		return 2;
	unsigned own = in_place(in, c->var) ? 0 : 1;
	bool far = c->from == INSERTER_NO_VARIABLE || in->variables[c->from].kind == INSERTER_SLOT;
	if (c->op == INSERTER_CONTEXT_ENTER)
		return 3 + own;
	if (c->op == INSERTER_CONTEXT_CALL)
		return 2;
	return 2 + own + ((c->value & INSERTER_CONTEXT_SAME) == 0 && far ? 1 : 0);
}

static void load_context_word(struct words *o, unsigned to, unsigned node, unsigned word)
{
	words_put(o, o->in->word == 8 ? ISA_LD : ISA_LW, to, node, 0, (int32_t)(word * o->in->word));
}

static void store_context_word(struct words *o, unsigned from, unsigned node, unsigned word)
{
	words_put(o, o->in->word == 8 ? ISA_SD : ISA_SW, 0, node, from, (int32_t)(word * o->in->word));
}

/* A branch to another word of the code, which is not known yet; its index. */
static size_t branch_later(struct words *o, enum isa_op op, unsigned a, unsigned b)
{
	/* a distance that the short forms reach; compressed ones compare with x0 */
	words_put(o, op, 0, a, b, 4)->to = EDIT_TO_WORD;
	return o->count - 1;
}

static void land_branch(struct words *o, size_t at)
{
	if (!o->full)
		o->w[at].target = o->count;
}

/* Calls a hook in an unusual case: with two values in t1 and t2, or in t3 an address that is there already. What it
 * changes and is live is kept on the stack. */
struct kept {
	uint32_t mask;
	int32_t bytes;
	size_t first; /* word */
};

static struct kept keep_registers(struct words *o, uint32_t live, uint32_t but)
{
	const struct inserter *in = o->in;
	struct kept k = {
	    .first = o->count, .mask = (live | in->f->kept | inserter_held(in, o->block, o->to)) & HOOK_CHANGES & ~but};
	int32_t at = 0;
	for (unsigned x = 1; x < 32; x++)
		k.bytes += (k.mask >> x & 1) != 0 ? (int32_t)in->word : 0;
	k.bytes = (k.bytes + 15) / 16 * 16;
	words_stack(o, -k.bytes);
	for (unsigned x = 1; x < 32; x++) {
		if ((k.mask >> x & 1) != 0) {
			words_put(o, in->word == 8 ? ISA_SD : ISA_SW, 0, SP, x, at);
			at += (int32_t)in->word;
		}
	}
	return k;
}

/* The end of what keep_registers() began. The linker shall leave it as it is: branches lead over it. */
static void restore_registers(struct words *o, struct kept k)
{
	const struct inserter *in = o->in;
	int32_t at = 0;
	for (size_t i = k.first; i < o->count && !o->full; i++)
		o->w[i].relax = false;
	for (unsigned x = 1; x < 32; x++) {
		if ((k.mask >> x & 1) != 0) {
			words_put(o, in->word == 8 ? ISA_LD : ISA_LW, x, SP, 0, at);
			at += (int32_t)in->word;
		}
	}
	words_stack(o, k.bytes);
}

static void move_register(struct words *o, unsigned to, unsigned from)
{
	if (to != from)
		words_put(o, ISA_ADDI, to, from, 0, 0);
}

static void put_context_enter(struct words *o, const struct inserter_code *c, uint32_t live)
{
	const uint32_t *s = o->scratch;
	bool place = in_place(o->in, c->var), leaf = (c->value & INSERTER_CONTEXT_LEAF) != 0;
	unsigned h = place ? o->in->variables[c->var].reg : s[3], tag = s[0], a = s[1], b = s[2];
	words_word_at(o, c->symbol, false, h, h);
	words_put(o, ISA_AUIPC, tag, 0, 0, 0);
	load_context_word(o, a, h, RIVULET_CYCLES_TAG);
	load_context_word(o, b, h, leaf ? RIVULET_CYCLES_SITE : RIVULET_CYCLES_NOW);
	size_t other = branch_later(o, ISA_BNE, a, tag), stale = 0;
	if (!leaf) {
		load_context_word(o, a, h, RIVULET_CYCLES_SITE);
		stale = branch_later(o, ISA_BNE, b, 0);
	}
	size_t same = branch_later(o, ISA_BEQ, leaf ? b : a, RA);
	land_branch(o, other);
	if (!leaf)
		land_branch(o, stale);
	struct kept k = keep_registers(o, live, 1u << h | 1u << tag);
	move_register(o, T3, tag);
	unsigned sp = words_get(o, INSERTER_X(SP), T2);
	words_put(o, ISA_ADDI, T2, sp, 0, (int32_t)c->by + (leaf ? 1 : 0));
	words_address(o, T1, c->arguments[1].symbol, c->arguments[1].value);
	words_hook(o, c->arguments[0].symbol);
	move_register(o, h, T1);
	restore_registers(o, k);
	land_branch(o, same);
	if (!place)
		words_set(o, c->var, h);
}

/* The cycles with what is to be added to them, 12 bits. */
static unsigned added_cycles(struct words *o, const struct inserter_code *c, unsigned scratch)
{
	unsigned r = words_get(o, c->from, scratch);
	if (c->by != 0)
		words_put(o, ISA_ADDI, r, r, 0, (int32_t)c->by);
	return r;
}

static void put_context_call(struct words *o, const struct inserter_code *c)
{
	const uint32_t *s = o->scratch;
	unsigned node = words_get(o, c->var, s[1]), r = s[0];
	if (c->from == INSERTER_NO_VARIABLE)
		words_constant(o, r, c->by);
	else {
		r = added_cycles(o, c, s[0]);
		if (c->by != 0)
			words_set(o, c->from, r);
	}
	store_context_word(o, r, node, RIVULET_CYCLES_NOW);
	load_context_word(o, s[0], node, RIVULET_CYCLES_SLOT + (unsigned)c->value);
	words_word_at(o, c->symbol, true, s[0], s[1]);
}

/* The hook's t1 and t2, in an order that loses none: the cycles from r, the node from n. */
static void move_to_hook(struct words *o, unsigned n, unsigned r)
{
	if (n == T1) {
		move_register(o, T3, r);
		move_register(o, T2, n);
		move_register(o, T1, T3);
	} else {
		move_register(o, T1, r);
		move_register(o, T2, n);
	}
}

static void put_leave(struct words *o, const struct inserter_code *c, uint32_t live)
{
	const uint32_t *s = o->scratch;
	unsigned next = 0, a = s[next++], b = s[next++];
	unsigned n = in_place(o->in, c->var) ? o->in->variables[c->var].reg : s[next++], r = 0;
	bool same = (c->value & INSERTER_CONTEXT_SAME) != 0, leaf = (c->value & INSERTER_CONTEXT_LEAF) != 0;
	if (!in_place(o->in, c->var))
		move_register(o, n, words_get(o, c->var, n));
	if (!same) {
		r = s[next];
		if (c->from == INSERTER_NO_VARIABLE)
			words_constant(o, r, c->by);
		else
			r = words_get(o, c->from, r);
		load_context_word(o, a, n, RIVULET_CYCLES_SELF);
		load_context_word(o, b, n, RIVULET_CYCLES_CALLS);
		if (c->from != INSERTER_NO_VARIABLE && c->by != 0)
			words_put(o, ISA_ADDI, r, r, 0, (int32_t)c->by);
		words_put(o, ISA_ADD, a, a, r, 0);
		words_put(o, ISA_ADDI, b, b, 0, 1);
		store_context_word(o, a, n, RIVULET_CYCLES_SELF);
		store_context_word(o, b, n, RIVULET_CYCLES_CALLS);
		load_context_word(o, b, n, RIVULET_CYCLES_LEAST);
		size_t carry = branch_later(o, ISA_BLTU, a, r);
		load_context_word(o, a, n, RIVULET_CYCLES_MOST);
		size_t least = branch_later(o, ISA_BLTU, r, b), usual = branch_later(o, ISA_BGEU, a, r);
		land_branch(o, carry);
		land_branch(o, least);
		uint32_t own = 1u << n | (c->from == INSERTER_NO_VARIABLE ? 0 : 1u << r);
		struct kept k = keep_registers(o, live | own, 0);
		move_to_hook(o, n, r);
		words_hook(o, c->arguments[0].symbol);
		restore_registers(o, k);
		land_branch(o, usual);
	} else {
		load_context_word(o, b, n, RIVULET_CYCLES_CALLS);
		if (!leaf && (c->value & INSERTER_CONTEXT_JUMP) == 0)
			load_context_word(o, a, n, RIVULET_CYCLES_BACK);
		words_put(o, ISA_ADDI, b, b, 0, 1);
		store_context_word(o, b, n, RIVULET_CYCLES_CALLS);
	}
	if (leaf)
		return;
	if ((c->value & INSERTER_CONTEXT_JUMP) != 0) {
		words_constant(o, a, c->arguments[2].value);
		store_context_word(o, a, n, RIVULET_CYCLES_LEFT);
		store_context_word(o, words_get(o, INSERTER_X(SP), a), n, RIVULET_CYCLES_SP);
		load_context_word(o, a, n, RIVULET_CYCLES_SLOT + (unsigned)c->arguments[1].value);
	} else if (!same)
		load_context_word(o, a, n, RIVULET_CYCLES_BACK);
	store_context_word(o, 0, n, RIVULET_CYCLES_NOW);
	words_word_at(o, c->symbol, true, a, b);
}

/* How many bytes a dividend has, beyond one: on the way out as soon as there are no more. */
static void put_dividend_bytes(struct words *o, const struct inserter_code *c)
{
	unsigned t = o->scratch[0], x = words_get(o, c->from, t), by = words_get(o, INSERTER_X((unsigned)c->by), t);
	unsigned r = words_get(o, c->var, o->scratch[1]);
	size_t out[3];
	move_register(o, t, x);
	if (c->op == INSERTER_ADD_BYTES_SIGNED) {
		size_t positive = branch_later(o, ISA_BGE, x, 0);
		words_put(o, ISA_SUB, t, 0, t, 0);
		land_branch(o, positive);
	}
	size_t usual = branch_later(o, ISA_BNE, by, 0);
	words_put(o, ISA_ADDI, t, 0, 0, -1);
	land_branch(o, usual);
	for (unsigned i = 0; i < 3; i++) {
		words_put(o, ISA_SRLI, t, t, 0, 8);
		out[i] = branch_later(o, ISA_BEQ, t, 0);
		words_put(o, ISA_ADDI, r, r, 0, (int32_t)c->value);
	}
	for (unsigned i = 0; i < 3; i++)
		land_branch(o, out[i]);
	words_set(o, c->var, r);
}

void context_put(struct words *o, const struct inserter_code *c, uint32_t live)
{
	switch (c->op) {
	case INSERTER_CONTEXT_ENTER:
		put_context_enter(o, c, live);
		break;
	case INSERTER_CONTEXT_CALL:
		put_context_call(o, c);
		break;
	case INSERTER_CONTEXT_AGAIN: {
		unsigned to = words_target(o, c->var, o->scratch[0]);
		load_context_word(o, to, words_get(o, c->from, o->scratch[1]), RIVULET_CYCLES_NOW);
		words_set(o, c->var, to);
		break;
	}
	case INSERTER_ADD_BYTES:
	case INSERTER_ADD_BYTES_SIGNED:
		put_dividend_bytes(o, c);
		break;
	default:
		put_leave(o, c, live);
		break;
	}
}
