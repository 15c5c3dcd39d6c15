/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_EXPORT_GCDA_H
#define RIVULET_CMD_EXPORT_GCDA_H
/* rivulet export --format gcda: counters for gcc -fprofile-use, a file for each file of notes. */
#include "host/export/export.h"

#define NOTES_PATHS_MAX 4096
struct notes_paths { /* option --notes: files, or folders with files */
	const char *all[NOTES_PATHS_MAX];
	size_t count;
};
extern const struct export_format gcda_format; /* it has no function that writes it: export_gcda() does */

/* folder: where the files go; NULL: beside the notes. STATUS_*: what is wrong is told. */
int export_gcda(const struct notes_paths *paths, const char *folder, const struct export_input *input);
#endif
