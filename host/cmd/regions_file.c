/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/regions_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/cmd.h"

#define FILE_MAX (1u << 20) /* bytes of a regions file */

int read_regions_file(struct regions_names *names, const char *path, const struct cfg *cfg)
{
	char detail[1024], *text = malloc(FILE_MAX + 1);
	FILE *file = fopen(path, "r");
	if (file == NULL || text == NULL) {
		complain("%s: %s; --regions takes loops, hammocks, all, or a regions file (docs/regions.md)", path,
		    file == NULL ? strerror(errno) : "out of memory");
		free(text);
		if (file != NULL)
			fclose(file);
		return STATUS_FAILED;
	}
	size_t got = fread(text, 1, FILE_MAX + 1, file);
	bool bad = ferror(file) != 0;
	fclose(file);
	int error = NAMES_EFILE;
	snprintf(detail, sizeof detail, "%s: %s", path,
	    bad              ? "cannot be read"
	    : got > FILE_MAX ? "is too large for a regions file"
			     : "is no text");
	if (!bad && got <= FILE_MAX) {
		text[got] = '\0';
		if (strlen(text) == got)
			error = regions_names_read(names, path, text, cfg, detail, sizeof detail);
	}
	free(text);
	if (error != NAMES_OK)
		complain("%s", detail);
	return error == NAMES_OK ? STATUS_OK : STATUS_FAILED;
}
