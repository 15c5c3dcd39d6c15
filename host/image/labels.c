/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Symbols and executable ranges one by one, for who wants all of them (host/cfg). */
#include "host/image/private.h"

#include <gelf.h>
#include <string.h>

#include "isa/isa.h"

#ifndef SHT_RISCV_ATTRIBUTES
#define SHT_RISCV_ATTRIBUTES 0x70000003
#endif

bool image_label(const struct image *image, size_t index, struct image_label *label)
{
	if (index >= image->symbol_count)
		return false;
	const struct symbol *s = &image->symbols[index];
	*label = (struct image_label){.name = s->name,
	    .address = s->address,
	    .size = s->size,
	    .code = s->code,
	    .function = s->sized,
	    .global = s->global};
	return true;
}

bool image_uses(const struct image *image, const char *name)
{
	const size_t wanted = strlen(name);
	for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section)) != NULL;) {
		GElf_Shdr header;
		GElf_Sym symbol;
		if (gelf_getshdr(section, &header) == NULL ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
			const char *its = elf_strptr(image->elf, header.sh_link, symbol.st_name);
			/* name@VERSION */
			if (its != NULL && strcspn(its, "@") == wanted && strncmp(its, name, wanted) == 0)
				return true;
		}
	}
	return false;
}

/* Adds the next executable section that lies in an executable segment; false: there is none. */
static Elf_Scn *next_section(const struct image *image, Elf_Scn *section, uint64_t *start, uint64_t *size)
{
	while (image->elf != NULL && (section = elf_nextscn(image->elf, section)) != NULL) {
		GElf_Shdr header;
		size_t available;
		if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_PROGBITS ||
		    (header.sh_flags & SHF_EXECINSTR) == 0 || header.sh_size == 0 ||
		    image_code(image, header.sh_addr + image->bias, &available) == NULL)
			continue;
		*start = header.sh_addr + image->bias;
		*size = header.sh_size < available ? header.sh_size : available;
		return section;
	}
	return NULL;
}

/* Ranges of one object; *index counts down over them. */
static bool next_text_range(const struct image *image, size_t *index, struct image_text *text)
{
	Elf_Scn *section = NULL;
	bool any = false;
	while ((section = next_section(image, section, &text->start, &text->size)) != NULL) {
		any = text->section = true;
		if ((*index)-- == 0)
			return true;
	}
	/* without sections: its executable segments */
	for (size_t s = 0; s < image->segment_count && !any && image->other_count == 0; s++) {
		const struct elf_segment *segment = &image->segments[s];
		if (!segment->execute || segment->file_size == 0 || (*index)-- != 0)
			continue;
		*text = (struct image_text){.start = segment->address, .size = segment->file_size};
		return true;
	}
	return false;
}

bool image_text(const struct image *image, size_t index, struct image_text *text)
{
	if (next_text_range(image, &index, text))
		return true;
	for (size_t i = 0; i < image->other_count; i++) {
		if (next_text_range(image->others[i], &index, text))
			return true;
	}
	return false;
}

const uint8_t *image_data(const struct image *image, uint64_t address, size_t *available)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *s = &image->segments[i];
		if (address >= s->address && address - s->address < s->file_size) {
			*available = s->file_size - (address - s->address);
			return s->bytes + (address - s->address);
		}
	}
	return NULL;
}

const uint8_t *image_section(const struct image *image, const char *name, size_t *size)
{
	size_t names;
	*size = 0;
	if (image->elf == NULL || elf_getshdrstrndx(image->elf, &names) != 0)
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(image->elf, scn)) != NULL;) {
		GElf_Shdr header;
		if (gelf_getshdr(scn, &header) == NULL || header.sh_type == SHT_NOBITS)
			continue;
		const char *own = elf_strptr(image->elf, names, header.sh_name);
		Elf_Data *data = own != NULL && strcmp(own, name) == 0 ? elf_rawdata(scn, NULL) : NULL;
		if (data == NULL || data->d_buf == NULL)
			continue;
		*size = data->d_size;
		return data->d_buf;
	}
	return NULL;
}

/* ---------------------------------------------------------------- attributes */

static uint64_t read_uleb(const uint8_t **at, const uint8_t *end)
{
	uint64_t value = 0;
	for (unsigned shift = 0; *at < end; shift += 7) {
		uint8_t byte = *(*at)++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7F) << shift;
		if (byte < 0x80)
			break;
	}
	return value;
}

/* Tag_RISCV_arch (5) of a .riscv.attributes section (psABI, "Attributes"), or NULL. Odd tags hold strings. */
static const char *arch_of(const uint8_t *at, const uint8_t *end)
{
	static const char head[] = "riscv";
	if (end - at < 1 + 4 + (ptrdiff_t)sizeof head + 1 + 4 || *at != 'A' || memcmp(at + 5, head, sizeof head) != 0)
		return NULL;
	at += 1 + 4 + sizeof head + 1 + 4; /* version, length, vendor, Tag_File, length */
	while (at < end) {
		uint64_t tag = read_uleb(&at, end);
		if ((tag & 1) == 0) {
			(void)read_uleb(&at, end);
			continue;
		}
		const uint8_t *zero = memchr(at, 0, (size_t)(end - at));
		if (zero == NULL)
			return NULL;
		if (tag == 5)
			return (const char *)at;
		at = zero + 1;
	}
	return NULL;
}

void image_isa_of(struct image *image)
{
	unsigned all = image->wide ? ISA_ANY64 : ISA_ANY32, named = 0;
	Elf_Scn *section = NULL;
	while ((section = elf_nextscn(image->elf, section)) != NULL) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_RISCV_ATTRIBUTES)
			continue;
		Elf_Data *data = elf_rawdata(section, NULL);
		if (data == NULL || data->d_buf == NULL)
			continue;
		const uint8_t *bytes = data->d_buf;
		const char *arch = arch_of(bytes, bytes + data->d_size);
		unsigned set;
		if (arch != NULL && isa_parse(arch, &set) == ISA_OK)
			named |= set;
	}
	/* What a program may hold is more than what its linker names (a file of another -march is linked in without a
	 * word, or code asks at run time what there is); the two that lie where others lie must be named. */
	image->isa = all | (named & (unsigned)(ISA_EXT_ZCMP | ISA_EXT_ZCMT));
	image->named = named != 0 ? named | (all & (unsigned)(ISA_RV64 | ISA_EXT_S)) : image->isa;
}
