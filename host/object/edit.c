/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/object/edit.h"
#include "host/base/order.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/object/edit_private.h"

/* ---------------------------------------------------------------- atoms */
int edit_too_odd(char *detail, size_t size, const struct object_section *s, uint64_t offset, const char *what)
{
	snprintf(detail, size, "section %s, offset 0x%llx: %s", s->name, (unsigned long long)offset, what);
	return OBJECT_EUNSUPPORTED;
}

static unsigned length_of(uint32_t half)
{
	if ((half & 3) != 3)
		return 2;
	if ((half & 0x1F) != 0x1F)
		return 4;
	return (half & 0x3F) == 0x1F ? 6 : 8;
}

static void classify_atom(const struct edit *e, struct edit_atom *atom)
{
	uint32_t w = atom->word;
	atom->flow = EDIT_NEXT;
	if (atom->length == 4) {
		unsigned rd = w >> 7 & 31;
		if ((w & 0x7F) == 0x63)
			atom->flow = EDIT_BRANCH;
		else if ((w & 0x7F) == 0x6F)
			atom->flow = rd == 0 ? EDIT_JUMP : EDIT_CALL;
		else if ((w & 0x7F) == 0x67)
			atom->flow = rd == 0 ? EDIT_INDIRECT : EDIT_INDIRECT_CALL;
	} else if (atom->length == 2) {
		if ((w & 0xE003) == 0xA001)
			atom->flow = EDIT_JUMP;
		else if ((w & 0xE003) == 0x2001 && e->object->xlen == 32)
			atom->flow = EDIT_CALL;
		else if ((w & 0xC003) == 0xC001)
			atom->flow = EDIT_BRANCH;
		else if ((w & 0xF07F) == 0x8002 && (w >> 7 & 31) != 0)
			atom->flow = EDIT_INDIRECT;
		else if ((w & 0xF07F) == 0x9002 && (w >> 7 & 31) != 0)
			atom->flow = EDIT_INDIRECT_CALL;
	}
}

static bool is_data_reloc(uint32_t type)
{
	switch (type) {
	case R_RISCV_32:
	case R_RISCV_64:
	case R_RISCV_ADD8:
	case R_RISCV_ADD16:
	case R_RISCV_ADD32:
	case R_RISCV_ADD64:
	case R_RISCV_32_PCREL:
	case R_RISCV_SET6:
	case R_RISCV_SET8:
	case R_RISCV_SET16:
	case R_RISCV_SET32:
		return true;
	default:
		return false;
	}
}

static unsigned data_size(uint32_t type)
{
	if (type == R_RISCV_64 || type == R_RISCV_ADD64)
		return 8;
	if (type == R_RISCV_ADD16 || type == R_RISCV_SET16)
		return 2;
	return type == R_RISCV_ADD8 || type == R_RISCV_SET8 || type == R_RISCV_SET6 ? 1 : 4;
}

/* The target that a symbol and addend give. */
static void take_target(const struct edit *e, struct edit_atom *atom, const struct object_reloc *r)
{
	const struct object_symbol *symbol = &e->object->symbols[r->symbol];
	atom->symbol = r->symbol;
	atom->section = 0;
	if (symbol->section != 0 && symbol->section < e->object->section_count) {
		atom->section = symbol->section;
		atom->target = symbol->value + (uint64_t)r->addend;
	}
}

/* Mapping symbols say where data lies in code ($d) and where code goes on ($x). */
struct mapping {
	uint32_t section;
	bool data;
	uint64_t offset;
	uint32_t symbol; /* the later one holds */
};
struct mappings {
	struct mapping *items;
	size_t count, next;
};

static int edits_by_place(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;
	return order_then(ORDER_UP(x->section, y->section),
	    order_then(ORDER_UP(x->offset, y->offset), ORDER_UP(x->symbol, y->symbol)));
}

static int find_mappings(const struct object *object, struct mappings *mappings)
{
	size_t room = 0;
	for (uint32_t i = 1; i < object->symbol_count; i++) {
		const struct object_symbol *symbol = &object->symbols[i];
		if (object_symbol_type(symbol) != STT_NOTYPE || object_symbol_bind(symbol) != STB_LOCAL)
			continue;
		const char *name = object_symbol_name(object, i);
		bool data = name[0] == '$' && name[1] == 'd' && (name[2] == '\0' || name[2] == '.');
		if (!data && (name[0] != '$' || name[1] != 'x'))
			continue;
		if (mappings->count == room) {
			room = 2 * room + 16;
			struct mapping *larger = realloc(mappings->items, room * sizeof *larger);
			if (larger == NULL)
				return OBJECT_ENOMEM;
			mappings->items = larger;
		}
		mappings->items[mappings->count++] = (struct mapping){symbol->section, data, symbol->value, i};
	}
	if (mappings->count > 0)
		qsort(mappings->items, mappings->count, sizeof *mappings->items, edits_by_place);
	return OBJECT_OK;
}

/* Bytes of data from an offset on, if a mapping symbol says so. Nops are code: padding by a fill value is called data
 * too. */
static uint64_t data_from(struct mappings *m, const struct object_section *s, uint32_t section, uint64_t offset)
{
	while (m->next < m->count && (m->items[m->next].section < section ||
					 (m->items[m->next].section == section && m->items[m->next].offset <= offset)))
		m->next++;
	if (m->next == 0 || m->items[m->next - 1].section != section || !m->items[m->next - 1].data)
		return 0;
	uint64_t end = m->next < m->count && m->items[m->next].section == section ? m->items[m->next].offset : s->size;
	end = end > s->size ? s->size : end;
	for (uint64_t at = offset; at < end;) {
		uint16_t low, high = 0;
		if (end - at < 2)
			return end - offset;
		memcpy(&low, s->data + at, 2);
		if (end - at >= 4)
			memcpy(&high, s->data + at + 2, 2);
		if (low != C_NOP && (low != NOP || high != 0 || end - at < 4))
			return end - offset;
		at += low == C_NOP ? 2 : 4;
	}
	return 0;
}

/* AUIPC and JALR without relocations: how clang's assembler writes a call within a section that the linker does not
 * touch. */
static bool near_pair(const struct object_section *s, size_t next_reloc, uint64_t at, uint64_t *target)
{
	uint32_t auipc, jalr;
	if (s->size - at < 8 || (next_reloc < s->reloc_count && s->relocs[next_reloc].offset < at + 8))
		return false;
	memcpy(&auipc, s->data + at, 4);
	memcpy(&jalr, s->data + at + 4, 4);
	if ((auipc & 0x7F) != 0x17 || (jalr & 0x707F) != 0x67 || (jalr >> 15 & 31) != (auipc >> 7 & 31))
		return false;
	*target = at + (uint64_t)(int64_t)(int32_t)(auipc & 0xFFFFF000u) + (uint64_t)(int64_t)((int32_t)jalr >> 20);
	return *target < s->size;
}

/* An address of the same section by AUIPC and ADDI without relocations: so clang's assembler writes that of a function
 * or a label where the linker moves nothing. */
static void find_atom_address(const struct edit_section *section, struct edit_atom *atom)
{
	const struct edit_atom *next = atom + 1;
	uint32_t rd = atom->word >> 7 & 31, w = next->word;
	int64_t low;
	if (section->linked || atom->kind != EDIT_INSN || atom->length != 4 || (atom->word & 0x7F) != 0x17 ||
	    atom->relocs != 0 || next->kind != EDIT_INSN || next->relocs != 0 || (w >> 7 & 31) != rd)
		return;
	if (next->length == 4 && (w & 0x707F) == 0x13 && (w >> 15 & 31) == rd)
		low = (int32_t)w >> 20;
	else if (next->length == 2 && (w & 0xE003) == 0x0001)
		low = (int64_t)((w >> 2 & 31) ^ (w >> 7 & 32)) - (int64_t)((w >> 12 & 1) * 64);
	else
		return;
	uint64_t target = atom->offset + (uint64_t)(int64_t)(int32_t)(atom->word & 0xFFFFF000u) + (uint64_t)low;
	const struct edit_atom *to = edit_atom_at(section, target);
	if (to == NULL || to->offset != target || to->kind == EDIT_END)
		return;
	atom->address = true;
	atom->target = target;
}

/* slli x0, x0, 0x1f; ebreak; srai x0, x0, 7 in full length: a call of the host (semihosting). The last atom, which is
 * none, ends the search. */
static bool begins_host_call(const struct edit_atom *atom)
{
	static const uint32_t words[] = {0x01F01013, 0x00100073, 0x40705013};
	for (unsigned i = 0; i < 3; i++) {
		if (atom[i].kind != EDIT_INSN || atom[i].word != words[i])
			return false;
	}
	return true;
}

static int find_atoms(
    struct edit *e, struct edit_section *section, struct mappings *mappings, char *detail, size_t size)
{
	const struct object_section *s = &e->object->sections[section->number];
	size_t room = s->size / 2 + 2, k = 0;
	uint64_t at = 0;
	struct edit_atom *atoms = calloc(room, sizeof *atoms);
	section->atoms = atoms;
	if (atoms == NULL)
		return OBJECT_ENOMEM;
	while (at <= s->size) {
		if (section->count + 2 >= room) {
			room += room / 2;
			struct edit_atom *larger = realloc(atoms, room * sizeof *larger);
			if (larger == NULL)
				return OBJECT_ENOMEM;
			section->atoms = atoms = larger;
			memset(atoms + section->count, 0, (room - section->count) * sizeof *atoms);
		}
		struct edit_atom *atom = &atoms[section->count++];
		atom->offset = at;
		atom->reloc = (uint32_t)k;
		if (at == s->size)
			atom->kind = EDIT_END;
		/* an offset where both padding and an instruction begin: padding comes first */
		size_t first = k;
		uint32_t data = 0, pair = 0;
		uint64_t pad = 0, marked, near = 0;
		for (; k < s->reloc_count && s->relocs[k].offset == at; k++) {
			uint32_t type = s->relocs[k].type;
			if (type == R_RISCV_ALIGN)
				pad = (uint64_t)s->relocs[k].addend;
			else if (is_data_reloc(type) && data_size(type) > data)
				data = data_size(type);
			else if (type == R_RISCV_CALL || type == R_RISCV_CALL_PLT)
				pair = 8;
		}
		if (at == s->size) {
			atom->relocs = (uint32_t)(k - first);
			break;
		}
		if ((pad & 1) != 0 || pad > s->size - at || data > s->size - at || pair > s->size - at)
			return edit_too_odd(detail, size, s, at, "a relocation reaches beyond the end");
		if (pad > 0) {
			atom->kind = EDIT_PAD;
			atom->length = (uint32_t)pad;
		} else if (data > 0) {
			atom->kind = EDIT_DATA;
			atom->length = data;
		} else if ((marked = data_from(mappings, s, section->number, at)) > 0) {
			atom->kind = EDIT_DATA;
			atom->length = marked > 4 ? 4 : (uint32_t)marked;
			if (k < s->reloc_count && s->relocs[k].offset - at < atom->length)
				atom->length = (uint32_t)(s->relocs[k].offset - at);
		} else if (s->size - at < 2) {
			atom->kind = EDIT_DATA;
			atom->length = 1;
		} else {
			uint16_t half, high = 0;
			memcpy(&half, s->data + at, 2);
			if (pair == 0 && near_pair(s, k, at, &near))
				pair = 8;
			else
				near = s->size;
			atom->kind = EDIT_INSN;
			atom->length = pair > 0 ? pair : length_of(half);
			if (atom->length > s->size - at) {
				atom->kind = EDIT_DATA;
				atom->length = (uint32_t)(s->size - at);
			}
			if (s->size - at >= 4 && atom->length >= 4)
				memcpy(&high, s->data + at + 2, 2);
			atom->word = half | (uint32_t)high << 16;
		}
		if (pair > 0 && atom->kind == EDIT_INSN) {
			uint32_t jalr;
			memcpy(&jalr, s->data + at + 4, 4);
			atom->kind = EDIT_PAIR;
			atom->link = jalr >> 7 & 31;
			atom->flow = (jalr >> 7 & 31) == 0 ? EDIT_JUMP : EDIT_CALL;
		} else if (atom->kind == EDIT_INSN)
			classify_atom(e, atom);
		/* relocations inside belong to it */
		while (k < s->reloc_count && s->relocs[k].offset < at + atom->length) {
			if (atom->kind == EDIT_INSN && s->relocs[k].type == R_RISCV_ALIGN)
				return edit_too_odd(detail, size, s, at, "padding in the middle of an instruction");
			k++;
		}
		atom->relocs = (uint32_t)(k - first);
		/* data in pieces: a relocation in the middle of it is its own */
		bool direct = atom->flow == EDIT_BRANCH || atom->flow == EDIT_JUMP || atom->flow == EDIT_CALL;
		bool given = false;
		for (size_t i = first; i < k && atom->kind != EDIT_DATA; i++) {
			uint32_t type = s->relocs[i].type;
			section->linked = section->linked || type == R_RISCV_RELAX || type == R_RISCV_ALIGN;
			if (direct &&
			    (type == R_RISCV_BRANCH || type == R_RISCV_JAL || type == R_RISCV_RVC_BRANCH ||
				type == R_RISCV_RVC_JUMP || type == R_RISCV_CALL || type == R_RISCV_CALL_PLT)) {
				take_target(e, atom, &s->relocs[i]);
				given = true;
			}
			given = given || (type != R_RISCV_RELAX && type != R_RISCV_ALIGN);
		}
		if (direct && !given) {
			int64_t target = atom->kind == EDIT_PAIR
					     ? (int64_t)near
					     : (int64_t)at + transfer_distance(atom->word, atom->length);
			if (target < 0 || target > (int64_t)s->size) { /* an instruction that is none */
				atom->kind = EDIT_DATA;
				atom->flow = EDIT_NEXT;
			} else {
				atom->section = section->number;
				atom->target = (uint64_t)target;
			}
		}
		at += atom->length;
	}
	section->atoms[section->count - 1].relocs =
	    (uint32_t)(s->reloc_count - section->atoms[section->count - 1].reloc);
	/* transfers without relocation into the middle of an instruction: what looks like one is none */
	for (size_t i = 0; i < section->count; i++) {
		struct edit_atom *atom = &section->atoms[i];
		bool near = atom->kind == EDIT_PAIR && atom->relocs == 0;
		if ((near || atom->kind == EDIT_INSN) && atom->section == section->number) {
			const struct edit_atom *to = edit_atom_at(section, atom->target);
			if (to == NULL || to->offset != atom->target) {
				if (atom->symbol != 0 || near)
					return edit_too_odd(detail, size, s, atom->offset,
					    "a branch goes to the middle of an instruction");
				atom->kind = EDIT_DATA;
				atom->flow = EDIT_NEXT;
				atom->section = 0;
			}
		}
		find_atom_address(section, atom);
		atom->host_call = begins_host_call(atom);
	}
	return OBJECT_OK;
}

struct edit_atom *edit_atom_at(const struct edit_section *section, uint64_t offset)
{
	size_t low = 0, high = section->count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (section->atoms[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	struct edit_atom *atom = &section->atoms[low];
	if (offset > atom->offset && offset - atom->offset >= atom->length)
		return NULL;
	return atom;
}

int edit_open(struct edit **out, struct object *object, char *detail, size_t size)
{
	struct edit *e = calloc(1, sizeof *e);
	struct mappings mappings = {0};
	int error = OBJECT_OK;
	*out = NULL;
	if (e == NULL)
		return OBJECT_ENOMEM;
	e->object = object;
	e->linked = object_section_named(object, ".rivulet.linked") != 0;
	e->old_sections = object->section_count;
	e->section_of = calloc(object->section_count, sizeof *e->section_of);
	e->sections = calloc(object->section_count, sizeof *e->sections);
	if (e->section_of == NULL || e->sections == NULL)
		error = OBJECT_ENOMEM;
	if (error == OBJECT_OK)
		error = find_mappings(object, &mappings);
	for (uint32_t i = 1; error == OBJECT_OK && i < object->section_count; i++) {
		struct object_section *s = &object->sections[i];
		if ((s->flags & SHF_EXECINSTR) == 0 || s->type != SHT_PROGBITS || s->size == 0)
			continue;
		error = object_sort_relocs(object, i);
		e->section_of[i] = (uint32_t)++e->section_count;
		e->sections[e->section_count - 1].number = i;
		if (error == OBJECT_OK)
			error = find_atoms(e, &e->sections[e->section_count - 1], &mappings, detail, size);
	}
	free(mappings.items);
	if (error != OBJECT_OK) {
		if (error == OBJECT_ENOMEM)
			snprintf(detail, size, "out of memory");
		edit_close(e);
		return error;
	}
	*out = e;
	return OBJECT_OK;
}

void edit_close(struct edit *e)
{
	if (e == NULL)
		return;
	for (size_t i = 0; e->sections != NULL && i < e->section_count; i++) {
		free(e->sections[i].atoms);
		free(e->sections[i].order);
		free(e->sections[i].rank);
	}
	for (size_t i = 0; i < e->piece_count; i++)
		free(e->pieces[i].words);
	free(e->pieces);
	free(e->frame_changes);
	free(e->sections);
	free(e->section_of);
	free(e);
}
