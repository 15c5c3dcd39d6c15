/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_REWRITE_H
#define RIVULET_REWRITE_H
/* Changes a file: one object, or every object of an archive. The input is not touched; the output appears whole or not
 * at all, also if it has the input's name. */
#include "host/object/object.h"

/* Changes one object. name: of the member, or the file. Returns 0; anything else: the object is left as it was, and
 * detail (given as it is) says why, without name. */
typedef int rewrite_object(void *context, struct object *object, const char *name, char *detail, size_t detail_size);
/* Told of every object that was not changed because of an error; fatal: there is no output. */
typedef void rewrite_note(void *context, const char *name, int error, const char *detail);

struct rewrite {
	rewrite_object *change;
	rewrite_note *note; /* may be NULL */
	void *context;
	bool keep; /* objects that cannot be changed are passed on as they are; else there is no output */
};
struct rewrite_counts {
	uint64_t objects, left, bytes; /* left: as they were; bytes: of objects read */
};
/* counts may be NULL. detail: a sentence with file name, of what went wrong. */
int rewrite_file(const struct rewrite *rewrite, const char *input, const char *output, struct rewrite_counts *counts,
    char *detail, size_t detail_size);
#endif
