/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_CC_H
#define RIVULET_CMD_CC_H
/* Shared by cc.c (the driver's side of `rivulet cc') and cc_link.c (the linker's side) only. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/cc/cache.h"

#define STATE "RIVULET_CC"
#define SELF "RIVULET_CC_SELF"

enum { CC_NO_CLOCK = -1, CC_MCYCLE = 0xB00, CC_CYCLE = 0xC00, CC_TIME = 0xC01 };
struct cc_words {
	char **items;
	size_t count, room;
};

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

void cc_push(struct cc_words *words, const char *text);
/* Frees the words. */
void cc_drop(struct cc_words *words);
bool cc_begins(const char *text, const char *with);
const char *cc_own_path(void);
bool cc_write_script(const char *path, const char *text);
/* What was given to `rivulet cc', from the environment. False: nothing was. */
bool cc_get_state(struct cc_arguments *arguments);
/* As the linker that the driver runs: a.as_linker is its name, a.driver its words. */
int cc_run_linker(struct cc_arguments *arguments);
#endif
