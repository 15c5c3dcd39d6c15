/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "graph.h"

static void begin(struct graph *graph, unsigned nodes)
{
	graph->nodes = (uint16_t)nodes;
	graph->first[0] = 0;
}

/* Nodes get their edges in order; edges is the number so far. */
static unsigned add_edge(struct graph *graph, unsigned edges, unsigned to, unsigned weight)
{
	graph->to[edges] = (uint16_t)to;
	graph->weight[edges] = (uint16_t)weight;
	return edges + 1;
}

void graph_grid(struct graph *graph, unsigned side, struct app_random *random)
{
	unsigned edges = 0;
	begin(graph, side * side);
	for (unsigned y = 0; y < side; y++)
		for (unsigned x = 0; x < side; x++) {
			unsigned node = y * side + x;
			if (x > 0)
				edges = add_edge(graph, edges, node - 1, 1 + app_random_below(random, 20));
			if (x + 1 < side)
				edges = add_edge(graph, edges, node + 1, 1 + app_random_below(random, 20));
			if (y > 0)
				edges = add_edge(graph, edges, node - side, 1 + app_random_below(random, 20));
			if (y + 1 < side)
				edges = add_edge(graph, edges, node + side, 1 + app_random_below(random, 20));
			graph->first[node + 1] = (uint16_t)edges;
		}
}

void graph_random(struct graph *graph, unsigned nodes, unsigned degree, struct app_random *random)
{
	unsigned edges = 0;
	begin(graph, nodes);
	for (unsigned node = 0; node < nodes; node++) {
		for (unsigned i = 0; i < degree; i++)
			edges =
			    add_edge(graph, edges, app_random_below(random, nodes), 1 + app_random_below(random, 1000));
		graph->first[node + 1] = (uint16_t)edges;
	}
}

void graph_roads(struct graph *graph, unsigned nodes, unsigned shortcuts, struct app_random *random)
{
	unsigned edges = 0;
	begin(graph, nodes);
	for (unsigned node = 0; node < nodes; node++) {
		unsigned next = node + 1 == nodes ? 0 : node + 1;
		unsigned previous = node == 0 ? nodes - 1 : node - 1;
		edges = add_edge(graph, edges, next, 5 + app_random_below(random, 10));
		edges = add_edge(graph, edges, previous, 5 + app_random_below(random, 10));
		if (app_random_below(random, nodes) < shortcuts) {
			unsigned hop = nodes / 16 + app_random_below(random, nodes / 8);
			edges = add_edge(graph, edges, (node + hop) % nodes, hop + app_random_below(random, hop));
		}
		graph->first[node + 1] = (uint16_t)edges;
	}
}
