/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Unwind entries (.eh_frame, .debug_frame), when the code has got its new places. Those of edited code are written
 * anew, so that they hold at every instruction (frames_rows.c). Other ones are copied: an advance has 6, 8, 16 or 32
 * bits, and a relocation pair for them; one that no longer holds its distance becomes wider. As entries grow, what
 * points into the section moves. With D the bytes of a frame that was put in (edit_frame()), the old stack pointer at
 * entry is CFA - D:
 *
 *      old:  CFA = sp + N        x at CFA - a           new:  CFA = sp + N + D        x at CFA - a - D
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/object/frames_private.h"

/* An advance of `bytes` bytes operand (0: in the low 6 bits) whose instruction begins at o->at. */
static void copy_advance(struct program *p, unsigned bytes)
{
	struct anew *o = p->out;
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
		uint64_t t = tables_where(o->edit, a.symbol, a.addend, &to),
			 f = tables_where(o->edit, b.symbol, b.addend, &from);
		p->loc = t;
		distance = tables_place(to, t) - tables_place(from, f);
	} else {
		uint64_t before = tables_place(p->code, p->loc);
		p->loc += old;
		distance = tables_place(p->code, p->loc) - before;
	}
	uint64_t steps = distance / p->cie->code_align;
	unsigned need = frames_advance_for(steps);
	if (need <= bytes && symbolic) {
		anew_copy(o, end);
		return;
	}
	if (need < bytes)
		need = bytes;
	anew_skip(o, end);
	uint64_t at = o->size + (need > 0 ? 1 : 0);
	frames_put_advance(o, need, symbolic ? 0 : steps);
	if (symbolic) {
		static const uint32_t set[] = {R_RISCV_SET6, R_RISCV_SET8, R_RISCV_SET16, 0, R_RISCV_SET32},
				      sub[] = {R_RISCV_SUB6, R_RISCV_SUB8, R_RISCV_SUB16, 0, R_RISCV_SUB32};
		anew_reloc(o, at, set[need], a.symbol, a.addend);
		anew_reloc(o, at, sub[need], b.symbol, b.addend);
	}
}

/* false: something that is not known. */
bool frames_copy_program(struct program *p, uint64_t end)
{
	struct anew *o = p->out;
	const uint8_t *d = o->old->data;
	bool bad = false;
	while (o->at < end && !bad && o->error == OBJECT_OK) {
		uint64_t at = o->at + 1;
		unsigned op = d[o->at], high = op & 0xC0;
		if (high == CFA_ADVANCE || op == CFA_ADVANCE1 || op == CFA_ADVANCE2 || op == CFA_ADVANCE4) {
			unsigned bytes = frames_advance_bytes(op);
			if (end - o->at < 1 + bytes)
				return false;
			copy_advance(p, bytes);
			continue;
		}
		if (high == CFA_OFFSET)
			tables_uleb(d, &at, end, &bad);
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
				tables_uleb(d, &at, end, &bad);
				break;
			case CFA_OFFSET_EXTENDED:
			case CFA_REGISTER:
			case CFA_DEF_CFA:
			case CFA_OFFSET_EXTENDED_SF:
			case CFA_DEF_CFA_SF:
			case CFA_VAL_OFFSET:
			case CFA_VAL_OFFSET_SF:
				tables_uleb(d, &at, end, &bad);
				tables_uleb(d, &at, end, &bad);
				break;
			case CFA_EXPRESSION:
			case CFA_VAL_EXPRESSION:
				tables_uleb(d, &at, end, &bad);
				at += tables_uleb(d, &at, end, &bad);
				if (p->change != NULL)
					return false;
				break;
			case CFA_DEF_CFA_EXPRESSION:
				at += tables_uleb(d, &at, end, &bad);
				if (p->change != NULL)
					return false;
				break;
			default:
				return false;
			}
		}
		if (bad || at > end)
			return false;
		anew_copy(o, at);
	}
	return !bad;
}

/* Of an address in this encoding (DW_EH_PE_...); 0: another one. */
static unsigned encoded_bytes(unsigned encoding, unsigned xlen)
{
	static const unsigned bytes[16] = {[0x3] = 4, [0x4] = 8, [0xB] = 4, [0xC] = 8};
	return (encoding & 0xF) == 0 ? xlen / 8 : bytes[encoding & 0xF];
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
	cie->code_align = tables_uleb(d, &at, end, &bad);
	cie->data_align = tables_sleb(d, &at, end, &bad);
	if (version == 1)
		at++;
	else
		tables_uleb(d, &at, end, &bad);
	cie->augmented = *text == 'z';
	if (*text != 0 && *text != 'z')
		return false;
	if (cie->augmented) {
		tables_uleb(d, &at, end, &bad);
		for (const uint8_t *c = text + 1; *c != 0 && !bad; c++) {
			unsigned encoding = at < end ? d[at] : 0, size;
			switch (*c) {
			case 'L':
				at++;
				break;
			case 'P':
				size = encoded_bytes(encoding, e->object->xlen);
				size = size == 0 ? 4 : size;
				at += 1 + size;
				break;
			case 'R':
				at++;
				if (eh)
					cie->address_bytes = encoded_bytes(encoding, e->object->xlen);
				break;
			case 'S':
				break;
			default:
				return false;
			}
		}
	}
	/* DW_CFA_def_cfa sp, 0, or DW_CFA_def_cfa_register sp, and padding */
	uint64_t rest = end > at && d[at] == CFA_DEF_CFA ? 3 : 2;
	cie->plain = !bad && end - at >= rest && d[at + 1] == 2 &&
		     ((rest == 3 && d[at + 2] == 0) || d[at] == CFA_DEF_CFA_REGISTER);
	for (uint64_t i = at + rest; cie->plain && i < end; i++)
		cie->plain = d[i] == CFA_NOP;
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

/* Whether code was put into a function. The linker may shorten it, and distances that are plain numbers would not
 * know. */
static bool has_pieces(const struct edit_section *s, uint64_t function, uint64_t range)
{
	const struct edit_atom *end = &s->atoms[s->count - 1];
	for (const struct edit_atom *atom = edit_atom_at(s, function); atom != NULL && atom < end; atom++) {
		if (atom->offset - function >= range)
			return false;
		if (atom->pieces[0] != 0 || atom->pieces[1] != 0)
			return true;
	}
	return false;
}

/* One FDE, from its initial location on, up to end. eh: what exceptions go by, so nothing may be lost. */
static bool copy_fde(struct edit *e, struct anew *o, const struct cie *cie, struct frames_entry *entry)
{
	const uint64_t end = entry->end;
	const bool eh = entry->eh;
	const struct object_reloc *begins;
	struct program p = {.out = o, .cie = cie};
	uint64_t at = o->at + 2 * (uint64_t)cie->address_bytes;
	bool bad = false;
	if (at > end)
		return false;
	begins = anew_reloc_at(o, o->at, R_RISCV_32_PCREL, cie->address_bytes == 8 ? R_RISCV_64 : R_RISCV_32);
	if (begins == NULL)
		begins = anew_reloc_at(o, o->at, R_RISCV_ADD32, R_RISCV_ADD64);
	if (begins == NULL)
		return false;
	p.loc = tables_where(e, begins->symbol, begins->addend, &p.code);
	if (p.code != NULL && p.code->touched)
		p.change = change_of(e, p.code->number, p.loc);
	if (cie->augmented)
		at += tables_uleb(o->old->data, &at, end, &bad);
	if (bad || at > end)
		return false;
	/* a range that is a plain number */
	uint64_t range_at = o->size + cie->address_bytes;
	uint64_t range_old = o->at + cie->address_bytes;
	bool plain = anew_reloc_at(o, range_old, R_RISCV_ADD32, R_RISCV_ADD64) == NULL &&
		     anew_reloc_at(o, range_old, R_RISCV_32, R_RISCV_64) == NULL &&
		     anew_reloc_at(o, range_old, R_RISCV_SET32, R_RISCV_SET32) == NULL;
	uint64_t range = 0;
	memcpy(&range, o->old->data + range_old, cie->address_bytes);
	uint64_t old_range = range;
	if (!plain) {
		const struct edit_section *to;
		const struct object_reloc *ends = anew_reloc_at(o, range_old, R_RISCV_ADD32, R_RISCV_ADD64);
		if (ends == NULL)
			ends = anew_reloc_at(o, range_old, R_RISCV_SET32, R_RISCV_SET32);
		old_range = ends == NULL ? 0 : tables_where(e, ends->symbol, ends->addend, &to) - p.loc;
	}
	if (p.code != NULL && p.code->order != NULL)
		return frames_ordered(&p, entry, at, old_range);
	anew_copy(o, at);
	if (plain && o->error == OBJECT_OK) {
		range = tables_place(p.code, p.loc + range) - tables_place(p.code, p.loc);
		memcpy(o->data + range_at, &range, cie->address_bytes);
	}
	if (p.code != NULL && p.code->touched && frames_new_program(&p, end, old_range))
		return true;
	const bool put = p.change != NULL ||
			 (p.code != NULL && p.code->touched && p.code->linked && has_pieces(p.code, p.loc, old_range));
	if (eh && put)
		return false;
	if (p.change == NULL) /* right but for what was put in */
		return frames_copy_program(&p, end);
	/* what rows cannot say would be wrong with another frame: the entry says that nothing is known */
	e->lost.frames++;
	anew_byte(o, CFA_UNDEFINED);
	anew_uleb(o, 1);
	anew_skip(o, end);
	return true;
}

void frames_end_entry(struct anew *o, const struct frames_entry *entry)
{
	const uint64_t length = entry->end - entry->start - 4;
	const uint64_t unit = length % 8 == 4 && o->edit->object->xlen == 64 ? 8 : 4;
	while ((o->size - entry->out_start - 4) % unit != length % unit && o->error == OBJECT_OK)
		anew_byte(o, CFA_NOP);
	while ((o->size - entry->out_start) % 4 != 0 && o->error == OBJECT_OK)
		anew_byte(o, CFA_NOP);
	anew_set_32(o, entry->out_start, (uint32_t)(o->size - entry->out_start - 4));
	if (!entry->symbolic)
		anew_set_32(o, entry->out_start + 4,
		    (uint32_t)(entry->eh ? entry->out_start + 4 - o->map[entry->cie] : o->map[entry->cie]));
}

int frames_rewrite(struct edit *e, uint32_t number, bool eh, char *detail, size_t detail_size)
{
	struct object_section *s = &e->object->sections[number];
	struct anew o = {.edit = e, .old = s};
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
		uint32_t length = tables_32(s->data + start);
		uint64_t end = start + 4 + length;
		if (length == 0) { /* the end mark */
			anew_copy(&o, start + 4);
			continue;
		}
		if (length >= 0xFFFFFFF0u || end > old_size || length < 8) {
			good = false;
			break;
		}
		uint32_t id = tables_32(s->data + start + 4);
		const struct object_reloc *pointer = anew_reloc_at(&o, start + 4, R_RISCV_32, R_RISCV_ADD32);
		bool is_cie = pointer == NULL && (eh ? id == 0 : id == UINT32_MAX);
		anew_copy(&o, start + 8);
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
			anew_copy(&o, end);
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
		struct frames_entry entry = {start, end, out_start, of, pointer != NULL, eh};
		good = good && cie != NULL && copy_fde(e, &o, cie, &entry);
		if (!good)
			break;
		frames_end_entry(&o, &entry);
	}
	free(cies);
	o.map[old_size] = o.size;
	error = o.error;
	if (error == OBJECT_OK && !good) {
		snprintf(detail, detail_size, "section %s, offset 0x%llx: an unwind entry that cannot be written anew",
		    s->name, (unsigned long long)o.at);
		error = OBJECT_EUNSUPPORTED;
	}
	for (size_t i = 0; error == OBJECT_OK && eh && i < e->section_count; i++) {
		if (e->sections[i].order != NULL) {
			error = frames_sort(&o, number, old_size);
			break;
		}
	}
	if (error == OBJECT_OK) {
		anew_mend_references(e, number, &o, old_size);
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
