/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <inttypes.h>
#include "host/cmd/info.h"
#include "host/base/json.h"
#include "host/records/records.h"
#include "host/cmd/profiled.h"

static void print_program_json(const char *path, const struct image *image, const struct records_header *id, bool debug)
{
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	struct json j;
	json_open(&j, stdout);
	json_text(&j, "file", path);
	json_text(&j, "kind", "program");
	json_hex(&j, "entry", image_entry(image), 8);
	json_number(&j, "code_bytes", image_code_size(image));
	if (id->has_build)
		json_hex(&j, "build", id->build, 8);
	json_text(&j, "build_id", id->build_id[0] != '\0' ? id->build_id : NULL);
	json_hex(&j, "code", id->code_crc, 8);
	json_number(&j, "symbols", image_symbol_count(image));
	json_bool(&j, "source_lines", debug);
	json_array(&j, "segments");
	for (size_t i = 0; i < count; i++) {
		json_line(&j, NULL);
		json_hex(&j, "address", segments[i].address, 8);
		json_number(&j, "size", segments[i].size);
		json_number(&j, "file_size", segments[i].file_size);
		json_number(&j, "offset", segments[i].offset);
		json_bool(&j, "execute", segments[i].execute);
		json_bool(&j, "write", segments[i].write);
		json_object_end(&j);
	}
	json_array_end(&j);
	finish_json(&j);
}

static void print_program_text(const char *path, const struct image *image, const struct records_header *id, bool debug)
{
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	printf("%s: RISC-V program, entry 0x%08" PRIx64 ", %s bytes of code\n", path, image_entry(image),
	    with_commas(image_code_size(image)));
	if (id->has_build)
		printf("  build         %08" PRIx32 "\n", id->build);
	else
		printf("  build         none: __text_start and __text_end are not there; code %08" PRIx32 "\n",
		    id->code_crc);
	printf("  build id      %s\n", id->build_id[0] != '\0' ? id->build_id : "none");
	printf("  symbols       %s%s\n", with_commas(image_symbol_count(image)),
	    image_symbol_count(image) == 0 ? ": it is stripped" : " functions and labels");
	printf("  source lines  %s\n", debug ? "yes (DWARF)" : "no");
	for (size_t i = 0; i < count; i++)
		printf("  segment       0x%08" PRIx64 ", %s bytes%s%s%s\n", segments[i].address,
		    with_commas(segments[i].size), segments[i].file_size < segments[i].size ? ", zeros at its end" : "",
		    segments[i].execute ? ", code" : "", segments[i].write ? ", writable" : "");
}

int info_program(const char *path, bool json)
{
	struct records_header id = {0};
	struct image *image;
	char detail[1024];
	if (image_open(&image, path, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	records_identify(&id, image);
	bool debug = image_debug(image, NULL, 0) == IMAGE_OK;
	if (json)
		print_program_json(path, image, &id, debug);
	else
		print_program_text(path, image, &id, debug);
	image_close(image);
	return STATUS_OK;
}
