/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A flame graph as an SVG file. */
#include "host/export/flame.h"

int export_flamegraph(const struct export_input *input, FILE *out)
{
	struct flame flame;
	int error = flame_make(&flame, input);
	if (error != EXPORT_OK)
		return error;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	error = flame_svg(&flame, input, false, out);
	flame_free(&flame);
	return error;
}
