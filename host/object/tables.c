/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Updates the tables that describe code by plain distances, once edit_apply() has moved the code: unwind entries
 * (frames.c), and clang's lists of ranges and locations (DWARF 5).
 *
 * Line tables, addresses and sizes are symbolic in gcc's and clang's objects (docs/insert.md), so the linker updates
 * them. Lists of clang's are written anew, with as much room as their numbers take.
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
/* The address with an index, of the only contribution to .debug_addr. */
static const struct edit_section *debug_address(
    const struct edit *e, uint32_t addresses, uint64_t index, uint64_t *offset)
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

/* The object as it came, uncompressed: libdw does not know all ways to compress, and changes what it is given. */
static uint8_t *without_compression(const struct object *object, size_t *size)
{
	struct object *fresh = NULL;
	uint8_t *bytes = NULL;
	char detail[160];
	if (object_open(&fresh, object->file, object->file_size, detail, sizeof detail) != OBJECT_OK ||
	    object_decompress(fresh, detail, sizeof detail) != OBJECT_OK ||
	    object_write(fresh, &bytes, size) != OBJECT_OK)
		bytes = NULL;
	object_close(fresh);
	return bytes;
}

/*
 * What the lists' offset pairs begin from (DWARF 5, 2.17.3): the low address of the only unit that there is, as an
 * index into .debug_addr. A unit of several sections has none, and its lists say theirs. false: the unit cannot be
 * read.
 */
static bool unit_base(const struct edit *e, uint64_t *index, bool *there)
{
	bool read = false;
	size_t size = 0;
	uint8_t *plain = without_compression(e->object, &size);
	Elf *elf = plain == NULL ? NULL : elf_memory((char *)plain, size);
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
	free(plain);
	return read;
}

/* What the lists are about while they are written again. */
struct lists {
	struct edit *edit;
	struct anew out;
	uint32_t addresses; /* section of the addresses with an index */
	const struct edit_section *first, *section;
	uint64_t base, base_old; /* of the unit; of what comes next */
	bool locations, bad;
};

/* An offset pair, or a start by index and a length: at their new places. */
static void put_pair(struct lists *l, unsigned kind, uint64_t a, uint64_t b)
{
	const struct edit_section *of = l->section;
	uint64_t from = l->base_old;
	if (kind == DW_LLE_startx_length)
		of = debug_address(l->edit, l->addresses, a, &from);
	const bool moved = of != NULL && of->touched;
	const uint64_t start = moved ? tables_place(of, from) : 0;
	if (kind == DW_LLE_startx_length) {
		anew_uleb(&l->out, a);
		anew_uleb(&l->out, moved ? tables_place(of, from + b) - start : b);
		return;
	}
	anew_uleb(&l->out, moved ? tables_place(of, from + a) - start : a);
	anew_uleb(&l->out, moved ? tables_place(of, from + b) - start : b);
}

/* One entry of a list. The kinds of both sorts of lists have the same numbers, but for 5. */
static void rewrite_entry(struct lists *l)
{
	struct anew *o = &l->out;
	const uint8_t *d = o->old->data;
	const uint64_t size = o->old->size;
	uint64_t at = o->at + 1, a, b;
	const unsigned kind = d[o->at];
	if (kind == DW_LLE_end_of_list || kind == DW_LLE_base_addressx || kind == DW_LLE_startx_endx ||
	    (kind == DW_LLE_default_location && l->locations)) {
		const unsigned numbers[] = {0, 1, 2, 0, 0, 0};
		a = numbers[kind] > 0 ? tables_uleb(d, &at, size, &l->bad) : 0;
		if (numbers[kind] > 1)
			tables_uleb(d, &at, size, &l->bad);
		if (kind == DW_LLE_end_of_list) { /* the next list begins with the unit's base */
			l->section = l->first;
			l->base_old = l->base;
		} else if (kind == DW_LLE_base_addressx)
			l->section = debug_address(l->edit, l->addresses, a, &l->base_old);
	} else if (kind == DW_LLE_startx_length || kind == DW_LLE_offset_pair) {
		a = tables_uleb(d, &at, size, &l->bad);
		b = tables_uleb(d, &at, size, &l->bad);
		if (l->bad)
			return;
		anew_copy(o, o->at + 1);
		put_pair(l, kind, a, b);
		anew_skip(o, at);
	} else
		l->bad = true;
	if (l->locations && kind > DW_LLE_base_addressx && !l->bad) {
		const uint64_t length = tables_uleb(d, &at, size, &l->bad);
		l->bad = l->bad || length > size - at;
		at += l->bad ? 0 : length;
	}
	if (!l->bad)
		anew_copy(o, at);
}

/* Where each list begins, by its number; the section's length. */
static void write_list_head(struct anew *o, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t old = 12 + (uint64_t)tables_32(o->old->data + 12 + 4 * i);
		anew_set_32(o, 12 + 4 * (uint64_t)i, (uint32_t)(o->map[old] - 12));
	}
	anew_set_32(o, 0, (uint32_t)(o->size - 4));
}

/* Range lists (locations == false) or location lists. */
static int rewrite_lists(struct edit *e, uint32_t number, bool locations)
{
	struct object_section *s = &e->object->sections[number];
	struct lists l = {.edit = e,
	    .out = {.edit = e, .old = s},
	    .addresses = object_section_named(e->object, ".debug_addr"),
	    .locations = locations};
	if (s->size < 12 || s->data == NULL || l.addresses == 0)
		return OBJECT_OK;
	const uint32_t count = tables_32(s->data + 8);
	const uint64_t old_size = s->size, head = 12 + 4 * (uint64_t)count;
	uint64_t index;
	bool has_base;
	l.bad = !unit_base(e, &index, &has_base) || tables_32(s->data) + UINT64_C(4) != old_size || head > old_size;
	l.out.map = malloc((old_size + 1) * sizeof *l.out.map);
	if (l.out.map == NULL)
		return OBJECT_ENOMEM;
	for (uint32_t i = 0; i < count && !l.bad; i++)
		l.bad = 12 + (uint64_t)tables_32(s->data + 12 + 4 * i) >= old_size;
	l.first = l.section = has_base && !l.bad ? debug_address(e, l.addresses, index, &l.base) : NULL;
	l.base_old = l.base;
	if (!l.bad)
		anew_copy(&l.out, head);
	while (!l.bad && l.out.at < old_size && l.out.error == OBJECT_OK)
		rewrite_entry(&l);
	int error = l.out.error;
	if (error == OBJECT_OK && l.bad) { /* not understood: all lists end where they begin */
		error = object_resize(e->object, number, old_size);
		s = &e->object->sections[number];
		for (uint64_t at = 0; error == OBJECT_OK && old_size - at >= 12;) { /* of each contribution */
			const uint64_t end = at + 4 + tables_32(s->data + at);
			const uint64_t from = at + 12 + 4 * (uint64_t)tables_32(s->data + at + 8);
			if (end > old_size || from > end)
				break;
			memset(s->data + from, 0, end - from);
			at = end;
		}
		e->lost.lists++;
	} else if (error == OBJECT_OK) {
		l.out.map[old_size] = l.out.size;
		write_list_head(&l.out, count);
		anew_mend_references(e, number, &l.out, old_size);
		error = object_resize(e->object, number, l.out.size);
		s = &e->object->sections[number];
		if (error == OBJECT_OK)
			memcpy(s->data, l.out.data, l.out.size);
	}
	free(l.out.data);
	free(l.out.relocs);
	free(l.out.map);
	return error;
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
