/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Unwind entries of code in another order. What one entry was about may lie in several parts now: each gets an entry of
 * its own, which begins with the rows that hold where it begins.
 *
 *   old   ┌ a  b  c  d ┐          new   ┌ a  d ┐  ...  ┌ b  c ┐
 */
#include <elf.h>
#include "host/object/frames_private.h"

static bool is_within(const struct edit_atom *atom, const struct program *p, uint64_t range)
{
	return atom->kind != EDIT_END && atom->offset >= p->loc && atom->offset - p->loc < range;
}

/* The part that begins with an atom; false: none does. */
static bool part_from(const struct program *p, const struct edit_atom *atom, uint64_t range, struct frames_part *part)
{
	const struct edit_section *s = p->code;
	part->from = part->to = s->rank[atom - s->atoms];
	if (!is_within(atom, p, range) || (part->from > 0 && is_within(edit_nth(s, part->from - 1), p, range)))
		return false;
	while (is_within(edit_nth(s, part->to), p, range))
		part->to++;
	return true;
}

static bool is_unchanged(const struct program *p, const struct frames_part *part)
{
	for (size_t i = part->from + 1; i < part->to; i++) {
		if (edit_nth(p->code, i) != edit_nth(p->code, i - 1) + 1)
			return false;
	}
	return true;
}

static void put_range(struct program *p, const struct frames_part *part)
{
	const struct edit_atom *first = edit_nth(p->code, part->from), *last = edit_nth(p->code, part->to - 1);
	const uint64_t size = last->at + placing_size(p->out->edit, last) + last->then_length - first->label;
	for (unsigned i = 0; i < p->cie->address_bytes; i++)
		anew_byte(p->out, (unsigned)(size >> 8 * i & 0xFF));
}

/* The head of one more entry. begins: the relocation of the old one's initial location. */
static bool begin_entry(
    struct program *p, struct frames_entry *entry, const struct frames_part *part, const struct object_reloc *begins)
{
	struct anew *o = p->out;
	const uint64_t label = edit_nth(p->code, part->from)->label;
	uint32_t symbol;
	if (entry->symbolic || begins->type == R_RISCV_ADD32 || begins->type == R_RISCV_ADD64 ||
	    object_add_symbol(o->edit->object,
		&(struct object_new_symbol){NULL, label, 0, p->code->number, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)},
		&symbol) != OBJECT_OK)
		return false;
	frames_end_entry(o, entry);
	entry->out_start = o->size;
	for (unsigned i = 0; i < 8; i++)
		anew_byte(o, 0);
	anew_reloc(o, o->size, begins->type, symbol, 0);
	for (unsigned i = 0; i < p->cie->address_bytes; i++)
		anew_byte(o, 0);
	put_range(p, part);
	if (p->cie->augmented)
		anew_byte(o, 0);
	return true;
}

/* What its augmentation says: an address of exception tables would be of the first part alone. */
static bool is_bare(const struct program *p, uint64_t from, uint64_t to)
{
	return !p->cie->augmented || (to == from + 1 && p->out->old->data[from] == 0);
}

static bool refuse_entry(const struct program *p)
{
	p->out->edit->failed = p->loc + 1;
	p->out->edit->failed_section = p->code->number;
	p->out->edit->failed_unwind = true;
	return false;
}

bool frames_ordered(struct program *p, struct frames_entry *entry, uint64_t at, uint64_t range)
{
	struct anew *o = p->out;
	const struct edit_section *s = p->code;
	struct edit_atom *first = edit_atom_at(s, p->loc);
	const struct object_reloc *begins = anew_reloc_at(o, o->at, R_RISCV_32_PCREL, R_RISCV_64);
	const uint64_t behind = o->at + 2 * (uint64_t)p->cie->address_bytes;
	struct frames_part part;
	if (begins == NULL)
		begins = anew_reloc_at(o, o->at, R_RISCV_32, R_RISCV_ADD32);
	if (first == NULL || first->offset != p->loc || begins == NULL || !part_from(p, first, range, &part))
		return refuse_entry(p);
	const bool whole =
	    part.to - part.from >= 1 && is_unchanged(p, &part) && !is_within(edit_nth(s, part.to - 1) + 1, p, range);
	const struct object_reloc begin = *begins;
	anew_copy(o, o->at + p->cie->address_bytes);
	anew_skip(o, behind);
	put_range(p, &part);
	anew_copy(o, at);
	if (!frames_part_program(p, at, entry->end, &part))
		return whole ? frames_copy_program(p, entry->end) : refuse_entry(p);
	for (struct edit_atom *atom = first + 1; is_within(atom, p, range); atom++) {
		if (!part_from(p, atom, range, &part))
			continue;
		if (!is_bare(p, behind, at) || !begin_entry(p, entry, &part, &begin) ||
		    !frames_part_program(p, at, entry->end, &part))
			return refuse_entry(p);
	}
	anew_skip(o, entry->end);
	return true;
}
