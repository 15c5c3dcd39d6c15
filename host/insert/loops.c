/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/graph_private.h"

#include <stdlib.h>
#include <string.h>

/* Loops by depth-first search: a back edge's target is a head; its body is what reaches the edge without the head. */
int graph_find_depths(struct graph *g, struct graph_function *f)
{
	uint32_t n = f->block_count, base = f->blocks;
	uint32_t *stack = malloc((n + 1u) * sizeof *stack), *edge = calloc(n + 1u, sizeof *edge);
	uint8_t *state = calloc(n + 1u, 1), *inside = malloc(n + 1u);
	uint32_t *preds = calloc(n + 2u, sizeof *preds), *pred = malloc((f->edge_count + 1u) * sizeof *pred);
	uint32_t *back = malloc((f->edge_count + 1u) * 2 * sizeof *back), backs = 0, total = 0;
	int error = stack == NULL || edge == NULL || state == NULL || inside == NULL || preds == NULL || pred == NULL ||
			    back == NULL
			? OBJECT_ENOMEM
			: OBJECT_OK;
	for (int round = 0; round < 2 && error == OBJECT_OK; round++) {
		for (uint32_t b = 0; b < n; b++) {
			const struct graph_block *block = &g->blocks[base + b];
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
				if (g->edges[e].to == GRAPH_NONE)
					continue;
				uint32_t to = g->edges[e].to - base;
				if (round == 0)
					preds[to + 1]++;
				else
					pred[--preds[to + 1]] = b;
			}
		}
		for (uint32_t b = 0; b < n && round == 0; b++)
			preds[b + 1] += preds[b];
		total = round == 0 ? preds[n] : total;
	}
	/* after the second round preds[b + 1] is the first of b */
	for (uint32_t root = 0; root < n && error == OBJECT_OK; root++) {
		uint32_t depth = 0;
		if (state[root] != 0 || (root != 0 && !g->blocks[base + root].root))
			continue;
		stack[depth++] = root;
		state[root] = 1;
		while (depth > 0) {
			uint32_t b = stack[depth - 1];
			const struct graph_block *block = &g->blocks[base + b];
			if (edge[b] == block->edge_count) {
				state[b] = 2;
				depth--;
				continue;
			}
			uint32_t to = g->edges[block->edges + edge[b]++].to;
			if (to == GRAPH_NONE)
				continue;
			to -= base;
			if (state[to] == 0) {
				state[to] = 1;
				stack[depth++] = to;
			} else if (state[to] == 1) {
				back[2 * backs] = b;
				back[2 * backs++ + 1] = to;
			}
		}
	}
	for (uint32_t i = 0; i < backs && error == OBJECT_OK; i++) {
		/* all back edges of one head at once */
		bool done = false;
		for (uint32_t k = 0; k < i && !done; k++)
			done = back[2 * k + 1] == back[2 * i + 1];
		if (done)
			continue;
		uint32_t depth = 0, head = back[2 * i + 1];
		memset(inside, 0, n);
		inside[head] = 1;
		for (uint32_t k = i; k < backs; k++) {
			if (back[2 * k + 1] == head && !inside[back[2 * k]]) {
				inside[back[2 * k]] = 1;
				stack[depth++] = back[2 * k];
			}
		}
		while (depth > 0) {
			uint32_t b = stack[--depth];
			uint32_t end = b + 1 < n ? preds[b + 2] : total;
			for (uint32_t p = preds[b + 1]; p < end; p++) {
				if (!inside[pred[p]]) {
					inside[pred[p]] = 1;
					stack[depth++] = pred[p];
				}
			}
		}
		for (uint32_t b = 0; b < n; b++)
			g->blocks[base + b].depth += inside[b];
	}
	free(stack);
	free(edge);
	free(state);
	free(inside);
	free(preds);
	free(pred);
	free(back);
	return error;
}
