/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "graph.h"

/* A binary heap of nodes, the nearest first. place[node] is its index in the heap, so a node can move up when it gets
 * nearer; NO_NODE: not in it. */
struct heap {
	unsigned size;
	uint16_t node[GRAPH_NODES];
	uint16_t place[GRAPH_NODES];
	const uint32_t *distance;
};

static void put(struct heap *heap, unsigned at, uint16_t node)
{
	heap->node[at] = node;
	heap->place[node] = (uint16_t)at;
}

static void move_up(struct heap *heap, unsigned at, uint16_t node)
{
	while (at > 0) {
		unsigned parent = (at - 1) / 2;
		if (heap->distance[heap->node[parent]] <= heap->distance[node])
			break;
		put(heap, at, heap->node[parent]);
		at = parent;
	}
	put(heap, at, node);
}

static void move_down(struct heap *heap, unsigned at, uint16_t node)
{
	for (unsigned child; (child = 2 * at + 1) < heap->size; at = child) {
		if (child + 1 < heap->size && heap->distance[heap->node[child + 1]] < heap->distance[heap->node[child]])
			child++;
		if (heap->distance[node] <= heap->distance[heap->node[child]])
			break;
		put(heap, at, heap->node[child]);
	}
	put(heap, at, node);
}

static void push_or_raise(struct heap *heap, uint16_t node)
{
	unsigned at = heap->place[node];
	if (at == NO_NODE)
		at = heap->size++;
	move_up(heap, at, node);
}

static uint16_t pop(struct heap *heap)
{
	uint16_t nearest = heap->node[0];
	heap->place[nearest] = NO_NODE;
	uint16_t last = heap->node[--heap->size];
	if (heap->size > 0)
		move_down(heap, 0, last);
	return nearest;
}

static void clear(const struct graph *graph, unsigned source, struct paths *paths)
{
	for (unsigned i = 0; i < graph->nodes; i++) {
		paths->distance[i] = UNREACHED;
		paths->before[i] = NO_NODE;
	}
	paths->distance[source] = 0;
}

void paths_dijkstra(const struct graph *graph, unsigned source, struct paths *paths)
{
	static struct heap heap;
	clear(graph, source, paths);
	heap.size = 0;
	heap.distance = paths->distance;
	for (unsigned i = 0; i < graph->nodes; i++)
		heap.place[i] = NO_NODE;
	push_or_raise(&heap, (uint16_t)source);
	while (heap.size > 0) {
		uint16_t node = pop(&heap);
		uint32_t here = paths->distance[node];
		for (unsigned e = graph->first[node]; e < graph->first[node + 1]; e++) {
			uint16_t to = graph->to[e];
			uint32_t through = here + graph->weight[e];
			if (through < paths->distance[to]) {
				paths->distance[to] = through;
				paths->before[to] = node;
				push_or_raise(&heap, to);
			}
		}
	}
}

void paths_bellman_ford(const struct graph *graph, unsigned source, struct paths *paths)
{
	clear(graph, source, paths);
	for (bool changed = true; changed;) {
		changed = false;
		for (unsigned node = 0; node < graph->nodes; node++) {
			uint32_t here = paths->distance[node];
			for (unsigned e = graph->first[node]; here != UNREACHED && e < graph->first[node + 1]; e++)
				if (here + graph->weight[e] < paths->distance[graph->to[e]]) {
					paths->distance[graph->to[e]] = here + graph->weight[e];
					paths->before[graph->to[e]] = (uint16_t)node;
					changed = true;
				}
		}
	}
}
