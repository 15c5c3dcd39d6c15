/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_GRAPH_PRIVATE_H
#define RIVULET_INSERT_GRAPH_PRIVATE_H
/* Shared by graph.c (functions, blocks, edges), live.c (registers) and loops.c (depths) only. */
#include "host/insert/graph.h"

/* Where the target of a direct transfer is; false: outside, or nothing known. */
bool graph_target_of(const struct graph *g, const struct edit_atom *atom, uint32_t *section, size_t *to);
/* The function of a block. */
const struct graph_function *graph_function_of(const struct graph *g, uint32_t block);
/* One round for a function: what is live before its blocks. */
void graph_find_live(struct graph *g, struct graph_function *f);
/* What callers keep over calls of their own object though the convention lets the callee change it; whether that is
 * more than was known. */
bool graph_find_kept(struct graph *g);
void graph_find_mentioned(struct graph *g, struct graph_function *f);
/* Loops around each block. */
int graph_find_depths(struct graph *g, struct graph_function *f);
#endif
