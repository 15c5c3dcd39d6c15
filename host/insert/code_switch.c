/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The choice between two versions of a function, at its entry (versions.h). The way to the other one stands before the
 * label, where nobody comes by falling: so the version that goes on is only two or three instructions longer.
 *
 *      far:  auipc a5, %pcrel_hi(other)          the linker makes both one: j other
 *            jalr  x0, %pcrel_lo(far)(a5)
 *      f:    auipc a5, %pcrel_hi(word)           none, where the word is small data
 *            lw    a5, %pcrel_lo(f)(a5)
 *            bnez  a5, far
 */
#include <elf.h>
#include "host/insert/commit_places.h"
#include "isa/isa.h"

/* A jump by a register that is free: both instructions at full length, as the linker expects them. */
static void put_far_jump(struct words *o, unsigned by, uint32_t symbol, bool relax)
{
	struct edit_word *high = words_open(o, ISA_AUIPC, by, 0, 0);
	high->type = R_RISCV_CALL_PLT;
	high->symbol = symbol;
	high->relax = relax;
	words_open(o, ISA_JALR, 0, by, 0);
}

/* The jump in a place of its own, before the function. */
static bool put_before_entry(struct words *o, unsigned by, uint32_t symbol, uint32_t *piece)
{
	struct inserter *in = (struct inserter *)(uintptr_t)o->in;
	const struct graph_block *head = &in->g->blocks[in->f->blocks];
	struct edit_section *s = commit_section(in, head);
	struct words far;
	if (commit_falls_into(in, s, head->first))
		return false;
	words_init(&far, in, in->f->blocks, GRAPH_NONE);
	put_far_jump(&far, by, symbol, true);
	if (commit_words(in, head->section, commit_before_padding(in, s, head->first), EDIT_FALL, &far, piece) !=
	    OBJECT_OK) {
		o->full = true;
		return true;
	}
	edit_like(in->e, *piece, &s->atoms[head->first]);
	return true;
}

void switch_put(struct words *o, const struct inserter_code *c)
{
	const unsigned by = o->scratch[0];
	const uint32_t other = c->arguments[0].symbol;
	uint32_t piece = 0;
	if (put_before_entry(o, by, other, &piece)) {
		const size_t high = words_high(o, by, c->symbol, 0);
		words_low(o, words_open(o, ISA_LW, by, by, 0), high, false, c->symbol, 0);
		struct edit_word *branch = words_put(o, ISA_BNE, 0, by, 0, 0);
		branch->to = EDIT_TO_PIECE;
		branch->target = piece;
		return;
	}
	/* something falls into the function: the jump is passed by, and the branch knows its distance */
	const size_t first = o->count, high = words_high(o, by, c->symbol, 0);
	words_low(o, words_open(o, ISA_LW, by, by, 0), high, false, c->symbol, 0);
	const size_t branch = o->count;
	words_put(o, ISA_BEQ, 0, by, 0, 4)->to = EDIT_TO_WORD;
	put_far_jump(o, by, other, false);
	for (size_t i = first; i < o->count && !o->full; i++)
		o->w[i].relax = false;
	if (!o->full)
		o->w[branch].target = o->count;
}
