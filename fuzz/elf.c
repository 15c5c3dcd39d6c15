/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Program images: ELF headers, segments, symbols. */
#include "fuzz/ask_image.h"
#include "host/records/records.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct image *image = NULL;
	char detail[512] = "";
	int error = image_open_memory(&image, "input.elf", bytes, size, detail, sizeof detail);
	must((error == IMAGE_OK) == (image != NULL));
	must(error == IMAGE_OK || (error < 0 && detail[0] != 0));
	if (image == NULL)
		return 0;
	ask_image(image, (uint32_t)size);
	struct records_header header = {.xlen = image_xlen(image)};
	records_identify(&header, image);
	touch_text(header.build_id);
	must(records_match(&header, image, detail, sizeof detail) != RECORDS_OTHER);
	image_close(image);
	return 0;
}
