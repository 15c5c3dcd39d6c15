/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/edges_private.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>

static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	return order_then(ORDER_UP(x->site, y->site), ORDER_UP(x->target, y->target));
}

/* Sorts, and adds up what has the same site and target. */
void edges_merge(struct edges *edges)
{
	size_t done = 0;
	if (edges->count > 0)
		qsort(edges->all, edges->count, sizeof *edges->all, compare_edges);
	for (size_t i = 0; i < edges->count; i++) {
		struct edge *last = done == 0 ? NULL : &edges->all[done - 1];
		const struct edge *edge = &edges->all[i];
		if (last != NULL && compare_edges(last, edge) == 0) {
			last->calls += edge->calls;
			last->count += edge->count;
			last->cycles += edge->cycles;
			last->unknown |= edge->unknown;
		} else
			edges->all[done++] = *edge;
	}
	edges->count = done;
}

size_t edges_first(const struct edges *edges, uint64_t site)
{
	size_t low;
	ORDER_FIRST(low, 0, edges->count, edges->all[low].site < site);
	return low;
}

void edges_free(struct edges *edges)
{
	free(edges->all);
	free(edges->roots);
	free(edges->functions);
	*edges = (struct edges){0};
}

/* ---- records in order: sums over contexts ---- */

static bool inside_same_edge(const struct stack_node *nodes, size_t index)
{
	const struct stack_node *node = &nodes[index];
	for (uint32_t i = node->parent; i != STACK_NOBODY; i = nodes[i].parent) {
		if (nodes[i].site == node->site && nodes[i].entry == node->entry)
			return true;
	}
	return false;
}

static int from_contexts(struct edges *edges, const struct gather_result *result)
{
	struct gather_sum *below = gather_own_sums(result);
	edges->all = calloc(result->node_count, sizeof *edges->all);
	edges->roots = calloc(result->node_count, sizeof *edges->roots);
	if (below == NULL || edges->all == NULL || edges->roots == NULL) {
		free(below);
		return EXPORT_ENOMEM;
	}
	for (size_t i = result->node_count; i-- > 1;) { /* children have larger indices */
		const struct stack_node *node = &result->nodes[i];
		below[node->parent].count += below[i].count;
		below[node->parent].cycles += below[i].cycles;
		if (node->kind == STACK_ROOT) {
			edges->roots[edges->root_count++] = (struct edge){.target = node->entry,
			    .calls = node->entered,
			    .count = below[i].count,
			    .cycles = below[i].cycles,
			    .kind = STACK_ROOT};
			continue;
		}
		bool again = inside_same_edge(result->nodes, i);
		edges->all[edges->count++] = (struct edge){.site = node->site,
		    .target = node->entry,
		    .calls = node->entered,
		    .count = again ? 0 : below[i].count,
		    .cycles = again ? 0 : below[i].cycles,
		    .kind = node->kind,
		    .unknown = node->entered == 0 ? EDGE_MORE : 0}; /* without counters: its own time is not there */
	}
	free(below);
	edges_merge(edges);
	return EXPORT_OK;
}

int edges_make(struct edges *edges, const struct export_input *input)
{
	*edges = (struct edges){.estimated = !input->result->ordered};
	int error = input->result->ordered ? from_contexts(edges, input->result) : edges_estimate(edges, input);
	if (error != EXPORT_OK)
		edges_free(edges);
	return error;
}
