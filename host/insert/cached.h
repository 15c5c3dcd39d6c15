/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_CACHED_H
#define RIVULET_INSERT_CACHED_H
/*
 * A variable that is a word of the stack frame, kept in a register where one is dead: over code without calls, the whole
 * of it or a loop, where what is done to it is worth more than the load on the way in and the store on the way out.
 */
#include "host/insert/inserter.h"

struct cached {
	uint8_t
	    *var; /* by block of the function: the variable to be used in it, and on edges within what has the same */
};
/* Nothing is kept where the variable is in a register anyway. calls: blocks that need it in its place. weights: of the
 * edges; used: edges with code for it. OBJECT_OK, OBJECT_ENOMEM. */
int cached_make(struct cached *cached, struct inserter *inserter, const struct graph *graph,
    const struct graph_function *function, uint8_t variable, const bool *calls, const uint64_t *weights,
    const bool *used);
void cached_free(struct cached *cached);
#endif
