/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/function_name.h"

#include <inttypes.h>
#include "host/base/demangle.h"

/* Whose libraries name code without symbols. */
static const struct image *placed_in;

/* Buffers of the functions below, round and round. */
static char *next_text(void)
{
	static char texts[8][IMAGE_PLACE];
	static unsigned turn;
	return texts[turn++ % 8];
}

void name_libraries(const struct image *image)
{
	placed_in = image;
}

const char *function_name(const char *name, uint64_t address)
{
	if (name != NULL)
		return name;
	char *text = next_text();
	if (placed_in == NULL || image_place(placed_in, address, text) == NULL)
		snprintf(text, IMAGE_PLACE, "0x%08" PRIx64, address);
	return text;
}

const char *shown_name(const char *name, uint64_t address)
{
	return demangle(function_name(name, address));
}

const char *error_text(double error)
{
	char *text = next_text();
	if (error < 0)
		return "?";
	snprintf(text, IMAGE_PLACE, "%.2f", 100 * error);
	return text;
}
