/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CFG_CITED_H
#define RIVULET_CFG_CITED_H
/*
 * Code that a user's text file names: functions, loops, files of the source. For the readers of such files
 * (host/regions/names.h, host/bound/flow.h), which keep one of these while they read.
 */
#include "host/cfg/cfg.h"

#define CITED_EFILE -2

struct cited_code {
	const struct cfg *cfg;
	const char *path; /* of the text file */
	unsigned line;    /* at hand, from 1 */
	char *detail;     /* what is wrong: a sentence with file and line */
	size_t size;
};

/* Writes the detail. Returns CITED_EFILE, which the readers' own errors have for a text that is wrong. */
int cited_wrong(struct cited_code *cited, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A function by its name or by an address in it (0x...), with code. Where the compiler made one other function alone
 * of it (search.constprop.0, but not search.part.0), this one. CFG_NONE: the detail says what there is instead. */
uint32_t cited_function(struct cited_code *cited, const char *text);
/* A loop of a function: L0, L1, ... as `rivulet cfg` has it, or the address of its head; CFG_NONE: the detail says
 * so. */
uint32_t cited_loop(struct cited_code *cited, uint32_t function, const char *text);
/* Whether `file`, as DWARF has it, is what the user means by `wanted`: the same, or its last parts. */
bool cited_file(const char *file, const char *wanted);
#endif
