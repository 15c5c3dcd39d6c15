/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Every relocation is held against the bytes that the linker wrote for it:
 *
 *   S + A is there                        it is kept
 *   what stays in its place is there      (an entry of the PLT, merged strings) the relocation names that place now
 *   anything else                         refused; in debug information the bytes stay as they are
 *
 * What says how the linker may shorten code goes: it has been shortened.
 */
#include <stdlib.h>
#include <string.h>
#include "host/linked/linked_private.h"
#include "host/object/edit_private.h"

struct low_target { /* of an AUIPC */
	uint64_t target;
	bool any, odd;
};
struct checking {
	struct linked *l;
	struct object *o;
	uint32_t number; /* the section whose relocations are checked */
	struct object_section *s;
	uint32_t *whole;            /* by section: its symbol */
	struct low_target *targets; /* by relocation */
	char *detail;
	size_t size;
};

static int refuse_reloc(const struct checking *c, const struct object_reloc *r, const char *what)
{
	return linked_refuse(c->detail, c->size, "section %s, address 0x%llx: relocation %u with `%s' %s", c->s->name,
	    (unsigned long long)(c->l->sections[c->number].address + r->offset), r->type,
	    object_symbol_name(c->o, r->symbol), what);
}

static bool is_code(const struct checking *c, uint32_t section)
{
	return section < c->l->section_count && c->l->sections[section].moves;
}

/* Whether a symbol lies in what moves. */
static bool moves_symbol(const struct checking *c, uint32_t symbol)
{
	return is_code(c, c->o->symbols[symbol].section);
}

static uint64_t symbol_address(const struct linked *l, const struct object *o, uint32_t symbol)
{
	const struct object_symbol *s = &o->symbols[symbol];
	if (s->section == SHN_UNDEF)
		return 0;
	return s->value + (s->section < l->section_count ? l->sections[s->section].address : 0);
}

/* The relocation shall name an address of something that stays. */
static int name_place(struct checking *c, struct object_reloc *r, uint64_t address)
{
	const uint32_t section = linked_section_at(c->l, c->o, address);
	if (is_code(c, section))
		return refuse_reloc(c, r, "leads to other code than it says");
	if (section == 0) { /* a number */
		r->symbol = 0;
		r->addend = (int64_t)address;
		return OBJECT_OK;
	}
	if (c->whole[section] == 0) {
		int error = object_add_symbol(c->o,
		    &(struct object_new_symbol){NULL, 0, 0, section, ELF64_ST_INFO(STB_LOCAL, STT_SECTION)},
		    &c->whole[section]);
		if (error != OBJECT_OK)
			return error;
	}
	r->symbol = c->whole[section];
	r->addend = (int64_t)(address - c->l->sections[section].address);
	return OBJECT_OK;
}

/* Where a direct transfer, or a pair, leads to. */
static uint64_t transfer_target(const struct checking *c, const struct object_reloc *r)
{
	const uint8_t *at = c->s->data + r->offset;
	const uint64_t place = c->l->sections[c->number].address + r->offset;
	if (r->type == R_RISCV_CALL || r->type == R_RISCV_CALL_PLT)
		return place + (uint64_t)(int64_t)(int32_t)(linked_get(at, 4) & 0xFFFFF000u) +
		       (uint64_t)linked_low_of(at + 4, R_RISCV_LO12_I);
	const unsigned length = (at[0] & 3) == 3 ? 4 : 2;
	return place + (uint64_t)transfer_distance((uint32_t)linked_get(at, length), length);
}

static int check_transfer(struct checking *c, struct object_reloc *r)
{
	const uint64_t actual = transfer_target(c, r), mask = c->l->xlen == 64 ? UINT64_MAX : UINT32_MAX;
	const uint64_t said = symbol_address(c->l, c->o, r->symbol) + (uint64_t)r->addend;
	if (((actual ^ said) & mask) == 0)
		return OBJECT_OK;
	/* by the PLT: the name stays, if the program does not define it */
	if (c->o->symbols[r->symbol].section == SHN_UNDEF && r->symbol != 0 &&
	    !is_code(c, linked_section_at(c->l, c->o, actual)))
		return OBJECT_OK;
	return name_place(c, r, actual & mask);
}

/* Whether the bytes are there that a relocation is about. */
static bool is_inside(const struct object_section *s, const struct object_reloc *r)
{
	unsigned bytes = linked_field_bytes(r->type);
	if (r->type == R_RISCV_RVC_BRANCH || r->type == R_RISCV_RVC_JUMP || r->type == R_RISCV_RVC_LUI)
		bytes = 2;
	else if (r->type == R_RISCV_CALL || r->type == R_RISCV_CALL_PLT)
		bytes = 8;
	else if (bytes == 0)
		bytes = 4;
	return s->data != NULL && bytes <= s->size && r->offset <= s->size - bytes;
}

/* The low parts of an AUIPC say where it leads to: all the same. By relocation: of the high ones. */
static int find_low_parts(struct checking *c)
{
	free(c->targets);
	c->targets = calloc(c->s->reloc_count + 1, sizeof *c->targets);
	if (c->targets == NULL)
		return OBJECT_ENOMEM;
	for (size_t i = 0; i < c->s->reloc_count; i++) {
		const struct object_reloc *r = &c->s->relocs[i];
		const struct object_symbol *symbol = &c->o->symbols[r->symbol];
		if (!linked_is_low(r->type) || symbol->section != c->number)
			continue;
		const struct object_reloc *high = linked_high_at(c->s, symbol->value);
		if (high == NULL)
			continue;
		if (!is_inside(c->s, high) || !is_inside(c->s, r))
			continue;
		struct low_target *t = &c->targets[high - c->s->relocs];
		const uint64_t now =
		    c->l->sections[c->number].address + high->offset +
		    (uint64_t)(int64_t)(int32_t)(linked_get(c->s->data + high->offset, 4) & 0xFFFFF000u) +
		    (uint64_t)linked_low_of(c->s->data + r->offset, r->type);
		t->odd = t->odd || (t->any && t->target != now);
		t->any = true;
		t->target = now;
	}
	return OBJECT_OK;
}

static void drop_pair(struct checking *c, struct object_reloc *high)
{
	for (size_t i = 0; i < c->s->reloc_count; i++) {
		struct object_reloc *r = &c->s->relocs[i];
		if (linked_is_low(r->type) && c->o->symbols[r->symbol].section == c->number &&
		    c->o->symbols[r->symbol].value == high->offset)
			r->type = R_RISCV_NONE;
	}
	high->type = R_RISCV_NONE;
}

static int check_high(struct checking *c, struct object_reloc *r)
{
	const uint64_t mask = c->l->xlen == 64 ? UINT64_MAX : UINT32_MAX;
	const struct low_target *t = &c->targets[r - c->s->relocs];
	const uint64_t actual = t->target;
	if ((linked_get(c->s->data + r->offset, 4) & 0x7F) == 0x37) { /* LUI: an absolute address, of nothing */
		if (moves_symbol(c, r->symbol))
			return refuse_reloc(c, r, "has become an absolute address");
		drop_pair(c, r);
		return OBJECT_OK;
	}
	if (t->odd)
		return refuse_reloc(c, r, "is the high part of two addresses");
	const uint64_t said = symbol_address(c->l, c->o, r->symbol) + (uint64_t)r->addend;
	if (r->type == R_RISCV_PCREL_HI20 && (!t->any || ((actual ^ said) & mask) == 0)) {
		const uint64_t place = c->l->sections[c->number].address + r->offset;
		const uint32_t upper = (uint32_t)linked_get(c->s->data + r->offset, 4) >> 12;
		if (((said - place + 0x800) >> 12 & 0xFFFFF) == upper)
			return OBJECT_OK;
		return refuse_reloc(c, r, "does not say what is there");
	}
	if (!t->any)
		return refuse_reloc(c, r, "has no low part");
	if (r->type == R_RISCV_GOT_HI20) {
		const uint32_t section = linked_section_at(c->l, c->o, actual);
		return section == 0 || is_code(c, section) ? refuse_reloc(c, r, "leads to no slot of the GOT")
							   : OBJECT_OK;
	}
	r->type = R_RISCV_PCREL_HI20;
	return name_place(c, r, actual & mask);
}

/* Absolute addresses and those by gp: what moves may not be named by what is too short for its new place. */
static int check_absolute(struct checking *c, struct object_reloc *r)
{
	const uint64_t said = symbol_address(c->l, c->o, r->symbol) + (uint64_t)r->addend;
	const uint8_t *at = c->s->data + r->offset;
	bool good, reaches = true;
	switch (r->type) {
	case R_RISCV_HI20:
		good =
		    (linked_get(at, 4) & 0x7F) == 0x37 && ((said + 0x800) >> 12 & 0xFFFFF) == linked_get(at, 4) >> 12;
		break;
	case R_RISCV_LO12_I:
	case R_RISCV_LO12_S:
		good = ((uint64_t)linked_low_of(at, r->type) & 0xFFF) == (said & 0xFFF);
		reaches = (linked_get(at, 4) >> 15 & 31) != 0;
		break;
	case R_RISCV_GPREL_I:
	case R_RISCV_GPREL_S:
		good = (uint64_t)linked_low_of(at, r->type) == said - c->l->gp;
		reaches = false;
		break;
	default: /* R_RISCV_RVC_LUI; the editor makes LUI of it */
		good = ((linked_get(at, 2) >> 7 & 32) | (linked_get(at, 2) >> 2 & 31)) == ((said + 0x800) >> 12 & 63);
		break;
	}
	if (moves_symbol(c, r->symbol) && !(good && reaches))
		return refuse_reloc(c, r,
		    good ? "is too short for another place: link with -Wl,--no-relax" : "does not say what is there");
	if (!good || !reaches)
		r->type = R_RISCV_NONE; /* what it names stays */
	return OBJECT_OK;
}

/* Two relocations, or a chain of them, of one field: together they give what is there. */
static int check_sum(struct checking *c, size_t first, size_t *next)
{
	struct object_reloc *r = &c->s->relocs[first];
	const unsigned bytes = linked_field_bytes(r->type);
	uint64_t sum = 0, mask = 0;
	bool moves = false, odd = false;
	size_t i = first;
	for (; i < c->s->reloc_count && c->s->relocs[i].offset == r->offset; i++) {
		const struct object_reloc *part = &c->s->relocs[i];
		const int sign = linked_sign(part->type);
		if (part->type == R_RISCV_NONE || part->type == R_RISCV_RELAX)
			continue;
		odd = odd || sign == 0 || linked_field_bytes(part->type) != bytes;
		const uint64_t value = symbol_address(c->l, c->o, part->symbol) + (uint64_t)part->addend;
		sum += sign == -1 ? -value : value;
		mask |= odd ? 0 : linked_field_mask(part->type);
		moves = moves || moves_symbol(c, part->symbol);
	}
	*next = i;
	if (odd || r->offset > c->s->size || bytes > c->s->size - r->offset)
		return refuse_reloc(c, r, "is one of several that cannot be taken together");
	int error = OBJECT_OK;
	if (!c->s->owned)
		error = object_resize(c->o, c->number, c->s->size);
	uint8_t *at = c->s->data + r->offset;
	const uint64_t there = linked_get(at, bytes);
	if (error == OBJECT_OK && ((there ^ sum) & mask) != 0) {
		if (moves && c->l->sections[c->number].allocated)
			return refuse_reloc(c, r, "does not say what is there");
		for (i = first; i < *next; i++)
			c->s->relocs[i].type = R_RISCV_NONE;
	} else if (error == OBJECT_OK)
		linked_put(at, bytes, there & ~mask); /* as an object has it */
	return error;
}

static int check_word(struct checking *c, struct object_reloc *r)
{
	const unsigned bytes = linked_field_bytes(r->type);
	const uint64_t place = c->l->sections[c->number].address + r->offset;
	uint64_t said = symbol_address(c->l, c->o, r->symbol) + (uint64_t)r->addend;
	if (bytes > c->s->size || r->offset > c->s->size - bytes || c->s->data == NULL)
		return refuse_reloc(c, r, "reaches beyond the end");
	const uint64_t there = linked_get(c->s->data + r->offset, bytes), mask = linked_field_mask(r->type);
	const struct linked_dynamic *d = c->l->sections[c->number].allocated ? linked_dynamic_at(c->l, place) : NULL;
	if (object_symbol_type(&c->o->symbols[r->symbol]) == STT_TLS && !moves_symbol(c, r->symbol)) {
		r->type = R_RISCV_NONE;
		return OBJECT_OK;
	}
	if (d != NULL && d->type == R_RISCV_RELATIVE)
		return (uint64_t)d->addend == said || !moves_symbol(c, r->symbol)
			   ? OBJECT_OK
			   : refuse_reloc(c, r, "is not what the dynamic linker puts there");
	if (d != NULL) /* by a symbol, when the program begins */
		return OBJECT_OK;
	said -= r->type == R_RISCV_32_PCREL ? place : 0;
	if (((there ^ said) & mask) == 0)
		return OBJECT_OK;
	if (c->l->sections[c->number].allocated) {
		if (moves_symbol(c, r->symbol))
			return refuse_reloc(c, r, "does not say what is there");
		if (is_code(c, linked_section_at(c->l, c->o, there)) && bytes == c->l->xlen / 8)
			return refuse_reloc(c, r, "leads to code that it does not name");
		if (r->type == R_RISCV_32_PCREL)
			return name_place(c, r, place + (uint64_t)(int64_t)(int32_t)there);
	}
	r->type = R_RISCV_NONE;
	return OBJECT_OK;
}

/* One relocation; those that say only how code may be shortened go. */
static int check_reloc(struct checking *c, size_t i, size_t *next)
{
	struct object_reloc *r = &c->s->relocs[i];
	*next = i + 1;
	if (r->type != R_RISCV_NONE && r->type != R_RISCV_RELAX && r->type != R_RISCV_ALIGN && !is_inside(c->s, r))
		return refuse_reloc(c, r, "lies behind the end");
	switch (r->type) {
	case R_RISCV_NONE:
		return OBJECT_OK;
	case R_RISCV_RELAX:
	case R_RISCV_ALIGN:
	case R_RISCV_TPREL_HI20:
	case R_RISCV_TPREL_LO12_I:
	case R_RISCV_TPREL_LO12_S:
	case R_RISCV_TPREL_ADD:
	case R_RISCV_TPREL_I:
	case R_RISCV_TPREL_S:
		r->type = R_RISCV_NONE;
		return OBJECT_OK;
	case R_RISCV_BRANCH:
	case R_RISCV_JAL:
	case R_RISCV_CALL:
	case R_RISCV_CALL_PLT:
	case R_RISCV_RVC_BRANCH:
	case R_RISCV_RVC_JUMP:
		return check_transfer(c, r);
	case R_RISCV_PCREL_HI20:
	case R_RISCV_GOT_HI20:
	case R_RISCV_TLS_GOT_HI20:
	case R_RISCV_TLS_GD_HI20:
		return check_high(c, r);
	case R_RISCV_PCREL_LO12_I:
	case R_RISCV_PCREL_LO12_S:
		return c->o->symbols[r->symbol].section == c->number &&
			       linked_high_at(c->s, c->o->symbols[r->symbol].value) != NULL
			   ? OBJECT_OK
			   : refuse_reloc(c, r, "has no high part");
	case R_RISCV_HI20:
	case R_RISCV_LO12_I:
	case R_RISCV_LO12_S:
	case R_RISCV_GPREL_I:
	case R_RISCV_GPREL_S:
	case R_RISCV_RVC_LUI:
		return check_absolute(c, r);
	case R_RISCV_32:
	case R_RISCV_64:
	case R_RISCV_32_PCREL:
		return check_word(c, r);
	default:
		if (linked_sign(r->type) != 0)
			return check_sum(c, i, next);
		if (c->l->sections[c->number].allocated)
			return refuse_reloc(c, r, "is of a kind that is not known");
		r->type = R_RISCV_NONE;
		return OBJECT_OK;
	}
}

/* Those that are none any more go. */
static void drop_nones(struct object_section *s)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->reloc_count; i++) {
		if (s->relocs[i].type != R_RISCV_NONE)
			s->relocs[kept++] = s->relocs[i];
	}
	s->reloc_count = kept;
}

int linked_check(struct linked *l, struct object *o, char *detail, size_t size)
{
	struct checking c = {.l = l, .o = o, .detail = detail, .size = size};
	int error = OBJECT_OK;
	c.whole = calloc(l->section_count, sizeof *c.whole);
	if (c.whole == NULL)
		return OBJECT_ENOMEM;
	for (uint32_t i = 1; i < o->symbol_count; i++) {
		if (object_symbol_type(&o->symbols[i]) == STT_SECTION && o->symbols[i].section < l->section_count)
			c.whole[o->symbols[i].section] = i;
	}
	for (uint32_t n = 1; n < l->section_count && error == OBJECT_OK; n++) {
		c.number = n;
		c.s = &o->sections[n];
		if (l->sections[n].moves && (c.s->flags & SHF_EXECINSTR) != 0 && c.s->relocations == 0)
			error = linked_refuse(detail, size,
			    "section %s has code but no relocations: link with -Wl,--emit-relocs, do not strip it",
			    c.s->name);
		if (error == OBJECT_OK)
			error = object_sort_relocs(o, n);
		if (error == OBJECT_OK)
			error = find_low_parts(&c);
		for (size_t i = 0, next; i < c.s->reloc_count && error == OBJECT_OK; i = next) {
			error = check_reloc(&c, i, &next);
			if (error == OBJECT_EUNSUPPORTED && !l->sections[n].allocated) {
				for (; i < next; i++)
					c.s->relocs[i].type = R_RISCV_NONE;
				error = OBJECT_OK;
			}
		}
		drop_nones(c.s);
	}
	free(c.whole);
	free(c.targets);
	return error;
}

/* A symbol's entry of the PLT, or its slot of the GOT. */
static int bind_symbol(struct checking *c, size_t i)
{
	const struct object_reloc *r = &c->s->relocs[i];
	struct linked_bound *b = &c->l->bound[r->symbol];
	if (r->type == R_RISCV_GOT_HI20) {
		const uint64_t slot = c->targets[i].target;
		if (b->has_slot && b->slot != slot)
			return refuse_reloc(c, r, "has two slots of the GOT");
		b->slot = slot;
		b->has_slot = true;
	} else if (c->o->symbols[r->symbol].section == SHN_UNDEF && r->symbol != 0 &&
		   (r->type == R_RISCV_CALL || r->type == R_RISCV_CALL_PLT || r->type == R_RISCV_JAL ||
		       r->type == R_RISCV_RVC_JUMP || r->type == R_RISCV_BRANCH || r->type == R_RISCV_RVC_BRANCH)) {
		const uint64_t call = transfer_target(c, r);
		if (b->has_call && b->call != call)
			return refuse_reloc(c, r, "has two entries of the PLT");
		b->call = call;
		b->has_call = true;
	}
	return OBJECT_OK;
}

int linked_bind(struct linked *l, struct object *o, char *detail, size_t size)
{
	struct checking c = {.l = l, .o = o, .detail = detail, .size = size};
	int error = OBJECT_OK;
	l->bound = calloc(o->symbol_count, sizeof *l->bound);
	if (l->bound == NULL)
		return OBJECT_ENOMEM;
	for (c.number = 1; c.number < l->section_count && error == OBJECT_OK; c.number++) {
		c.s = &o->sections[c.number];
		if (!l->sections[c.number].moves)
			continue;
		error = find_low_parts(&c);
		for (size_t i = 0; i < c.s->reloc_count && error == OBJECT_OK; i++)
			error = bind_symbol(&c, i);
	}
	free(c.targets);
	return error;
}
