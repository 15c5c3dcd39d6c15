/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef PROGRAMS_H
#define PROGRAMS_H
/* What the machine runs, and for each program the value that its output must have, computed natively by another method
 * where there is one. */
#include <stdint.h>

#define PROGRAM_SORT_MAX 256
enum { PROGRAM_SIEVE, PROGRAM_FIBONACCI, PROGRAM_SORT, PROGRAM_COLLATZ, PROGRAM_MANDELBROT, PROGRAM_COUNT };

struct program {
	const char *name, *source;
	int32_t (*native)(int32_t size, int32_t seed);
};
extern const struct program programs[PROGRAM_COUNT];
#endif
