/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_GRAPH_PRIVATE_H
#define RIVULET_INSERT_GRAPH_PRIVATE_H
/* Shared by graph.c (functions, blocks, edges), jumps.c and ways.c (indirect jumps), live.c (registers)
 * and shape.c (depths) only. */
#include "host/graph/shape.h"
#include "host/insert/graph.h"

/* Where the target of a direct transfer is; false: outside, or nothing known. */
bool graph_target_of(const struct graph *g, const struct edit_atom *atom, uint32_t *section, size_t *to);
/* The section index and atom that a symbol and addend name; false: not in code, or in the middle of something. */
bool graph_place_of(const struct graph *g, uint32_t symbol, int64_t addend, uint32_t *section, size_t *atom);
/* Whether a relocation is one of a transfer, or of a difference's second part: it names no label. */
bool graph_is_branch_reloc(uint32_t type);
int graph_add_block(struct graph *g, uint32_t section, uint32_t first);
int graph_add_edge(struct graph *g, uint32_t to, unsigned kind); /* of the last block that has some */
/* ways.c: edges of indirect jumps, and the vertices of their tables. */
int graph_find_ways(struct graph *g, struct graph_function *f);
/* jumps.c: whether a block ends with an indirect jump that is no return. */
bool graph_is_indirect(const struct graph *g, const struct graph_block *block);
/* By block: the one that alone leads to it, or GRAPH_NONE; to be freed. NULL: no memory. */
uint32_t *graph_lonely_blocks(const struct graph *g, const struct graph_function *f);
/* The table that an indirect jump loads from: section and offset of its first entry. false: it is not found. */
bool graph_find_table(
    const struct graph *g, const uint32_t *lonely, uint32_t block, uint32_t *section, uint64_t *offset);
/* What the address that a jump goes to is made of, on any way to it: a label, or a table with labels; perhaps; or
 * nothing of the kind. An error is negative. */
enum { GRAPH_ELSEWHERE, GRAPH_LABELS, GRAPH_PERHAPS };
int graph_from_labels(const struct graph *g, const struct graph_function *f, uint32_t count, uint32_t jump);
/* computed.c: functions into whose midst jumps and calls of this one go, by a sum of a label and of what was computed,
 * are odd. When all functions are there. */
int graph_find_computed(struct graph *g, const struct graph_function *f);
/* row_of_jumps.c: a function that is entered by a number is odd. When edges are there, and ways are counted. */
void graph_find_row(const struct graph *g, struct graph_function *f);
/* The instructions of a function keep their lengths. */
void graph_fix_lengths(const struct graph *g, const struct graph_function *f);
/* Block of the function that a taken label is, counted from its first; GRAPH_NONE: it is another's, or the entry. */
uint32_t graph_taken_block(const struct graph *g, const struct graph_function *f, uint32_t count, size_t taken);
/* The function of a block. */
const struct graph_function *graph_function_of(const struct graph *g, uint32_t block);
/* shape.c: of a function. False: out of memory, nothing is to be freed. */
bool graph_shape_of(const struct graph *g, const struct graph_function *f, struct graph_shape *shape);
void graph_shape_free(struct graph_shape *shape);
/* What is live before all blocks, and which registers callers keep over calls of their own object though the convention
 * lets the callee change them. */
int graph_find_live(struct graph *g);
void graph_find_mentioned(struct graph *g, struct graph_function *f);
/* Loops around each block. */
int graph_find_depths(struct graph *g, struct graph_function *f);
#endif
