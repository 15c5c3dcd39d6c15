/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Puts addresses into the sections of everything that takes part. */
#include <stdlib.h>
#include <string.h>
#include "host/linked/linked_private.h"
#include "host/object/edit_private.h"

struct relocating {
	struct joining *j;
	struct part *part;
	struct object_section *s;
	uint32_t number;
	uint64_t mask; /* of an address */
	bool silent;   /* of no memory: what cannot be said is 0 */
};

static int refuse_place(const struct relocating *r, const struct object_reloc *reloc, const char *what)
{
	return linked_refuse(r->j->detail, r->j->detail_size, "section %s, offset 0x%llx: `%s' %s", r->s->name,
	    (unsigned long long)reloc->offset, object_symbol_name(r->part->o, reloc->symbol), what);
}

static int add_relative(struct joining *j, uint64_t address, uint64_t value)
{
	if (j->relative_count == j->relative_room) {
		j->relative_room = 2 * j->relative_room + 16;
		struct linked_dynamic *larger = realloc(j->relatives, j->relative_room * sizeof *larger);
		if (larger == NULL)
			return OBJECT_ENOMEM;
		j->relatives = larger;
	}
	j->relatives[j->relative_count++] =
	    (struct linked_dynamic){.address = address, .addend = (int64_t)value, .type = R_RISCV_RELATIVE};
	return OBJECT_OK;
}

/* An address in memory of a program whose place is not known yet. The bytes have it too. */
static int put_absolute(struct relocating *r, const struct object_reloc *reloc, const struct meaning *m, uint64_t value)
{
	struct joining *j = r->j;
	const struct linked *l = j->l;
	const unsigned word = l->xlen / 8;
	uint8_t *at = r->s->data + reloc->offset;
	const bool own = r->part->program && r->number < l->section_count;
	const struct linked_dynamic *d =
	    own ? linked_dynamic_at(l, l->sections[r->number].address + reloc->offset) : NULL;
	if (d != NULL && d->type != R_RISCV_RELATIVE && d->type != R_RISCV_IRELATIVE && !m->wrapped)
		return OBJECT_OK; /* by a symbol, when the program begins */
	if (!m->known)
		return refuse_place(r, reloc, "is not defined");
	/* where the dynamic linker puts it, the file may have 0 */
	if (d == NULL || m->wrapped || linked_get(at, word) != 0)
		linked_put(at, word, value);
	if (d != NULL) {
		const size_t i = (size_t)(d - l->relocs);
		j->relocs[i].addend = (int64_t)value;
		j->relocs[i].type = d->type == R_RISCV_IRELATIVE ? R_RISCV_IRELATIVE : R_RISCV_RELATIVE;
		j->relocs[i].symbol = 0;
		j->done[i] = true;
		return OBJECT_OK;
	}
	if (!l->independent || m->absolute)
		return OBJECT_OK;
	return add_relative(j, r->part->address[r->number] + reloc->offset, value);
}

/* The second of two that make a distance, as of a table in bytes: whether it has room where code lies now. */
static bool distance_fits(const struct relocating *r, const struct object_reloc *reloc, uint64_t from)
{
	const uint64_t mask = linked_field_mask(reloc->type);
	if (linked_sign(reloc->type) > 0 || mask == UINT64_MAX || reloc == r->s->relocs)
		return true;
	const struct object_reloc *to = reloc - 1;
	if (to->offset != reloc->offset || linked_sign(to->type) < 1)
		return true;
	const int64_t distance = (int64_t)(r->part->meanings[to->symbol].value + (uint64_t)to->addend - from);
	return distance < 0 ? -distance <= (int64_t)(mask / 2 + 1) : (uint64_t)distance <= mask;
}

static int put_word(struct relocating *r, const struct object_reloc *reloc)
{
	const struct meaning *m = &r->part->meanings[reloc->symbol];
	const unsigned bytes = linked_field_bytes(reloc->type);
	uint8_t *at = r->s->data + reloc->offset;
	const uint64_t value = m->value + (uint64_t)reloc->addend;
	if (reloc->offset > r->s->size || bytes > r->s->size - reloc->offset)
		return refuse_place(r, reloc, "lies behind the end");
	if (reloc->type == R_RISCV_32_PCREL) {
		const int64_t distance = (int64_t)(value - r->part->address[r->number] - reloc->offset);
		if (distance != (int32_t)distance && r->mask > UINT32_MAX)
			return refuse_place(r, reloc, "is too far away");
		linked_put(at, 4, (uint64_t)distance);
		return OBJECT_OK;
	}
	if (linked_sign(reloc->type) != 0) {
		if ((r->s->flags & SHF_ALLOC) != 0 && !distance_fits(r, reloc, value))
			return refuse_place(r, reloc, "is a distance that has no room any more");
		const uint64_t mask = linked_field_mask(reloc->type), there = linked_get(at, bytes);
		const int sign = linked_sign(reloc->type);
		uint64_t sum = value;
		if (sign != 2)
			sum = there + (sign == 1 ? value : -value);
		linked_put(at, bytes, (there & ~mask) | (sum & mask));
		return OBJECT_OK;
	}
	if ((r->s->flags & SHF_ALLOC) != 0 && 8 * bytes == r->j->l->xlen)
		return put_absolute(r, reloc, m, value);
	linked_put(at, bytes, value);
	return OBJECT_OK;
}

/* Where an AUIPC's address is. */
static int high_target(struct relocating *r, const struct object_reloc *reloc, uint64_t *target)
{
	const struct part *part = r->part;
	if (reloc->type == R_RISCV_GOT_HI20 && part->program) {
		if (reloc->symbol >= r->j->old->symbol_count || !r->j->l->bound[reloc->symbol].has_slot)
			return refuse_place(r, reloc, "has no slot of the GOT");
		*target = r->j->l->bound[reloc->symbol].slot;
		return OBJECT_OK;
	}
	if (reloc->type == R_RISCV_GOT_HI20) {
		*target = r->j->parts[0].address[r->j->got_section] +
			  (part->got[reloc->symbol] - 1) * (uint64_t)(r->j->l->xlen / 8);
		return OBJECT_OK;
	}
	if (!part->meanings[reloc->symbol].known)
		return refuse_place(r, reloc, "is not defined in the program");
	*target = part->meanings[reloc->symbol].value + (uint64_t)reloc->addend;
	return OBJECT_OK;
}

static int put_high(struct relocating *r, const struct object_reloc *reloc, uint64_t target, uint8_t *at)
{
	const int64_t distance = (int64_t)(target - r->part->address[r->number] - reloc->offset);
	if (r->mask > UINT32_MAX && (distance + 0x800 < INT32_MIN || distance + 0x800 > INT32_MAX))
		return refuse_place(r, reloc, "is too far away");
	linked_put(at, 4, (linked_get(at, 4) & 0xFFFu) | (((uint64_t)distance + 0x800) & 0xFFFFF000u));
	return OBJECT_OK;
}

static int put_low(struct relocating *r, const struct object_reloc *reloc, uint8_t *at)
{
	const struct object_symbol *label = &r->part->o->symbols[reloc->symbol];
	const struct object_reloc *high = label->section == r->number ? linked_high_at(r->s, label->value) : NULL;
	uint64_t target;
	if (high == NULL)
		return refuse_place(r, reloc, "names no high part");
	int error = high_target(r, high, &target);
	if (error == OBJECT_OK)
		linked_put_low(at, reloc->type,
		    (int64_t)(target - r->part->address[r->number] - high->offset + (uint64_t)reloc->addend));
	return error;
}

static int put_transfer(struct relocating *r, const struct object_reloc *reloc, uint8_t *at)
{
	const struct meaning *m = &r->part->meanings[reloc->symbol];
	const uint64_t target = m->value + (uint64_t)reloc->addend;
	const int64_t distance = (int64_t)(target - r->part->address[r->number] - reloc->offset);
	if (!m->known && !(r->part->program && r->part->o->symbols[reloc->symbol].section == SHN_UNDEF &&
			     reloc->symbol < r->j->old->symbol_count))
		return refuse_place(r, reloc, "is not defined");
	if (reloc->type == R_RISCV_CALL || reloc->type == R_RISCV_CALL_PLT) {
		int error = put_high(r, reloc, target, at);
		linked_put_low(at + 4, R_RISCV_LO12_I, distance);
		return error;
	}
	const unsigned length = (at[0] & 3) == 3 ? 4 : 2;
	const uint32_t word = (uint32_t)linked_get(at, length);
	if (!edit_reaches(word, length, distance))
		return refuse_place(r, reloc, "is too far away for a jump");
	linked_put(at, length, edit_with_distance(word, length, distance));
	return OBJECT_OK;
}

static int put_reloc(struct relocating *r, const struct object_reloc *reloc)
{
	uint8_t *at = r->s->data + reloc->offset;
	const struct meaning *m = &r->part->meanings[reloc->symbol];
	const uint64_t value = m->value + (uint64_t)reloc->addend;
	uint64_t target;
	int error;
	switch (reloc->type) {
	case R_RISCV_NONE:
	case R_RISCV_RELAX:
	case R_RISCV_ALIGN: /* nops of the runtime stay */
		return OBJECT_OK;
	case R_RISCV_BRANCH:
	case R_RISCV_JAL:
	case R_RISCV_CALL:
	case R_RISCV_CALL_PLT:
	case R_RISCV_RVC_BRANCH:
	case R_RISCV_RVC_JUMP:
		return put_transfer(r, reloc, at);
	case R_RISCV_PCREL_HI20:
	case R_RISCV_GOT_HI20:
		error = high_target(r, reloc, &target);
		return error == OBJECT_OK ? put_high(r, reloc, target, at) : error;
	case R_RISCV_PCREL_LO12_I:
	case R_RISCV_PCREL_LO12_S:
		return put_low(r, reloc, at);
	case R_RISCV_HI20:
	case R_RISCV_LO12_I:
	case R_RISCV_LO12_S:
		if (!m->known || (r->mask > UINT32_MAX && value + 0x800 > INT32_MAX))
			return refuse_place(r, reloc, "has no absolute address in reach");
		if (r->j->l->independent && !m->absolute)
			return refuse_place(r, reloc, "is named by an absolute address");
		if (reloc->type == R_RISCV_HI20)
			linked_put(at, 4, (linked_get(at, 4) & 0xFFFu) | ((value + 0x800) & 0xFFFFF000u));
		else
			linked_put_low(at, reloc->type, (int64_t)value);
		return OBJECT_OK;
	default:
		if (linked_field_bytes(reloc->type) != 0)
			return put_word(r, reloc);
		return linked_refuse(r->j->detail, r->j->detail_size,
		    "section %s, offset 0x%llx: relocation %u is not known", r->s->name,
		    (unsigned long long)reloc->offset, reloc->type);
	}
}

static int relocate_section(struct joining *j, struct part *part, uint32_t number)
{
	struct relocating r = {.j = j,
	    .part = part,
	    .number = number,
	    .mask = j->l->xlen == 64 ? UINT64_MAX : UINT32_MAX,
	    .s = &part->o->sections[number]};
	const bool here = (r.s->flags & SHF_ALLOC) != 0
			      ? part->kind[number] != PART_NONE || (part->program && number < j->l->section_count)
			      : part->program;
	int error = OBJECT_OK;
	if (!here || r.s->reloc_count == 0)
		return OBJECT_OK;
	error = object_sort_relocs(part->o, number);
	if (error == OBJECT_OK && r.s->data == NULL)
		return linked_refuse(
		    j->detail, j->detail_size, "section %s has no bytes for its relocations", r.s->name);
	if (error == OBJECT_OK && !r.s->owned)
		error = object_resize(part->o, number, r.s->size);
	for (size_t i = 0; i < r.s->reloc_count && error == OBJECT_OK; i++)
		error = put_reloc(&r, &r.s->relocs[i]);
	return error;
}

/* Slots that the runtime's code loads addresses from. */
static int fill_got(struct joining *j)
{
	const unsigned word = j->l->xlen / 8;
	struct part *program = &j->parts[0];
	for (size_t p = 1; p < j->part_count; p++) {
		const struct part *part = &j->parts[p];
		for (uint32_t i = 0; i < part->o->symbol_count; i++) {
			const struct meaning *m = &part->meanings[i];
			if (part->got[i] == 0)
				continue;
			if (part->imports[i] != 0)
				continue;
			if (!m->known)
				return linked_refuse(j->detail, j->detail_size,
				    "the runtime needs `%s', which is not in the program",
				    object_symbol_name(part->o, i));
			const uint64_t offset = (part->got[i] - 1) * (uint64_t)word;
			linked_put(program->o->sections[j->got_section].data + offset, word, m->value);
			if (j->l->independent && !m->absolute) {
				int error = add_relative(j, program->address[j->got_section] + offset, m->value);
				if (error != OBJECT_OK)
					return error;
			}
		}
	}
	return OBJECT_OK;
}

/* Those that the dynamic linker fills by a symbol: behind all others. */
static int import_slots(struct joining *j)
{
	const unsigned word = j->l->xlen / 8;
	for (size_t p = 1; p < j->part_count; p++) {
		const struct part *part = &j->parts[p];
		for (uint32_t i = 0; i < part->o->symbol_count; i++) {
			if (part->got[i] == 0 || part->imports[i] == 0)
				continue;
			int error = add_relative(
			    j, j->parts[0].address[j->got_section] + (part->got[i] - 1) * (uint64_t)word, 0);
			if (error != OBJECT_OK)
				return error;
			struct linked_dynamic *d = &j->relatives[j->relative_count - 1];
			d->type = word == 8 ? R_RISCV_64 : R_RISCV_32;
			d->symbol = part->imports[i];
			j->import_count++;
		}
	}
	return joining_stubs(j);
}

int joining_relocate(struct joining *j)
{
	int error = OBJECT_OK;
	for (size_t p = 0; p < j->part_count; p++) {
		for (uint32_t i = 1; i < j->parts[p].o->section_count && error == OBJECT_OK; i++)
			error = relocate_section(j, &j->parts[p], i);
	}
	if (error == OBJECT_OK)
		error = fill_got(j);
	return error == OBJECT_OK ? import_slots(j) : error;
}

int joining_relocate_one(struct joining *j, uint32_t section)
{
	return relocate_section(j, &j->parts[0], section);
}
