/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Shortest paths on three kinds of graph, proved by their own properties and against Bellman-Ford. */
#include "graph.h"

struct plan {
	uint32_t seed;
	unsigned side, random_nodes, degree, road_nodes, shortcuts;
	unsigned sources;       /* searches a graph */
	unsigned compare_every; /* of these, every which one against Bellman-Ford */
};
static const struct plan train = {5, 16, 150, 4, 200, 20, 2, 3};
static const struct plan ref = {1959, 32, 1000, 5, 1024, 80, 17, 8};

static struct graph graph;
static struct paths paths, slow;

/* No edge offers a shorter way, and every distance is that of the node before plus the edge between: together they
 * prove all distances. */
static int check_paths(unsigned source)
{
	unsigned too_long = 0, loose = 0;
	for (unsigned node = 0; node < graph.nodes; node++) {
		uint32_t here = paths.distance[node];
		if (here == UNREACHED)
			continue;
		for (unsigned e = graph.first[node]; e < graph.first[node + 1]; e++)
			too_long += paths.distance[graph.to[e]] > here + graph.weight[e];
	}
	for (unsigned node = 0; node < graph.nodes; node++) {
		unsigned before = paths.before[node];
		if (node == source || paths.distance[node] == UNREACHED) {
			loose += before != NO_NODE;
			continue;
		}
		bool tight = false;
		for (unsigned e = graph.first[before]; e < graph.first[before + 1]; e++)
			tight |=
			    graph.to[e] == node && paths.distance[node] == paths.distance[before] + graph.weight[e];
		loose += !tight;
	}
	return app_check("edges with a shorter way", too_long, 0) + app_check("nodes without a tight edge", loose, 0) +
	       app_check("distance of the source", paths.distance[source], 0);
}

static int search(const struct plan *plan, struct app_random *random)
{
	int failed = 0;
	for (unsigned i = 0; i < plan->sources; i++) {
		unsigned source = app_random_below(random, graph.nodes);
		paths_dijkstra(&graph, source, &paths);
		failed += check_paths(source);
		if (i % plan->compare_every != 0)
			continue;
		unsigned differences = 0;
		paths_bellman_ford(&graph, source, &slow);
		for (unsigned node = 0; node < graph.nodes; node++)
			differences += slow.distance[node] != paths.distance[node];
		failed += app_check("differences to Bellman-Ford", differences, 0);
	}
	return failed;
}

int app_main(int input)
{
	const struct plan *plan = input == APP_TRAIN ? &train : &ref;
	struct app_random random;
	int failed = 0;
	app_random_init(&random, plan->seed);
	graph_grid(&graph, plan->side, &random);
	failed += search(plan, &random);
	graph_random(&graph, plan->random_nodes, plan->degree, &random);
	failed += search(plan, &random);
	graph_roads(&graph, plan->road_nodes, plan->shortcuts, &random);
	return failed + search(plan, &random);
}
