/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Atoms in another order. Behind an atom lies another one now, and it has to go on where it did:
 *
 *   branch to what lies behind it      inverted, to where it went on
 *   jump to what lies behind it        goes
 *   anything else that went on         a jump behind it
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "host/object/edit_private.h"

static bool atom_goes_on(const struct edit_atom *atom)
{
	return atom->flow != EDIT_JUMP && atom->flow != EDIT_INDIRECT;
}

static bool is_direct_own(const struct edit_section *section, const struct edit_atom *atom)
{
	return (atom->kind == EDIT_INSN || atom->kind == EDIT_PAIR) && atom->section == section->number &&
	       atom->redirect == 0;
}

static void link_atoms(struct edit_section *section, struct edit_atom *atom, const struct edit_atom *behind)
{
	const struct edit_atom *before = atom + 1;
	if (atom->flow == EDIT_JUMP && is_direct_own(section, atom) && atom->target == behind->offset && !atom->fixed &&
	    atom->exact_symbol != UINT32_MAX) { /* a function that is a jump stays one */
		atom->gone = true;
		return;
	}
	if (before == behind || !atom_goes_on(atom))
		return;
	if (atom->flow == EDIT_BRANCH && is_direct_own(section, atom) && atom->target == behind->offset)
		atom->turned = true;
	else
		atom->then = before->offset + 1;
}

int edit_order(struct edit *e, struct edit_section *section, const uint32_t *order)
{
	const bool compressed = (e->object->flags & 1) != 0; /* EF_RISCV_RVC */
	section->order = malloc(section->count * sizeof *order);
	section->rank = malloc(section->count * sizeof *order);
	if (section->order == NULL || section->rank == NULL)
		return OBJECT_ENOMEM;
	memcpy(section->order, order, section->count * sizeof *order);
	section->touched = true;
	edit_mark_functions(e);
	for (size_t i = 0; i + 1 < section->count; i++) {
		struct edit_atom *atom = edit_nth(section, i);
		section->rank[order[i]] = (uint32_t)i;
		link_atoms(section, atom, edit_nth(section, i + 1));
		atom->then_length = 0;
		if (atom->then != 0)
			atom->then_length = compressed ? 2 : 4;
		if (atom->fixed)
			continue;
		if (atom->kind == EDIT_PAIR && atom->section == section->number)
			atom->form = FORM_NEAR;
		else if (compressed && placing_own(section, atom) && atom->length == 4 &&
			 transfer_short(atom->word) != 0)
			atom->form = FORM_SHORT;
	}
	section->rank[section->count - 1] = (uint32_t)(section->count - 1);
	return OBJECT_OK;
}

uint64_t order_extent(const struct edit *e, const struct edit_section *section, uint64_t from, uint64_t to)
{
	const struct edit_atom *first = edit_atom_at(section, from);
	if (first == NULL || section->order == NULL)
		return edit_label(section, to) - edit_label(section, from);
	uint64_t end = edit_label(section, from);
	for (size_t i = section->rank[first - section->atoms]; i + 1 < section->count; i++) {
		const struct edit_atom *atom = edit_nth(section, i);
		if (atom->offset < from || atom->offset >= to)
			break;
		end = atom->at + placing_size(e, atom) + atom->then_length;
	}
	return end - edit_label(section, from);
}

static unsigned added_bytes(uint32_t type)
{
	switch (type) {
	case R_RISCV_ADD8:
		return 1;
	case R_RISCV_ADD16:
		return 2;
	case R_RISCV_ADD32:
		return 4;
	case R_RISCV_ADD64:
		return 8;
	default:
		return 0;
	}
}

/* A length of code by the labels of its ends: what follows from its beginning on. */
static int mend_length(struct edit *e, uint32_t number, size_t at)
{
	struct object_section *s = &e->object->sections[number];
	struct object_reloc *add = &s->relocs[at], *sub = &s->relocs[at + 1];
	const unsigned bytes = added_bytes(add->type);
	const struct object_symbol *to = &e->object->symbols[add->symbol], *from = &e->object->symbols[sub->symbol];
	const struct edit_section *section = edit_section(e, to->section);
	const uint64_t end = to->value + (uint64_t)add->addend, start = from->value + (uint64_t)sub->addend;
	if (bytes == 0 || sub->offset != add->offset || sub->type < R_RISCV_SUB8 || sub->type > R_RISCV_SUB64 ||
	    section == NULL || section->order == NULL || to->section != from->section || end < start ||
	    add->offset > s->size || bytes > s->size - add->offset)
		return OBJECT_OK;
	int error = s->owned ? OBJECT_OK : object_resize(e->object, number, s->size);
	const uint64_t length = order_extent(e, section, start, end);
	for (unsigned i = 0; i < bytes && error == OBJECT_OK; i++)
		s->data[add->offset + i] = (uint8_t)(length >> 8 * i);
	add->type = sub->type = R_RISCV_NONE;
	return error;
}

int order_mend_lengths(struct edit *e)
{
	int error = OBJECT_OK;
	for (uint32_t i = 1; i < e->object->section_count; i++) {
		const struct object_section *s = &e->object->sections[i];
		if (strncmp(s->name, ".gcc_except_table", 17) != 0 && strncmp(s->name, ".debug_", 7) != 0)
			continue;
		for (size_t k = 0; k + 1 < s->reloc_count && error == OBJECT_OK; k++)
			error = mend_length(e, i, k);
	}
	return error;
}
