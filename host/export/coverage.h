/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_COVERAGE_H
#define RIVULET_EXPORT_COVERAGE_H
/*
 * What of the source ran: rows by file, then functions, branches, lines, calls, instructions. All code with source
 * lines is in it, what did not run with 0.
 *
 * A line's count is, for each place that it was compiled to (a function, or one inlining of it), that of its most
 * executed instruction there, summed over the places. A function's count is the entries into it, wherever it was
 * inlined too. A branch is a conditional branch instruction, numbered along the line; a compiler that uses none for an
 * `if` leaves none to be seen.
 *
 *   input ──► rows, sorted ──► coverage_group(): those of one function, line, ... ──► lcov, Cobertura, ...
 */
#include <stdbool.h>
#include "host/export/export.h"

enum coverage_kind { /* in the order of the rows of a file */
	COVERAGE_FUNCTION,
	COVERAGE_BRANCH, /* two outcomes each */
	COVERAGE_LINE,
	COVERAGE_CALL, /* instructions that call */
	COVERAGE_INSN,
	COVERAGE_KINDS
};

struct coverage_row {
	const char *file;
	uint8_t kind; /* enum coverage_kind */
	unsigned line;
	const char *name; /* of a function, or of the function that the instruction was written in; NULL: not known */
	uint64_t pc;
	uint32_t spot;
	uint64_t count, other; /* branch: taken, not taken */
	uint32_t build;        /* of coverage_join() */
};

struct coverage {
	struct coverage_row *all;
	size_t count, room;
};

/* EXPORT_EDEBUG: the program has no source lines. Names belong to the image. To be freed in any case. */
int coverage_make(struct coverage *coverage, const struct export_input *input);
/* Adds the rows of another build of the program: lines and functions become one where file, line and name are the
 * same. */
int coverage_join(struct coverage *coverage, const struct coverage *other, uint32_t build);
/* A function that begins at another line in another build, with all that stands behind it in its file: the builds are
 * of different sources, whose lines cannot be added up. 1: found; 0: none; negative: an error. */
struct coverage_moved {
	const struct coverage_row *one, *other;
	unsigned still; /* the last line at which a function begins in both */
};
int coverage_find_moved(const struct coverage *coverage, struct coverage_moved *moved);
void coverage_free(struct coverage *coverage);
/* The rows of one function name and line, or of one kind and source line, from index on: their end. */
size_t coverage_group(const struct coverage *coverage, size_t index);
/* The rows of the file from index on: their end. */
size_t coverage_file_end(const struct coverage *coverage, size_t index);
/* How often the line of these rows ran. */
uint64_t coverage_executions(const struct coverage_row *rows, size_t count);
/* Names of a library's sources lead out of its build folder, which nobody has: the rest. */
const char *coverage_file(const char *file);
/* As lcov's tracefile. */
void coverage_write_lcov(const struct coverage *coverage, FILE *out);

struct coverage_sum { /* what there is, what ran */
	uint64_t all[COVERAGE_KINDS], hit[COVERAGE_KINDS];
};
void coverage_add(struct coverage_sum *sum, const struct coverage *coverage, size_t begin, size_t end);
#endif
