/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_GRAPH_PRIVATE_H
#define RIVULET_INSERT_GRAPH_PRIVATE_H
/* Shared by graph.c (functions, blocks, edges), jumps.c (indirect jumps), live.c (registers) and loops.c (depths) only. */
#include "host/insert/graph.h"

/* Where the target of a direct transfer is; false: outside, or nothing known. */
bool graph_target_of(const struct graph *g, const struct edit_atom *atom, uint32_t *section, size_t *to);
/* The section index and atom that a symbol and addend name; false: not in code, or in the middle of something. */
bool graph_place_of(const struct graph *g, uint32_t symbol, int64_t addend, uint32_t *section, size_t *atom);
/* Whether a relocation is one of a transfer, or of a difference's second part: it names no label. */
bool graph_is_branch_reloc(uint32_t type);
int graph_add_block(struct graph *g, uint32_t section, uint32_t first);
int graph_add_edge(struct graph *g, uint32_t to, unsigned kind); /* of the last block that has some */
/* jumps.c: edges of indirect jumps, and the vertices of their tables. */
int graph_find_ways(struct graph *g, struct graph_function *f);
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
