/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_POTENTIAL_H
#define RIVULET_INSERT_POTENTIAL_H
/*
 * Chooses the edges at which cycles are added up. The vertices are the blocks of a function, those with calls twice,
 * and ROOT, which stands for calls and exits, where the sum has to be right. Each vertex has a potential p, the cycles
 * that the sum lacks there; an edge adds cost + p(from) - p(to). On a spanning tree of the edges with the greatest
 * weights that is 0, so a loop needs one addition a round, and a block none.
 *
 *   ROOT ── enter ──► block in ──(no calls: the same vertex)── block out ── edge, cost of the next head ──► block in
 *                        └── first call ──► ROOT      ROOT ── behind the last call, tail ──► block out ── exit ──► ROOT
 */
#include "host/insert/cost.h"
#include "host/insert/graph.h"

#define POTENTIAL_ROOT 0u
struct potential {
	int64_t *of;      /* by vertex */
	int64_t *reached; /* by block, if `same`: cycles from the entry to its start, with its head; negative: never */
	bool same;        /* each way from the entry to an exit takes the same */
	int64_t total;    /* that */
};
static inline uint32_t potential_in(uint32_t block)
{
	return 1 + 2 * block;
}
static inline uint32_t potential_out(const struct cost *cost, uint32_t block)
{
	return cost->blocks[block].calls > 0 ? 2 + 2 * block : 1 + 2 * block;
}
/* How often a block is expected to be executed. */
uint64_t potential_weight(
    const struct graph *graph, const struct graph_function *function, const uint64_t *weights, uint32_t block);
/* Both are estimated by the depth of loops if there is no profile: the guess for paths (insert_number()) is 2% worse
 * here. */
void potential_guess(
    const struct graph *graph, const struct graph_function *function, uint64_t *weights, uint64_t *costs);
/* weights, costs: of the edges, as insert_number() makes them. OBJECT_OK, OBJECT_ENOMEM. */
int potential_make(struct potential *potential, const struct graph *graph, const struct graph_function *function,
    const struct cost *cost, const uint64_t *weights, const uint64_t *costs);
void potential_free(struct potential *potential);
#endif
