/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Whether records and a program belong together. */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/image/image.h"
#include "host/records/private.h"

static void put_hexadecimal(const uint8_t *bytes, size_t size, char *text)
{
	static const char digits[] = "0123456789abcdef";
	size = size < RECORDS_BUILD_ID_MAX ? size : RECORDS_BUILD_ID_MAX;
	for (size_t i = 0; i < size; i++) {
		*text++ = digits[bytes[i] >> 4];
		*text++ = digits[bytes[i] & 15];
	}
	*text = '\0';
}

/* The note is looked for where it is loaded: its header is "GNU", type 3. */
static void find_build_id(const struct image *image, char text[2 * RECORDS_BUILD_ID_MAX + 1])
{
	static const uint8_t mark[] = {3, 0, 0, 0, 'G', 'N', 'U', 0};
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	text[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		const struct elf_segment *s = &segments[i];
		for (uint64_t at = 0; s->file_size >= 16 && at <= s->file_size - 16; at += 4) {
			const uint8_t *note = s->bytes + at;
			uint32_t size = bytes_get32(note + 4);
			if (bytes_get32(note) != 4 || memcmp(note + 8, mark, sizeof mark) != 0 || size < 8 ||
			    size > RECORDS_BUILD_ID_MAX || size > s->file_size - at - 16)
				continue;
			put_hexadecimal(note + 16, size, text);
			return;
		}
	}
}

uint32_t records_code_crc(const struct image *image)
{
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	uint32_t crc = 0;
	uint64_t from = 0;
	for (;;) { /* in order of address, whatever the order in the file */
		const struct elf_segment *next = NULL;
		for (size_t i = 0; i < count; i++) {
			const struct elf_segment *s = &segments[i];
			if (s->execute && s->address >= from && (next == NULL || s->address < next->address))
				next = s;
		}
		if (next == NULL)
			return crc == 0 ? 1 : crc;
		crc = base_crc32(crc, next->bytes, next->file_size);
		from = next->address + 1;
	}
}

void records_identify(struct records_header *header, const struct image *image)
{
	header->has_build = image_build(image, &header->build, NULL, 0) == IMAGE_OK;
	header->code_crc = records_code_crc(image);
	find_build_id(image, header->build_id);
}

void records_identify_run(struct records_header *header, const struct image *image)
{
	records_identify(header, image);
	if (header->has_build)
		return;
	header->build = image_code_build(image);
	header->has_build = header->build != 0;
}

int records_place(const struct records_header *header, struct image *image, char *detail, size_t size)
{
	if (image_load_address(image) != 0 || image_library(image, 0) != NULL)
		return RECORDS_OK;
	if (header->base != 0 && image_moveable(image) && image_move(image, header->base, detail, size) != IMAGE_OK)
		return RECORDS_EOPEN;
	for (unsigned i = 0; i < header->object_count; i++) {
		struct image *object;
		const struct records_object *o = &header->objects[i];
		int error = image_open(&object, o->path, detail, size);
		if (error != IMAGE_OK)
			return RECORDS_EOPEN;
		if (o->code_crc != 0 && image_code_build(object) != o->code_crc) {
			snprintf(detail, size,
			    "%s: its code is not what ran: it was built or installed anew since then; put back the "
			    "file that ran",
			    o->path);
			image_close(object);
			return RECORDS_EOPEN;
		}
		error = image_moveable(object) ? image_move(object, o->base, detail, size) : IMAGE_OK;
		if (error == IMAGE_OK)
			error = image_add(image, object, detail, size);
		if (error != IMAGE_OK) {
			image_close(object);
			return RECORDS_EOPEN;
		}
	}
	return RECORDS_OK;
}

enum records_match records_match(
    const struct records_header *header, const struct image *image, char *detail, size_t size)
{
	struct records_header own = {0};
	char none;
	if (detail == NULL) {
		detail = &none;
		size = 0;
	}
	if (header == NULL) {
		snprintf(detail, size, "their header is lost, so the records do not say of which program they are");
		return RECORDS_UNKNOWN;
	}
	if ((header->source == RECORDS_MACHINE) != image_of_machine(image)) {
		snprintf(detail, size, "%s",
		    image_of_machine(image)
			? "the program is a machine file, and the records are of a core"
			: "the records are of the machine of an interpreter, and the program is no machine "
			  "file");
		return RECORDS_OTHER;
	}
	if (header->xlen != image_xlen(image)) {
		snprintf(detail, size, "the records are of a core of %u bits, the program is for one of %u",
		    header->xlen, image_xlen(image));
		return RECORDS_OTHER;
	}
	if (image_of_machine(image))
		return RECORDS_SAME; /* as far as is known: such code has no bytes to compare */
	records_identify(&own, image);
	if (header->build_id[0] != '\0' && own.build_id[0] != '\0') {
		snprintf(
		    detail, size, "the records have build id %.20s, the program %.20s", header->build_id, own.build_id);
		return strcmp(header->build_id, own.build_id) == 0 ? RECORDS_SAME : RECORDS_OTHER;
	}
	if (header->has_build && own.has_build) {
		snprintf(detail, size, "the records are of build %08" PRIx32 ", the program is build %08" PRIx32,
		    header->build, own.build);
		/* the second: a stripped program ran, and this is the one with symbols */
		const bool same = header->build == own.build || header->build == image_code_build(image);
		return same ? RECORDS_SAME : RECORDS_OTHER;
	}
	if (header->has_build) {
		snprintf(
		    detail, size, "the records are of build %08" PRIx32 ", which is not in the program", header->build);
		return image_has_build(image, header->build) ? RECORDS_SAME : RECORDS_OTHER;
	}
	if (header->code_crc != 0) {
		snprintf(detail, size, "the records are of code %08" PRIx32 ", the program's is %08" PRIx32,
		    header->code_crc, own.code_crc);
		return header->code_crc == own.code_crc ? RECORDS_SAME : RECORDS_OTHER;
	}
	snprintf(detail, size, "the records do not say of which program they are");
	return RECORDS_UNKNOWN;
}
