/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_PLUGIN_H
#define RIVULET_PHASES_PLUGIN_H
/*
 * An analysis of your own at the boundaries of blocks, paths and strata of a run (BHS: the tool plug-in). It is a
 * shared object that defines rivulet_plugin, and needs this header alone:
 *
 *   cc -shared -fPIC -o mix.so docs/examples/mix.c
 *   rivulet phases --plugin mix.so PROGRAM.elf RECORDS.rvr
 *
 * Functions are called in the order of the run. Those that are NULL are left out. A plug-in prints what it found in
 * `close`. It runs with the rights of who calls rivulet: load none that you do not trust.
 */
#include <stdint.h>

#define RIVULET_PLUGIN_VERSION 1u

struct rivulet_block {
	uint64_t address;
	uint32_t bytes, instructions, context;
	const uint8_t *code;     /* its bytes; NULL: they are not in the program's image */
	const char *function;    /* that it belongs to, or NULL */
	uint64_t function_start; /* its first address */
};

struct rivulet_path {
	const struct rivulet_block *const *blocks;
	uint32_t count;
	uint64_t instructions; /* of one trip */
	uint64_t first;        /* number of the instruction of the run that it begins with */
};

struct rivulet_plugin {
	uint32_t version; /* RIVULET_PLUGIN_VERSION */
	const char *name;
	/* options: what the user wrote behind the file's name, or "". Returns the context of the others; NULL:
	 * refuse. */
	void *(*open)(const char *options);
	/* A block ran `times` times, as a part of a path that ran as often without another in between. */
	void (*block)(void *context, const struct rivulet_block *block, uint64_t times);
	void (*path)(void *context, const struct rivulet_path *path, uint64_t trips);
	void (*stratum)(void *context, uint64_t number); /* it begins */
	void (*gap)(void *context);                      /* something is missing here */
	void (*close)(void *context);
};
extern const struct rivulet_plugin rivulet_plugin;
#endif
