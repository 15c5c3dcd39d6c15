/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The new place of each atom, and the form of each transfer that reaches from there: longer ones, to a fixed point. */
#include <elf.h>
#include "host/object/edit_private.h"

/* Padding of code without compressed instructions (.option norvc) is 2 bytes short of what the linker needs for any
 * other: an alignment of 16 bytes has 12, not 14. */
static uint32_t pad_size(const struct edit *e, const struct edit_atom *atom)
{
	uint32_t align = atom->length + 4;
	bool tight = (align & (align - 1)) == 0 && (e->object->flags & EF_RISCV_RVC) != 0;
	return atom->length + (tight ? 2 : 0);
}

uint32_t placing_size(const struct edit *e, const struct edit_atom *atom)
{
	if (atom->gone)
		return 0;
	if (atom->kind == EDIT_PAD)
		return pad_size(e, atom);
	switch (atom->form) {
	case FORM_SHORT:
		return 2;
	case FORM_FULL:
	case FORM_NEAR:
		return 4;
	case FORM_FAR:
		return 8;
	case FORM_LONG: /* the inverse, as long as it was, and a jump */
		return atom->length == 2 ? 6 : 8;
	default:
		return atom->replace != 0 ? 4 : atom->length;
	}
}

static uint64_t place_section_pieces(struct edit *e, uint32_t first, uint64_t at)
{
	for (uint32_t p = first; p != 0; p = e->pieces[p - 1].next) {
		struct edit_piece *piece = &e->pieces[p - 1];
		piece->at = at;
		for (size_t i = 0; i < piece->count; i++)
			at += piece->words[i].length;
	}
	return at;
}

#define ALIGN_KEPT 4096

/* Without the linker's alignment, a function keeps the one that it has: nops before its label. */
static uint64_t keep_alignment(
    const struct edit *e, const struct edit_section *section, const struct edit_atom *atom, uint64_t at)
{
	uint64_t align = e->object->sections[section->number].align;
	if (section->linked || atom->exact_symbol != UINT32_MAX || atom->fixed == 2)
		return at;
	if (align > ALIGN_KEPT) /* as much as the function was aligned to: its address may have bits of its own */
		align = ALIGN_KEPT;
	else if (align < 2)
		align = 2;
	while (align > 2 && atom->offset % align != 0)
		align /= 2;
	uint64_t step = (e->object->flags & EF_RISCV_RVC) != 0 ? 2 : 4;
	while (at % align != 0 && align > step)
		at += step;
	return at;
}

/*
 * The three instructions of a call of the host lie in one page, or the host takes the EBREAK for any other. Sources
 * align the first to 16 bytes, and what is put before it would move it from there:
 *
 *     0xFEE  count        put                    0xFEE  count
 *     0xFFA  slli         moved              ──► 0xFFA  nop, nop, nop
 *     0xFFE  ebreak       over a border          0x1000 slli, ebreak, srai
 *
 * So nops come between. Where the linker moves code, it does that.
 */
#define HOST_CALL_ALIGN 16

static bool aligns_host_call(const struct edit_section *section, const struct edit_atom *atom)
{
	return atom->host_call && !section->linked && !atom->fixed;
}

/* What the linker aligns already: padding, and nothing was put behind it. */
static bool follows_padding(const struct edit_section *section, const struct edit_atom *atom)
{
	return atom != section->atoms && atom[-1].kind == EDIT_PAD && atom[-1].length + 4 >= HOST_CALL_ALIGN &&
	       atom->pieces[EDIT_FALL] == 0 && atom->pieces[EDIT_LABEL] == 0;
}

int placing_host_calls(struct edit *e, struct edit_section *section, char *detail, size_t size)
{
	struct object_section *s = &e->object->sections[section->number];
	const bool c = (e->object->flags & EF_RISCV_RVC) != 0;
	const uint32_t pad = c ? HOST_CALL_ALIGN - 2 : HOST_CALL_ALIGN - 4;
	struct edit_word nops[HOST_CALL_ALIGN / 2] = {{.word = c ? C_NOP : NOP, .length = c ? 2 : 4}};
	size_t count = 1;
	for (uint32_t at = nops[0].length; at < pad; at += 4)
		nops[count++] = (struct edit_word){.word = NOP, .length = 4};
	nops[0].type = R_RISCV_ALIGN;
	nops[0].addend = pad;
	for (size_t i = 0; i < section->count; i++) {
		struct edit_atom *atom = &section->atoms[i];
		if (!atom->host_call)
			continue;
		if (atom->fixed && !e->linked) /* linked_write() sees where that lies */
			return edit_too_odd(
			    detail, size, s, atom->offset, "a call of the host among code that computes places");
		if (s->align < HOST_CALL_ALIGN)
			s->align = HOST_CALL_ALIGN;
		if (!section->linked || follows_padding(section, atom))
			continue;
		const int error = edit_put(e, &(struct edit_spot){section, atom, EDIT_LABEL}, nops, count, NULL);
		if (error != OBJECT_OK)
			return error;
	}
	return OBJECT_OK;
}

static void place_all(struct edit *e, struct edit_section *section)
{
	const uint64_t step = (e->object->flags & EF_RISCV_RVC) != 0 ? 2 : 4;
	uint64_t at = 0;
	for (size_t i = 0; i < section->count; i++) {
		struct edit_atom *atom = edit_nth(section, i);
		atom->place = at;
		at = place_section_pieces(e, atom->pieces[0], at);
		at = keep_alignment(e, section, atom, at);
		atom->label = at;
		at = place_section_pieces(e, atom->pieces[1], at);
		while (aligns_host_call(section, atom) && at % HOST_CALL_ALIGN != 0)
			at += step;
		atom->at = at;
		at += placing_size(e, atom) + atom->then_length;
	}
	section->new_size = at;
}

uint64_t placing_target(const struct edit *e, const struct edit_section *section, const struct edit_atom *atom)
{
	if (atom->turned)
		return edit_atom_at(section, atom->offset + atom->length)->label;
	return atom->redirect != 0 ? e->pieces[atom->redirect - 1].at : edit_atom_at(section, atom->target)->label;
}

bool placing_own(const struct edit_section *section, const struct edit_atom *atom)
{
	return atom->kind == EDIT_INSN && (atom->section == section->number || atom->redirect != 0);
}

uint64_t placing_word_target(const struct edit *e, const struct edit_section *section, const struct edit_word *word)
{
	return word->to == EDIT_TO_PIECE ? e->pieces[word->target].at : edit_atom_at(section, word->target)->label;
}

uint32_t placing_transfer(const struct edit_atom *atom, unsigned *length)
{
	const uint32_t word = atom->turned ? transfer_inverse(atom->word, atom->length) : atom->word;
	*length = atom->length;
	if (atom->form == FORM_SHORT || atom->form == FORM_FULL)
		*length = atom->form == FORM_SHORT ? 2 : 4;
	if (atom->form == FORM_SHORT)
		return transfer_short(word);
	return atom->form == FORM_FULL ? transfer_full(word) : word;
}

struct growing {
	struct edit *edit;
	struct edit_section *section;
	bool more; /* something had to grow */
	char *detail;
	size_t size;
};

static int refuse_growth(const struct growing *g, const struct edit_atom *atom, const char *what)
{
	g->edit->failed = atom->offset + 1;
	g->edit->failed_section = g->section->number;
	return edit_too_odd(g->detail, g->size, &g->edit->object->sections[g->section->number], atom->offset, what);
}

/* A pair that became JAL; whether that reaches. */
static void grow_pair(struct growing *g, struct edit_atom *atom)
{
	if (atom->form == FORM_NEAR && !atom->gone &&
	    !edit_reaches(0x6F, 4, (int64_t)(placing_target(g->edit, g->section, atom) - atom->at))) {
		atom->form = FORM_SAME;
		g->more = true;
	}
}

/* The next longer form of a transfer that does not reach. */
static int grow_transfer(struct growing *g, struct edit_atom *atom)
{
	const int64_t distance = (int64_t)(placing_target(g->edit, g->section, atom) - atom->at);
	unsigned length;
	const uint32_t word = placing_transfer(atom, &length);
	if (atom->form == FORM_FAR || atom->gone)
		return OBJECT_OK;
	if (atom->form == FORM_LONG)
		return edit_reaches(0x6F, 4, distance - 4)
			   ? OBJECT_OK
			   : refuse_growth(g, atom, "a branch does not reach its target any more");
	if (edit_reaches(word, length, distance))
		return OBJECT_OK;
	if (atom->fixed)
		return refuse_growth(g, atom, "a jump that keeps its length does not reach its target any more");
	g->more = true;
	if (atom->form == FORM_SHORT)
		atom->form = FORM_SAME;
	else if (far_can(g->edit, atom))
		atom->form = FORM_FAR;
	else if (atom->flow != EDIT_BRANCH && length == 4)
		return refuse_growth(g, atom, "a jump does not reach its target any more");
	else
		atom->form = atom->form == FORM_SAME && atom->length == 2 ? FORM_FULL : FORM_LONG;
	return OBJECT_OK;
}

/* The jump behind an atom, in a section of another order. */
static int grow_then(struct growing *g, struct edit_atom *atom)
{
	if (atom->then == 0)
		return OBJECT_OK;
	const uint64_t at = atom->at + placing_size(g->edit, atom);
	const int64_t distance = (int64_t)(edit_atom_at(g->section, atom->then - 1)->label - at);
	if (edit_reaches(atom->then_length == 2 ? 0xA001 : 0x6F, atom->then_length, distance))
		return OBJECT_OK;
	if (atom->then_length == 4)
		return refuse_growth(g, atom, "what lay behind it is not in reach any more");
	atom->then_length = 4;
	g->more = true;
	return OBJECT_OK;
}

static int grow_pieces(struct growing *g, const struct edit_atom *atom, uint32_t first)
{
	for (uint32_t p = first; p != 0; p = g->edit->pieces[p - 1].next) {
		struct edit_piece *piece = &g->edit->pieces[p - 1];
		uint64_t at = piece->at;
		for (size_t k = 0; k < piece->count; at += piece->words[k++].length) {
			struct edit_word *w = &piece->words[k];
			if (w->to != EDIT_TO_LABEL && w->to != EDIT_TO_PIECE)
				continue;
			const int64_t distance = (int64_t)(placing_word_target(g->edit, g->section, w) - at);
			if (edit_reaches(w->word, w->length, distance))
				continue;
			if (w->length != 2)
				return refuse_growth(g, atom, "a new jump does not reach its target");
			w->word = transfer_full(w->word);
			w->length = 4;
			g->more = true;
		}
	}
	return OBJECT_OK;
}

static int grow_section(struct growing *g)
{
	int error = OBJECT_OK;
	g->more = false;
	for (size_t i = 0; i < g->section->count && error == OBJECT_OK; i++) {
		struct edit_atom *atom = &g->section->atoms[i];
		if (placing_own(g->section, atom))
			error = grow_transfer(g, atom);
		else if (atom->kind == EDIT_PAIR)
			grow_pair(g, atom);
		if (error == OBJECT_OK)
			error = grow_then(g, atom);
	}
	for (size_t i = 0; i < g->section->count; i++) {
		for (int place = 0; place < 2 && error == OBJECT_OK; place++)
			error = grow_pieces(g, &g->section->atoms[i], g->section->atoms[i].pieces[place]);
	}
	return error;
}

int placing_find(struct edit *e, struct edit_section *section, char *detail, size_t size)
{
	struct growing g = {e, section, true, detail, size};
	int error = OBJECT_OK;
	while (g.more && error == OBJECT_OK) {
		place_all(e, section);
		error = grow_section(&g);
	}
	return error;
}
