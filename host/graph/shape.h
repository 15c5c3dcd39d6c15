/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GRAPH_SHAPE_H
#define RIVULET_GRAPH_SHAPE_H
/*
 * The shape of one function's control-flow graph: vertices, edges and ways in, and nothing about what stands in a
 * vertex. Whoever makes a graph (of a program, of an object) gives its shape to the algorithms of this folder.
 *
 *        first = {0, 2, 3, 5}                        0 ──► 1 ──► 2 ──► EXIT
 *        to    = {1, 2,  2,  0, GRAPH_EXIT}          └───────────▲
 *                                                    ▲           │
 *                                                    └───────────┘
 */
#include <stdbool.h>
#include <stdint.h>

#define GRAPH_EXIT UINT32_MAX   /* an edge that leaves the function */
#define GRAPH_VERTEX UINT32_MAX /* no vertex, no loop */

/* The edges of v are to[first[v]] to to[first[v + 1] - 1]. Several edges between the same two vertices are different
 * edges. The arrays are the caller's. */
struct graph_shape {
	uint32_t count, entry; /* entry GRAPH_VERTEX: there is none */
	const uint32_t *first, *to;
	const bool *root; /* further ways in from outside; NULL: none */
};
#endif
