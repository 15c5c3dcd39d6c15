/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Whether a profile is of this build: a checksum of the program's code is in its header. */
#include <elf.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include "host/base/crc.h"
#include "host/image/private.h"

int image_build(const struct image *image, uint32_t *crc, char *detail, size_t size)
{
	uint64_t from, to;
	if (image_symbol(image, "__text_start", &from) != IMAGE_OK ||
	    image_symbol(image, "__text_end", &to) != IMAGE_OK)
		return image_fail(detail, size, IMAGE_ENOSYMBOL,
		    "%s: symbols __text_start and __text_end are not there, so it cannot be compared with the build of "
		    "a profile; use a "
		    "program that is not stripped, or --force",
		    image->file.path);
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *s = &image->segments[i];
		if (from >= s->address && to >= from && to - s->address <= s->file_size) {
			*crc = base_crc32(0, s->bytes + (from - s->address), to - from);
			return IMAGE_OK;
		}
	}
	return image_fail(detail, size, IMAGE_ERANGE,
	    "%s: [__text_start, __text_end) = [0x%08" PRIx64 ", 0x%08" PRIx64 ") is not in one loaded segment",
	    image->file.path, from, to);
}

/* Linkers put the file's header before the code, and strip writes there where the sections are now. They are no part of
 * what runs: here they are zeros. Returns the bytes that were copied; 0: the segment begins with no such header. */
static size_t head_without_sections(const struct elf_segment *s, uint8_t head[sizeof(Elf64_Ehdr)])
{
	if (s->file_size < sizeof(Elf64_Ehdr) || memcmp(s->bytes, ELFMAG, SELFMAG) != 0)
		return 0;
	memcpy(head, s->bytes, sizeof(Elf64_Ehdr));
	const bool wide = head[EI_CLASS] == ELFCLASS64;
	const size_t table = wide ? offsetof(Elf64_Ehdr, e_shoff) : offsetof(Elf32_Ehdr, e_shoff);
	const size_t count = wide ? offsetof(Elf64_Ehdr, e_shnum) : offsetof(Elf32_Ehdr, e_shnum);
	memset(head + table, 0, wide ? sizeof(Elf64_Off) : sizeof(Elf32_Off));
	memset(head + count, 0, 2 * sizeof(Elf64_Half)); /* and e_shstrndx behind it */
	return sizeof(Elf64_Ehdr);
}

/* Whether the code, from its begin to somewhere, has the checksum. plain: with the sections in the file's header. */
static bool segment_has_build(const struct elf_segment *s, bool plain, uint32_t build)
{
	uint8_t head[sizeof(Elf64_Ehdr)];
	const size_t copied = plain ? 0 : head_without_sections(s, head);
	uint32_t crc = 0;
	for (uint64_t at = 0; at + 2 <= s->file_size; at += 2) {
		crc = base_crc32(crc, at < copied ? head + at : s->bytes + at, 2);
		if (crc == build)
			return true;
	}
	return false;
}

bool image_has_build(const struct image *image, uint32_t build)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *s = &image->segments[i];
		if (s->execute && (segment_has_build(s, false, build) || segment_has_build(s, true, build)))
			return true;
	}
	return false;
}

uint32_t image_code_build(const struct image *image)
{
	const struct elf_segment *first = NULL;
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *s = &image->segments[i];
		if (s->execute && s->file_size >= 2 && (first == NULL || s->address < first->address))
			first = s;
	}
	if (first == NULL)
		return 0;
	uint8_t head[sizeof(Elf64_Ehdr)];
	const size_t copied = head_without_sections(first, head);
	return base_crc32(base_crc32(0, head, copied), first->bytes + copied, first->file_size / 2 * 2 - copied);
}
