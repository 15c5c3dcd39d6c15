/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_LAYOUT_CLUSTERS_H
#define RIVULET_LAYOUT_CLUSTERS_H
/*
 * An order of functions in which callers lie before what they call: C3 (Ottoni and Maher, "Optimizing Function
 * Placement for Large-Scale Data-Center Applications", 2017). The hottest function first, each goes behind the cluster
 * of the one that calls it most; then clusters are sorted by instructions a byte.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cluster_function {
	uint64_t size, weight; /* bytes, instructions executed */
};
struct cluster_call {
	uint32_t from, to;
	uint64_t count;
};
struct cluster_graph {
	const struct cluster_function *functions;
	size_t function_count;
	const struct cluster_call *calls;
	size_t call_count;
};
/* order: by place, the function; those that did not run are behind all others, as they were. 0, or -1: out of
 * memory. */
int clusters_order(const struct cluster_graph *graph, uint32_t *order);
#endif
