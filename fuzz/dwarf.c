/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Source places from DWARF. The four bytes at the end choose the first address that is asked for. */
#include "fuzz/ask_image.h"

#define PLACES 8

static void ask_places(const struct image *image, uint32_t address)
{
	struct image_place places[PLACES];
	size_t count = image_places(image, address, places, PLACES);
	must(count >= 1 && count <= PLACES);
	for (size_t i = 0; i < count; i++) {
		touch_text(places[i].function);
		touch_text(places[i].file);
	}
	must(image_places(image, address, places, 1) == 1 && image_places(image, address, places, 0) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct image *image = NULL;
	char detail[512] = "";
	if (image_open_memory(&image, "input.elf", bytes, size, detail, sizeof detail) != IMAGE_OK)
		return 0;
	int error = image_debug(image, detail, sizeof detail);
	must(error <= 0);
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	for (size_t i = 0; i < count && i < 4; i++) {
		for (uint32_t at = 0; at < segments[i].file_size && at < 2 * ADDRESSES_MAX; at += 2)
			ask_places(image, segments[i].address + at);
	}
	image_close(image);
	return 0;
}
