/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Symbols and executable ranges one by one, for who wants all of them (host/cfg). */
#include "host/image/private.h"

#include <gelf.h>

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

/* Adds the next executable section that lies in an executable segment; false: there is none. */
static Elf_Scn *next_section(const struct image *image, Elf_Scn *section, uint32_t *start, uint32_t *size)
{
	while (image->elf != NULL && (section = elf_nextscn(image->elf, section)) != NULL) {
		GElf_Shdr header;
		size_t available;
		if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_PROGBITS ||
		    (header.sh_flags & SHF_EXECINSTR) == 0 || header.sh_size == 0 || header.sh_addr > UINT32_MAX ||
		    image_code(image, (uint32_t)header.sh_addr, &available) == NULL)
			continue;
		*start = (uint32_t)header.sh_addr;
		*size = header.sh_size < available ? (uint32_t)header.sh_size : (uint32_t)available;
		return section;
	}
	return NULL;
}

bool image_text(const struct image *image, size_t index, struct image_text *text)
{
	Elf_Scn *section = NULL;
	size_t i = 0;
	for (;; i++) {
		section = next_section(image, section, &text->start, &text->size);
		if (section == NULL)
			break;
		text->section = true;
		if (i == index)
			return true;
	}
	if (i > 0) /* there are sections, but not so many */
		return false;
	for (size_t s = 0; s < image->segment_count; s++) {
		if (!image->segments[s].execute || image->segments[s].file_size == 0 || i++ != index)
			continue;
		*text = (struct image_text){.start = image->segments[s].address, .size = image->segments[s].file_size};
		return true;
	}
	return false;
}

const uint8_t *image_data(const struct image *image, uint32_t address, size_t *available)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *s = &image->segments[i];
		if (address >= s->address && address - s->address < s->file_size) {
			*available = s->file_size - (address - s->address);
			return s->bytes + (address - s->address);
		}
	}
	return NULL;
}
