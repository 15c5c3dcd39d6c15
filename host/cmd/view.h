/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_VIEW_H
#define RIVULET_CMD_VIEW_H
/* One profile for `rivulet view`, opened, gathered and written as JSON. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "host/profile/kernel.h"
#include "host/view/view.h"

/* A note on a profile of estimated cycles; with the name of the core. */
#define VIEW_ESTIMATE "Cycles are an estimate by the rules of `%s': no time was measured. Instructions are exact."

struct view_live;
struct view_source {
	const char *program, *file;
	const char *label; /* what the page calls it; NULL: the name of the file */
	bool partial, force;
	size_t spans; /* single calls kept */
	const struct kernel_run
	    *kernel;                  /* its processes' time slices are shown where there are no calls; may be NULL */
	struct view_columns *columns; /* as in struct view_input */
	bool quiet;                   /* nothing is told: --serve reads a file that still grows, again and again */
	struct view_live *live;       /* host/cmd/view_live.h; NULL: it is made once */
};
/* Writes the object of one profile. STATUS_OK; STATUS_NO: written, but the input is not whole or does not fit. */
int view_source_write(const struct view_source *source, FILE *out);

/* The name of a file without its folders. */
const char *view_base_name(const char *path);

/* Makes the document of all profiles; the bytes are to be freed. Returns as view_source_write(). */
typedef int view_maker(void *context, char **document, size_t *size);

struct view_serving {
	struct view_template page;
	struct view_source *sources; /* their files are watched; while one is written, its part is read */
	size_t count;
	uint16_t port; /* 0: any */
	bool open;     /* in the browser */
};
/* Serves the page until SIGINT or SIGTERM; the document is made again whenever a file has changed. */
int view_serve(const struct view_serving *serving, view_maker *maker, void *context);
/* Opens a file or address in the user's browser, without waiting for it. */
void view_open(const char *path);
#endif
