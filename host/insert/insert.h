/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_H
#define RIVULET_INSERT_H
/*
 * Counters in objects. Two layers:
 *
 *   inserter_...   puts abstract code at a block's start, on an edge, before an exit; knows which registers are free,
 *                  keeps a path register, makes stubs. Any profiler of functions can use it (regions, cycles).
 *   insert_object  the profilers here: paths (EPP), edges, blocks.
 *
 * What is put into an object besides code: .bss.rivulet (counters), .data.rivulet and .text.rivulet (a node with the
 * counters' address, and a constructor that registers it with the runtime, sw/probe), and .debug_rivulet, which takes
 * no memory on the target: the graph of each function with the addresses of its blocks (host/insert/map.h).
 */
#include "host/insert/graph.h"
#include "host/insert/place.h"

/* ---- the inserter ---- */
enum inserter_op {
	INSERTER_SET,     /* r = address of counter `value` */
	INSERTER_ADD,     /* r += value counters */
	INSERTER_COUNT,   /* counter[value]++ */
	INSERTER_COUNT_AT /* *(r + value counters) += 1 */
};
struct inserter_code {
	uint8_t op;
	int64_t value;
};
enum inserter_register {
	INSERTER_NO_REGISTER,
	INSERTER_FREE,  /* a register that is dead over the function */
	INSERTER_SAVED, /* a callee-saved one, saved in a frame of its own, with unwind information */
	INSERTER_KINDS
};
struct inserter;
/* For one function of a graph. counters: symbol of the counters; width: bytes of one, 4 or 8. */
int inserter_open(
    struct inserter **inserter, const struct graph *graph, size_t function, uint32_t counters, unsigned width);
void inserter_close(struct inserter *inserter);
/* Finds the register r. INSERTER_..., or OBJECT_EUNSUPPORTED with the reason: there is none. */
int inserter_register(struct inserter *inserter, const char **reason);
/* Code at an edge (index in graph->edges), or when the function is entered at a block from outside (entry, landing
 * pad), or whenever a block is executed. One call for each place; codes are done in their order. Nothing is changed
 * before inserter_commit(). */
int inserter_edge(struct inserter *inserter, uint32_t edge, const struct inserter_code *codes, size_t count);
int inserter_enter(struct inserter *inserter, uint32_t block, const struct inserter_code *codes, size_t count);
int inserter_block(struct inserter *inserter, uint32_t block, const struct inserter_code *codes, size_t count);
/* What an edge is expected to be worth, so that the colder way gets the extra jump. NULL: all the same. */
void inserter_weights(struct inserter *inserter, const uint64_t *weights);
/* Puts all of it into the edit. OBJECT_EUNSUPPORTED with a reason: nothing was put. */
int inserter_commit(struct inserter *inserter, const char **reason);
/* Tables whose entries must name a stub: after edit_apply(), for each object once. */
struct inserter_entry {
	uint32_t section;
	size_t reloc;
	uint32_t piece;
};
struct inserter_entries {
	struct inserter_entry *entries;
	size_t count, size;
	uint64_t instructions, spilled; /* put in all; places without enough free registers */
};
void inserter_into(struct inserter *inserter, struct inserter_entries *entries);
int inserter_finish(const struct graph *graph, const struct inserter_entries *entries);

/* ---- the profilers ---- */
enum insert_mode { INSERT_MAP, INSERT_PATHS, INSERT_EDGES, INSERT_BLOCKS };
#define INSERT_PATHS_MAX                                                                                               \
	4096 /* of a function; from each block at most so many that this is kept: longer paths are cut */
struct insert_options {
	enum insert_mode mode; /* INSERT_MAP: only .debug_rivulet, the code stays as it is */
	uint64_t limit;        /* of a function's paths; 0: INSERT_PATHS_MAX */
};
struct insert_counts {
	uint64_t objects, functions, left; /* functions with counters; without, though they have code */
	uint64_t registers[INSERTER_KINDS], spilled;
	uint64_t counters, counter_bytes, instructions;
	uint64_t chords, cut;
	const char *reasons[16]; /* why functions were left, and how many */
	uint64_t reason_counts[16];
};
/* name: of the object, as the profile shall call it. */
int insert_object(struct object *object, const char *name, const struct insert_options *options,
    struct insert_counts *counts, char *detail, size_t detail_size);
#endif
