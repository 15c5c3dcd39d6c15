/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef GRAPH_H
#define GRAPH_H
/* Directed graphs with weights in compressed rows, their generators, and shortest paths from one node. */
#include <stdbool.h>
#include <stdint.h>

#include "app.h"

#define GRAPH_NODES 1024
#define GRAPH_EDGES 5120
#define UNREACHED UINT32_MAX
#define NO_NODE UINT16_MAX

struct graph { /* the edges of node n: first[n] to first[n + 1] - 1 */
	uint16_t nodes;
	uint16_t first[GRAPH_NODES + 1];
	uint16_t to[GRAPH_EDGES];
	uint16_t weight[GRAPH_EDGES];
};

/* side * side <= GRAPH_NODES; streets in four directions, each direction with its own weight */
void graph_grid(struct graph *graph, unsigned side, struct app_random *random);
/* degree edges from every node to anywhere; nodes * degree <= GRAPH_EDGES */
void graph_random(struct graph *graph, unsigned nodes, unsigned degree, struct app_random *random);
/* a ring with shortcuts that are long and fast: few large hops, as motorways */
void graph_roads(struct graph *graph, unsigned nodes, unsigned shortcuts, struct app_random *random);

struct paths {
	uint32_t distance[GRAPH_NODES]; /* UNREACHED where there is no path */
	uint16_t before[GRAPH_NODES];   /* node before this one on a shortest path; NO_NODE at the source */
};
void paths_dijkstra(const struct graph *graph, unsigned source, struct paths *paths);
/* The same by relaxing every edge until nothing changes: slow, to compare. */
void paths_bellman_ford(const struct graph *graph, unsigned source, struct paths *paths);
#endif
