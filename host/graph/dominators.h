/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GRAPH_DOMINATORS_H
#define RIVULET_GRAPH_DOMINATORS_H
/*
 * What every way to a vertex passes (dominators), and what every way from it to EXIT passes (postdominators), by
 * iteration over the reverse postorder (Cooper, Harvey and Kennedy).
 */
#include "host/graph/search.h"

/* Room for as many as the shape has vertices, from the caller. By vertex: the immediate one; GRAPH_VERTEX: none (a way
 * in from outside, or not met). False: out of memory. */
bool graph_dominators(const struct graph_search *search, uint32_t *dominator);
/* The same backwards; GRAPH_VERTEX: EXIT alone, or no way leads there. */
bool graph_postdominators(const struct graph_shape *shape, uint32_t *behind);
#endif
