/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/flow.h"

#include <stdlib.h>

struct link {
	uint32_t from, to;
	int64_t count;
	bool known;
};

/* By vertex: the sum of what is known in minus out, how many are not known, and the exclusive or of their numbers. */
struct vertex {
	int64_t surplus;
	uint32_t left, which;
};

static void know_link(struct vertex *v, struct link *link, uint32_t number)
{
	v[link->from].surplus -= link->count;
	v[link->to].surplus += link->count;
	v[link->from].left--;
	v[link->to].left--;
	v[link->from].which ^= number;
	v[link->to].which ^= number;
	link->known = true;
}

static bool is_cut_block(const struct map_block *block, bool blocks)
{
	return blocks && (block->flags & MAP_LEAVES) != 0;
}

/* Edges first, then ways in by block, then EXIT -> ENTRY, then starts by block. */
static uint32_t collect_flow_links(const struct map *m, const struct map_function *f, bool blocks, struct link *links)
{
	uint32_t n = f->block_count, count = f->edge_count;
	for (uint32_t b = 0; b < n; b++) {
		const struct map_block *block = &m->blocks[f->blocks + b];
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			uint32_t to = m->edges[e].to;
			struct link *link = &links[e - f->edges];
			*link = (struct link){.from = b, .to = to == GRAPH_NONE ? n + 1 : to};
			if (is_cut_block(block, blocks)) {
				link->from = n;
				link->known = to == GRAPH_NONE;
			}
		}
		/* what is no way in is known to be 0 */
		links[count++] = (struct link){.from = n, .to = b, .known = (block->flags & MAP_ROOT) == 0};
	}
	links[count++] = (struct link){.from = n + 1, .to = n};
	for (uint32_t b = 0; b < n; b++)
		links[count++] =
		    (struct link){.from = b, .to = n + 1, .known = !is_cut_block(&m->blocks[f->blocks + b], blocks)};
	return count;
}

int flow_edges(
    const struct map *m, uint32_t function, const struct flow_counters *given, uint64_t *edges, uint64_t *intos)
{
	const uint64_t *counters = given->counters, *stops = given->stops;
	const bool blocks = given->blocks;
	const struct map_function *f = &m->functions[function];
	uint32_t n = f->block_count, depth = 0, count;
	struct link *links = malloc((f->edge_count + 2u * n + 1u) * sizeof *links);
	struct vertex *v = calloc(n + 2u, sizeof *v);
	uint32_t *stack = malloc((f->edge_count + 3u * n + 8u) * 2 * sizeof *stack);
	int error = links == NULL || v == NULL || stack == NULL ? MAP_ENOMEM : MAP_OK;
	count = error == MAP_OK ? collect_flow_links(m, f, blocks, links) : 0;
	for (uint32_t i = 0; i < count; i++) {
		if (links[i].known)
			continue;
		v[links[i].from].left++;
		v[links[i].to].left++;
		v[links[i].from].which ^= i;
		v[links[i].to].which ^= i;
	}
	for (uint32_t i = 0; i < f->word_count && error == MAP_OK; i++) {
		uint32_t word = m->words[f->words + i];
		uint32_t base = 0, room = n, before = f->edge_count; /* links before those of its kind */
		if (word < EDGES_INTO) {
			room = f->edge_count;
			before = 0;
		} else if (word < EDGES_BLOCK)
			base = EDGES_INTO;
		else {
			base = EDGES_BLOCK;
			before += n + 1;
		}
		uint32_t at = word - base + before;
		if (word - base >= room || links[at].known) {
			error = MAP_EFORMAT;
			break;
		}
		links[at].count = (int64_t)counters[i];
		know_link(v, &links[at], at);
	}
	for (uint32_t b = 0; b < n && error == MAP_OK; b++) { /* as if an edge led out from there */
		if (is_cut_block(&m->blocks[f->blocks + b], blocks))
			continue;
		v[b].surplus -= (int64_t)stops[b];
		v[n + 1].surplus += (int64_t)stops[b];
	}
	for (uint32_t b = 0; b < n + 2 && error == MAP_OK; b++)
		stack[depth++] = b;
	while (depth > 0 && error == MAP_OK) {
		uint32_t b = stack[--depth];
		if (v[b].left != 1)
			continue;
		uint32_t which = v[b].which;
		struct link *link = &links[which];
		uint32_t other = link->from == b ? link->to : link->from;
		link->count = link->from == b ? v[b].surplus : -v[b].surplus;
		if (link->count < 0)
			link->count = 0;
		know_link(v, link, which);
		stack[depth++] = other;
	}
	for (uint32_t e = 0; e < f->edge_count && error == MAP_OK; e++)
		edges[e] = (uint64_t)links[e].count;
	for (uint32_t b = 0; b < n && error == MAP_OK; b++)
		intos[b] = (uint64_t)links[f->edge_count + b].count;
	free(links);
	free(v);
	free(stack);
	return error;
}
