/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_TREE_H
#define RIVULET_INSERT_TREE_H
/*
 * Which spanning tree a function's path counters get. EPP takes the one of the greatest weight, so that additions to r
 * stand where the program seldom is (section 3.3). But not all code is additions: where a path ends or begins, at a
 * return or on the way back of a loop, code stands anyway, and a chord there adds nothing to it:
 *
 *   count[r]++; r = 0      costs what count[r + 8]++; r = 3 does
 *
 * If such edges stay out of the tree, more of the others come into it. On the other hand the count at v -> EXIT moves
 * upwards, and takes the additions on its way, only if v -> EXIT is in the tree. Which is better depends on the
 * function. So several trees are made, their placements (place.h) are priced, in expected cycles, and the cheapest is
 * taken: first EPP's and seven with no weight for edges that leave, dummy edges that leave, or dummy edges that enter;
 * then the best of these with the weight of one such edge changed at a time, the most frequent ones first.
 */
#include "host/insert/insert.h"
#include "host/insert/place.h"

/* Chords and placement of a function. plain: of EPP's tree. NUMBERING_OK, NUMBERING_ENOMEM. */
int insert_tree(const struct graph *graph, const struct graph_function *function,
    const struct insert_numbered *numbered, bool plain, struct chords *chords, struct placement *placement);
#endif
