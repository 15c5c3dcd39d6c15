/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_OPTIMISE_DIVISORS_H
#define RIVULET_OPTIMISE_DIVISORS_H
/*
 * The divisors of a program that repeat, as text (docs/optimise.md): a line each, "ADDRESS VALUE COUNT": the address of
 * the division in hexadecimal, its divisor, and how often it was executed with it. `#' begins a comment.
 */
#include <stddef.h>
#include <stdio.h>
#include "sw/optimise/optimise.h"

#define OPTIMISE_DIVISORS_ROOM 4096u /* divisions, of config->divisors */

enum optimise_divisors_error {
	OPTIMISE_DIVISORS_OK = 0,
	OPTIMISE_DIVISORS_EOPEN = -1, /* see errno */
	OPTIMISE_DIVISORS_ELINE = -2, /* not as above */
	OPTIMISE_DIVISORS_EMANY = -3  /* more than there is room for */
};

/* Adds what the file has to config->divisors, OPTIMISE_DIVISORS_ROOM places. *line: the last line that was read. */
int optimise_divisors_read(const char *file, struct optimise_config *config, size_t *line);
const char *optimise_divisors_strerror(int error);
#endif
