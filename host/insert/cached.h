/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_CACHED_H
#define RIVULET_INSERT_CACHED_H
/*
 * A variable that is a word of the stack frame is kept in a register over a part of the function: a loop, or a whole
 * stretch of code without calls, where a register is dead and the accesses that are saved are worth more than a load on
 * each way in and a store on each way out.
 */
#include "host/insert/inserter.h"

struct cached {
	uint8_t *var; /* by block: the variable to use in it, and on edges between blocks with the same one */
};
struct cached_function {
	struct inserter *in;
	const struct graph *g;
	const struct graph_function *f;
	const bool *calls, *used; /* by block: it needs the variable in its place; by edge: it has code for it */
	const uint64_t *weights;  /* by edge */
};
/* Nothing is kept where the variable is in a register anyway. OBJECT_OK, OBJECT_ENOMEM. */
int cached_make(struct cached *cached, const struct cached_function *function, uint8_t variable);
void cached_free(struct cached *cached);
#endif
