/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_VIEW_H
#define RIVULET_VIEW_H
/*
 * What the page of `rivulet view` is made from, as JSON (docs/view-format.md): functions, calls, stacks, blocks, loops,
 * instructions, source lines, paths, single calls over time.
 *
 *   gather ──► functions, calls, stacks ──┐
 *   account ─► paths ─────────────────────┼──► view_write() ──► one profile's object ──► view_page() ──► HTML
 *   cfg ─────► blocks, edges, loops ──────┤
 *   calls ───► spans, least and most ─────┤
 *   phases ──► bands, hot paths over time ┘
 */
#include <stdio.h>
#include "host/account/account.h"
#include "host/cfg/cfg.h"
#include "host/export/export.h"
#include "host/phases/heat.h"
#include "host/phases/repetitions.h"
#include "host/profile/kernel.h"
#include "host/view/calls.h"

enum view_error {
	VIEW_OK = 0,
	VIEW_ENOMEM = -1,
	VIEW_EWRITE = -2,    /* the stream failed: see errno */
	VIEW_ENOPAGE = -3,   /* the library was built without the page */
	VIEW_ETEMPLATE = -4, /* the page has no place for data */
	VIEW_EOVERFLOW = -5
};
const char *view_strerror(int error);

#define VIEW_VERSION 1

struct view_phases { /* of the same run; see host/phases */
	struct phases_file *file;
	const struct phases_place *total;
	const struct intervals *intervals;
	const struct segments *segments;
	const struct heat *heat;
	const struct phase_grammar *grammar; /* NULL: none */
	const struct phase_repetitions *repetitions;
};
#define VIEW_PHASE_PATHS 24u /* hottest sequence paths that become rows over time */

struct view_region { /* of a function; see host/regions */
	char name[96];
	uint64_t entry;                /* first address of the function */
	uint32_t parent;               /* region, before this one; UINT32_MAX: it is the whole function */
	uint32_t head;                 /* block of the graph */
	uint64_t entered, turns, cost; /* cost: with all inside it */
};
struct view_region_path {
	uint32_t region;
	uint64_t count, cost; /* cost: of its own blocks, not of regions inside */
	int32_t *steps;       /* blocks of the graph; region r, run through as one node: -1 - r */
	uint32_t length;
};

/* Long columns of numbers, as bytes behind the document: a browser takes them as they are (docs/view-format.md). */
struct view_columns {
	FILE *out;
	uint64_t size; /* bytes so far */
};
#define VIEW_PACKED_ROWS 1024u /* shorter columns stand in the document */

struct view_input {
	struct image *image; /* with debug information, if there is any */
	const struct cfg *cfg;
	const struct export_input *export; /* what was gathered */
	const struct account *account;
	bool calls_only;           /* functions, calls and stacks are all that was counted: no instructions */
	const struct calls *calls; /* NULL: calls were not followed one by one */
	const struct kernel_run
	    *kernel; /* whose processes' time slices are shown where there are no calls; may be NULL */
	const char
	    *context; /* what the contexts of the records are, for their rows: "thread", "hart"; NULL: processes */
	const struct view_phases *phases;  /* NULL: not known */
	const struct view_region *regions; /* NULL: not known */
	size_t region_count;
	const struct view_region_path *region_paths;
	size_t region_path_count;
	const char *label;            /* what the user calls this profile: its file name */
	const char *way;              /* how it was collected, "every trace"; may be NULL */
	struct view_columns *columns; /* NULL: all columns stand in the document */
	const char *const *notes;     /* sentences on what is missing or estimated; ends with NULL */
};

/* One profile's object. A document is {"format": "rivulet view", "version": 1, "profiles": [object, ...]}. */
int view_write(const struct view_input *input, FILE *out);
/* What stands before the first object, between two, and behind the last. live: the page asks for it again and again. */
void view_begin(FILE *out, bool live);
void view_between(FILE *out);
void view_end(FILE *out);

/* ---- the page ---- */

struct view_template {
	const char *text;
	size_t size;
};
/* The page that the library was built with; VIEW_ENOPAGE. */
int view_embedded(struct view_template *page);
struct view_document {
	const char *text; /* JSON */
	size_t size;
	const char *columns; /* what struct view_columns has got */
	size_t columns_size;
};
/* Writes the page with the document in it: packed (gzip, as base64), or as JSON, which has no columns of its own. No
 * byte of the document can end the element that holds it. */
int view_page(const struct view_template *page, bool packed, const struct view_document *document, FILE *out);
#endif
