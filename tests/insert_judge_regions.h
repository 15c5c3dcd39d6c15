/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_JUDGE_REGIONS_H
#define RIVULET_INSERT_JUDGE_REGIONS_H
/* The part of the judge for --regions: paths of regions as lists of nodes, kept by what regions are and not by
 * values. */
#include "host/insert/regions_map.h"

struct judge_regions;
struct judge_nest; /* of a call: the open paths of all regions around its block */

/* map: of the unedited twin, numbered, with the words of the edited program's functions. */
struct judge_regions *judge_regions_open(const struct map *map);
void judge_regions_enter(struct judge_regions *regions, struct judge_nest **nest, uint32_t block);
/* Over an edge, inside the function or out of it. */
void judge_regions_edge(struct judge_regions *regions, struct judge_nest *nest, uint32_t from, uint32_t edge);
/* A counter's value; in_table: of the function's hash table. False: it is no path's. */
bool judge_regions_counter(
    struct judge_regions *regions, uint32_t function, bool in_table, uint64_t number, uint64_t count);
/* How many paths differ; prints the first. paths, executions: of functions with counters. */
uint64_t judge_regions_compare(
    struct judge_regions *regions, uint64_t *paths, uint64_t *executions, uint64_t *turns, uint64_t *skipped);
#endif
