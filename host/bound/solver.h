/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BOUND_SOLVER_H
#define RIVULET_BOUND_SOLVER_H
/*
 * An integer program, as a text in CPLEX's LP format, and its solution by GLPK's glpsol:
 *
 *   maximise   sum of cost[i] * x[i]
 *   subject to rows of   sum of factor * x[i]  (=, <=)  constant,      x[i] whole and >= 0
 *
 * The solution is checked here, in whole numbers, against every row; glpsol is believed only that there is none better.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum solver_error {
	SOLVER_OK = 0,
	SOLVER_ENOMEM = -1,
	SOLVER_EPROGRAM = -2,  /* glpsol is not there, or failed: the detail says it */
	SOLVER_ENOTHING = -3,  /* there is no solution */
	SOLVER_EUNBOUNDED = -4 /* there is no largest one */
};

struct solver_term {
	uint32_t variable;
	int64_t factor;
};
struct solver_row {
	uint32_t first; /* in terms; the row ends where the next one begins */
	bool equal;     /* else <= */
	int64_t constant;
};

/* All zero: an empty one. The arrays are the solver's. */
struct solver_program {
	uint64_t *costs; /* by variable */
	size_t variable_count, cost_room;
	struct solver_term *terms;
	size_t term_count, term_room;
	struct solver_row *rows;
	size_t row_count, row_room;
};
void solver_program_free(struct solver_program *program);
/* A variable more; SOLVER_ENOMEM or its number. */
int64_t solver_variable(struct solver_program *program, uint64_t cost);
bool solver_row(struct solver_program *program, bool equal, int64_t constant);
/* A term of the last row. */
bool solver_term(struct solver_program *program, uint32_t variable, int64_t factor);

/* The text. To be freed; NULL: out of memory. title: a comment. */
char *solver_text(const struct solver_program *program, const char *title, size_t *length);
/* glpsol gives up a way that promises less than 10^-7 more than the best that it has (tol_obj): by so much, with room,
 * the largest sum may be larger. 0 for sums below 10^6, which are whole numbers of which no other is so near. */
static inline uint64_t solver_margin(uint64_t largest)
{
	return largest / 1000000;
}
struct solver_answer {
	uint64_t *values;  /* by variable */
	uint64_t *largest; /* the sum */
	char *detail;      /* on errors */
	size_t size;
};
int solver_run(
    const struct solver_program *program, const char *text, size_t length, const struct solver_answer *answer);
#endif
