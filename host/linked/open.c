/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A linked program as an object: addresses become offsets in sections, what only a linked program has becomes plain
 * bytes. Sections and symbols keep their numbers until check.c may add symbols.
 */
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include "host/linked/linked_private.h"
#include "host/base/order.h"

#define SHT_PACKED 19 /* SHT_RELR, which older headers do not have */

bool linked_is(const void *bytes, size_t size)
{
	const uint8_t *b = bytes;
	return size >= sizeof(Elf32_Ehdr) && memcmp(b, ELFMAG, SELFMAG) == 0 &&
	       (linked_get(b + 16, 2) == ET_EXEC || linked_get(b + 16, 2) == ET_DYN);
}

uint32_t linked_section_at(const struct linked *l, const struct object *o, uint64_t address)
{
	uint32_t end = 0;
	for (uint32_t i = 1; i < l->section_count; i++) {
		const struct object_section *s = &o->sections[i];
		/* thread-local zeros lie over what comes next */
		if (!l->sections[i].allocated || ((s->flags & SHF_TLS) != 0 && s->type == SHT_NOBITS))
			continue;
		if (address >= l->sections[i].address && address - l->sections[i].address < s->size)
			return i;
		if (address - l->sections[i].address == s->size)
			end = i;
	}
	return end;
}

static int by_address(const void *a, const void *b)
{
	const struct linked_dynamic *x = a, *y = b;
	return ORDER_UP(x->address, y->address);
}

const struct linked_dynamic *linked_dynamic_at(const struct linked *l, uint64_t address)
{
	const struct linked_dynamic key = {.address = address};
	return l->reloc_count == 0 ? NULL : bsearch(&key, l->relocs, l->reloc_count, sizeof *l->relocs, by_address);
}

/* ---- headers ---- */
/* Whether .dynamic says that it is a program: one without an interpreter is static then. */
static bool says_program(const struct linked *l, const GElf_Phdr *h)
{
	const unsigned word = l->xlen / 8;
	for (uint64_t at = 0; at + 2 * word <= h->p_filesz; at += 2 * word) {
		const uint8_t *tag = l->file + h->p_offset + at;
		if (linked_get(tag, word) == DT_FLAGS_1)
			return (linked_get(tag + word, word) & DF_1_PIE) != 0;
	}
	return false;
}

static int read_segments(struct linked *l, Elf *elf, char *detail, size_t size)
{
	size_t count;
	bool first = true, program = false;
	if (elf_getphdrnum(elf, &count) != 0 || count == 0 || count > 1000)
		return linked_refuse(detail, size, "it has no segments, or its headers are damaged");
	l->segments = calloc(count, sizeof *l->segments);
	if (l->segments == NULL)
		return OBJECT_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr h;
		if (gelf_getphdr(elf, (int)i, &h) == NULL || h.p_offset > l->size || h.p_filesz > l->size - h.p_offset)
			return linked_refuse(detail, size, "the header of segment %zu is damaged", i);
		l->segments[l->segment_count++] = (struct linked_segment){
		    h.p_type, h.p_flags, h.p_offset, h.p_vaddr, h.p_paddr, h.p_filesz, h.p_memsz, h.p_align};
		if (h.p_type == PT_LOAD && first) {
			l->base = h.p_vaddr - h.p_offset;
			first = false;
		}
		l->dynamic = l->dynamic || h.p_type == PT_DYNAMIC;
		l->shared = l->shared && h.p_type != PT_INTERP;
		program = program || (h.p_type == PT_DYNAMIC && says_program(l, &h));
	}
	if (l->shared && program)
		return linked_refuse(
		    detail, size, "it is a static program for any address: link it with -static, not -static-pie");
	return first ? linked_refuse(detail, size, "no segment of it is loaded") : OBJECT_OK;
}

/* Entries of the PLT have no relocations; they stay where they are. */
static bool is_plt(const char *name)
{
	return strcmp(name, ".plt") == 0 || strcmp(name, ".iplt") == 0 || strcmp(name, ".plt.got") == 0 ||
	       strcmp(name, ".plt.sec") == 0;
}

static void patch_section(const struct linked *l, uint8_t *header, const struct linked_section *s, bool plt)
{
	const unsigned word = l->xlen / 8;
	uint8_t *flags = header + 8, *address = header + 8 + word;
	const uint64_t f = linked_get(flags, word);
	const uint8_t *link = header + 8 + 4 * (size_t)word;
	if (plt)
		linked_put(flags, word, f & ~(uint64_t)SHF_EXECINSTR);
	linked_put(address, word, 0);
	/* dynamic relocations are bytes here */
	if (linked_get(header + 4, 4) == SHT_RELA && (s->allocated || linked_get(link + 4, 4) == 0))
		linked_put(header + 4, 4, SHT_PROGBITS);
}

static int patch_sections(struct linked *l, Elf *elf, uint8_t *copy, char *detail, size_t size)
{
	size_t count, names;
	GElf_Ehdr header;
	bool code = false, kept = false;
	if (elf_getshdrnum(elf, &count) != 0 || elf_getshdrstrndx(elf, &names) != 0 || count < 2 ||
	    count >= SHN_LORESERVE || gelf_getehdr(elf, &header) == NULL)
		return linked_refuse(detail, size, "it has no table of sections");
	l->section_count = (uint32_t)count;
	l->sections = calloc(count, sizeof *l->sections);
	if (l->sections == NULL)
		return OBJECT_ENOMEM;
	for (size_t i = 1; i < count; i++) {
		GElf_Shdr h;
		Elf_Scn *scn = elf_getscn(elf, i);
		if (scn == NULL || gelf_getshdr(scn, &h) == NULL || h.sh_link >= count ||
		    (h.sh_type == SHT_NULL && h.sh_size > 0) ||
		    (h.sh_type != SHT_NOBITS && (h.sh_offset > l->size || h.sh_size > l->size - h.sh_offset)))
			return linked_refuse(detail, size, "the header of section %zu is damaged", i);
		const char *name = elf_strptr(elf, names, h.sh_name);
		if (name != NULL && strcmp(name, ".debug_rivulet") == 0)
			return linked_refuse(
			    detail, size, "it has counters or a map already; give the unedited program");
		struct linked_section *s = &l->sections[i];
		const bool plt = name != NULL && is_plt(name);
		s->allocated = (h.sh_flags & SHF_ALLOC) != 0;
		s->address = s->allocated ? h.sh_addr : 0;
		s->moves = (h.sh_flags & SHF_EXECINSTR) != 0 && h.sh_type == SHT_PROGBITS && h.sh_size > 0 && !plt;
		code = code || s->moves;
		kept = kept || (h.sh_type == SHT_RELA && !s->allocated && h.sh_info != 0);
		if (name != NULL && (strcmp(name, ".eh_frame") == 0 || strcmp(name, ".eh_frame_hdr") == 0))
			s->moves = s->allocated;
		patch_section(
		    l, copy + header.e_shoff + i * (l->xlen == 64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)), s, plt);
	}
	if (!code)
		return linked_refuse(detail, size, "it has no section of code");
	if (!kept)
		return linked_refuse(
		    detail, size, "it was linked without its relocations: link it with -Wl,--emit-relocs");
	return OBJECT_OK;
}

/* Where relocations and symbols say addresses, they shall say offsets. Names end where versions begin. */
static int patch_tables(struct linked *l, Elf *elf, uint8_t *copy, char *detail, size_t size)
{
	const unsigned word = l->xlen / 8;
	const size_t symbol = l->xlen == 64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	const size_t rela = l->xlen == 64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
	bool symbols = false;
	for (size_t i = 1; i < l->section_count; i++) {
		GElf_Shdr h;
		gelf_getshdr(elf_getscn(elf, i), &h);
		uint8_t *at = copy + h.sh_offset;
		if (h.sh_type == SHT_SYMTAB_SHNDX || h.sh_type == SHT_REL)
			return linked_refuse(detail, size, "section %zu is of a kind that programs do not have", i);
		if (h.sh_type == SHT_PACKED)
			return linked_refuse(detail, size,
			    "its dynamic relocations are packed: link it with -Wl,-z,nopack-relative-relocs");
		if (h.sh_type == SHT_RELA && h.sh_info < l->section_count && h.sh_info != 0 &&
		    !l->sections[i].allocated) {
			for (size_t k = 0; k + rela <= h.sh_size; k += rela)
				linked_put(at + k, word, linked_get(at + k, word) - l->sections[h.sh_info].address);
		}
		if (h.sh_type != SHT_SYMTAB)
			continue;
		symbols = true;
		for (size_t k = 0; k + symbol <= h.sh_size; k += symbol) {
			uint8_t *value = at + k + (l->xlen == 64 ? 8 : 4);
			const uint64_t section = linked_get(at + k + (l->xlen == 64 ? 6 : 14), 2);
			const unsigned type = at[k + (l->xlen == 64 ? 4 : 12)] & 15u;
			if (section < l->section_count && type != STT_TLS)
				linked_put(value, word, linked_get(value, word) - l->sections[section].address);
			const char *name = elf_strptr(elf, h.sh_link, (size_t)linked_get(at + k, 4));
			const char *version = name == NULL || section != SHN_UNDEF ? NULL : strchr(name, '@');
			if (version != NULL && (const uint8_t *)version >= l->file &&
			    (const uint8_t *)version < l->file + l->size)
				copy[(const uint8_t *)version - l->file] = 0;
		}
	}
	return symbols ? OBJECT_OK
		       : linked_refuse(detail, size, "it has no symbols: link it without -s, do not strip it");
}

/* ---- dynamic relocations ---- */
static int read_dynamic(struct linked *l, const struct object *o, char *detail, size_t size)
{
	const unsigned word = l->xlen / 8;
	size_t room = 0;
	for (uint32_t i = 1; i < l->section_count; i++) {
		const struct object_section *s = &o->sections[i];
		if (!l->sections[i].allocated || strncmp(s->name, ".rela", 5) != 0 || s->data == NULL)
			continue;
		for (uint64_t at = 0; at + 3 * word <= s->size; at += 3 * word) {
			const uint64_t info = linked_get(s->data + at + word, word);
			struct linked_dynamic d = {.address = linked_get(s->data + at, word),
			    .addend = (int64_t)linked_get(s->data + at + 2 * word, word),
			    .type = (uint32_t)(word == 8 ? info & 0xFFFFFFFFu : info & 0xFF),
			    .symbol = (uint32_t)(word == 8 ? info >> 32 : info >> 8),
			    .section = i,
			    .offset = at};
			if (d.type == R_RISCV_NONE)
				continue;
			const uint32_t where = linked_section_at(l, o, d.address);
			if (where != 0 && l->sections[where].moves)
				return linked_refuse(detail, size,
				    "address 0x%llx of code is written by the dynamic linker: compile with -fPIC",
				    (unsigned long long)d.address);
			if (l->reloc_count == room) {
				room = 2 * room + 64;
				struct linked_dynamic *larger = realloc(l->relocs, room * sizeof *larger);
				if (larger == NULL)
					return OBJECT_ENOMEM;
				l->relocs = larger;
			}
			l->relocs[l->reloc_count++] = d;
		}
	}
	if (l->reloc_count > 0)
		qsort(l->relocs, l->reloc_count, sizeof *l->relocs, by_address);
	return OBJECT_OK;
}

static void find_gp(struct linked *l, const struct object *o)
{
	for (uint32_t i = 1; i < o->symbol_count; i++) {
		const struct object_symbol *s = &o->symbols[i];
		if (strcmp(object_symbol_name(o, i), "__global_pointer$") == 0)
			l->gp = s->value + (s->section < l->section_count ? l->sections[s->section].address : 0);
	}
}

/* The object, checked, as bytes. */
static int make_object(struct linked *l, uint8_t *copy, char *detail, size_t size)
{
	struct object *o = NULL;
	uint32_t mark;
	int error = object_open(&o, copy, l->size, detail, size);
	if (error != OBJECT_OK)
		return error;
	find_gp(l, o);
	error = read_dynamic(l, o, detail, size);
	if (error == OBJECT_OK)
		error = linked_check(l, o, detail, size);
	if (error == OBJECT_OK)
		error = object_add_section(
		    o, &(struct object_new_section){LINKED_MARK, SHT_PROGBITS, 0, 1, NULL, 0}, &mark);
	if (error == OBJECT_OK)
		error = object_write(o, &l->bytes, &l->byte_count);
	object_close(o);
	if (error == OBJECT_OK)
		error = object_open(&o, l->bytes, l->byte_count, detail, size);
	if (error != OBJECT_OK)
		return error;
	error = linked_bind(l, o, detail, size);
	object_close(o);
	return error;
}

int linked_open(struct linked **out, const void *bytes, size_t size, char *detail, size_t detail_size)
{
	struct linked *l = calloc(1, sizeof *l);
	uint8_t *copy = malloc(size + 1);
	Elf *elf = NULL;
	GElf_Ehdr header;
	int error = OBJECT_OK;
	*out = NULL;
	elf_version(EV_CURRENT);
	if (l == NULL || copy == NULL)
		error = OBJECT_ENOMEM;
	else {
		memcpy(copy, bytes, size);
		l->file = bytes;
		l->size = size;
		elf = elf_memory((char *)(uintptr_t)bytes, size);
		if (elf == NULL || gelf_getehdr(elf, &header) == NULL || header.e_machine != EM_RISCV ||
		    header.e_ident[EI_DATA] != ELFDATA2LSB)
			error = linked_refuse(detail, detail_size, "it is no program for RISC-V, or it is damaged");
	}
	if (error == OBJECT_OK) {
		l->xlen = header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
		l->independent = l->shared = header.e_type == ET_DYN;
		l->entry = header.e_entry;
		linked_put(copy + 16, 2, ET_REL);
		error = read_segments(l, elf, detail, detail_size);
	}
	if (error == OBJECT_OK)
		error = patch_sections(l, elf, copy, detail, detail_size);
	if (error == OBJECT_OK)
		error = patch_tables(l, elf, copy, detail, detail_size);
	if (elf != NULL)
		elf_end(elf);
	if (error == OBJECT_OK)
		error = make_object(l, copy, detail, detail_size);
	free(copy);
	if (error == OBJECT_ENOMEM)
		linked_refuse(detail, detail_size, "out of memory");
	if (error != OBJECT_OK) {
		linked_close(l);
		return error;
	}
	*out = l;
	return OBJECT_OK;
}

void linked_close(struct linked *l)
{
	if (l == NULL)
		return;
	free(l->segments);
	free(l->sections);
	free(l->relocs);
	free(l->bound);
	free(l->bytes);
	free(l);
}
