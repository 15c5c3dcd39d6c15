/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_FUZZ_ASK_IMAGE_H
#define RIVULET_FUZZ_ASK_IMAGE_H
/* Everything that can be asked of an image, for targets that make one from their input. */
#include "fuzz/fuzz.h"
#include "host/image/image.h"

#define ADDRESSES_MAX 64 /* of a segment, that are looked at */

static inline void ask_address(const struct image *image, uint64_t address)
{
	size_t available = 0;
	uint64_t start = 0;
	const uint8_t *code = image_code(image, address, &available);
	if (code != NULL) {
		must(available > 0);
		touch(code, 1);
		touch(code + available - 1, 1);
	}
	const uint8_t *data = image_data(image, address, &available);
	if (data != NULL && available > 0) {
		touch(data, 1);
		touch(data + available - 1, 1);
	}
	const char *function = image_function(image, address, &start);
	must(function == NULL || start <= address);
	touch_text(function);
}

static inline void ask_image(const struct image *image, uint32_t build)
{
	size_t count;
	char detail[256];
	const struct elf_segment *segments = image_segments(image, &count);
	uint64_t code = 0;
	for (size_t i = 0; i < count; i++) {
		const struct elf_segment *s = &segments[i];
		must(s->size >= s->file_size && s->size > 0 && s->address + (s->size - 1) >= s->address);
		touch(s->bytes, s->file_size);
		code += s->execute ? s->file_size : 0;
		ask_address(image, s->address);
		ask_address(image, s->address - 1);
		ask_address(image, s->address + s->file_size);
		ask_address(image, s->address + s->size - 1);
		ask_address(image, s->address + s->size);
	}
	must(image_code_size(image) <= code);
	struct image_label label;
	uint64_t before = 0;
	for (size_t i = 0; image_label(image, i, &label); i++) {
		must(label.address >= before && label.name != NULL && (!label.function || label.code));
		before = label.address;
		touch_text(label.name);
		if (i < ADDRESSES_MAX)
			ask_address(image, label.address);
	}
	struct image_text text;
	for (size_t i = 0; image_text(image, i, &text); i++) {
		must(text.size > 0 && text.start + (text.size - 1) >= text.start);
		ask_address(image, text.start);
		ask_address(image, text.start + text.size - 1);
	}
	uint64_t address;
	uint32_t crc;
	(void)image_symbol(image, "tohost", &address);
	(void)image_symbol_count(image);
	(void)image_entry(image);
	touch_text(image_path(image));
	detail[0] = 0;
	int error = image_build(image, &crc, detail, sizeof detail);
	must(error == IMAGE_OK || detail[0] != 0);
	(void)image_has_build(image, build);
}
#endif
