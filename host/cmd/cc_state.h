/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_CC_STATE_H
#define RIVULET_CMD_CC_STATE_H
/*
 * What was given to `rivulet cc', from the driver (cc.c) to the linker's side (cc_link.c): in the environment, since
 * the compiler driver stands between the two.
 *
 *   RIVULET_CC       a line for each word, with a letter before it: "I--paths", "Dgcc", "D-O2"
 *   RIVULET_CC_SELF  the file of this command
 */
#include <stdbool.h>
#include <stdint.h>
#include "host/cc/cache.h"
#include "host/cmd/cc_words.h"

#define STATE "RIVULET_CC"
#define SELF "RIVULET_CC_SELF"

enum { CC_NO_CLOCK = -1, CC_MCYCLE = 0xB00, CC_CYCLE = 0xC00, CC_TIME = 0xC01 };

struct cc_arguments {
	const char *cache, *runtime, *as_linker, *gdb;
	const char *option; /* the last one that `rivulet insert' gets, too */
	struct cc_words insert, exclude, driver;
	bool verbose, map, no_twin;
	bool budget_given;
	uint64_t budget;   /* --budget; 0: none */
	int clock;         /* --clock: number of a CSR, CC_NO_CLOCK; 0: mcycle, where that is safe */
	uint64_t contexts; /* 0: as many as the runtime has by default */
};

/* The file that runs. */
const char *cc_own_path(void);
/* The driver's side. False: a word has a line end in it, or they are too long. */
bool cc_set_state(const struct cc_arguments *arguments, const struct cache *cache);
/* The linker's side. False: nothing was given. */
bool cc_get_state(struct cc_arguments *arguments);
#endif
