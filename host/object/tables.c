/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Updates the tables that describe code by plain distances, once edit_apply() has moved the code: unwind entries
 * (frames.c), and clang's lists of ranges and locations (DWARF 5).
 *
 * Line tables, addresses and sizes are symbolic in gcc's and clang's objects (docs/insert.md), so the linker updates
 * them. A list of clang's is written again in the room that it has; one whose numbers need more room is cut short, and is
 * counted as lost.
 */
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/object/anew.h"

uint64_t tables_where(const struct edit *e, uint32_t symbol, int64_t addend, const struct edit_section **section)
{
	const struct object_symbol *s = &e->object->symbols[symbol];
	*section = edit_section(e, s->section);
	return s->value + (uint64_t)addend;
}

uint64_t tables_place(const struct edit_section *section, uint64_t offset)
{
	return section == NULL || !section->touched || offset > section->atoms[section->count - 1].offset
		   ? offset
		   : edit_label(section, offset);
}

/* ---------------------------------------------------------------- clang's lists */
/* A LEB128 number in the room of the old one. */
static bool put_in_room(uint8_t *data, uint64_t from, uint64_t to, uint64_t value)
{
	for (uint64_t at = from; at < to; at++) {
		data[at] = (uint8_t)((value & 0x7F) | (at + 1 < to ? 0x80 : 0));
		value >>= 7;
	}
	return value == 0;
}

/* The address with an index, of the only contribution to .debug_addr. */
static const struct edit_section *address(const struct edit *e, uint32_t addresses, uint64_t index, uint64_t *offset)
{
	const struct object_section *s = &e->object->sections[addresses];
	uint64_t at = 8 + index * (e->object->xlen / 8);
	for (size_t i = 0; i < s->reloc_count; i++) {
		const struct edit_section *section;
		if (s->relocs[i].offset != at)
			continue;
		*offset = tables_where(e, s->relocs[i].symbol, s->relocs[i].addend, &section);
		return section;
	}
	return NULL;
}

/*
 * What the lists' offset pairs begin from (DWARF 5, 2.17.3): the low address of the only unit that there is, as an index
 * into .debug_addr. A unit of several sections has none, and its lists say theirs. false: the unit cannot be read.
 */
static bool unit_base(const struct edit *e, uint64_t *index, bool *there)
{
	bool read = false;
	/* libdw takes compressed sections apart in place, and the file's bytes may not be written to */
	char *file = malloc(e->object->file_size + 1);
	if (file != NULL)
		memcpy(file, e->object->file, e->object->file_size);
	Elf *elf = file == NULL ? NULL : elf_memory(file, e->object->file_size);
	Dwarf *dwarf = elf == NULL ? NULL : dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	Dwarf_CU *unit = NULL, *other = NULL;
	Dwarf_Die die;
	Dwarf_Attribute attribute;
	uint8_t kind;
	*there = false;
	*index = 0;
	if (dwarf != NULL && dwarf_get_units(dwarf, NULL, &unit, NULL, &kind, &die, NULL) == 0 &&
	    dwarf_get_units(dwarf, unit, &other, NULL, NULL, NULL, NULL) == 1) {
		read = true;
		if (dwarf_attr(&die, DW_AT_low_pc, &attribute) != NULL) {
			const unsigned form = dwarf_whatform(&attribute);
			const uint8_t *value = attribute.valp;
			uint64_t at = 0;
			bool bad = false;
			*there = form != DW_FORM_addr;
			if (form == DW_FORM_addrx)
				*index = tables_uleb(value, &at, 10, &bad);
			else if (form >= DW_FORM_addrx1 && form <= DW_FORM_addrx4)
				for (unsigned i = 0; i <= form - DW_FORM_addrx1; i++)
					*index |= (uint64_t)value[i] << 8 * i;
			else
				bad = *there;
			read = !bad;
		}
	}
	dwarf_end(dwarf);
	elf_end(elf);
	free(file);
	return read;
}

/* Range lists (locations == false) or location lists. */
static int rewrite_lists(struct edit *e, uint32_t number, bool locations)
{
	struct object_section *s = &e->object->sections[number];
	uint32_t addresses = object_section_named(e->object, ".debug_addr");
	if (s->size < 12 || s->data == NULL || addresses == 0)
		return OBJECT_OK;
	uint64_t length = tables_32(s->data), at = 12 + 4 * (uint64_t)tables_32(s->data + 8);
	bool one = length + 4 == s->size && at <= s->size;
	int error = object_resize(e->object, number, s->size);
	if (error != OBJECT_OK)
		return error;
	s = &e->object->sections[number];
	uint8_t *d = s->data;
	uint64_t base = 0, index;
	bool has_base, bad = !unit_base(e, &index, &has_base) || !one;
	const struct edit_section *first = has_base ? address(e, addresses, index, &base) : NULL, *section = first;
	uint64_t base_old = base;
	while (at < s->size && !bad) {
		uint64_t start = at, a = 0, b = 0, before, middle;
		unsigned kind = d[at++];
		switch (kind) {
		case 0: /* end of list: the next begins with the unit's base */
			section = first;
			base_old = base;
			continue;
		case 1: /* base by index */
			section = address(e, addresses, tables_uleb(d, &at, s->size, &bad), &base_old);
			continue;
		case 2: /* start and end by index */
			tables_uleb(d, &at, s->size, &bad);
			tables_uleb(d, &at, s->size, &bad);
			break;
		case 3: /* start by index, length */
		case 4: /* offset pair */
			before = at;
			a = tables_uleb(d, &at, s->size, &bad);
			middle = at;
			b = tables_uleb(d, &at, s->size, &bad);
			if (bad)
				break;
			const struct edit_section *of = section;
			uint64_t from = base_old;
			if (kind == 3)
				of = address(e, addresses, a, &from);
			if (of == NULL || !of->touched)
				break;
			bool fits;
			if (kind == 3)
				fits = put_in_room(d, middle, at, tables_place(of, from + b) - tables_place(of, from));
			else
				fits = put_in_room(
					   d, before, middle, tables_place(of, from + a) - tables_place(of, from)) &&
				       put_in_room(d, middle, at, tables_place(of, from + b) - tables_place(of, from));
			if (!fits) {
				d[start] = 0; /* ends here */
				e->lost.lists++;
				put_in_room(d, before, middle, a);
				put_in_room(d, middle, at, b);
			}
			break;
		case 5: /* default location; in range lists: base address */
			if (!locations)
				bad = true;
			break;
		default:
			bad = true;
			break;
		}
		if (locations && !bad)
			at += tables_uleb(d, &at, s->size, &bad);
		bad = bad || at > s->size;
	}
	if (bad) { /* not understood: all lists end where they begin */
		uint64_t lists = one ? 12 + 4 * (uint64_t)tables_32(d + 8) : 0;
		for (uint64_t i = lists; one && i < s->size; i++)
			d[i] = 0;
		e->lost.lists++;
	}
	return OBJECT_OK;
}

/* ---------------------------------------------------------------- all of them */
/* An advance of a line table that no longer fits 16 bits. */
static bool line_overflows(const struct edit *e, uint32_t number)
{
	const struct object_section *s = &e->object->sections[number];
	for (size_t i = 0; i + 1 < s->reloc_count; i++) {
		const struct object_reloc *a = &s->relocs[i], *b = &s->relocs[i + 1];
		const struct edit_section *to, *from;
		if (a->type != R_RISCV_ADD16 || b->type != R_RISCV_SUB16 || a->offset != b->offset)
			continue;
		uint64_t t = tables_where(e, a->symbol, a->addend, &to),
			 f = tables_where(e, b->symbol, b->addend, &from);
		if (tables_place(to, t) - tables_place(from, f) > 0xFFFF)
			return true;
	}
	return false;
}

int edit_tables(struct edit *e, char *detail, size_t size)
{
	uint32_t count = e->object->section_count;
	int error = OBJECT_OK;
	for (uint32_t i = 1; i < count && error == OBJECT_OK; i++) {
		const char *name = e->object->sections[i].name;
		if (e->object->sections[i].data == NULL || e->object->sections[i].size == 0)
			continue;
		if (strcmp(name, ".eh_frame") == 0 || strcmp(name, ".debug_frame") == 0)
			error = frames_rewrite(e, i, name[1] == 'e', detail, size);
		else if (strcmp(name, ".debug_rnglists") == 0 && e->object->sections[i].reloc_count == 0)
			error = rewrite_lists(e, i, false);
		else if (strcmp(name, ".debug_loclists") == 0 && e->object->sections[i].reloc_count == 0)
			error = rewrite_lists(e, i, true);
		else if (strcmp(name, ".debug_line") == 0 && line_overflows(e, i)) {
			snprintf(detail, size,
			    "section .debug_line: a line has more than 64 KiB of code between it and the next");
			error = OBJECT_EUNSUPPORTED;
		}
	}
	return error;
}
