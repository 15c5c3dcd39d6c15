/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_LAYERS_H
#define RIVULET_PHASES_LAYERS_H
/*
 * Hierarchical layers of cycles in a sequence of basic blocks, found while it runs (BHS: the methods for paths and
 * repeated paths, for repeated paths before strata, for strata and repeated strata, and so on upward).
 *
 * A path is a sequence of unique blocks: the next block that stands in it already ends it and begins the next path.
 * A repeated path is a path with its trip count, the number of times that it ran without another in between. A stratum
 * is the same for repeated paths, a stratum layer 0 for repeated strata, and so on: one rule on each level.
 *
 *   blocks           A B C A B C B B D ...
 *   level 0, paths   [A B C] [A B C] [B] [B D ...
 *   repeated         [A B C]^2       [B]^1 ...          symbols of level 1
 *   level 1, strata  ...
 *
 * Each level numbers its sequences (0, 1, 2, ... in the order of their first end) and its repeated sequences, which are
 * the symbols of the level above. A repeated sequence is the same symbol again only with the same trip count.
 *
 * Sequences, and on each level above the first their repetitions, lie in bounded-sort tables (host/phases/sorted.h).
 */
#include "host/phases/sorted.h"

#define LAYERS_LEVELS_MAX 8 /* paths, strata, stratum layers 0 to 5 */
#define LAYERS_TRIPS_MAX UINT32_MAX

enum layers_error {
	LAYERS_OK = 0,
	LAYERS_ENOMEM = -1,
	LAYERS_EFULL = -2, /* a table is full: layers_clear() begins anew */
	LAYERS_ECONFIG = -3
};

struct layers_config {
	unsigned levels; /* 1 (paths alone) to LAYERS_LEVELS_MAX */
	/* Symbols in a sequence of a level at most; one that is as long ends. BHS: 4 for strata where analysis becomes
	 * too costly. 0: LAYERS_LENGTH_MAX. */
	uint32_t length_max[LAYERS_LEVELS_MAX];
	struct sorted_config table; /* of every level */
};
#define LAYERS_LENGTH_MAX 65536u
/* Three levels (paths, strata, stratum layer 0), sequences of any length. */
void layers_config_default(struct layers_config *config);

/* A repeated sequence that is over. */
struct layers_repeat {
	unsigned level;
	uint32_t sequence; /* its number on this level */
	uint32_t symbol;   /* number of the repeated sequence: the symbol of the level above */
	uint32_t trips;
	bool is_new; /* never seen before with this trip count */
};
typedef void layers_visitor(void *context, const struct layers_repeat *repeat);

struct layers_sums { /* of one sequence, without its trips */
	uint64_t instructions, blocks, paths;
};

struct layers;
int layers_open(struct layers **layers, const struct layers_config *config);
void layers_close(struct layers *layers);
/* visit is called for each repeated sequence that ends, lower levels first. */
void layers_on_repeat(struct layers *layers, layers_visitor *visit, void *context);
/* swap is called for each phase change that the table of this level notices. */
void layers_on_swap(
    struct layers *layers, unsigned level, void (*swap)(void *context, const struct sorted_swap *swap), void *context);

/* Blocks 0 to count - 1 exist; instructions[b] are those of block b. The array must stay until the next call. */
int layers_blocks(struct layers *layers, const uint32_t *instructions, uint32_t count);
/* The next blocks of the run. All are known from layers_blocks(). */
int layers_feed(struct layers *layers, const uint32_t *blocks, size_t count);
/* Ends the sequences of level `from` and of all above it, with their trips: the next symbol begins anew. With from 0
 * everything that has come so far is told. */
int layers_cut(struct layers *layers, unsigned from);
/* Forgets everything but the configuration and the blocks. layers_cut(0) first. */
void layers_clear(struct layers *layers);
/* The clock of the tables, where their period is in instructions or cycles. */
void layers_tick(struct layers *layers, uint64_t time);

uint32_t layers_sequences(const struct layers *layers, unsigned level);
uint32_t layers_symbols(const struct layers *layers, unsigned level); /* repeated sequences of this level */
/* The symbols of a sequence: blocks on level 0, repeated sequences of the level below on the others. */
const uint32_t *layers_sequence(const struct layers *layers, unsigned level, uint32_t sequence, uint32_t *count);
/* What a repeated sequence repeats, and how often. */
void layers_symbol(const struct layers *layers, unsigned level, uint32_t symbol, uint32_t *sequence, uint32_t *trips);
const struct layers_sums *layers_sums(const struct layers *layers, unsigned level, uint32_t sequence);
/* Global trip count: how often the sequence ran, in all its repetitions that are over. */
uint64_t layers_trips(const struct layers *layers, unsigned level, uint32_t sequence);
size_t layers_bytes(const struct layers *layers); /* memory of the tables */
#endif
