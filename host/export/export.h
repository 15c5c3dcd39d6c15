/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_H
#define RIVULET_EXPORT_H
/*
 * Profiles as files that other tools open. One function writes one format; docs/export.md says what of a profile each
 * format holds, and what is estimated.
 *
 *   profile or records ──► gather ──┐
 *                                   ├──► export_input ──► export_callgrind(), export_pprof(), ... ──► stream
 *   image with DWARF ─────► spots ──┘
 */
#include <stdio.h>
#include "host/account/remainder.h"
#include "host/export/gather.h"
#include "host/export/spots.h"
#include "host/export/timeline.h"
#include "host/records/records.h"

/* The name, as of a function, under which a file has what of the run is in no trace. */
#define REMAINDER_FRAME "(not traced)"

enum export_error {
	EXPORT_OK = 0,
	EXPORT_ENOMEM = -1,
	EXPORT_EWRITE = -2,  /* the stream failed: see errno */
	EXPORT_EEMPTY = -3,  /* nothing ran */
	EXPORT_EDEBUG = -4,  /* the format needs source lines, and the program has none */
	EXPORT_ECODING = -5, /* the compressor failed */
	EXPORT_EOVERFLOW = -6,
	EXPORT_EORDER = -7, /* the format is in the order of time, and this is no series of records */
	EXPORT_EREAD = -8,  /* the records cannot be read a second time */
	EXPORT_ESYMBOL = -9 /* the format needs names of functions, and the program has none */
};
const char *export_strerror(int error);

struct export_input {
	const struct image *image;
	const struct gather_result *result;
	const struct spots *spots; /* of all pcs in result */
	const char *program;       /* its file name */
	const char *name;          /* of the application */
	uint32_t build;
	uint64_t time;                     /* when it was collected, seconds since 1970; 0: not known */
	const struct remainder *remainder; /* what of the run is not in result; NULL: not known */
	bool sampled;                      /* counts are estimates */
	bool part;                         /* counting was off for a while: what has no count may have run */
	bool timed;                        /* there are cycles; else all cycles are 0 */
	const struct timeline *timeline;   /* of records in order, for a format that has one; else NULL */
	struct records *records;           /* the same in order, read to their end; NULL: a profile */
};

/* export_callgrind() and so on: each writes one file of its format. */
#define FORMAT(name, binary, timeline, text) int export_##name(const struct export_input *input, FILE *out);
#include "host/export/formats.def"

struct export_format {
	const char *name, *text; /* text: one line for the user */
	int (*write)(const struct export_input *input, FILE *out);
	bool binary, timeline;
};
extern const struct export_format export_formats[]; /* ends with a NULL name */
const struct export_format *export_find(const char *name);
/* Of which traces the counts are, for a reader; sampled: how it is said of samples. */
const char *export_extent(const struct export_input *input, const char *sampled);
#endif
