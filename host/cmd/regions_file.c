/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/regions_file.h"

#include <stdlib.h>
#include "host/cmd/cmd.h"

int read_regions_file(struct regions_names *names, const char *path, const struct cfg *cfg)
{
	char detail[1024];
	char *text = read_text_file(
	    path, "regions file", "; --regions takes loops, hammocks, all, or a regions file (docs/regions.md)");
	if (text == NULL)
		return STATUS_FAILED;
	int error = regions_names_read(names, path, text, cfg, detail, sizeof detail);
	free(text);
	if (error != NAMES_OK)
		complain("%s", detail);
	return error == NAMES_OK ? STATUS_OK : STATUS_FAILED;
}
