/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_MAP_H
#define RIVULET_INSERT_MAP_H
/*
 * .debug_rivulet: what the counters of an object mean, in the linked program. Each edited object has one part; the
 * linker puts them one behind the other and fills in addresses. Removed with the debug information (strip -g).
 *
 * Little endian words of 32 bits, addresses (A) of XLEN bits, strings as a length and bytes padded to words:
 *
 *   part      magic, bytes behind this word, version, mode, form, width of a counter, XLEN, id (2 words), counters,
 *             functions, name of the object; its functions; near runs
 *   function  name, flags, first counter, counters, limit of paths, number of words, words of the profiler, call sites,
 *             A of each, blocks, edges
 *   block     A first instruction, A last instruction, flags, edges, runs
 *   edge      block (or all ones), kind (graph.h)
 *   run       A start, A end: code of the unedited object without anything put in between; all edges of a block come
 *             before its runs
 *
 *   near run  first counter, counters
 *
 * A block's runs in order are its instructions, without those that were put in. The linker may have made one shorter or
 * empty. MAP_PADDED: the last run is padding behind the block, executed only when the block is left by falling.
 * MAP_INVERTED: its branch has become its inverse over a jump: not taken means taken.
 *
 * A call site is the first instruction of a call; an AUIPC, where the linker left a far one. In the order of the
 * blocks. A function that the linker dropped has addresses 0. Counters of a function with paths: one for each path, by
 * its number (host/paths/numbering.h, with this graph and limit), then one for each self loop, by edge. MAP_HASHED:
 * those of the self loops only; its paths are in a hash table. MAP_FIRST: the paths have the numbers of
 * numbering_small_first(), and the first ones have counters, before those of the self loops; the others are in the hash
 * table. MAP_JOINED: with what came before at cuts (common/joined.h). MAP_METRIC: behind them a sum for each path. With
 * edges and blocks: one for each word. What the words of a profiler mean stands in its file. MAP_LEAVES: the block has
 * calls or instructions that leave the program, and need not come back.
 *
 * Counters in near runs lie in small data (near.h). A profile has them as counters 0, 1, 2, ... of an object of their
 * own, whose id is MAP_NEAR xor that of the object; the runs say, one behind the other, which of the object's they are.
 */
#include "host/insert/graph.h"
#include "host/paths/numbering.h"

#define EDGES_INTO 0x80000000u  /* in the words of --edges and --blocks (profile_edges.c) */
#define EDGES_BLOCK 0xC0000000u /* of --blocks only */
#define MAP_MAGIC 0x504D5652u   /* "RVMP" */
#define MAP_VERSION 9u
#define MAP_NEAR 2u
enum map_form { MAP_EDITED, MAP_TWIN }; /* TWIN: nothing was put into the code */
enum map_function_flag { MAP_COUNTED = 1, MAP_HASHED = 2, MAP_METRIC = 4, MAP_JOINED = 8, MAP_FIRST = 16 };
#define MAP_HASH_SHIFT 32 /* history of a hashed path: (function of its object + 1) << 32, + its number + 1 */
enum map_block_flag { MAP_ROOT = 1, MAP_TABLE = 2, MAP_PAD = 4, MAP_INVERTED = 8, MAP_PADDED = 16, MAP_LEAVES = 32 };

#define MAP_SALT                                                                                                       \
	0x534D5652u /* "RVMS": a part of a shared library: 8, the salt of its counters' ids (sw/probe/salt.S) */

struct map_block {
	uint64_t first, last; /* addresses; 0: a table's vertex */
	uint32_t flags, edges, edge_count, runs, run_count;
};
struct map_run {
	uint64_t start, end; /* addresses; end: the one behind it */
};
struct map_function {
	const char *name; /* ended */
	uint32_t flags, first, counters, blocks, block_count, edges, edge_count, object;
	uint64_t limit;
	uint64_t above;             /* a path register is so much more than the number: of regions in a hash table */
	uint32_t words, word_count; /* in map->words */
	uint32_t sites, site_count; /* in map->sites */
	uint64_t address;           /* of its entry; 0: it is not in the program */
	/* by map_number(): */
	struct numbering numbering;
	uint32_t *graph_first, *graph_to;
	bool *graph_root;
};
struct map_object {
	const char *name;
	uint64_t id;
	uint32_t mode, form, width, counters, functions, function_count;
	uint32_t nears, near_count; /* runs, in map->nears */
};
struct map {
	unsigned xlen;
	uint64_t bias; /* of what is being read */
	struct map_object *objects;
	struct map_function *functions;
	struct map_block *blocks;
	struct graph_edge *edges;
	uint32_t *words;
	struct map_near {
		uint32_t first, count;
	} * nears;
	size_t near_count, near_size;
	struct map_run *runs;
	size_t object_count, object_size, function_count, function_size, block_count, block_size, edge_count, edge_size;
	size_t word_count, word_size, run_count, run_size;
	uint64_t *sites;
	size_t site_count, site_size;
	char **strings;
	size_t string_count, string_size;
};

enum map_error { MAP_OK = 0, MAP_ENOMEM = -1, MAP_EFORMAT = -2 };
/* The section's bytes of a linked program. */
int map_open(struct map **map, const void *bytes, size_t size);
/* The same of a library, behind what there is; bias: what its addresses have been moved by. *salt: 0, if it has none.
 * On an error the map is to be closed. */
int map_add(struct map *map, const void *bytes, size_t size, uint64_t bias, uint64_t *salt);
void map_close(struct map *map);
/* Adds functions without code, of no object, behind all others. The names must live as long. */
int map_add_functions(struct map *map, const char *const *names, size_t count);
/* Adds a function like one of the map, but not in the program: of this graph, whose vertices are blocks of the map
 * (index + 1; 0: none). */
int map_add_graph(struct map *map, uint32_t like, const struct numbering_graph *graph, const uint32_t *blocks);
/* The object with an id, its own or that of its near counters; or NULL. */
const struct map_object *map_object(const struct map *map, uint64_t id);
/* The number of counter `index` of the id by which the object was found. All ones: there is none. */
uint64_t map_counter(const struct map *map, const struct map_object *object, uint64_t id, uint64_t index);
/* Whether one of the objects holds the code of counters; NULL: false. */
bool map_is_edited(const struct map *map);
/* Numbers the paths of a function as the inserter did. */
int map_number(struct map *map, uint32_t function);
/* How many paths of a function that is numbered have counters: the first ones. */
uint64_t map_counted_paths(const struct map_function *function);

/* ---- for the inserter ---- */
struct map_writer {
	uint8_t *bytes;
	size_t size, room;
	struct {
		size_t at;
		uint32_t section;
		uint64_t offset;
		uint32_t flags; /* + 1: where a block's flags stand, of its last instruction; else 0 */
		uint8_t which;  /* enum map_which */
	} * addresses;          /* to be filled by relocations */
	size_t address_count, address_room;
	bool failed;
};
void map_word(struct map_writer *writer, uint32_t value);
void map_string(struct map_writer *writer, const char *text);
/* Of the atom at an old offset: its label, the instruction itself, the address behind it. */
enum map_which { MAP_LABEL, MAP_AT, MAP_END };
void map_address(struct map_writer *writer, unsigned xlen, uint32_t section, uint64_t offset, enum map_which which);
#endif
