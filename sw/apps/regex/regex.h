/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef REGEX_H
#define REGEX_H
/*
 * Regular expressions compiled for a small machine, with two matchers that must agree: one that follows all threads at
 * once, one that backtracks. Syntax: characters, . [a-z] [^a-z] \d \w \s, ( ) | * + ? and their lazy forms *? +? ??, ^
 * $ at the ends.
 */
#include <stddef.h>
#include <stdint.h>

enum { REGEX_CODE = 192, REGEX_CLASSES = 12 };

struct regex_insn {
	uint8_t op;    /* private */
	uint8_t a;     /* character or class */
	uint16_t x, y; /* where to go on; x is preferred */
};
struct regex {
	struct regex_insn code[REGEX_CODE];
	uint16_t size;
	uint8_t class_count;
	uint8_t classes[REGEX_CLASSES][32]; /* sets of characters, a bit each */
};

/* Returns 0, or -1 if the pattern is wrong or too long. */
int regex_compile(struct regex *regex, const char *pattern);
/* Where the preferred match that begins at text + from ends, as an offset, or -1. */
long regex_match_threads(const struct regex *regex, const char *text, size_t size, size_t from);
long regex_match_backtrack(const struct regex *regex, const char *text, size_t size, size_t from);
#endif
