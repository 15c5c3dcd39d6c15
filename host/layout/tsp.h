/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_LAYOUT_TSP_H
#define RIVULET_LAYOUT_TSP_H
/*
 * An order of blocks in which control mostly goes on to what lies behind: ext-TSP (Newell and Pupyrev, "Improved Basic
 * Block Reordering", 2020). Each edge adds its count if it falls through, and a tenth of it or less if it jumps over a
 * short way. Chains of blocks are put together, two at a time, where that adds most: one behind the other, or one
 * within the other.
 */
#include <stddef.h>
#include <stdint.h>

struct tsp_block {
	uint32_t size; /* bytes, > 0 */
	uint64_t count;
};
struct tsp_edge {
	uint32_t from, to;
	uint64_t count;
};
struct tsp_graph { /* block 0 stays first */
	const struct tsp_block *blocks;
	size_t block_count;
	const struct tsp_edge *edges;
	size_t edge_count;
};
/* order: by place, the block. 0, or -1: out of memory. */
int tsp_order(const struct tsp_graph *graph, uint32_t *order);
/* What an order is worth. */
double tsp_worth(const struct tsp_graph *graph, const uint32_t *order);
#endif
