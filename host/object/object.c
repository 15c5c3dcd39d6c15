/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/object/object.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTIONS_MAX 4000000u
#define ALIGN_MAX (1u << 20)

const char *object_strerror(int error)
{
	switch (error) {
	case OBJECT_OK:
		return "no error";
	case OBJECT_ENOMEM:
		return "out of memory";
	case OBJECT_EFORMAT:
		return "not an ELF file, or damaged";
	case OBJECT_EMACHINE:
		return "not a RISC-V object";
	case OBJECT_ETYPE:
		return "not a relocatable object";
	case OBJECT_ELTO:
		return "an object of link-time optimisation";
	case OBJECT_EARCHIVE:
		return "a damaged archive";
	case OBJECT_EWRITE:
		return "write error";
	case OBJECT_EUNSUPPORTED:
		return "cannot be edited without doubt";
	default:
		return "unknown error";
	}
}

__attribute__((format(printf, 4, 5))) static int fail_object(
    int error, char *detail, size_t size, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	if (detail != NULL && size > 0)
		vsnprintf(detail, size, format, arguments);
	va_end(arguments);
	return error;
}

/* A string of a string table that may be damaged; always ended. */
static const char *string_at(const struct object *o, uint32_t section, uint32_t offset)
{
	if (section == 0 || section >= o->section_count)
		return "";
	const struct object_section *s = &o->sections[section];
	if (s->data == NULL || offset >= s->size || memchr(s->data + offset, 0, s->size - offset) == NULL)
		return "";
	return (const char *)s->data + offset;
}

static int read_headers(struct object *o, Elf *elf, char *detail, size_t size)
{
	GElf_Ehdr header;
	size_t count, strings;
	if (gelf_getehdr(elf, &header) == NULL)
		return fail_object(OBJECT_EFORMAT, detail, size, "its ELF header is damaged");
	if (header.e_machine != EM_RISCV)
		return fail_object(OBJECT_EMACHINE, detail, size,
		    "it is for machine %u, RISC-V is 243; give objects of a RISC-V compiler", header.e_machine);
	if (header.e_ident[EI_DATA] != ELFDATA2LSB)
		return fail_object(OBJECT_EMACHINE, detail, size, "it is big endian; only little endian is known");
	if (header.e_type != ET_REL)
		return fail_object(OBJECT_ETYPE, detail, size,
		    "it is linked already (ELF type %u); give the object files that are linked, or use `rivulet cc'",
		    header.e_type);
	if (elf_getshdrnum(elf, &count) != 0 || elf_getshdrstrndx(elf, &strings) != 0 || count == 0 ||
	    count > SECTIONS_MAX || strings >= count)
		return fail_object(OBJECT_EFORMAT, detail, size, "its table of sections is damaged");
	o->xlen = header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
	o->flags = header.e_flags;
	o->shoff = header.e_shoff;
	o->shstrtab = (uint32_t)strings;
	memcpy(o->header, o->file, o->xlen == 64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	o->section_count = o->section_size = (uint32_t)count;
	o->sections = calloc(count, sizeof *o->sections);
	if (o->sections == NULL)
		return OBJECT_ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		struct object_section *s = &o->sections[i];
		GElf_Shdr h;
		Elf_Scn *scn = elf_getscn(elf, i);
		if (scn == NULL || gelf_getshdr(scn, &h) == NULL)
			return fail_object(OBJECT_EFORMAT, detail, size, "the header of section %u is damaged", i);
		*s = (struct object_section){.name_offset = h.sh_name,
		    .type = h.sh_type,
		    .link = h.sh_link,
		    .info = h.sh_info,
		    .flags = h.sh_flags,
		    .align = h.sh_addralign,
		    .entry_size = h.sh_entsize,
		    .address = h.sh_addr,
		    .file_offset = h.sh_offset,
		    .size = h.sh_size,
		    .old_size = h.sh_size};
		if (i == 0 && h.sh_type != SHT_NULL)
			return fail_object(OBJECT_EFORMAT, detail, size, "section 0 is not empty");
		if (h.sh_addralign > ALIGN_MAX)
			return fail_object(
			    OBJECT_EFORMAT, detail, size, "the alignment of section %u is beyond all sense", i);
		if (h.sh_type == SHT_NOBITS || h.sh_type == SHT_NULL) {
			if (h.sh_type == SHT_NOBITS && i == o->shstrtab)
				return fail_object(OBJECT_EFORMAT, detail, size, "the names of sections have no bytes");
			continue;
		}
		uint64_t offset = h.sh_size == 0 ? 0 : h.sh_offset; /* an empty one may lie anywhere */
		if (offset > o->file_size || h.sh_size > o->file_size - offset)
			return fail_object(OBJECT_EFORMAT, detail, size,
			    "section %u reaches beyond the end of the file (offset %llu, %llu bytes)", i,
			    (unsigned long long)h.sh_offset, (unsigned long long)h.sh_size);
		if ((s->align & (s->align - 1)) != 0)
			return fail_object(
			    OBJECT_EFORMAT, detail, size, "the alignment of section %u is no power of two", i);
		/* not written to before `owned` is set */
		s->data = (uint8_t *)(uintptr_t)(o->file + offset);
	}
	for (uint32_t i = 0; i < count; i++)
		o->sections[i].name = string_at(o, o->shstrtab, o->sections[i].name_offset);
	return OBJECT_OK;
}

static int read_object_symbols(struct object *o, char *detail, size_t size)
{
	for (uint32_t i = 1; i < o->section_count; i++) {
		if (o->sections[i].type == SHT_SYMTAB) {
			if (o->symtab != 0)
				return fail_object(OBJECT_EFORMAT, detail, size, "it has two symbol tables");
			o->symtab = i;
		} else if (o->sections[i].type == SHT_SYMTAB_SHNDX)
			o->xindex = i;
	}
	if (o->symtab == 0) { /* nothing refers to anything */
		o->symbols = calloc(1, sizeof *o->symbols);
		o->symbol_count = o->symbol_size = o->local_count = 1;
		return o->symbols == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	}
	struct object_section *s = &o->sections[o->symtab];
	size_t entry = o->xlen == 64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym), count = s->size / entry;
	if (s->size % entry != 0 || count == 0 || count > UINT32_MAX / 4 || s->info > count || s->link == 0 ||
	    s->link >= o->section_count)
		return fail_object(OBJECT_EFORMAT, detail, size, "its symbol table is damaged");
	o->strtab = s->link;
	if (o->strtab != 0 && o->strtab < o->section_count && o->sections[o->strtab].type == SHT_NOBITS)
		return fail_object(OBJECT_EFORMAT, detail, size, "the names of symbols have no bytes");
	o->symbols = malloc(count * sizeof *o->symbols);
	if (o->symbols == NULL)
		return OBJECT_ENOMEM;
	o->symbol_count = o->symbol_size = (uint32_t)count;
	o->local_count = s->info;
	const uint8_t *wide =
	    o->xindex != 0 && o->sections[o->xindex].size >= 4 * count ? o->sections[o->xindex].data : NULL;
	for (size_t i = 0; i < count; i++) {
		struct object_symbol *symbol = &o->symbols[i];
		uint32_t section;
		if (o->xlen == 64) {
			Elf64_Sym e;
			memcpy(&e, s->data + i * sizeof e, sizeof e);
			*symbol = (struct object_symbol){.value = e.st_value,
			    .size = e.st_size,
			    .name = e.st_name,
			    .info = e.st_info,
			    .other = e.st_other};
			section = e.st_shndx;
		} else {
			Elf32_Sym e;
			memcpy(&e, s->data + i * sizeof e, sizeof e);
			*symbol = (struct object_symbol){.value = e.st_value,
			    .size = e.st_size,
			    .name = e.st_name,
			    .info = e.st_info,
			    .other = e.st_other};
			section = e.st_shndx;
		}
		if (section == SHN_XINDEX) {
			if (wide == NULL)
				return fail_object(OBJECT_EFORMAT, detail, size, "symbol %zu has no section", i);
			memcpy(&section, wide + 4 * i, 4);
		}
		if (section >= o->section_count && section < SHN_LORESERVE)
			return fail_object(OBJECT_EFORMAT, detail, size,
			    "symbol %zu is in section %u, which is not there", i, section);
		symbol->section = section;
	}
	return OBJECT_OK;
}

static int read_relocs(struct object *o, char *detail, size_t size)
{
	size_t entry = o->xlen == 64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
	for (uint32_t i = 1; i < o->section_count; i++) {
		struct object_section *s = &o->sections[i];
		if (s->type == SHT_REL)
			return fail_object(
			    OBJECT_EFORMAT, detail, size, "section %u has relocations without addend", i);
		if (s->type != SHT_RELA)
			continue;
		size_t count = s->size / entry;
		if (s->size % entry != 0 || s->info == 0 || s->info >= o->section_count || s->link != o->symtab ||
		    o->sections[s->info].relocations != 0 || o->sections[s->info].type == SHT_RELA)
			return fail_object(OBJECT_EFORMAT, detail, size, "relocation section %u is damaged", i);
		struct object_section *target = &o->sections[s->info];
		target->relocs = malloc((count + 1) * sizeof *target->relocs);
		if (target->relocs == NULL)
			return OBJECT_ENOMEM;
		target->relocations = i;
		target->reloc_count = target->reloc_size = count;
		s->applies_to = s->info;
		struct object_compressed compressed;
		uint64_t room = object_compressed(o, s->info, &compressed) ? compressed.size : target->size;
		for (size_t k = 0; k < count; k++) {
			struct object_reloc *reloc = &target->relocs[k];
			if (o->xlen == 64) {
				Elf64_Rela e;
				memcpy(&e, s->data + k * sizeof e, sizeof e);
				*reloc = (struct object_reloc){e.r_offset, e.r_addend, (uint32_t)ELF64_R_SYM(e.r_info),
				    (uint32_t)ELF64_R_TYPE(e.r_info)};
			} else {
				Elf32_Rela e;
				memcpy(&e, s->data + k * sizeof e, sizeof e);
				*reloc = (struct object_reloc){
				    e.r_offset, e.r_addend, ELF32_R_SYM(e.r_info), ELF32_R_TYPE(e.r_info)};
			}
			if (reloc->symbol >= o->symbol_count || reloc->offset > room)
				return fail_object(
				    OBJECT_EFORMAT, detail, size, "relocation %zu of section %u is damaged", k, i);
		}
	}
	return OBJECT_OK;
}

/* gcc's and clang's objects without code of their own. */
static bool is_lto(const struct object *o)
{
	bool lto = false, code = false;
	for (uint32_t i = 1; i < o->section_count; i++) {
		const struct object_section *s = &o->sections[i];
		lto = lto || strncmp(s->name, ".gnu.lto_", 9) == 0;
		code = code || ((s->flags & SHF_EXECINSTR) != 0 && s->size > 0) ||
		       ((s->flags & SHF_ALLOC) != 0 && s->size > 0 && strncmp(s->name, ".gnu.lto_", 9) != 0);
	}
	return lto && !code;
}

int object_open(struct object **out, const void *bytes, size_t size, char *detail, size_t detail_size)
{
	*out = NULL;
	const uint8_t *file = bytes;
	if (size >= 4 && memcmp(file, "BC\xC0\xDE", 4) == 0)
		return fail_object(OBJECT_ELTO, detail, detail_size,
		    "it is LLVM bitcode of link-time optimisation; compile with -fno-lto");
	if (size < sizeof(Elf32_Ehdr) || memcmp(file, ELFMAG, SELFMAG) != 0)
		return fail_object(OBJECT_EFORMAT, detail, detail_size, "it is not an ELF file");
	struct object *o = calloc(1, sizeof *o);
	if (o == NULL)
		return fail_object(OBJECT_ENOMEM, detail, detail_size, "out of memory");
	o->file = file;
	o->file_size = size;
	elf_version(EV_CURRENT);
	/* libelf does not write to what it gets here */
	Elf *elf = elf_memory((char *)(uintptr_t)bytes, size);
	int error = elf == NULL || elf_kind(elf) != ELF_K_ELF
			? fail_object(OBJECT_EFORMAT, detail, detail_size, "it is not an ELF file")
			: read_headers(o, elf, detail, detail_size);
	if (elf != NULL)
		elf_end(elf);
	if (error == OBJECT_OK)
		error = read_object_symbols(o, detail, detail_size);
	if (error == OBJECT_OK)
		error = read_relocs(o, detail, detail_size);
	if (error == OBJECT_OK && is_lto(o))
		error = fail_object(OBJECT_ELTO, detail, detail_size,
		    "it holds no code, but gcc's form for link-time optimisation; compile with -fno-lto or "
		    "-ffat-lto-objects");
	if (error == OBJECT_ENOMEM)
		fail_object(error, detail, detail_size, "out of memory");
	if (error != OBJECT_OK) {
		object_close(o);
		return error;
	}
	*out = o;
	return OBJECT_OK;
}

void object_close(struct object *o)
{
	if (o == NULL)
		return;
	for (uint32_t i = 0; o->sections != NULL && i < o->section_count; i++) {
		if (o->sections[i].owned)
			free(o->sections[i].data);
		free(o->sections[i].relocs);
	}
	free(o->sections);
	free(o->symbols);
	free(o);
}

const char *object_symbol_name(const struct object *o, uint32_t symbol)
{
	return string_at(o, o->strtab, o->symbols[symbol].name);
}

uint32_t object_section_named(const struct object *o, const char *name)
{
	for (uint32_t i = 1; i < o->section_count; i++) {
		if (strcmp(o->sections[i].name, name) == 0)
			return i;
	}
	return 0;
}

int object_resize(struct object *o, uint32_t section, uint64_t size)
{
	struct object_section *s = &o->sections[section];
	bool names = section == o->shstrtab || section == o->strtab;
	uint8_t *data = s->owned ? realloc(s->data, size + 1) : malloc(size + 1);
	if (data == NULL)
		return OBJECT_ENOMEM;
	if (!s->owned && s->data != NULL)
		memcpy(data, s->data, s->size < size ? s->size : size);
	if (size > s->size)
		memset(data + s->size, 0, size - s->size);
	s->data = data;
	s->size = size;
	s->owned = s->changed = true;
	if (names) { /* names point into it */
		for (uint32_t i = 0; i < o->section_count; i++)
			o->sections[i].name = string_at(o, o->shstrtab, o->sections[i].name_offset);
	}
	return OBJECT_OK;
}

static int add_string(struct object *o, uint32_t section, const char *text, uint32_t *offset)
{
	struct object_section *s = &o->sections[section];
	uint64_t before = s->size;
	size_t length = strlen(text) + 1;
	int error = object_resize(o, section, before + length);
	if (error != OBJECT_OK)
		return error;
	memcpy(o->sections[section].data + before, text, length);
	*offset = (uint32_t)before;
	return OBJECT_OK;
}

int object_add_section(struct object *o, const struct object_new_section *section, uint32_t *number)
{
	struct object_section s = {.type = section->type,
	    .flags = section->flags,
	    .align = section->align,
	    .size = section->size,
	    .owned = true,
	    .changed = true,
	    .added = true};
	if (o->section_count == o->section_size) {
		uint32_t larger = o->section_size + 8;
		struct object_section *sections = realloc(o->sections, larger * sizeof *sections);
		if (sections == NULL)
			return OBJECT_ENOMEM;
		o->sections = sections;
		o->section_size = larger;
	}
	int error = add_string(o, o->shstrtab, section->name, &s.name_offset);
	if (error != OBJECT_OK)
		return error;
	if (s.type != SHT_NOBITS) {
		s.data = calloc(s.size + 1, 1);
		if (s.data == NULL)
			return OBJECT_ENOMEM;
		if (section->data != NULL)
			memcpy(s.data, section->data, s.size);
	}
	*number = o->section_count;
	o->sections[o->section_count++] = s;
	o->sections[*number].name = string_at(o, o->shstrtab, s.name_offset);
	o->file_changed = true;
	return OBJECT_OK;
}

int object_add_reloc(struct object *o, uint32_t section, const struct object_reloc *reloc)
{
	if (o->sections[section].relocations == 0) {
		char name[256];
		uint32_t number;
		snprintf(name, sizeof name, ".rela%s", o->sections[section].name);
		int error = object_add_section(o,
		    &(struct object_new_section){
			name, SHT_RELA, SHF_INFO_LINK | (o->sections[section].flags & SHF_GROUP), o->xlen / 8, NULL, 0},
		    &number);
		if (error != OBJECT_OK)
			return error;
		struct object_section *own = &o->sections[number];
		own->entry_size = o->xlen == 64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
		own->link = o->symtab;
		own->info = own->applies_to = section;
		o->sections[section].relocations = number;
	}
	struct object_section *s = &o->sections[section];
	if (s->reloc_count >= s->reloc_size) {
		size_t larger = s->reloc_size + s->reloc_size / 2 + 16;
		struct object_reloc *relocs = realloc(s->relocs, larger * sizeof *relocs);
		if (relocs == NULL)
			return OBJECT_ENOMEM;
		s->relocs = relocs;
		s->reloc_size = larger;
	}
	s->relocs[s->reloc_count++] = *reloc;
	o->sections[s->relocations].changed = true;
	return OBJECT_OK;
}

int object_add_symbol(struct object *o, const struct object_new_symbol *symbol, uint32_t *number)
{
	uint32_t text = 0;
	if (o->symtab == 0)
		return OBJECT_EUNSUPPORTED;
	if (o->symbol_count == o->symbol_size) {
		uint32_t larger = o->symbol_size + o->symbol_size / 2 + 16;
		struct object_symbol *symbols = realloc(o->symbols, larger * sizeof *symbols);
		if (symbols == NULL)
			return OBJECT_ENOMEM;
		o->symbols = symbols;
		o->symbol_size = larger;
	}
	if (symbol->name != NULL && *symbol->name != '\0') {
		int error = add_string(o, o->strtab, symbol->name, &text);
		if (error != OBJECT_OK)
			return error;
	}
	*number = o->symbol_count;
	o->symbols[o->symbol_count++] = (struct object_symbol){.value = symbol->value,
	    .size = symbol->size,
	    .name = text,
	    .section = symbol->section,
	    .info = symbol->info};
	o->sections[o->symtab].changed = true;
	o->file_changed = true;
	return OBJECT_OK;
}

/* A merge sort: stable, and quick on what is nearly in order. */
int object_sort_relocs(struct object *o, uint32_t section)
{
	struct object_section *s = &o->sections[section];
	size_t n = s->reloc_count;
	bool sorted = true;
	for (size_t i = 1; i < n && sorted; i++)
		sorted = s->relocs[i - 1].offset <= s->relocs[i].offset;
	if (sorted)
		return OBJECT_OK;
	struct object_reloc *from = s->relocs, *to = malloc((n + 1) * sizeof *to);
	if (to == NULL)
		return OBJECT_ENOMEM;
	for (size_t width = 1; width < n; width *= 2) {
		for (size_t start = 0; start < n; start += 2 * width) {
			size_t a = start, middle = start + width < n ? start + width : n, b = middle,
			       end = start + 2 * width < n ? start + 2 * width : n, at = start;
			while (at < end)
				to[at++] = b >= end || (a < middle && from[a].offset <= from[b].offset) ? from[a++]
													: from[b++];
		}
		struct object_reloc *swap = from;
		from = to;
		to = swap;
	}
	s->relocs = from;
	s->reloc_size = n + 1;
	free(to);
	return OBJECT_OK;
}
