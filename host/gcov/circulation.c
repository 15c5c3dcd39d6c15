/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/gcov/circulation.h"

#include <stdbool.h>
#include <stdlib.h>
#include "host/base/array.h"

/*
 * Minimum cost flow by phases: shortest distances by cost from all that has too much (Dijkstra, with the potentials of
 * the phase before), then as much flow as goes along arcs of no reduced cost (Dinic), until nothing is left over. The
 * costs are small whole numbers, so the phases are few.
 */
#define NO_ARC UINT32_MAX
#define FAR INT64_MAX

struct residual { /* its other direction is at index ^ 1 */
	uint32_t to, next;
	uint64_t room;
	int64_t cost;
};
struct flow_heap_item {
	int64_t distance;
	uint32_t node;
};
struct circulation {
	struct residual *all;
	size_t count, room;
	uint32_t *first, *now, *level, *queue; /* by node */
	int64_t *potential, *distance;
	uint32_t node_count, source, sink;
	struct flow_heap_item *heap;
	size_t heap_count, heap_room;
};

static bool flow_arc(struct circulation *c, uint32_t from, uint32_t to, uint64_t room, int64_t cost)
{
	if (!array_room(&c->all, c->count + 2, &c->room))
		return false;
	c->all[c->count] = (struct residual){.to = to, .next = c->first[from], .room = room, .cost = cost};
	c->first[from] = (uint32_t)c->count++;
	c->all[c->count] = (struct residual){.to = from, .next = c->first[to], .room = 0, .cost = -cost};
	c->first[to] = (uint32_t)c->count++;
	return true;
}

/* ---- distances ---- */

static bool flow_push(struct circulation *c, int64_t distance, uint32_t node)
{
	if (!array_room(&c->heap, c->heap_count + 1, &c->heap_room))
		return false;
	size_t at = c->heap_count++;
	for (; at > 0 && c->heap[(at - 1) / 2].distance > distance; at = (at - 1) / 2)
		c->heap[at] = c->heap[(at - 1) / 2];
	c->heap[at] = (struct flow_heap_item){distance, node};
	return true;
}

static struct flow_heap_item flow_pop(struct circulation *c)
{
	struct flow_heap_item top = c->heap[0], last = c->heap[--c->heap_count];
	size_t at = 0;
	for (size_t child; (child = 2 * at + 1) < c->heap_count; at = child) {
		child += child + 1 < c->heap_count && c->heap[child + 1].distance < c->heap[child].distance;
		if (c->heap[child].distance >= last.distance)
			break;
		c->heap[at] = c->heap[child];
	}
	c->heap[at] = last;
	return top;
}

static bool flow_relax(struct circulation *c, struct flow_heap_item item)
{
	for (uint32_t i = c->first[item.node]; i != NO_ARC; i = c->all[i].next) {
		const struct residual *arc = &c->all[i];
		if (arc->room == 0)
			continue;
		int64_t distance = item.distance + arc->cost + c->potential[item.node] - c->potential[arc->to];
		if (distance >= c->distance[arc->to])
			continue;
		c->distance[arc->to] = distance;
		if (!flow_push(c, distance, arc->to))
			return false;
	}
	return true;
}

/* Potentials such that the shortest ways to the sink cost nothing. *reached: there is one. */
static bool flow_distances(struct circulation *c, bool *reached)
{
	for (uint32_t i = 0; i < c->node_count; i++)
		c->distance[i] = FAR;
	c->distance[c->source] = 0;
	c->heap_count = 0;
	if (!flow_push(c, 0, c->source))
		return false;
	while (c->heap_count > 0) {
		struct flow_heap_item item = flow_pop(c);
		if (item.distance == c->distance[item.node] && !flow_relax(c, item))
			return false;
	}
	*reached = c->distance[c->sink] != FAR;
	for (uint32_t i = 0; i < c->node_count && *reached; i++) {
		int64_t distance = c->distance[i];
		c->potential[i] += distance < c->distance[c->sink] ? distance : c->distance[c->sink];
	}
	return true;
}

/* ---- flow ---- */

static bool flow_free(const struct circulation *c, uint32_t from, const struct residual *arc)
{
	return arc->room > 0 && arc->cost + c->potential[from] - c->potential[arc->to] == 0;
}

static bool flow_levels(struct circulation *c)
{
	size_t begin = 0, end = 0;
	for (uint32_t i = 0; i < c->node_count; i++) {
		c->level[i] = UINT32_MAX;
		c->now[i] = c->first[i];
	}
	c->level[c->source] = 0;
	c->queue[end++] = c->source;
	while (begin < end) {
		uint32_t node = c->queue[begin++];
		for (uint32_t i = c->first[node]; i != NO_ARC; i = c->all[i].next) {
			const struct residual *arc = &c->all[i];
			if (c->level[arc->to] != UINT32_MAX || !flow_free(c, node, arc))
				continue;
			c->level[arc->to] = c->level[node] + 1;
			c->queue[end++] = arc->to;
		}
	}
	return c->level[c->sink] != UINT32_MAX;
}

/* One way from source to sink along the levels, in queue as indexes of arcs; 0: there is none any more. */
static size_t flow_way(struct circulation *c)
{
	size_t length = 0;
	uint32_t node = c->source;
	while (node != c->sink) {
		uint32_t i = c->now[node];
		const struct residual *arc = i == NO_ARC ? NULL : &c->all[i];
		if (arc != NULL && c->level[arc->to] == c->level[node] + 1 && flow_free(c, node, arc)) {
			c->queue[length++] = i;
			node = arc->to;
		} else if (arc != NULL)
			c->now[node] = arc->next;
		else if (length == 0)
			return 0;
		else { /* a dead end: back, and on behind it */
			node = c->all[c->queue[--length] ^ 1].to;
			c->now[node] = c->all[c->now[node]].next;
		}
	}
	return length;
}

static void flow_augment(struct circulation *c, size_t length)
{
	uint64_t room = UINT64_MAX;
	for (size_t i = 0; i < length; i++)
		room = c->all[c->queue[i]].room < room ? c->all[c->queue[i]].room : room;
	for (size_t i = 0; i < length; i++) {
		c->all[c->queue[i]].room -= room;
		c->all[c->queue[i] ^ 1].room += room;
	}
}

static int flow_run(struct circulation *c)
{
	for (bool reached = true;;) {
		if (!flow_distances(c, &reached))
			return CIRCULATION_ENOMEM;
		if (!reached)
			return CIRCULATION_OK;
		while (flow_levels(c)) {
			for (size_t length; (length = flow_way(c)) > 0;)
				flow_augment(c, length);
		}
	}
}

/* ---- the graph ---- */

/* A block bears the likely count from the beginning: its first node has given that much, its second one has it to give
 * on. */
static bool flow_block(struct circulation *c, uint32_t index, const struct circulation_block *block)
{
	uint32_t in = 2 * index, out = in + 1;
	uint64_t more = block->most - block->likely, less = block->likely - block->least;
	bool done = more == 0 || flow_arc(c, in, out, more, block->near);
	done = done && (block->most == CIRCULATION_ANY || flow_arc(c, in, out, CIRCULATION_ANY, block->far));
	done = done && (less == 0 || flow_arc(c, out, in, less, block->near));
	done = done && (block->least == 0 || flow_arc(c, out, in, block->least, block->far));
	if (done && block->likely > 0)
		done = flow_arc(c, c->source, out, block->likely, 0) && flow_arc(c, in, c->sink, block->likely, 0);
	return done;
}

static int flow_graph(struct circulation *c, const struct circulation_block *blocks, size_t block_count,
    struct circulation_arc *arcs, size_t arc_count)
{
	for (size_t i = 0; i < arc_count; i++) { /* first: their residuals are at 2 * i */
		if (!flow_arc(c, 2 * arcs[i].from + 1, 2 * arcs[i].to, CIRCULATION_ANY, arcs[i].cost))
			return CIRCULATION_ENOMEM;
	}
	for (size_t i = 0; i < block_count; i++) {
		if (!flow_block(c, (uint32_t)i, &blocks[i]))
			return CIRCULATION_ENOMEM;
	}
	return CIRCULATION_OK;
}

int circulation_solve(const struct circulation_block *blocks, size_t block_count, struct circulation_arc *arcs,
    size_t arc_count, uint32_t entry, uint32_t exit)
{
	struct circulation c = {.node_count = (uint32_t)(2 * block_count + 2)};
	size_t words = 2 * (arc_count + 6 * block_count) + c.node_count;
	c.source = c.node_count - 2;
	c.sink = c.node_count - 1;
	c.first = malloc(c.node_count * sizeof *c.first);
	c.now = malloc(c.node_count * sizeof *c.now);
	c.level = malloc(c.node_count * sizeof *c.level);
	c.queue = malloc(words * sizeof *c.queue);
	c.potential = calloc(c.node_count, sizeof *c.potential);
	c.distance = calloc(c.node_count, sizeof *c.distance);
	int error = CIRCULATION_ENOMEM;
	if (c.first != NULL && c.now != NULL && c.level != NULL && c.queue != NULL && c.potential != NULL &&
	    c.distance != NULL) {
		for (uint32_t i = 0; i < c.node_count; i++)
			c.first[i] = NO_ARC;
		error = flow_graph(&c, blocks, block_count, arcs, arc_count);
		if (error == CIRCULATION_OK && !flow_arc(&c, 2 * exit + 1, 2 * entry, CIRCULATION_ANY, 0))
			error = CIRCULATION_ENOMEM;
		if (error == CIRCULATION_OK)
			error = flow_run(&c);
		for (size_t i = 0; i < arc_count && error == CIRCULATION_OK; i++)
			arcs[i].count = c.all[2 * i + 1].room;
	}
	free(c.all);
	free(c.heap);
	free(c.first);
	free(c.now);
	free(c.level);
	free(c.queue);
	free(c.potential);
	free(c.distance);
	return error;
}
