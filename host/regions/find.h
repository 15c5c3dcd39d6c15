/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_REGIONS_FIND_H
#define RIVULET_REGIONS_FIND_H
/*
 * Regions that a graph has by itself. What is found and does not fit what is there already (a region named by the user
 * that it overlaps) is left out and counted.
 *
 * Loops are those of host/graph/loops.h. One with several entries is irreducible.
 *
 * Hammocks: a vertex e with several ways on, and what lies between it and the vertex x that all those ways come to next
 * (its immediate postdominator), if it is entered at e only:
 *
 *        e                     {e, a, b} is one; it has one entry, and one vertex that all its exits lead to.
 *       ┌┴┐                    Inside it, a hammock that leads to the same x is a part of it (`a && b`), no region of
 *       a b                    its own. Together they are the program structure tree. The body of a loop that is left
 *       └┬┘                    in one place is a hammock of the loop's vertices: the loop is the region.
 *        x
 */
#include "host/regions/regions.h"

enum regions_find { REGIONS_FIND_LOOPS = 1, REGIONS_FIND_HAMMOCKS = 2 };

/* Before regions_close(). what: bits. Tags are REGIONS_NONE. *left: how many did not fit (may be NULL). */
int regions_find(struct regions *regions, unsigned what, uint32_t *left);
#endif
