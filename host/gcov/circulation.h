/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GCOV_CIRCULATION_H
#define RIVULET_GCOV_CIRCULATION_H
/*
 * Counts of the arcs of a graph from what is known of its blocks: a flow, so that what enters a block leaves it, that
 * differs from what is known by the least cost (Levin, Newman and Haber 2008: "Complementing missing and inaccurate
 * profiling using a minimum cost circulation algorithm").
 *
 * Each block is two nodes, and an arc between them bears the block's count. It costs nothing if it is the likely one,
 * `near' for each count less or more down to least and up to most, `far' for each one beyond. An arc of the graph bears
 * any count. What leaves the exit enters the entry.
 *
 *   entry ──► in ═ count ═► out ──► in ═ ... ═► out ──► exit ──► entry
 */
#include <stddef.h>
#include <stdint.h>

struct circulation_block {
	uint64_t likely, least, most; /* least <= likely <= most <= CIRCULATION_ANY */
	uint32_t near, far;
};
#define CIRCULATION_ANY ((uint64_t)1 << 60)

struct circulation_arc {
	uint32_t from, to;
	uint64_t count; /* the result */
	uint32_t cost;  /* of each count on it */
};
enum circulation_error { CIRCULATION_OK = 0, CIRCULATION_ENOMEM = -1 };

/* Block `entry' has no arc into it, `exit' none out of it. */
int circulation_solve(const struct circulation_block *blocks, size_t block_count, struct circulation_arc *arcs,
    size_t arc_count, uint32_t entry, uint32_t exit);
#endif
