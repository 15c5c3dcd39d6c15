/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Objects through the editor and every profiler: edited or refused with a reason. What comes out can be read again, and
 * all that it refers to is there.
 */
#include "fuzz/fuzz.h"
#include "host/insert/insert.h"
#include "host/insert/regions_map.h"

/* Whatever a linker would look up lies inside. */
static void check_written(const struct object *object, uint32_t sections_before)
{
	for (uint32_t i = 1; i < object->section_count; i++) {
		const struct object_section *s = &object->sections[i];
		for (size_t k = 0; k < s->reloc_count; k++)
			must(s->relocs[k].symbol < object->symbol_count);
		if (i >= sections_before && s->reloc_count > 0)
			must(s->relocs[s->reloc_count - 1].offset <= s->size);
	}
	for (uint32_t i = 1; i < object->symbol_count; i++) {
		const struct object_symbol *symbol = &object->symbols[i];
		must(symbol->section < object->section_count || symbol->section >= 0xFF00u);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = {bytes, size};
	struct object *object, *again;
	struct insert_counts counts = {0};
	static const enum insert_mode modes[] = {INSERT_PATHS, INSERT_EDGES, INSERT_BLOCKS, INSERT_REGIONS};
	char detail[256] = "";
	uint8_t *written = NULL;
	size_t length = 0;
	unsigned choice = (unsigned)take(&input, 2);
	const struct insert_options options = {.mode = modes[choice & 3],
	    .limit = (choice & 4) != 0 ? 3 : 0,
	    .find = 1 + (choice >> 3) % 3,
	    .embodiment = (choice >> 5) % 3,
	    .wide = (choice & 256) != 0 && (choice & 512) == 0,
	    .atomic = (choice & 512) != 0};
	if (input.left > 20000)
		return 0;
	if (object_open(&object, input.at, input.left, detail, sizeof detail) != OBJECT_OK) {
		must(detail[0] != '\0');
		return 0;
	}
	uint32_t before = object->section_count;
	int error = (choice & 1024) != 0 ? insert_twin(object, "fuzz.o", &options, &counts, detail, sizeof detail)
					 : insert_object(object, "fuzz.o", &options, &counts, detail, sizeof detail);
	if (error != OBJECT_OK)
		must(detail[0] != '\0');
	else if (object_write(object, &written, &length) == OBJECT_OK) {
		must(object_open(&again, written, length, detail, sizeof detail) == OBJECT_OK);
		check_written(again, before);
		object_close(again);
	}
	free(written);
	object_close(object);
	return 0;
}
