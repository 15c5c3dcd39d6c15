/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Of linked programs: the linker has made short jumps of calls that reached. When their code moves and grows, they may
 * not reach any more. A call has the register that it links by; a jump to the PLT has t3, which entries of the PLT
 * change. Other jumps have none.
 *
 *      jal  rd, target   ──►   auipc rd, ...; jalr rd, rd, ...
 *      j    entry        ──►   auipc t3, ...; jr t3, ...
 *      c.lui rd, address ──►   lui rd, ...
 */
#include <elf.h>
#include "host/object/edit_private.h"

static uint32_t link_of(const struct edit_atom *atom)
{
	const uint32_t full = atom->length == 2 ? transfer_full(atom->word) : atom->word;
	return full >> 7 & 31;
}

static bool is_direct(const struct edit_atom *atom)
{
	return atom->kind == EDIT_INSN && (atom->flow == EDIT_JUMP || atom->flow == EDIT_CALL);
}

/* The relocation that says where it goes to; NULL: there is none. */
static const struct object_reloc *reloc_of_atom(
    const struct edit *e, const struct edit_section *section, const struct edit_atom *atom)
{
	const struct object_section *s = &e->object->sections[section->number];
	for (uint32_t i = 0; i < atom->relocs; i++) {
		const struct object_reloc *r = &s->relocs[atom->reloc + i];
		if (r->type == R_RISCV_JAL || r->type == R_RISCV_RVC_JUMP)
			return r;
	}
	return NULL;
}

/* C.LUI of an address that moves: LUI has room for any. */
static void lengthen_upper(struct edit *e, const struct edit_section *section, struct edit_atom *atom)
{
	struct object_section *s = &e->object->sections[section->number];
	for (uint32_t i = 0; i < atom->relocs && atom->kind == EDIT_INSN; i++) {
		struct object_reloc *r = &s->relocs[atom->reloc + i];
		if (r->type != R_RISCV_RVC_LUI)
			continue;
		r->type = R_RISCV_HI20;
		atom->replace = 0x37u | (atom->word & 0xF80u);
	}
}

void far_choose(struct edit *e)
{
	for (size_t i = 0; i < e->section_count && e->linked; i++) {
		struct edit_section *section = &e->sections[i];
		for (size_t k = 0; k < section->count && section->touched; k++) {
			struct edit_atom *atom = &section->atoms[k];
			if (atom->fixed) /* places are computed with its length: what does not reach is refused */
				continue;
			lengthen_upper(e, section, atom);
			if (!is_direct(atom) || atom->section == section->number || atom->redirect != 0 ||
			    reloc_of_atom(e, section, atom) == NULL)
				continue;
			/* a jump to other code has no register; it is checked when that has its address */
			if (!e->near && (link_of(atom) != 0 || edit_section(e, atom->section) == NULL))
				atom->form = FORM_FAR;
			else if (atom->length == 2)
				atom->form = FORM_FULL;
		}
	}
}

bool far_can(const struct edit *e, const struct edit_atom *atom)
{
	return e->linked && is_direct(atom) && link_of(atom) != 0 && atom->redirect == 0;
}

void far_words(
    const struct edit *e, const struct edit_section *section, const struct edit_atom *atom, struct far_pair *pair)
{
	const struct object_reloc *r = reloc_of_atom(e, section, atom);
	const uint32_t rd = link_of(atom), base = rd != 0 ? rd : 28;
	*pair = (struct far_pair){.auipc = 0x17u | base << 7, .jalr = 0x67u | rd << 7 | base << 15};
	if (r != NULL && atom->section != section->number) {
		pair->symbol = r->symbol;
		pair->addend = r->addend;
	}
}
