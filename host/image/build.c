/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Whether a profile is of this build: a checksum of the program's code is in its header. */
#include <inttypes.h>
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

bool image_has_build(const struct image *image, uint32_t build)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *s = &image->segments[i];
		uint32_t crc = 0;
		for (uint64_t at = 0; s->execute && at + 2 <= s->file_size; at += 2) {
			crc = base_crc32(crc, s->bytes + at, 2);
			if (crc == build)
				return true;
		}
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
	return first == NULL ? 0 : base_crc32(0, first->bytes, first->file_size / 2 * 2);
}
