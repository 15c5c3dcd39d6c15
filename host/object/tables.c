/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What describes code by distances, when the code has got its new places.
 *
 * Unwind entries (.eh_frame, .debug_frame): an advance has 6, 8, 16 or 32 bits, and a relocation pair for them; one that
 * no longer holds its distance becomes wider, so the entry grows and what points into the section moves. An entry whose
 * function has a larger frame now (edit_frame()) is written anew: with D the added bytes, the old stack pointer at entry
 * is CFA - D.
 *
 *      old:  CFA = sp + N        x at CFA - a           new:  CFA = sp + N + D        x at CFA - a - D
 *
 * Line tables, addresses and sizes are symbolic in gcc's and clang's objects (docs/insert.md): nothing to do. clang's
 * lists of ranges and locations (DWARF 5) hold plain distances: they are written anew in the room that they have; a list
 * whose numbers need more room ends there, and is counted as lost.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/object/edit_private.h"

enum {
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0A,
	CFA_RESTORE_STATE = 0x0B,
	CFA_DEF_CFA = 0x0C,
	CFA_DEF_CFA_REGISTER = 0x0D,
	CFA_DEF_CFA_OFFSET = 0x0E,
	CFA_DEF_CFA_EXPRESSION = 0x0F,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_GNU_ARGS_SIZE = 0x2E,
	CFA_ADVANCE = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xC0
};

/* ---------------------------------------------------------------- a section written anew */
struct out {
	struct edit *edit;
	const struct object_section *old;
	uint8_t *data;
	size_t size, room;
	struct object_reloc *relocs;
	size_t reloc_count, reloc_room;
	size_t next;   /* relocation of the old section */
	uint64_t *map; /* new offset of each old one, and of the end */
	uint64_t at;   /* in the old section */
	int error;
};

static void put(struct out *o, const void *bytes, size_t size)
{
	if (o->error != OBJECT_OK)
		return;
	if (o->size + size > o->room) {
		size_t room = o->room + o->room / 2 + size + 256;
		uint8_t *data = realloc(o->data, room);
		if (data == NULL) {
			o->error = OBJECT_ENOMEM;
			return;
		}
		o->data = data;
		o->room = room;
	}
	memcpy(o->data + o->size, bytes, size);
	o->size += size;
}

static void put_byte(struct out *o, unsigned byte)
{
	uint8_t b = (uint8_t)byte;
	put(o, &b, 1);
}

static void put_uleb(struct out *o, uint64_t value)
{
	do {
		unsigned byte = value & 0x7F;
		value >>= 7;
		put_byte(o, byte | (value != 0 ? 0x80 : 0));
	} while (value != 0);
}

static void put_sleb(struct out *o, int64_t value)
{
	for (;;) {
		unsigned byte = value & 0x7F;
		value >>= 7;
		if ((value == 0 && (byte & 0x40) == 0) || (value == -1 && (byte & 0x40) != 0)) {
			put_byte(o, byte);
			return;
		}
		put_byte(o, byte | 0x80);
	}
}

static void put_reloc(struct out *o, uint64_t offset, uint32_t type, uint32_t symbol, int64_t addend)
{
	if (o->error != OBJECT_OK)
		return;
	if (o->reloc_count == o->reloc_room) {
		size_t room = o->reloc_room + o->reloc_room / 2 + 64;
		struct object_reloc *relocs = realloc(o->relocs, room * sizeof *relocs);
		if (relocs == NULL) {
			o->error = OBJECT_ENOMEM;
			return;
		}
		o->relocs = relocs;
		o->reloc_room = room;
	}
	o->relocs[o->reloc_count++] = (struct object_reloc){offset, addend, symbol, type};
}

/* The old bytes up to `to` as they are, with their relocations. */
static void copy(struct out *o, uint64_t to)
{
	uint64_t from = o->at, base = o->size;
	for (uint64_t i = from; i < to; i++)
		o->map[i] = base + (i - from);
	put(o, o->old->data + from, to - from);
	while (o->next < o->old->reloc_count && o->old->relocs[o->next].offset < to) {
		const struct object_reloc *r = &o->old->relocs[o->next++];
		put_reloc(o, base + (r->offset - from), r->type, r->symbol, r->addend);
	}
	o->at = to;
}

/* Leaves out the old bytes up to `to`; their relocations are gone. */
static void skip(struct out *o, uint64_t to)
{
	for (uint64_t i = o->at; i < to; i++)
		o->map[i] = o->size;
	while (o->next < o->old->reloc_count && o->old->relocs[o->next].offset < to)
		o->next++;
	o->at = to;
}

static const struct object_reloc *reloc_at(const struct out *o, uint64_t offset, uint32_t a, uint32_t b)
{
	for (size_t i = o->next; i < o->old->reloc_count && o->old->relocs[i].offset <= offset; i++) {
		const struct object_reloc *r = &o->old->relocs[i];
		if (r->offset == offset && (r->type == a || r->type == b))
			return r;
	}
	return NULL;
}

static uint64_t read_uleb(const uint8_t *data, uint64_t *at, uint64_t end, bool *bad)
{
	uint64_t value = 0;
	for (unsigned shift = 0;; shift += 7) {
		if (*at >= end || shift > 63) {
			*bad = true;
			return 0;
		}
		uint8_t byte = data[(*at)++];
		value |= (uint64_t)(byte & 0x7F) << shift;
		if ((byte & 0x80) == 0)
			return value;
	}
}

static int64_t read_sleb(const uint8_t *data, uint64_t *at, uint64_t end, bool *bad)
{
	int64_t value = 0;
	for (unsigned shift = 0;; shift += 7) {
		if (*at >= end || shift > 56) {
			*bad = true;
			return 0;
		}
		uint8_t byte = data[(*at)++];
		value |= (int64_t)(byte & 0x7F) << shift;
		if ((byte & 0x80) == 0)
			return (byte & 0x40) != 0 ? value - ((int64_t)1 << (shift + 7)) : value;
	}
}

static uint32_t read_32(const uint8_t *data)
{
	uint32_t value;
	memcpy(&value, data, 4);
	return value;
}

/* ---------------------------------------------------------------- unwind entries */
struct cie {
	uint64_t offset;
	uint64_t code_align;
	int64_t data_align;
	unsigned address_bytes; /* of initial location and range */
	bool augmented;
};

struct program { /* a row of call frame instructions being copied */
	struct out *out;
	const struct cie *cie;
	const struct edit_section *code; /* NULL: not edited */
	uint64_t loc;                    /* old offset of the present row in the code */
	const struct edit_frame_change *change;
	uint32_t from_symbol; /* that replaces the symbol of the next SUB; 0: none */
	uint64_t from;        /* its new offset; the advances so far stand there */
	bool moved;
};

static uint64_t where(const struct edit *e, uint32_t symbol, int64_t addend, const struct edit_section **section)
{
	const struct object_symbol *s = &e->object->symbols[symbol];
	*section = edit_section(e, s->section);
	return s->value + (uint64_t)addend;
}

static uint64_t new_place(const struct edit_section *section, uint64_t offset)
{
	return section == NULL || !section->touched || offset > section->atoms[section->count - 1].offset
		   ? offset
		   : edit_label(section, offset);
}

/* An advance of `bytes` bytes operand (0: in the low 6 bits) whose instruction begins at o->at. */
static void advance(struct program *p, unsigned bytes)
{
	struct out *o = p->out;
	uint64_t field = o->at + (bytes > 0 ? 1 : 0), end = o->at + 1 + bytes;
	uint64_t old = 0, distance;
	for (unsigned i = 0; i < bytes; i++)
		old |= (uint64_t)o->old->data[field + i] << 8 * i;
	if (bytes == 0)
		old = o->old->data[field] & 0x3F;
	old *= p->cie->code_align;
	const struct object_reloc *plus = NULL, *minus = NULL;
	for (size_t i = o->next; i < o->old->reloc_count && o->old->relocs[i].offset <= field; i++) {
		const struct object_reloc *r = &o->old->relocs[i];
		if (r->offset != field)
			continue;
		if (r->type == R_RISCV_SET6 || r->type == R_RISCV_SET8 || r->type == R_RISCV_SET16 ||
		    r->type == R_RISCV_SET32 || r->type == R_RISCV_ADD32 || r->type == R_RISCV_ADD16 ||
		    r->type == R_RISCV_ADD8)
			plus = r;
		else if (r->type == R_RISCV_SUB6 || r->type == R_RISCV_SUB8 || r->type == R_RISCV_SUB16 ||
			 r->type == R_RISCV_SUB32)
			minus = r;
	}
	struct object_reloc a = {0}, b = {0};
	bool symbolic = plus != NULL && minus != NULL;
	if (symbolic) {
		const struct edit_section *to, *from;
		a = *plus;
		b = *minus;
		uint64_t t = where(o->edit, a.symbol, a.addend, &to), f = where(o->edit, b.symbol, b.addend, &from);
		p->loc = t;
		distance = new_place(to, t) - (p->from_symbol != 0 ? p->from : new_place(from, f));
		if (p->from_symbol != 0) {
			b.symbol = p->from_symbol;
			b.addend = 0;
		}
	} else {
		uint64_t before = p->from_symbol != 0 ? p->from : new_place(p->code, p->loc);
		p->loc += old;
		distance = new_place(p->code, p->loc) - before;
	}
	bool replaced = p->from_symbol != 0;
	p->from_symbol = 0;
	uint64_t steps = distance / p->cie->code_align;
	unsigned need = steps < 0x40 ? 0 : steps < 0x100 ? 1 : steps < 0x10000 ? 2 : 4;
	if (need <= bytes && symbolic && !replaced) {
		copy(o, end);
		return;
	}
	if (need < bytes)
		need = bytes;
	skip(o, end);
	uint64_t at = o->size + (need > 0 ? 1 : 0);
	unsigned code = need == 0   ? CFA_ADVANCE | (unsigned)(steps & 0x3F)
			: need == 1 ? CFA_ADVANCE1
			: need == 2 ? CFA_ADVANCE2
				    : CFA_ADVANCE4;
	if (symbolic && need == 0)
		code = CFA_ADVANCE;
	put_byte(o, code);
	for (unsigned i = 0; i < need; i++)
		put_byte(o, symbolic ? 0 : (unsigned)(steps >> 8 * i & 0xFF));
	if (symbolic) {
		static const uint32_t set[] = {R_RISCV_SET6, R_RISCV_SET8, R_RISCV_SET16, 0, R_RISCV_SET32},
				      sub[] = {R_RISCV_SUB6, R_RISCV_SUB8, R_RISCV_SUB16, 0, R_RISCV_SUB32};
		put_reloc(o, at, set[need], a.symbol, a.addend);
		put_reloc(o, at, sub[need], b.symbol, b.addend);
	}
}

/* Registers are kept in the new part of the frame, from behind the first piece of the function on. */
static void begin_frame(struct program *p)
{
	struct out *o = p->out;
	const struct edit_frame_change *c = p->change;
	const struct edit_atom *atom = edit_atom_at(p->code, c->function);
	uint64_t size = c->bytes, steps;
	steps = size / p->cie->code_align;
	if (steps >= 0x40) {
		put_byte(o, CFA_ADVANCE1);
		put_byte(o, (unsigned)steps & 0xFF);
	} else
		put_byte(o, CFA_ADVANCE | (unsigned)steps);
	put_byte(o, CFA_DEF_CFA_OFFSET);
	put_uleb(o, c->grow);
	for (unsigned i = 0; i < c->count; i++) {
		put_byte(o, CFA_OFFSET | c->saved[i].reg);
		put_uleb(o, c->saved[i].at / (uint64_t)-p->cie->data_align);
	}
	p->from = atom->label + size;
	/* the symbol is made after symbols have moved: it has its new place */
	o->error = o->error != OBJECT_OK ? o->error
					 : object_add_symbol(o->edit->object, NULL, p->from, 0, c->section,
					       ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), 0, &p->from_symbol);
}

/* One instruction whose operands say offsets from the CFA, in a larger frame. */
static bool larger_frame(struct program *p, unsigned op, uint64_t *next, uint64_t end)
{
	struct out *o = p->out;
	const uint8_t *d = o->old->data;
	uint64_t grow = p->change->grow;
	uint64_t factor = (uint64_t)-p->cie->data_align, reg = 0, at = *next;
	bool bad = false;
	uint64_t n;
	int64_t s;
	if ((op & 0xC0) == CFA_OFFSET) {
		n = read_uleb(d, &at, end, &bad);
		skip(o, at);
		put_byte(o, op);
		put_uleb(o, n + grow / factor);
		*next = at;
		return !bad;
	}
	switch (op) {
	case CFA_OFFSET_EXTENDED:
	case CFA_VAL_OFFSET:
	case CFA_DEF_CFA:
		reg = read_uleb(d, &at, end, &bad);
		n = read_uleb(d, &at, end, &bad);
		skip(o, at);
		put_byte(o, op);
		put_uleb(o, reg);
		put_uleb(o, op == CFA_DEF_CFA ? n + grow : n + grow / factor);
		break;
	case CFA_DEF_CFA_OFFSET:
		n = read_uleb(d, &at, end, &bad);
		skip(o, at);
		put_byte(o, op);
		put_uleb(o, n + grow);
		break;
	case CFA_OFFSET_EXTENDED_SF:
	case CFA_VAL_OFFSET_SF:
	case CFA_DEF_CFA_SF:
		reg = read_uleb(d, &at, end, &bad);
		s = read_sleb(d, &at, end, &bad);
		skip(o, at);
		put_byte(o, op);
		put_uleb(o, reg);
		put_sleb(o, op == CFA_DEF_CFA_SF ? s - (int64_t)(grow / factor) : s + (int64_t)(grow / factor));
		break;
	case CFA_DEF_CFA_OFFSET_SF:
		s = read_sleb(d, &at, end, &bad);
		skip(o, at);
		put_byte(o, op);
		put_sleb(o, s - (int64_t)(grow / factor));
		break;
	default:
		return false;
	}
	*next = at;
	return !bad;
}

/* false: something that is not known. */
static bool copy_program(struct program *p, uint64_t end)
{
	struct out *o = p->out;
	const uint8_t *d = o->old->data;
	bool bad = false;
	if (p->change != NULL)
		begin_frame(p);
	while (o->at < end && !bad && o->error == OBJECT_OK) {
		uint64_t at = o->at + 1;
		unsigned op = d[o->at], high = op & 0xC0;
		if (high == CFA_ADVANCE || op == CFA_ADVANCE1 || op == CFA_ADVANCE2 || op == CFA_ADVANCE4) {
			unsigned bytes = high == CFA_ADVANCE ? 0 : op == CFA_ADVANCE1 ? 1 : op == CFA_ADVANCE2 ? 2 : 4;
			if (end - o->at < 1 + bytes)
				return false;
			advance(p, bytes);
			continue;
		}
		if (p->change != NULL && larger_frame(p, op, &at, end))
			continue;
		if (high == CFA_OFFSET)
			read_uleb(d, &at, end, &bad);
		else if (high == 0) {
			switch (op) {
			case CFA_NOP:
			case CFA_REMEMBER:
			case CFA_RESTORE_STATE:
				break;
			case CFA_RESTORE_EXTENDED:
			case CFA_UNDEFINED:
			case CFA_SAME_VALUE:
			case CFA_DEF_CFA_REGISTER:
			case CFA_DEF_CFA_OFFSET:
			case CFA_DEF_CFA_OFFSET_SF:
			case CFA_GNU_ARGS_SIZE:
				read_uleb(d, &at, end, &bad);
				break;
			case CFA_OFFSET_EXTENDED:
			case CFA_REGISTER:
			case CFA_DEF_CFA:
			case CFA_OFFSET_EXTENDED_SF:
			case CFA_DEF_CFA_SF:
			case CFA_VAL_OFFSET:
			case CFA_VAL_OFFSET_SF:
				read_uleb(d, &at, end, &bad);
				read_uleb(d, &at, end, &bad);
				break;
			case CFA_EXPRESSION:
			case CFA_VAL_EXPRESSION:
				read_uleb(d, &at, end, &bad);
				at += read_uleb(d, &at, end, &bad);
				if (p->change != NULL)
					return false;
				break;
			case CFA_DEF_CFA_EXPRESSION:
				at += read_uleb(d, &at, end, &bad);
				if (p->change != NULL)
					return false;
				break;
			default:
				return false;
			}
		}
		if (bad || at > end)
			return false;
		copy(o, at);
	}
	return !bad;
}

/* A CIE's contents as far as FDEs need them. */
static bool read_cie(const struct edit *e, const uint8_t *d, uint64_t at, uint64_t end, bool eh, struct cie *cie)
{
	bool bad = false;
	if (end - at < 4)
		return false;
	unsigned version = d[at++];
	const uint8_t *text = d + at, *stop = memchr(text, 0, end - at);
	if (stop == NULL)
		return false;
	at += (uint64_t)(stop - text) + 1;
	cie->address_bytes = e->object->xlen / 8;
	if (version >= 4) {
		if (end - at < 2)
			return false;
		at += 2;
	}
	cie->code_align = read_uleb(d, &at, end, &bad);
	cie->data_align = read_sleb(d, &at, end, &bad);
	if (version == 1)
		at++;
	else
		read_uleb(d, &at, end, &bad);
	cie->augmented = *text == 'z';
	if (*text != 0 && *text != 'z')
		return false;
	if (cie->augmented) {
		read_uleb(d, &at, end, &bad);
		for (const uint8_t *c = text + 1; *c != 0 && !bad; c++) {
			unsigned encoding = at < end ? d[at] : 0, size;
			switch (*c) {
			case 'L':
				at++;
				break;
			case 'P':
				size =
				    (encoding & 0xF) == 0 || (encoding & 0xF) == 4 || (encoding & 0xF) == 0xC ? 8 : 4;
				if ((encoding & 0xF) == 0)
					size = e->object->xlen / 8;
				at += 1 + size;
				break;
			case 'R':
				at++;
				if (eh)
					cie->address_bytes = (encoding & 0xF) == 0x3 || (encoding & 0xF) == 0xB ? 4
							     : (encoding & 0xF) == 0 ? e->object->xlen / 8
							     : (encoding & 0xF) == 0x4 || (encoding & 0xF) == 0xC ? 8
														  : 0;
				break;
			case 'S':
				break;
			default:
				return false;
			}
		}
	}
	return !bad && at <= end && cie->code_align > 0 && cie->code_align <= 4 && cie->data_align < 0 &&
	       cie->data_align >= -16 && cie->address_bytes != 0;
}

static const struct edit_frame_change *change_of(const struct edit *e, uint32_t section, uint64_t function)
{
	for (size_t i = 0; i < e->frame_change_count; i++) {
		if (e->frame_changes[i].section == section && e->frame_changes[i].function == function)
			return &e->frame_changes[i];
	}
	return NULL;
}

/* One FDE, from its initial location on, up to end. */
static bool copy_fde(struct edit *e, struct out *o, const struct cie *cie, uint64_t end)
{
	const struct object_reloc *begins;
	struct program p = {.out = o, .cie = cie};
	uint64_t at = o->at + 2 * (uint64_t)cie->address_bytes;
	bool bad = false;
	if (at > end)
		return false;
	begins = reloc_at(o, o->at, R_RISCV_32_PCREL, cie->address_bytes == 8 ? R_RISCV_64 : R_RISCV_32);
	if (begins == NULL)
		begins = reloc_at(o, o->at, R_RISCV_ADD32, R_RISCV_ADD64);
	if (begins == NULL)
		return false;
	p.loc = where(e, begins->symbol, begins->addend, &p.code);
	if (p.code != NULL && p.code->touched)
		p.change = change_of(e, p.code->number, p.loc);
	if (cie->augmented)
		at += read_uleb(o->old->data, &at, end, &bad);
	if (bad || at > end)
		return false;
	/* a range that is a plain number */
	uint64_t range_at = o->size + cie->address_bytes;
	uint64_t range_old = o->at + cie->address_bytes;
	bool plain = reloc_at(o, range_old, R_RISCV_ADD32, R_RISCV_ADD64) == NULL &&
		     reloc_at(o, range_old, R_RISCV_32, R_RISCV_64) == NULL &&
		     reloc_at(o, range_old, R_RISCV_SET32, R_RISCV_SET32) == NULL;
	uint64_t range = 0;
	memcpy(&range, o->old->data + range_old, cie->address_bytes);
	copy(o, at);
	if (plain && o->error == OBJECT_OK) {
		range = new_place(p.code, p.loc + range) - new_place(p.code, p.loc);
		memcpy(o->data + range_at, &range, cie->address_bytes);
	}
	return copy_program(&p, end);
}

static void set_32(struct out *o, uint64_t at, uint32_t value)
{
	if (o->error == OBJECT_OK)
		memcpy(o->data + at, &value, 4);
}

/* Everything in other sections that names a place in this one. */
static void mend_references(struct edit *e, uint32_t number, const struct out *o, uint64_t old_size)
{
	for (uint32_t i = 1; i < e->object->section_count; i++) {
		struct object_section *s = &e->object->sections[i];
		for (size_t k = 0; k < s->reloc_count; k++) {
			struct object_reloc *r = &s->relocs[k];
			const struct object_symbol *symbol = &e->object->symbols[r->symbol];
			if (symbol->section != number || r->addend == 0)
				continue;
			uint64_t target = symbol->value + (uint64_t)r->addend;
			if (target <= old_size && symbol->value <= old_size)
				r->addend = (int64_t)(o->map[target] - o->map[symbol->value]);
		}
	}
	for (uint32_t i = 1; i < e->object->symbol_count; i++) {
		struct object_symbol *symbol = &e->object->symbols[i];
		if (symbol->section == number && symbol->value <= old_size)
			symbol->value = o->map[symbol->value];
	}
}

static int rewrite_frames(struct edit *e, uint32_t number, bool eh, char *detail, size_t detail_size)
{
	struct object_section *s = &e->object->sections[number];
	struct out o = {.edit = e, .old = s};
	uint64_t old_size = s->size;
	struct cie *cies = NULL;
	size_t cie_count = 0, cie_room = 0;
	int error = object_sort_relocs(e->object, number);
	o.map = malloc((s->size + 1) * sizeof *o.map);
	if (error != OBJECT_OK || o.map == NULL) {
		free(o.map);
		return OBJECT_ENOMEM;
	}
	bool good = true;
	while (good && o.at < old_size && o.error == OBJECT_OK) {
		uint64_t start = o.at, out_start = o.size;
		if (old_size - start < 4) {
			good = false;
			break;
		}
		uint32_t length = read_32(s->data + start);
		uint64_t end = start + 4 + length;
		if (length == 0) { /* the end mark */
			copy(&o, start + 4);
			continue;
		}
		if (length >= 0xFFFFFFF0u || end > old_size || length < 8) {
			good = false;
			break;
		}
		uint32_t id = read_32(s->data + start + 4);
		const struct object_reloc *pointer = reloc_at(&o, start + 4, R_RISCV_32, R_RISCV_ADD32);
		bool is_cie = pointer == NULL && (eh ? id == 0 : id == UINT32_MAX);
		copy(&o, start + 8);
		if (is_cie) {
			if (cie_count == cie_room) {
				cie_room = 2 * cie_room + 4;
				struct cie *larger = realloc(cies, cie_room * sizeof *cies);
				if (larger == NULL) {
					o.error = OBJECT_ENOMEM;
					break;
				}
				cies = larger;
			}
			good = read_cie(e, s->data, start + 8, end, eh, &cies[cie_count]);
			cies[cie_count++].offset = start;
			copy(&o, end);
			continue;
		}
		uint64_t of;
		if (pointer != NULL) {
			of = e->object->symbols[pointer->symbol].value + (uint64_t)pointer->addend;
			if (e->object->symbols[pointer->symbol].section != number)
				good = false;
		} else
			of = eh ? start + 4 - id : id;
		const struct cie *cie = NULL;
		for (size_t i = 0; i < cie_count && good; i++)
			cie = cies[i].offset == of ? &cies[i] : cie;
		good = good && cie != NULL && copy_fde(e, &o, cie, end);
		if (!good)
			break;
		uint64_t unit = length % 8 == 4 && e->object->xlen == 64 ? 8 : 4;
		while ((o.size - out_start - 4) % unit != length % unit && o.error == OBJECT_OK)
			put_byte(&o, CFA_NOP);
		while ((o.size - out_start) % 4 != 0 && o.error == OBJECT_OK)
			put_byte(&o, CFA_NOP);
		set_32(&o, out_start, (uint32_t)(o.size - out_start - 4));
		if (pointer == NULL)
			set_32(&o, out_start + 4, eh ? (uint32_t)(out_start + 4 - o.map[of]) : (uint32_t)o.map[of]);
	}
	free(cies);
	o.map[old_size] = o.size;
	error = o.error;
	if (error == OBJECT_OK && !good) {
		snprintf(detail, detail_size, "section %s, offset 0x%llx: an unwind entry that is not understood",
		    s->name, (unsigned long long)o.at);
		error = OBJECT_EUNSUPPORTED;
	}
	if (error == OBJECT_OK) {
		mend_references(e, number, &o, old_size);
		s = &e->object->sections[number];
		if (s->owned)
			free(s->data);
		free(s->relocs);
		s->data = o.data;
		s->size = o.size;
		s->owned = s->changed = true;
		s->relocs = o.relocs;
		s->reloc_count = o.reloc_count;
		s->reloc_size = o.reloc_room;
		if (s->data == NULL)
			s->data = calloc(1, 1);
	} else {
		free(o.data);
		free(o.relocs);
	}
	free(o.map);
	return error;
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
		*offset = where(e, s->relocs[i].symbol, s->relocs[i].addend, &section);
		return section;
	}
	return NULL;
}

/* Range lists (locations == false) or location lists. */
static int rewrite_lists(struct edit *e, uint32_t number, bool locations)
{
	struct object_section *s = &e->object->sections[number];
	uint32_t addresses = object_section_named(e->object, ".debug_addr");
	if (s->size < 12 || s->data == NULL || addresses == 0)
		return OBJECT_OK;
	uint64_t length = read_32(s->data), at = 12 + 4 * (uint64_t)read_32(s->data + 8);
	bool one = length + 4 == s->size && at <= s->size;
	int error = object_resize(e->object, number, s->size);
	if (error != OBJECT_OK)
		return error;
	s = &e->object->sections[number];
	uint8_t *d = s->data;
	uint64_t base = 0;
	const struct edit_section *first = address(e, addresses, 0, &base), *section = first;
	uint64_t base_old = base;
	bool bad = !one;
	while (at < s->size && !bad) {
		uint64_t start = at, a = 0, b = 0, before, middle;
		unsigned kind = d[at++];
		switch (kind) {
		case 0: /* end of list: the next begins with the unit's base */
			section = first;
			base_old = base;
			continue;
		case 1: /* base by index */
			section = address(e, addresses, read_uleb(d, &at, s->size, &bad), &base_old);
			continue;
		case 2: /* start and end by index */
			read_uleb(d, &at, s->size, &bad);
			read_uleb(d, &at, s->size, &bad);
			break;
		case 3: /* start by index, length */
		case 4: /* offset pair */
			before = at;
			a = read_uleb(d, &at, s->size, &bad);
			middle = at;
			b = read_uleb(d, &at, s->size, &bad);
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
				fits = put_in_room(d, middle, at, new_place(of, from + b) - new_place(of, from));
			else
				fits = put_in_room(d, before, middle, new_place(of, from + a) - new_place(of, from)) &&
				       put_in_room(d, middle, at, new_place(of, from + b) - new_place(of, from));
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
			at += read_uleb(d, &at, s->size, &bad);
		bad = bad || at > s->size;
	}
	if (bad) { /* not understood: all lists end where they begin */
		uint64_t lists = one ? 12 + 4 * (uint64_t)read_32(d + 8) : 0;
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
		uint64_t t = where(e, a->symbol, a->addend, &to), f = where(e, b->symbol, b->addend, &from);
		if (new_place(to, t) - new_place(from, f) > 0xFFFF)
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
			error = rewrite_frames(e, i, name[1] == 'e', detail, size);
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
