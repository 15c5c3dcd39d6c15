/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* An object is taken apart, gets counters and is put together: edited, or refused with a reason. */
#include <stdlib.h>
#include "host/insert/insert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct object *object;
	char detail[256];
	uint8_t *bytes = NULL;
	size_t length;
	struct insert_counts counts = {0};
	static const enum insert_mode modes[] = {INSERT_PATHS, INSERT_BLOCKS, INSERT_REGIONS, INSERT_EDGES};
	const struct insert_options options = {.mode = modes[size % 4], .find = 1 + (unsigned)size / 4 % 3};
	if (size > 20000 || object_open(&object, data, size, detail, sizeof detail) != OBJECT_OK)
		return 0;
	if (insert_object(object, "fuzz.o", &options, &counts, detail, sizeof detail) == OBJECT_OK)
		object_write(object, &bytes, &length);
	free(bytes);
	object_close(object);
	return 0;
}
