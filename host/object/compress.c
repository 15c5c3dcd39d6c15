/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Compressed sections (SHF_COMPRESSED, by zlib or Zstandard). Their relocations are for
 * the uncompressed bytes. An object that is changed is written with them uncompressed; the linker compresses them again
 * where its options ask for it. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include "host/object/object.h"

#define ELFCOMPRESS_ZSTD_TYPE 2u /* not in the <elf.h> of Debian 12 */
#define GROWS 2000u              /* no compressor makes more bytes of one than this, but for bombs */

bool object_compressed(const struct object *o, uint32_t section, struct object_compressed *c)
{
	const struct object_section *s = &o->sections[section];
	if ((s->flags & SHF_COMPRESSED) == 0 || s->data == NULL)
		return false;
	if (o->xlen == 64) {
		Elf64_Chdr h;
		if (s->size < sizeof h)
			return false;
		memcpy(&h, s->data, sizeof h);
		*c = (struct object_compressed){h.ch_type, sizeof h, h.ch_size, h.ch_addralign};
	} else {
		Elf32_Chdr h;
		if (s->size < sizeof h)
			return false;
		memcpy(&h, s->data, sizeof h);
		*c = (struct object_compressed){h.ch_type, sizeof h, h.ch_size, h.ch_addralign};
	}
	return c->size / GROWS <= s->size;
}

static int decompress_section(
    struct object *o, uint32_t section, const struct object_compressed *c, char *detail, size_t size)
{
	struct object_section *s = &o->sections[section];
	const uint8_t *from = s->data + c->header;
	size_t length = s->size - c->header;
	uint8_t *bytes = malloc(c->size + 1);
	bool good = false;
	if (bytes == NULL)
		return OBJECT_ENOMEM;
	if (c->type == ELFCOMPRESS_ZLIB) {
		uLongf got = c->size;
		good = uncompress(bytes, &got, from, length) == Z_OK && got == c->size;
	} else if (c->type == ELFCOMPRESS_ZSTD_TYPE)
		good = ZSTD_decompress(bytes, c->size, from, length) == c->size;
	else {
		free(bytes);
		snprintf(detail, size, "section %s is compressed in a way that is not known (%u)", s->name, c->type);
		return OBJECT_EUNSUPPORTED;
	}
	if (!good) {
		free(bytes);
		snprintf(detail, size, "section %s cannot be decompressed: it is damaged", s->name);
		return OBJECT_EFORMAT;
	}
	if (s->owned)
		free(s->data);
	s->data = bytes;
	s->size = c->size;
	s->align = c->align;
	s->flags &= ~(uint64_t)SHF_COMPRESSED;
	s->owned = s->changed = true;
	return OBJECT_OK;
}

int object_decompress(struct object *o, char *detail, size_t size)
{
	struct object_compressed c;
	int error = OBJECT_OK;
	for (uint32_t i = 1; i < o->section_count && error == OBJECT_OK; i++) {
		if (object_compressed(o, i, &c))
			error = decompress_section(o, i, &c, detail, size);
	}
	return error;
}
