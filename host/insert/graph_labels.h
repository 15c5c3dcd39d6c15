/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_GRAPH_LABELS_H
#define RIVULET_INSERT_GRAPH_LABELS_H
/* While a graph is made: where functions and blocks begin. Of graph.c, which makes blocks and edges of it. */
#include "host/insert/graph_private.h"

struct graph_entry { /* a symbol at which code begins */
	uint32_t section, symbol;
	uint64_t offset, size;
	bool function, cold;
};

struct graph_maker {
	struct graph *g;
	struct graph_entry *entries; /* distinct places */
	size_t entry_count;
	uint32_t *part_of;   /* union-find over entries */
	uint8_t **leader;    /* by section index and atom: MARK_LEADER... */
	uint32_t **entry_of; /* by section index and atom: entry + 1 that covers it */
};
enum {
	MARK_LEADER = 1,
	MARK_ROOT = 2,
	MARK_PAD = 4,
	MARK_TAKEN = 8,
	MARK_ENTRY = 16,
	MARK_CALLED = 32,
	MARK_TARGET = 64,
	MARK_COLD = 128
};

int graph_grow(void **items, size_t *size, size_t count, size_t item);
#define GRAPH_GROW(items, size, count) graph_grow((void **)&(items), &(size), (count), sizeof *(items))
int graph_find_entries(struct graph_maker *m);
/* Labels that something other than a branch names. Instructions do by relocations, or, where the linker moves nothing,
 * by an AUIPC that has none. */
int graph_find_takens(struct graph_maker *m);
/* Code before the first symbol of its section is nobody's, unless it jumps into the middle of a function, or one jumps
 * there: then it is a part of that one. An entry without a name makes it so. */
int graph_find_nameless(struct graph_maker *m);
/* Entries own what lies behind them; parts that jump into each other belong together. */
void graph_find_leaders(struct graph_maker *m);
/* f.cold belongs to f, though only labels of a table may lead there. */
void graph_join_cold(struct graph_maker *m);
size_t graph_atom_index(const struct edit_section *section, uint64_t offset);
#endif
