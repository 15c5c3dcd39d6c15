/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Gives each atom its new place, and writes the section and what refers to it anew. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/object/catches.h"
#include "host/object/edit_private.h"

/* ---------------------------------------------------------------- the new section */
struct writer {
	struct edit *edit;
	struct edit_section *section;
	uint8_t *data;
	struct object_reloc *relocs;
	size_t count, size;
};

static int add_reloc(struct writer *w, uint64_t offset, uint32_t type, uint32_t symbol, int64_t addend)
{
	if (w->count == w->size) {
		size_t larger = w->size + w->size / 2 + 64;
		struct object_reloc *relocs = realloc(w->relocs, larger * sizeof *relocs);
		if (relocs == NULL)
			return OBJECT_ENOMEM;
		w->relocs = relocs;
		w->size = larger;
	}
	w->relocs[w->count++] = (struct object_reloc){offset, addend, symbol, type};
	return OBJECT_OK;
}

static void put_section_word(struct writer *w, uint64_t at, uint32_t word, unsigned length)
{
	for (unsigned i = 0; i < length; i++)
		w->data[at + i] = (uint8_t)(word >> 8 * i);
}

/* A label of the section, as a symbol that the linker moves. */
static int label_symbol(struct writer *w, uint64_t at, uint32_t *symbol)
{
	return object_add_symbol(w->edit->object,
	    &(struct object_new_symbol){NULL, at, 0, w->section->number, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)}, symbol);
}

static uint32_t reloc_of(uint32_t word, unsigned length)
{
	if (length == 4)
		return transfer_is_branch(word, 4) ? R_RISCV_BRANCH : R_RISCV_JAL;
	return transfer_is_branch(word, 2) ? R_RISCV_RVC_BRANCH : R_RISCV_RVC_JUMP;
}

struct transfer_to { /* a place of this section */
	uint64_t target;
	uint32_t symbol; /* 0: where the linker moves code one is made */
	int64_t addend;
};

static int put_transfer(struct writer *w, uint64_t at, uint32_t word, unsigned length, const struct transfer_to *to)
{
	uint32_t symbol = to->symbol;
	put_section_word(w, at, edit_with_distance(word, length, (int64_t)(to->target - at)), length);
	if (symbol != 0)
		return add_reloc(w, at, reloc_of(word, length), symbol, to->addend);
	if (!w->section->linked)
		return OBJECT_OK;
	int error = label_symbol(w, to->target, &symbol);
	return error == OBJECT_OK ? add_reloc(w, at, reloc_of(word, length), symbol, 0) : error;
}

static int write_section_piece(struct writer *w, const struct edit_piece *piece)
{
	uint64_t at = piece->at;
	int error = OBJECT_OK;
	for (size_t i = 0; i < piece->count && error == OBJECT_OK; i++) {
		const struct edit_word *word = &piece->words[i];
		uint32_t symbol = word->symbol;
		bool low = word->type == R_RISCV_PCREL_LO12_I || word->type == R_RISCV_PCREL_LO12_S;
		if (word->to == EDIT_TO_LABEL || word->to == EDIT_TO_PIECE)
			error = put_transfer(w, at, word->word, word->length,
			    &(struct transfer_to){placing_word_target(w->edit, w->section, word), 0, 0});
		else if (word->to == EDIT_TO_WORD) { /* nothing in between that the linker moves */
			int64_t distance = 0;
			for (size_t k = i; k < word->target; k++)
				distance += piece->words[k].length;
			for (size_t k = word->target; k < i; k++)
				distance -= piece->words[k].length;
			if (low) {
				put_section_word(w, at, word->word, word->length);
				error = label_symbol(w, at + (uint64_t)distance, &symbol);
			} else
				put_section_word(
				    w, at, edit_with_distance(word->word, word->length, distance), word->length);
		} else
			put_section_word(w, at, word->word, word->length);
		if (error == OBJECT_OK && word->type != 0)
			error = add_reloc(w, at, word->type, symbol, word->addend);
		if (error == OBJECT_OK && word->relax && w->section->linked)
			error = add_reloc(w, at, R_RISCV_RELAX, 0, 0);
		at += word->length;
	}
	return error;
}

/* The pieces at a place, which begins at `at`, and nops behind them up to `end`. */
static int write_pieces(struct writer *w, uint32_t first, uint64_t at, uint64_t end)
{
	const bool c = (w->edit->object->flags & EF_RISCV_RVC) != 0;
	int error = OBJECT_OK;
	for (uint32_t p = first; p != 0 && error == OBJECT_OK; p = w->edit->pieces[p - 1].next) {
		const struct edit_piece *piece = &w->edit->pieces[p - 1];
		error = write_section_piece(w, piece);
		for (size_t k = 0; k < piece->count; k++)
			at += piece->words[k].length;
	}
	for (; at < end; at += c ? 2 : 4)
		put_section_word(w, at, c ? C_NOP : NOP, c ? 2 : 4);
	return error;
}

static int write_own_transfer(struct writer *w, const struct edit_atom *atom, bool given)
{
	uint64_t target = placing_target(w->edit, w->section, atom);
	const bool ordered = w->section->order != NULL;
	uint32_t symbol = atom->redirect != 0 || !given || ordered ? 0 : atom->symbol;
	/* its addend is mended with all others */
	int64_t addend = 0;
	const struct object_section *s = &w->edit->object->sections[w->section->number];
	for (uint32_t i = 0; symbol != 0 && i < atom->relocs; i++) {
		const struct object_reloc *r = &s->relocs[atom->reloc + i];
		if (r->symbol == symbol && r->type != R_RISCV_RELAX)
			addend = r->addend;
	}
	if (atom->form == FORM_LONG) {
		unsigned length;
		uint32_t inverse = transfer_inverse(placing_transfer(atom, &length), atom->length);
		put_section_word(w, atom->at, edit_with_distance(inverse, length, length + 4), length);
		return put_transfer(w, atom->at + length, 0x6F, 4, &(struct transfer_to){target, symbol, addend});
	}
	unsigned length;
	uint32_t word = placing_transfer(atom, &length);
	/* one that had no relocation needs none: nothing between it and its target was moved by the linker before, and
	 * what is put between says nothing of relaxation unless the linker may move this section */
	if ((!given || ordered) && atom->redirect == 0) {
		put_section_word(w, atom->at, edit_with_distance(word, length, (int64_t)(target - atom->at)), length);
		return w->section->linked ? put_transfer(w, atom->at, word, length, &(struct transfer_to){target, 0, 0})
					  : OBJECT_OK;
	}
	return put_transfer(w, atom->at, word, length, &(struct transfer_to){target, symbol, addend});
}

/* From an AUIPC to its address. */
static uint32_t distance_to(const struct edit_section *section, const struct edit_atom *atom)
{
	return (uint32_t)(edit_atom_at(section, atom->target)->label - atom->at);
}

/* AUIPC and JALR over a distance. */
static void put_far(struct writer *w, uint64_t at, uint32_t auipc, uint32_t low, uint32_t distance)
{
	put_section_word(w, at, (auipc & 0xFFFu) | ((distance + 0x800u) & 0xFFFFF000u), 4);
	put_section_word(w, at + 4, (low & 0xFFFFFu) | distance << 20, 4);
}

static int write_far(struct writer *w, const struct edit_atom *atom)
{
	struct far_pair pair;
	far_words(w->edit, w->section, atom, &pair);
	if (atom->form == FORM_FULL) {
		put_section_word(w, atom->at, 0x6F, 4);
		return add_reloc(w, atom->at, R_RISCV_JAL, pair.symbol, pair.addend);
	}
	if (pair.symbol == 0 && placing_own(w->section, atom)) {
		put_far(w, atom->at, pair.auipc, pair.jalr,
		    (uint32_t)(placing_target(w->edit, w->section, atom) - atom->at));
		return OBJECT_OK;
	}
	put_far(w, atom->at, pair.auipc, pair.jalr, 0);
	return add_reloc(w, atom->at, R_RISCV_CALL_PLT, pair.symbol, pair.addend);
}

static int write_near_pair(struct writer *w, const struct edit_atom *atom)
{
	const struct object_section *s = &w->edit->object->sections[w->section->number];
	uint64_t target = placing_target(w->edit, w->section, atom);
	uint32_t jalr, symbol;
	memcpy(&jalr, s->data + atom->offset + 4, 4);
	put_far(w, atom->at, atom->word, jalr, (uint32_t)(target - atom->at));
	if (!w->section->linked)
		return OBJECT_OK;
	int error = label_symbol(w, target, &symbol);
	return error != OBJECT_OK ? error : add_reloc(w, atom->at, R_RISCV_CALL_PLT, symbol, 0);
}

static int write_atom(struct writer *w, const struct edit_atom *atom)
{
	const struct object_section *s = &w->edit->object->sections[w->section->number];
	int error = OBJECT_OK;
	if (atom->gone)
		return OBJECT_OK;
	if (atom->form == FORM_NEAR) {
		const int64_t distance = (int64_t)(placing_target(w->edit, w->section, atom) - atom->at);
		put_section_word(w, atom->at, edit_with_distance(0x6Fu | (uint32_t)atom->link << 7, 4, distance), 4);
		return OBJECT_OK;
	}
	if (atom->kind == EDIT_PAIR && atom->relocs == 0)
		return write_near_pair(w, atom);
	if (atom->form == FORM_FAR || (atom->form == FORM_FULL && !placing_own(w->section, atom)))
		return write_far(w, atom);
	if (placing_own(w->section, atom)) {
		bool given = false;
		for (uint32_t i = 0; i < atom->relocs; i++)
			given = given || (s->relocs[atom->reloc + i].type != R_RISCV_RELAX);
		/* an unchanged one keeps its bytes and relocations as they are */
		bool same = atom->redirect == 0 && atom->form == FORM_SAME && given && !atom->turned;
		if (!same)
			return write_own_transfer(w, atom, given);
	}
	if (atom->form == FORM_ADDRESS)
		put_section_word(
		    w, atom->at, (atom->word & 0xFFFu) | ((distance_to(w->section, atom) + 0x800u) & 0xFFFFF000u), 4);
	else if (atom != w->section->atoms && atom[-1].form == FORM_ADDRESS)
		put_section_word(w, atom->at, atom->replace | distance_to(w->section, atom - 1) << 20, 4);
	else if (atom->replace != 0)
		put_section_word(w, atom->at, atom->replace, 4);
	else
		memcpy(w->data + atom->at, s->data + atom->offset, atom->length);
	uint32_t more = placing_size(w->edit, atom) - atom->length;
	if (atom->kind == EDIT_PAD && more > 0)
		put_section_word(w, atom->at + atom->length, C_NOP, more);
	for (uint32_t i = 0; i < atom->relocs && error == OBJECT_OK; i++) {
		const struct object_reloc *r = &s->relocs[atom->reloc + i];
		bool grows = atom->kind == EDIT_PAD && r->type == R_RISCV_ALIGN;
		error = add_reloc(
		    w, atom->at + (r->offset - atom->offset), r->type, r->symbol, r->addend + (grows ? more : 0));
	}
	return error;
}

/* The jump to what lay behind it. */
static void write_then(struct writer *w, const struct edit_atom *atom)
{
	const uint64_t at = atom->at + placing_size(w->edit, atom);
	const uint32_t word = atom->then_length == 2 ? 0xA001 : 0x6F;
	if (atom->then != 0)
		put_section_word(w, at,
		    edit_with_distance(
			word, atom->then_length, (int64_t)(edit_atom_at(w->section, atom->then - 1)->label - at)),
		    atom->then_length);
}

static int write_section(struct edit *e, struct edit_section *section)
{
	struct writer w = {.edit = e, .section = section, .data = malloc(section->new_size + 1)};
	struct object_section *s = &e->object->sections[section->number];
	int error = w.data == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	for (size_t i = 0; i < section->count && error == OBJECT_OK; i++) {
		const struct edit_atom *atom = edit_nth(section, i);
		error = write_pieces(&w, atom->pieces[EDIT_FALL], atom->place, atom->label);
		if (error == OBJECT_OK)
			error = write_pieces(&w, atom->pieces[EDIT_LABEL], atom->label, atom->at);
		if (error == OBJECT_OK)
			error = write_atom(&w, atom);
		write_then(&w, atom);
	}
	if (error == OBJECT_OK && w.count > 0 && s->relocations == 0) { /* makes the section for them */
		error = object_add_reloc(e->object, section->number, &w.relocs[0]);
		s = &e->object->sections[section->number];
	}
	if (error != OBJECT_OK) {
		free(w.data);
		free(w.relocs);
		return error;
	}
	if (s->owned)
		free(s->data);
	free(s->relocs);
	s->data = w.data;
	s->size = section->new_size;
	s->owned = s->changed = true;
	s->relocs = w.relocs;
	s->reloc_count = w.count;
	s->reloc_size = w.size;
	return OBJECT_OK;
}

/* ---------------------------------------------------------------- all of it */
/* An address without relocations: both instructions are written anew when places are known. */
static bool take_address(struct edit_atom *atom)
{
	uint32_t rd = atom->word >> 7 & 31;
	if (!atom->address)
		return false;
	atom->form = FORM_ADDRESS;
	atom[1].replace = 0x13u | rd << 7 | rd << 15;
	return true;
}

/* Other code that computes with pc by itself cannot be followed. */
static int check_pc_relative(const struct edit *e, const struct edit_section *section, char *detail, size_t size)
{
	const struct object_section *s = &e->object->sections[section->number];
	for (size_t i = 0; i < section->count; i++) {
		struct edit_atom *atom = &section->atoms[i];
		if (atom->kind == EDIT_INSN && atom->length == 4 && (atom->word & 0x7F) == 0x17 && atom->relocs == 0 &&
		    !take_address(atom))
			return edit_too_odd(
			    detail, size, s, atom->offset, "an AUIPC without relocation computes an address");
	}
	return OBJECT_OK;
}

int edit_apply(struct edit *e, char *detail, size_t size)
{
	uint32_t old_symbols = e->object->symbol_count;
	int error = OBJECT_OK;
	bool any = false;
	e->old_symbols = old_symbols;
	edit_mark_functions(e);
	far_choose(e);
	for (size_t i = 0; i < e->section_count && error == OBJECT_OK; i++) {
		struct edit_section *section = &e->sections[i];
		if (!section->touched)
			continue;
		any = true;
		error = check_pc_relative(e, section, detail, size);
		if (error == OBJECT_OK)
			error = placing_host_calls(e, section, detail, size);
		if (error == OBJECT_OK)
			error = placing_find(e, section, detail, size);
	}
	if (!any || error != OBJECT_OK)
		return error;
	/* pieces may name symbols that were made before edit_apply(): those in code are mended with the rest */
	error = object_decompress(e->object, detail, size);
	if (error == OBJECT_OK)
		error = catches_write(e, detail, size);
	if (error == OBJECT_OK)
		error = edit_tables(e, detail, size);
	if (error == OBJECT_OK)
		error = order_mend_lengths(e);
	if (error == OBJECT_OK)
		error = edit_mend_relocs(e, old_symbols);
	for (size_t i = 0; i < e->section_count && error == OBJECT_OK; i++) {
		if (e->sections[i].touched)
			error = write_section(e, &e->sections[i]);
	}
	if (error == OBJECT_OK)
		edit_mend_symbols(e, old_symbols);
	if (error == OBJECT_ENOMEM)
		snprintf(detail, size, "out of memory");
	return error;
}

bool edit_inverted(const struct edit_atom *atom)
{
	return atom->form == FORM_LONG;
}

uint64_t edit_end(const struct edit_section *section, const struct edit_atom *atom)
{
	if (!section->touched)
		return atom->offset + atom->length;
	if (atom->kind == EDIT_PAD) /* it may have grown */
		return atom[1].place;
	return atom->at + (edit_inverted(atom) ? atom->length : placing_size(NULL, atom));
}
