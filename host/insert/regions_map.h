/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_REGIONS_MAP_H
#define RIVULET_REGIONS_MAP_H
/*
 * The words of --regions for a function in .debug_rivulet (map.h): which regions its counters are of, and in which of
 * HPP's two embodiments.
 *
 *   word 0   1: region-based, 2: global-based; bits 8 to 15: enum regions_representative; bit 16: regions have names;
 *            bit 17: there is a hash table
 *   word 1   regions, the outermost included, in the order of regions.h
 *   then     with bit 17: the largest array of a region
 *   then     for each but the outermost: parent, kind | head << 8
 *   then     for each block: its innermost region
 *   then     with bit 16, for each region: bytes of its name (0: it has none), and these, padded to words
 *   then     for each region: where the outer region's sum is while this one runs (pending.h, 0: where it is else),
 *            how many words follow, and what is under way in it while a call goes on (pending.h; edges and nodes are
 *            those of its own graph)
 *
 * With the graph and the limit of the map, the regions and both numberings are made again. Counters: region-based, of
 * region i's path n: base[i] + n (steps.h); global-based: the path's sum. With a hash table that is the path's number
 * there; region-based, only regions with more paths than the largest array are in it, and the others' arrays are one
 * behind the other; global-based, all are.
 */
#include "host/insert/insert.h"
#include "host/regions/global.h"
#include "host/regions/names.h"

enum insert_embodiment { INSERT_BEST, INSERT_REGION_BASED, INSERT_GLOBAL_BASED };

struct regions_map {
	struct regions regions;       /* of map->functions[].graph_first, ... */
	struct regions_values values; /* region-based */
	struct regions_global global; /* regions NULL: it is region-based */
	bool hashed;
	uint64_t *place; /* region-based, by region: its first counter, REGIONS_HASHED; NULL: base */
	char **names;    /* by region: what the user called it, or NULL; NULL: none has a name */
	uint32_t name_count;
	struct regions_pending {       /* by region */
		uint32_t kept;         /* where the outer sum is */
		uint32_t words, count; /* in map->words */
	} * pending;
};

#define REGIONS_HASHED UINT64_MAX
/* Where the arrays of regions with up to `array` paths are, one behind the other; returns the counters of all. */
uint64_t regions_map_places(
    const struct regions *regions, const struct regions_values *values, uint64_t array, uint64_t *places);
#define REGIONS_NO_TABLE UINT64_MAX
struct regions_map_how {
	unsigned embodiment, representative;
	uint64_t array;                    /* the largest one beside a table; REGIONS_NO_TABLE: there is none */
	const struct regions_names *names; /* tags of regions are indexes in it; NULL: none has a name */
};
int regions_map_write(struct insert_result *result, const struct regions *regions, const struct regions_map_how *how);
/* For a function that map_number() was done for. MAP_EFORMAT: the words are none of --regions. To be closed if
 * MAP_OK. */
int regions_map_open(struct regions_map *regions, const struct map *map, uint32_t function);
void regions_map_close(struct regions_map *regions);
struct regions_map_counter {
	bool in_table;   /* with this number in the function's hash table; */
	uint64_t number; /* else counted from its first */
};
/* The number of a path among those of its region, by its nodes; *sum: behind the first of them. */
uint64_t regions_map_number(
    const struct regions *regions, uint32_t region, const uint32_t *nodes, uint32_t length, uint64_t *sum);
/* The path of one of the function's counters, as regions_path() gives it. REGIONS_... error. */
int regions_map_path(const struct regions_map *regions, const struct regions_map_counter *counter, uint32_t *region,
    uint32_t *nodes, uint32_t max, uint32_t *length);
#endif
