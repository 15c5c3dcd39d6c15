/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_REGIONS_H
#define RIVULET_COUNTED_REGIONS_H
/*
 * Counters of --regions as executions of blocks and edges. Each block is a node of its innermost region's paths, so its
 * executions are exact; so are those of an edge between two such nodes that does not go back. The others follow from
 * these (counted.c).
 */
#include "host/insert/counted.h"

/* Numbers of a function before counters are taken: 0, or not known. COUNTED_... error. */
int counted_regions_begin(struct counted *counted, uint32_t function);
/* A counter of the function, counted from its first; in_table: a path of its hash table, by number. */
int counted_regions_take(struct counted *counted, uint32_t function, bool in_table, uint64_t number, uint64_t count);
void counted_regions_close(struct counted *counted);
#endif
