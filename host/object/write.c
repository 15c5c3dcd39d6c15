/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * An object as a file. Sections stay where they were as long as nothing before them in the file has changed its size;
 * from there on each comes behind the one before, aligned. The table of section headers keeps its place among them.
 */
#include "host/object/object.h"
#include "host/base/order.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#ifndef SHT_LLVM_ADDRSIG
#define SHT_LLVM_ADDRSIG 0x6fff4c03
#endif

struct place { /* of a section, or of the headers: number == section_count */
	uint64_t old, offset, size, align;
	uint32_t number;
};

static int by_old_offset(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->old != y->old)
		return x->old > y->old ? 1 : -1;
	/* empty ones first: they lie where the next begins */
	if ((x->size == 0) != (y->size == 0))
		return x->size == 0 ? -1 : 1;
	return ORDER_UP(x->number, y->number);
}

/* Numbers of symbols in the file: local ones first. */
static uint32_t *order_symbols(const struct object *o, uint32_t *locals)
{
	uint32_t *number = malloc((o->symbol_count + 1u) * sizeof *number), used = 0;
	if (number == NULL)
		return NULL;
	for (int local = 1; local >= 0; local--) {
		for (uint32_t i = 0; i < o->symbol_count; i++) {
			/* damaged files have local ones among the others: they stay there */
			bool first = i < o->local_count ||
				     (i >= o->local_count && o->file_changed && o->symbols[i].info >> 4 == STB_LOCAL);
			if (first == (local == 1))
				number[i] = used++;
		}
		if (local == 1)
			*locals = used;
	}
	return number;
}

static uint64_t file_size_of(const struct object *o, uint32_t i)
{
	const struct object_section *s = &o->sections[i];
	if (s->type == SHT_NOBITS || s->type == SHT_NULL)
		return 0;
	if (i == o->symtab)
		return o->symbol_count * (uint64_t)(o->xlen == 64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
	if (i == o->xindex)
		return 4 * (uint64_t)o->symbol_count;
	if (s->type == SHT_RELA && s->applies_to != 0)
		return o->sections[s->applies_to].reloc_count *
		       (uint64_t)(o->xlen == 64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela));
	return s->size;
}

static void write_symbols(const struct object *o, const uint32_t *number, uint8_t *to, uint8_t *wide)
{
	for (uint32_t i = 0; i < o->symbol_count; i++) {
		const struct object_symbol *s = &o->symbols[i];
		/* a reserved number stands for itself */
		bool large = s->section >= SHN_LORESERVE && (s->section < o->section_count || s->section > 0xFFFF);
		uint16_t section = large ? SHN_XINDEX : (uint16_t)s->section;
		uint32_t index = large ? s->section : 0;
		if (o->xlen == 64) {
			Elf64_Sym e = {.st_name = s->name,
			    .st_info = s->info,
			    .st_other = s->other,
			    .st_shndx = section,
			    .st_value = s->value,
			    .st_size = s->size};
			memcpy(to + number[i] * sizeof e, &e, sizeof e);
		} else {
			Elf32_Sym e = {.st_name = s->name,
			    .st_info = s->info,
			    .st_other = s->other,
			    .st_shndx = section,
			    .st_value = (uint32_t)s->value,
			    .st_size = (uint32_t)s->size};
			memcpy(to + number[i] * sizeof e, &e, sizeof e);
		}
		if (wide != NULL)
			memcpy(wide + 4 * (size_t)number[i], &index, 4);
	}
}

static void write_relocs(
    const struct object *o, const struct object_section *target, const uint32_t *number, uint8_t *to)
{
	for (size_t i = 0; i < target->reloc_count; i++) {
		const struct object_reloc *r = &target->relocs[i];
		if (o->xlen == 64) {
			Elf64_Rela e = {r->offset, ELF64_R_INFO((uint64_t)number[r->symbol], r->type), r->addend};
			memcpy(to + i * sizeof e, &e, sizeof e);
		} else {
			Elf32_Rela e = {
			    (uint32_t)r->offset, ELF32_R_INFO(number[r->symbol], r->type & 0xFF), (int32_t)r->addend};
			memcpy(to + i * sizeof e, &e, sizeof e);
		}
	}
}

/* clang's list of symbols whose address matters: numbers as LEB128. Returns the size. */
static size_t write_addrsig(const struct object *o, const struct object_section *s, const uint32_t *number, uint8_t *to)
{
	size_t at = 0, used = 0;
	while (at < s->size) {
		uint64_t value = 0;
		unsigned shift = 0;
		uint8_t byte;
		do {
			byte = s->data[at++];
			value |= shift < 63 ? (uint64_t)(byte & 0x7F) << shift : 0;
			shift += 7;
		} while ((byte & 0x80) != 0 && at < s->size);
		value = value < o->symbol_count ? number[value] : 0;
		do {
			byte = value & 0x7F;
			value >>= 7;
			if (to != NULL)
				to[used] = (uint8_t)(byte | (value != 0 ? 0x80 : 0));
			used++;
		} while (value != 0);
	}
	return used;
}

struct header_place { /* what a section's header says of the file that is written */
	uint64_t offset, size;
	uint32_t info;
};

/* to: of the headers' table, at number i. */
static void write_section_header(
    const struct object *o, const struct object_section *s, const struct header_place *place, uint32_t i, uint8_t *to)
{
	if (o->xlen == 64) {
		Elf64_Shdr e = {.sh_name = s->name_offset,
		    .sh_type = s->type,
		    .sh_flags = s->flags,
		    .sh_addr = s->address,
		    .sh_offset = place->offset,
		    .sh_size = place->size,
		    .sh_link = s->link,
		    .sh_info = place->info,
		    .sh_addralign = s->align,
		    .sh_entsize = s->entry_size};
		memcpy(to + i * sizeof e, &e, sizeof e);
	} else {
		Elf32_Shdr e = {.sh_name = s->name_offset,
		    .sh_type = s->type,
		    .sh_flags = (uint32_t)s->flags,
		    .sh_addr = (uint32_t)s->address,
		    .sh_offset = (uint32_t)place->offset,
		    .sh_size = (uint32_t)place->size,
		    .sh_link = s->link,
		    .sh_info = place->info,
		    .sh_addralign = (uint32_t)s->align,
		    .sh_entsize = (uint32_t)s->entry_size};
		memcpy(to + i * sizeof e, &e, sizeof e);
	}
}

static void write_file_header(const struct object *o, uint64_t shoff, uint8_t *to)
{
	uint16_t count = o->section_count >= SHN_LORESERVE ? 0 : (uint16_t)o->section_count,
		 names = o->shstrtab >= SHN_LORESERVE ? SHN_XINDEX : (uint16_t)o->shstrtab;
	if (o->xlen == 64) {
		Elf64_Ehdr e;
		memcpy(&e, o->header, sizeof e);
		e.e_shoff = shoff;
		e.e_shnum = count;
		e.e_shstrndx = names;
		memcpy(to, &e, sizeof e);
	} else {
		Elf32_Ehdr e;
		memcpy(&e, o->header, sizeof e);
		e.e_shoff = (uint32_t)shoff;
		e.e_shnum = count;
		e.e_shstrndx = names;
		memcpy(to, &e, sizeof e);
	}
}

/* Places by offset: what lay before keeps its place while nothing has moved. */
static uint64_t lay_out(const struct object *o, struct place *places, uint32_t count)
{
	uint64_t end = o->xlen == 64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	bool moved = false;
	for (uint32_t i = 0; i < count; i++) {
		struct place *p = &places[i];
		bool header = p->number == o->section_count;
		bool fresh = p->old == UINT64_MAX;
		uint64_t before = header ? 0 : o->sections[p->number].old_size;
		if (header || fresh || moved || p->old < end)
			moved = moved || fresh || (p->old < end && p->size > 0);
		if (moved || fresh) {
			uint64_t align = p->align > 1 ? p->align : 1;
			p->offset = (end + align - 1) / align * align;
		} else
			p->offset = p->old;
		if (p->size > 0) {
			if (p->offset + p->size > end)
				end = p->offset + p->size;
			if (!header && !fresh && o->sections[p->number].type != SHT_NULL && p->size != before)
				moved = true;
		} else if (!header && before > 0 && !fresh && o->sections[p->number].type != SHT_NOBITS)
			moved = true;
	}
	return end;
}

struct layout {                          /* of the file that is written */
	const uint64_t *offsets, *sizes; /* by section */
	const uint32_t *number;          /* of a symbol, by its number in the object */
	uint32_t locals;                 /* symbols that are local, and come first */
	bool same_numbers;
};

static void write_contents(const struct object *o, const struct layout *l, uint8_t *bytes)
{
	for (uint32_t i = 1; i < o->section_count; i++) {
		const struct object_section *s = &o->sections[i];
		if (s->type == SHT_NOBITS || s->type == SHT_NULL || l->sizes[i] == 0)
			continue;
		uint8_t *to = bytes + l->offsets[i];
		if (i == o->symtab)
			write_symbols(o, l->number, to, o->xindex != 0 ? bytes + l->offsets[o->xindex] : NULL);
		else if (i == o->xindex)
			continue;
		else if (s->type == SHT_RELA && s->applies_to != 0)
			write_relocs(o, &o->sections[s->applies_to], l->number, to);
		else if (s->type == SHT_LLVM_ADDRSIG && !l->same_numbers && s->data != NULL)
			write_addrsig(o, s, l->number, to);
		else if (s->data != NULL && s->size > 0)
			memcpy(to, s->data, s->size);
	}
}

static void write_headers(const struct object *o, const struct layout *l, uint64_t shoff, uint8_t *bytes)
{
	for (uint32_t i = 0; i < o->section_count; i++) {
		const struct object_section *s = &o->sections[i];
		uint32_t info = s->info;
		if (i != 0 && i == o->symtab)
			info = l->locals;
		else if (s->type == SHT_GROUP && s->info < o->symbol_count)
			info = l->number[s->info];
		uint64_t room = i == 0 || s->type == SHT_NOBITS || s->type == SHT_NULL ? s->size : l->sizes[i];
		if (i == 0 && o->section_count >= SHN_LORESERVE)
			room = o->section_count;
		bool kept = i == 0 || s->type == SHT_NULL;
		const struct header_place place = {kept ? s->file_offset : l->offsets[i], room, info};
		write_section_header(o, s, &place, i, bytes + shoff);
	}
}

int object_write(const struct object *o, uint8_t **bytes, size_t *size)
{
	size_t header = o->xlen == 64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint32_t locals = 0, count = 0;
	uint32_t *number = order_symbols(o, &locals);
	struct place *places = calloc(o->section_count + 1u, sizeof *places);
	uint64_t *offsets = calloc(o->section_count + 1u, sizeof *offsets),
		 *sizes = calloc(o->section_count + 1u, sizeof *sizes);
	int error = number == NULL || places == NULL || offsets == NULL || sizes == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	*bytes = NULL;
	*size = 0;
	bool same_numbers = true;
	for (uint32_t i = 0; error == OBJECT_OK && i < o->symbol_count && same_numbers; i++)
		same_numbers = number[i] == i;
	for (uint32_t i = 1; error == OBJECT_OK && i < o->section_count; i++) {
		const struct object_section *s = &o->sections[i];
		sizes[i] = file_size_of(o, i);
		if (s->type == SHT_LLVM_ADDRSIG && !same_numbers && s->data != NULL)
			sizes[i] = write_addrsig(o, s, number, NULL);
		places[count++] = (struct place){
		    .old = s->added ? UINT64_MAX : s->file_offset, .size = sizes[i], .align = s->align, .number = i};
	}
	if (error == OBJECT_OK) {
		bool added = false;
		for (uint32_t i = 0; i < count; i++)
			added = added || places[i].old == UINT64_MAX;
		/* with new sections the headers are longer and go to the end */
		places[count++] = (struct place){.old = added ? UINT64_MAX : o->shoff,
		    .size = header * (uint64_t)o->section_count,
		    .align = o->xlen / 8,
		    .number = o->section_count};
		qsort(places, count, sizeof *places, by_old_offset);
		uint64_t end = lay_out(o, places, count);
		bool same = !added;
		for (uint32_t i = 0; i < count; i++)
			same = same && places[i].offset == places[i].old;
		if (same && end < o->file_size)
			end = o->file_size; /* what lies behind */
		*bytes = calloc(end + 1, 1);
		*size = end;
		error = *bytes == NULL ? OBJECT_ENOMEM : OBJECT_OK;
		if (error == OBJECT_OK && same)
			memcpy(*bytes, o->file, o->file_size); /* with what lies between the sections */
	}
	uint64_t shoff = 0;
	for (uint32_t i = 0; error == OBJECT_OK && i < count; i++) {
		if (places[i].number == o->section_count)
			shoff = places[i].offset;
		else
			offsets[places[i].number] = places[i].offset;
	}
	const struct layout layout = {offsets, sizes, number, locals, same_numbers};
	if (error == OBJECT_OK) {
		write_contents(o, &layout, *bytes);
		write_headers(o, &layout, shoff, *bytes);
	}
	if (error == OBJECT_OK)
		write_file_header(o, shoff, *bytes);
	free(number);
	free(places);
	free(offsets);
	free(sizes);
	return error;
}
