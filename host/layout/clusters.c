/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/layout/clusters.h"
#include "host/base/order.h"

#include <stdlib.h>

#define CLUSTER_MAX (512u << 10) /* bytes: calls within a cluster are in reach */
#define NO_FUNCTION UINT32_MAX

struct ranked {
	uint32_t function;
	double value; /* of weight, or of density */
};
struct clustering {
	const struct cluster_graph *graph;
	uint32_t *next;          /* by function: behind it in its cluster */
	uint32_t *head;          /* by function: the first one of its cluster; its own, if it is that */
	uint32_t *last;          /* by head */
	uint32_t *caller;        /* by function: who calls it most */
	uint64_t *calls;         /* how often */
	uint64_t *size, *weight; /* by head */
	struct ranked *ranked;
};

static int by_value_down(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	return order_then(ORDER_DOWN(x->value, y->value), ORDER_UP(x->function, y->function));
}

static bool begin_clustering(struct clustering *c)
{
	const size_t n = c->graph->function_count + 1;
	c->next = malloc(n * sizeof *c->next);
	c->head = malloc(n * sizeof *c->head);
	c->last = malloc(n * sizeof *c->last);
	c->caller = malloc(n * sizeof *c->caller);
	c->calls = calloc(n, sizeof *c->calls);
	c->size = calloc(n, sizeof *c->size);
	c->weight = calloc(n, sizeof *c->weight);
	c->ranked = calloc(n, sizeof *c->ranked);
	if (c->next == NULL || c->head == NULL || c->last == NULL || c->caller == NULL || c->calls == NULL ||
	    c->size == NULL || c->weight == NULL || c->ranked == NULL)
		return false;
	for (uint32_t i = 0; i < c->graph->function_count; i++) {
		c->next[i] = c->caller[i] = NO_FUNCTION;
		c->head[i] = c->last[i] = i;
		c->size[i] = c->graph->functions[i].size;
		c->weight[i] = c->graph->functions[i].weight;
	}
	return true;
}

static void end_clustering(struct clustering *c)
{
	free(c->next);
	free(c->head);
	free(c->last);
	free(c->caller);
	free(c->calls);
	free(c->size);
	free(c->weight);
	free(c->ranked);
}

static void find_callers(struct clustering *c)
{
	for (size_t i = 0; i < c->graph->call_count; i++) {
		const struct cluster_call *call = &c->graph->calls[i];
		if (call->from == call->to || call->count <= c->calls[call->to])
			continue;
		c->calls[call->to] = call->count;
		c->caller[call->to] = call->from;
	}
}

/* Functions that are heads or not, by value; how many. */
static size_t rank_functions(struct clustering *c, bool heads)
{
	size_t count = 0;
	for (uint32_t i = 0; i < c->graph->function_count; i++) {
		if (c->weight[i] == 0 || (heads && c->head[i] != i))
			continue;
		c->ranked[count++] =
		    (struct ranked){i, heads ? (double)c->weight[i] / (double)(c->size[i] + 1) : (double)c->weight[i]};
	}
	qsort(c->ranked, count, sizeof *c->ranked, by_value_down);
	return count;
}

static void join_clusters(struct clustering *c, uint32_t to, uint32_t from)
{
	c->next[c->last[to]] = from;
	c->last[to] = c->last[from];
	c->size[to] += c->size[from];
	if (__builtin_add_overflow(c->weight[to], c->weight[from], &c->weight[to]))
		c->weight[to] = UINT64_MAX;
	for (uint32_t f = from; f != NO_FUNCTION; f = c->next[f])
		c->head[f] = to;
}

/*
 * An example. Weights: g 900, f 500, main 10.
 *
 *   main ──100──► f ──90──► g        g first: f calls it most      [f g]
 *    └─────20───────────────┘        then f: main calls it         [main f g]
 *                                    main: nobody calls it
 */
int clusters_order(const struct cluster_graph *graph, uint32_t *order)
{
	struct clustering c = {.graph = graph};
	size_t used = 0;
	if (!begin_clustering(&c)) {
		end_clustering(&c);
		return -1;
	}
	find_callers(&c);
	size_t count = rank_functions(&c, false);
	for (size_t i = 0; i < count; i++) {
		const uint32_t f = c.ranked[i].function, from = c.head[f];
		if (c.caller[f] == NO_FUNCTION)
			continue;
		const uint32_t to = c.head[c.caller[f]];
		if (to != from && from == f && c.size[to] + c.size[from] <= CLUSTER_MAX)
			join_clusters(&c, to, from);
	}
	count = rank_functions(&c, true);
	for (size_t i = 0; i < count; i++) {
		for (uint32_t f = c.ranked[i].function; f != NO_FUNCTION; f = c.next[f])
			order[used++] = f;
	}
	for (uint32_t f = 0; f < graph->function_count; f++) {
		if (graph->functions[f].weight == 0 && c.head[f] == f && c.next[f] == NO_FUNCTION)
			order[used++] = f;
	}
	end_clustering(&c);
	return 0;
}
