/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BUDGET_H
#define RIVULET_BUDGET_H
/*
 * Fewer counters, where memory is small. For each function the limit of its paths is chosen that makes
 *
 *   paths + 2^(14 - level) * log2(1 + cuts),    paths <= 4096 / 2^(2/3 level)
 *
 * least. cuts: how often one call comes over an edge that is cut, as loops and branches make guess (guess.h), since
 * that is what a lower limit costs in time. How often a function is called is not known of objects: so a cut in a loop
 * counts more than one outside, but not a hundred times. What an earlier profile has never seen is counted by its
 * edges. Which level fits is tried.
 */
#include "host/insert/insert.h"

#define BUDGET_LEVELS 16
#define BUDGET_BARE_METAL 16384 /* bytes for a program, by default */

/* "16384", "16k", "none". */
bool budget_parse(const char *text, uint64_t *bytes);
/* How many paths a function may have: at most `limit`. */
uint64_t budget_limit(const struct insert_job *job, const struct graph_function *function, uint64_t limit);
/* The least one, from `limit` on, by which no count of an edge gets lost that is known of INSERT_PATHS_MAX paths. */
uint64_t budget_sure_limit(const struct insert_job *job, const struct graph_function *function, uint64_t limit);
struct budget_job { /* of all objects */
	const struct insert_options *options;
	uint64_t budget; /* bytes of an object; 0: none */
	bool twin;
	struct insert_counts *counts;
	unsigned *level; /* 0 at first; the highest level that any object needed */
};
/* As insert_object() and insert_twin(), with the smallest level at which the object's counters take at most the budget,
 * or with the largest one. */
int budget_insert(const struct budget_job *job, struct object *object, const char *name, char *detail, size_t size);

/* What the counters of a linked program take, by its map. */
struct budget_used {
	uint64_t bytes, functions; /* functions with counters */
	uint64_t cut;              /* whose paths are cut */
	uint64_t apart;            /* of them: at every branch, so that their edges are counted */
	uint64_t hashed;
	uint64_t least; /* the lowest limit of those that are cut */
};
bool budget_of_program(const char *path, struct budget_used *used);
#endif
