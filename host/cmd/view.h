/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_VIEW_H
#define RIVULET_CMD_VIEW_H
/* One profile for `rivulet view`, opened, gathered and written as JSON. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct view_source {
	const char *program, *file;
	bool partial, force;
	size_t spans; /* single calls kept */
	bool quiet;   /* nothing is told: --serve reads a file that still grows, again and again */
};
/* Writes the object of one profile. STATUS_OK; STATUS_NO: written, but the input is not whole or does not fit. */
int view_source_write(const struct view_source *source, FILE *out);
#endif
