/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef REGEX_PRIVATE_H
#define REGEX_PRIVATE_H
#include <stdbool.h>

#include "regex.h"

enum { REGEX_CHAR, REGEX_ANY, REGEX_CLASS, REGEX_SPLIT, REGEX_JUMP, REGEX_BEGIN, REGEX_END, REGEX_MATCH };

/* Whether the instruction, which consumes a character, takes this one. */
static inline bool regex_takes(const struct regex *regex, const struct regex_insn *insn, uint8_t c)
{
	switch (insn->op) {
	case REGEX_CHAR:
		return insn->a == c;
	case REGEX_ANY:
		return c != '\n';
	default:
		return regex->classes[insn->a][c >> 3] >> (c & 7) & 1;
	}
}
#endif
