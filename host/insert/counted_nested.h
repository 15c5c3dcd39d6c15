/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_NESTED_H
#define RIVULET_COUNTED_NESTED_H
/*
 * --regions: each region as a function of its own, while counters and stacks are taken. Its graph is CFG(R)
 * (regions.h), its blocks are those of the region itself, and each region inside is a block without instructions:
 *
 *   call in block b of region R2, in R1, in the whole     a path of R2 as far as b, one of R1 as far as R2,
 *                                                         one of the whole as far as R1
 *
 * So what holds for calls that had not ended, were left, or were cut by fork() (counted_stacks.h, counted_back.h,
 * counted_cuts.h) holds for each of the regions around them. When all is taken, blocks and edges of the regions are
 * added to those of the function; of a block of which a part was run, the part is a tail (counted_tails.h).
 */
#include "host/insert/counted.h"
#include "host/insert/regions_map.h"

/* Behind counted_map(), before counts: opens the regions of all functions, and makes a function of each. COUNTED_... */
int counted_nested_open(struct counted *counted);
/* The function of a region, and its block in which a block of the map lies. */
uint32_t counted_nested_of(const struct counted *counted, uint32_t function, uint32_t region);
uint32_t counted_nested_block(const struct counted *counted, uint32_t function, uint32_t region, uint32_t block);
/* Adds what the regions counted to their functions, and closes. COUNTED_OK or COUNTED_ENOMEM. */
int counted_nested_done(struct counted *counted);
/* Where a region's sum is while a block of one of the regions inside it runs (enum pending_place). */
uint32_t counted_nested_place(const struct counted *counted, uint32_t function, uint32_t region, uint32_t block);
/* The number of a path by the number under which it was counted, if `function` is a region; else as it is. False:
 * there is none. */
bool counted_nested_number(const struct counted *counted, uint32_t function, uint64_t *number);
/* The only edge from one block of a function to another, counted from its first; GRAPH_NONE: there are several, or it
 * goes out of the region or back, or paths are cut there. */
uint32_t counted_nested_edge(const struct counted *counted, uint32_t function, uint32_t from, uint32_t to);
/* The functions of regions are no more. */
void counted_nested_close(struct counted *counted);
#endif
