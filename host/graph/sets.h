/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GRAPH_SETS_H
#define RIVULET_GRAPH_SETS_H
/*
 * Disjoint sets of the numbers 0 to count - 1 (union-find): set[v] leads towards the number that stands for v's set.
 * Each look-up halves the way, so that a look-up costs nearly nothing on average. The array is the caller's.
 */
#include <stdint.h>

static inline void sets_single(uint32_t *set, uint32_t count)
{
	for (uint32_t v = 0; v < count; v++)
		set[v] = v;
}

/* The number that stands for the set of v. */
static inline uint32_t sets_of(uint32_t *set, uint32_t v)
{
	while (set[v] != v)
		v = set[v] = set[set[v]];
	return v;
}

/* Joins the set of a with that of b, whose number stands for both then. */
static inline void sets_join(uint32_t *set, uint32_t a, uint32_t b)
{
	set[sets_of(set, a)] = sets_of(set, b);
}
#endif
