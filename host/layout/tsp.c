/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/layout/tsp.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FORWARD 1024 /* bytes that a jump is short over */
#define BACKWARD 640
#define SHORT_SHARE 0.1
#define SPLIT_MAX 96 /* blocks of a chain that another one is tried within */
#define LEAST 1e-6   /* of gain */

struct chain {
	uint32_t *blocks; /* NULL: it is part of another one */
	size_t count;
	double worth;
};
struct neighbours { /* two chains that an edge joins */
	uint32_t a, b;
	double gain;
	size_t split; /* b lies behind so many blocks of a */
	bool fresh;
};
struct tsp {
	const struct tsp_graph *graph;
	uint32_t *first, *next; /* edges out of a block: number + 1, or 0 */
	struct chain *chains;
	uint32_t *chain_of;
	struct neighbours *pairs;
	size_t pair_count;
	uint32_t *sequence; /* one that is tried */
	uint64_t *place;    /* by block: + 1; 0: it is not in the sequence */
};

static double edge_worth(uint64_t from_end, uint64_t to, uint64_t count)
{
	const uint64_t distance = to > from_end ? to - from_end : from_end - to;
	const uint64_t most = to > from_end ? FORWARD : BACKWARD;
	if (distance == 0)
		return (double)count;
	return distance < most ? SHORT_SHARE * (double)count * (1 - (double)distance / (double)most) : 0;
}

static double sequence_worth(struct tsp *t, const uint32_t *blocks, size_t count)
{
	const struct tsp_graph *g = t->graph;
	uint64_t at = 1;
	double worth = 0;
	for (size_t i = 0; i < count; i++) {
		t->place[blocks[i]] = at;
		at += g->blocks[blocks[i]].size;
	}
	for (size_t i = 0; i < count; i++) {
		for (uint32_t e = t->first[blocks[i]]; e != 0; e = t->next[e - 1]) {
			const struct tsp_edge *edge = &g->edges[e - 1];
			if (t->place[edge->to] != 0)
				worth += edge_worth(
				    t->place[blocks[i]] + g->blocks[blocks[i]].size, t->place[edge->to], edge->count);
		}
	}
	for (size_t i = 0; i < count; i++)
		t->place[blocks[i]] = 0;
	return worth;
}

/* Chain b behind so many blocks of chain a, in t->sequence. False: the first block of all would not be first. */
static bool join_within(struct tsp *t, const struct chain *a, const struct chain *b, size_t split)
{
	memcpy(t->sequence, a->blocks, split * sizeof *a->blocks);
	memcpy(t->sequence + split, b->blocks, b->count * sizeof *b->blocks);
	memcpy(t->sequence + split + b->count, a->blocks + split, (a->count - split) * sizeof *a->blocks);
	return b->blocks[0] != 0 && (split > 0 || a->blocks[0] != 0);
}

static void try_within(struct tsp *t, struct neighbours *pair, uint32_t a, uint32_t b, size_t split)
{
	const struct chain *x = &t->chains[a], *y = &t->chains[b];
	if (!join_within(t, x, y, split))
		return;
	const double gain = sequence_worth(t, t->sequence, x->count + y->count) - x->worth - y->worth;
	if (gain <= pair->gain + LEAST)
		return;
	pair->a = a;
	pair->b = b;
	pair->split = split;
	pair->gain = gain;
}

static void find_gain(struct tsp *t, struct neighbours *pair)
{
	const uint32_t ends[2] = {pair->a, pair->b};
	pair->gain = 0;
	pair->fresh = true;
	for (unsigned i = 0; i < 2; i++) {
		const size_t count = t->chains[ends[i]].count;
		try_within(t, pair, ends[i], ends[1 - i], count);
		for (size_t split = 1; split < count && count <= SPLIT_MAX; split++)
			try_within(t, pair, ends[i], ends[1 - i], split);
	}
}

static int join_pair(struct tsp *t, const struct neighbours *pair)
{
	struct chain *a = &t->chains[pair->a], *b = &t->chains[pair->b];
	const size_t count = a->count + b->count;
	const uint32_t kept = pair->a, gone = pair->b;
	uint32_t *blocks = malloc(count * sizeof *blocks);
	if (blocks == NULL)
		return -1;
	join_within(t, a, b, pair->split);
	memcpy(blocks, t->sequence, count * sizeof *blocks);
	free(a->blocks);
	free(b->blocks);
	*b = (struct chain){0};
	a->blocks = blocks;
	a->count = count;
	a->worth = sequence_worth(t, blocks, count);
	for (size_t i = 0; i < count; i++)
		t->chain_of[blocks[i]] = kept;
	size_t left = 0;
	for (size_t i = 0; i < t->pair_count; i++) {
		struct neighbours p = t->pairs[i];
		p.a = p.a == gone ? kept : p.a;
		p.b = p.b == gone ? kept : p.b;
		p.fresh = p.fresh && p.a != kept && p.b != kept;
		if (p.a != p.b)
			t->pairs[left++] = p;
	}
	t->pair_count = left;
	return 0;
}

/*
 * An example. Blocks of 16 bytes; edges a-b and b-d run 90 times, a-c and c-d 10 times:
 *
 *   a b c d    falls through: a-b 90, c-d 10     over 16 bytes: a-c 0.98, b-d 8.86                  109.8
 *   a b d c    falls through: a-b 90, b-d 90     over 32: a-c 0.97       back over 32: c-d 0.95     181.9
 *
 * [a] [b] [c] [d] become [a b], then [a b d], then [a b d c].
 */
static int join_chains(struct tsp *t)
{
	for (;;) {
		struct neighbours *best = NULL;
		for (size_t i = 0; i < t->pair_count; i++) {
			if (!t->pairs[i].fresh)
				find_gain(t, &t->pairs[i]);
			if (t->pairs[i].gain > LEAST && (best == NULL || t->pairs[i].gain > best->gain))
				best = &t->pairs[i];
		}
		if (best == NULL)
			return 0;
		const struct neighbours chosen = *best;
		if (join_pair(t, &chosen) != 0)
			return -1;
	}
}

/* Pairs of blocks, each once. */
static void find_pairs(struct tsp *t)
{
	const struct tsp_graph *g = t->graph;
	for (size_t i = 0; i < g->edge_count; i++) {
		const struct tsp_edge *e = &g->edges[i];
		bool known = e->from == e->to || e->count == 0;
		for (uint32_t k = t->first[e->from]; k != 0 && !known; k = t->next[k - 1])
			known = k - 1 < i && g->edges[k - 1].to == e->to;
		for (uint32_t k = t->first[e->to]; k != 0 && !known; k = t->next[k - 1])
			known = k - 1 < i && g->edges[k - 1].to == e->from;
		if (!known)
			t->pairs[t->pair_count++] = (struct neighbours){.a = e->from, .b = e->to};
	}
}

static bool begin_tsp(struct tsp *t)
{
	const struct tsp_graph *g = t->graph;
	const size_t n = g->block_count;
	t->first = calloc(n + 1, sizeof *t->first);
	t->next = calloc(g->edge_count + 1, sizeof *t->next);
	t->chains = calloc(n + 1, sizeof *t->chains);
	t->chain_of = calloc(n + 1, sizeof *t->chain_of);
	t->pairs = calloc(g->edge_count + 1, sizeof *t->pairs);
	t->sequence = calloc(n + 1, sizeof *t->sequence);
	t->place = calloc(n + 1, sizeof *t->place);
	if (t->first == NULL || t->next == NULL || t->chains == NULL || t->chain_of == NULL || t->pairs == NULL ||
	    t->sequence == NULL || t->place == NULL)
		return false;
	for (size_t i = 0; i < g->edge_count; i++) {
		t->next[i] = t->first[g->edges[i].from];
		t->first[g->edges[i].from] = (uint32_t)i + 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		t->chains[i] = (struct chain){.blocks = malloc(sizeof(uint32_t)), .count = 1};
		if (t->chains[i].blocks == NULL)
			return false;
		t->chains[i].blocks[0] = t->chain_of[i] = i;
	}
	find_pairs(t);
	return true;
}

static void end_tsp(struct tsp *t)
{
	for (size_t i = 0; t->chains != NULL && i < t->graph->block_count; i++)
		free(t->chains[i].blocks);
	free(t->first);
	free(t->next);
	free(t->chains);
	free(t->chain_of);
	free(t->pairs);
	free(t->sequence);
	free(t->place);
}

/* Executions a byte. */
static double chain_density(const struct tsp *t, const struct chain *c)
{
	double count = 0, size = 0;
	for (size_t i = 0; i < c->count; i++) {
		count += (double)t->graph->blocks[c->blocks[i]].count;
		size += t->graph->blocks[c->blocks[i]].size;
	}
	return count / size;
}

/* The first block's chain, then the others: the dense ones first, equal ones by their first block. */
static void lay_chains(struct tsp *t, uint32_t *order)
{
	size_t used = 0;
	uint32_t next = t->chain_of[0];
	while (next != UINT32_MAX) {
		struct chain *c = &t->chains[next];
		double best = -1;
		memcpy(order + used, c->blocks, c->count * sizeof *order);
		used += c->count;
		free(c->blocks);
		c->blocks = NULL;
		next = UINT32_MAX;
		for (uint32_t i = 0; i < t->graph->block_count; i++) {
			const double density = t->chains[i].blocks == NULL ? -1 : chain_density(t, &t->chains[i]);
			if (density > best) {
				best = density;
				next = i;
			}
		}
	}
}

int tsp_order(const struct tsp_graph *graph, uint32_t *order)
{
	struct tsp t = {.graph = graph};
	int error = begin_tsp(&t) ? join_chains(&t) : -1;
	if (error == 0)
		lay_chains(&t, order);
	end_tsp(&t);
	return error;
}

double tsp_worth(const struct tsp_graph *graph, const uint32_t *order)
{
	struct tsp t = {.graph = graph};
	const double worth = begin_tsp(&t) ? sequence_worth(&t, order, graph->block_count) : -1;
	end_tsp(&t);
	return worth;
}
