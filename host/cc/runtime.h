/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CC_RUNTIME_H
#define RIVULET_CC_RUNTIME_H
/* The sources of the runtime (sw/probe), which this command carries so that it can be compiled for any target. */
#include <stddef.h>

struct runtime_file {
	const char *name, *text; /* name: from the top of the tree */
};
extern const struct runtime_file runtime_files[]; /* ends with a NULL name */

/* A variant: what is compiled and linked, and which functions are wrapped; names end with NULL. */
struct runtime {
	const char *name, *text; /* as the option; what it does, for the help */
	const char *sources[8], *wraps[12];
};
extern const struct runtime runtimes[]; /* ends with a NULL name */
const struct runtime *runtime_find(const char *name);
#endif
