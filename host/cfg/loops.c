/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Dominators by iteration over the reverse postorder (Cooper, Harvey and Kennedy), loops and their nesting by Havlak's
 * form of Tarjan's interval search. All iterative: functions of a million blocks are allowed.
 *
 * A loop is reducible if its head dominates all of it, which is so if no edge enters it elsewhere.
 */
#include "host/cfg/private.h"

#include <stdlib.h>
#include <string.h>

struct work { /* of one function; block indexes are relative to its first one, 1 on: 0 is a node above all roots */
	const struct cfg *cfg;
	uint32_t base, count;    /* count: blocks + 1 */
	uint32_t *first, *preds; /* predecessors of n: preds[first[n]] to preds[first[n + 1] - 1] */
	uint32_t *number, *node; /* preorder; node of a number */
	uint32_t *last;          /* by number: the highest number below it in the depth-first tree */
	uint32_t *post;          /* nodes in postorder */
	uint32_t *rank;          /* place in post */
	uint32_t *idom;          /* by node, as rank */
	uint32_t *set;           /* by number: union-find */
	uint32_t *header;        /* by number: of the innermost loop around it, 0: none */
	uint32_t *stack, *edge;
	bool *is_head, *irreducible;
	uint32_t *latches, *pool, reached;
};

static void free_work(struct work *w)
{
	void *all[] = {w->first, w->preds, w->number, w->node, w->last, w->post, w->rank, w->idom, w->set, w->header,
	    w->stack, w->edge, w->is_head, w->irreducible, w->latches, w->pool};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
}

static int make_work(struct work *w, size_t edges)
{
	uint32_t **arrays[] = {&w->first, &w->number, &w->node, &w->last, &w->post, &w->rank, &w->idom, &w->set,
	    &w->header, &w->stack, &w->edge, &w->latches, &w->pool};
	for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
		*arrays[i] = calloc((size_t)w->count + 2, sizeof(uint32_t));
		if (*arrays[i] == NULL)
			return CFG_ENOMEM;
	}
	w->preds = calloc(edges + w->count + 1, sizeof *w->preds);
	w->is_head = calloc(w->count + 1u, sizeof *w->is_head);
	w->irreducible = calloc(w->count + 1u, sizeof *w->irreducible);
	return w->preds == NULL || w->is_head == NULL || w->irreducible == NULL ? CFG_ENOMEM : CFG_OK;
}

/* Successor i of a node, 0: no such. The node above leads to all roots, the entry first. */
static bool successor(const struct work *w, uint32_t node, uint32_t *i, uint32_t *to)
{
	const struct cfg *cfg = w->cfg;
	if (node == 0) {
		const struct cfg_function *function = &cfg->functions[cfg->blocks[w->base].function];
		if ((*i)++ == 0 && function->entry != CFG_NONE) {
			*to = function->entry - w->base + 1;
			return true;
		}
		for (; *i - 2 < w->count - 1; ++*i) {
			uint32_t block = w->base + *i - 2;
			if (cfg->blocks[block].root && block != function->entry) {
				*to = block - w->base + 1;
				++*i;
				return true;
			}
		}
		return false;
	}
	const struct cfg_block *block = &cfg->blocks[w->base + node - 1];
	while (*i < block->edge_count) {
		uint32_t target = cfg->edges[block->edges + (*i)++].to;
		if (target != CFG_NONE) {
			*to = target - w->base + 1;
			return true;
		}
	}
	return false;
}

static void make_preds(struct work *w)
{
	uint32_t to;
	for (int round = 0; round < 2; round++) {
		for (uint32_t node = 0; node < w->count; node++) {
			for (uint32_t i = 0; successor(w, node, &i, &to);) {
				if (round == 0)
					w->first[to + 1]++;
				else
					w->preds[w->stack[to]++] = node;
			}
		}
		for (uint32_t node = 0; node < w->count && round == 0; node++) {
			w->first[node + 1] += w->first[node];
			w->stack[node] = w->first[node];
		}
	}
}

static void search(struct work *w)
{
	uint32_t depth = 0, finished = 0, to;
	memset(w->number, 0xFF, w->count * sizeof *w->number);
	w->stack[0] = 0;
	w->edge[0] = 0;
	w->number[0] = 0;
	w->node[0] = 0;
	w->reached = 1;
	for (;;) {
		uint32_t node = w->stack[depth];
		if (successor(w, node, &w->edge[depth], &to)) {
			if (w->number[to] != CFG_NONE)
				continue;
			w->number[to] = w->reached;
			w->node[w->reached++] = to;
			w->stack[++depth] = to;
			w->edge[depth] = 0;
			continue;
		}
		w->last[w->number[node]] = w->reached - 1;
		w->rank[node] = finished;
		w->post[finished++] = node;
		if (depth-- == 0)
			return;
	}
}

static void dominate(struct work *w)
{
	bool changed = true;
	for (uint32_t i = 0; i < w->reached; i++)
		w->idom[i] = CFG_NONE;
	w->idom[w->reached - 1] = w->reached - 1; /* by rank; that of the node above is the highest */
	while (changed) {
		changed = false;
		for (uint32_t rank = w->reached - 1; rank-- > 0;) {
			uint32_t node = w->post[rank], found = CFG_NONE;
			for (uint32_t p = w->first[node]; p < w->first[node + 1]; p++) {
				uint32_t a = w->rank[w->preds[p]];
				if (w->number[w->preds[p]] == CFG_NONE || w->idom[a] == CFG_NONE)
					continue;
				for (uint32_t b = found; b != CFG_NONE && a != b;) {
					while (a < b)
						a = w->idom[a];
					while (b < a)
						b = w->idom[b];
				}
				found = a;
			}
			changed = changed || w->idom[rank] != found;
			w->idom[rank] = found;
		}
	}
}

static uint32_t find(uint32_t *set, uint32_t number)
{
	uint32_t root = number;
	while (set[root] != root)
		root = set[root];
	while (set[number] != root) {
		uint32_t next = set[number];
		set[number] = root;
		number = next;
	}
	return root;
}

static bool below(const struct work *w, uint32_t head, uint32_t number)
{
	return head <= number && number <= w->last[head];
}

/* Heads from the innermost on: everything that reaches a latch backwards without passing the head is in the loop. An
 * edge from outside of the head's tree enters the loop elsewhere: irreducible. */
static void nest(struct work *w)
{
	for (uint32_t i = 0; i < w->reached; i++)
		w->set[i] = i;
	for (uint32_t head = w->reached; head-- > 1;) {
		uint32_t node = w->node[head], size = 0;
		for (uint32_t p = w->first[node]; p < w->first[node + 1]; p++) {
			uint32_t from = w->number[w->preds[p]];
			if (from == CFG_NONE || !below(w, head, from))
				continue;
			w->is_head[head] = true;
			w->latches[head]++;
			uint32_t inner = find(w->set, from);
			if (inner != head && w->edge[inner] != head) { /* edge[]: marks, head by head */
				w->edge[inner] = head;
				w->pool[size++] = inner;
			}
		}
		for (uint32_t i = 0; i < size; i++) {
			uint32_t member = w->node[w->pool[i]];
			for (uint32_t p = w->first[member]; p < w->first[member + 1]; p++) {
				uint32_t from = w->number[w->preds[p]];
				if (from == CFG_NONE || below(w, w->pool[i], from))
					continue; /* back into an inner loop */
				uint32_t outer = find(w->set, from);
				if (!below(w, head, outer)) {
					w->irreducible[head] = true;
					continue;
				}
				if (outer != head && w->edge[outer] != head) {
					w->edge[outer] = head;
					w->pool[size++] = outer;
				}
			}
		}
		for (uint32_t i = 0; i < size; i++) {
			w->header[w->pool[i]] = head;
			w->set[w->pool[i]] = head;
		}
	}
}

static int store(struct cfg *cfg, struct cfg_function *function, struct work *w, size_t *size)
{
	function->loops = cfg->counts.loops;
	function->reducible = true;
	/* preorder: an outer head comes before those inside. stack[]: loop of a head's number */
	for (uint32_t number = 1; number < w->reached; number++) {
		uint32_t block = w->base + w->node[number] - 1;
		uint32_t above = w->idom[w->rank[w->node[number]]];
		uint32_t around = w->header[number] == 0 ? CFG_NONE : w->stack[w->header[number]];
		cfg->blocks[block].dominator = w->post[above] == 0 ? CFG_NONE : w->base + w->post[above] - 1;
		if (!w->is_head[number]) {
			cfg->blocks[block].loop = around;
			continue;
		}
		if (!array_room(&cfg->loops, cfg->counts.loops + 1, size))
			return CFG_ENOMEM;
		uint32_t loop = cfg->counts.loops++;
		cfg->loops[loop] = (struct cfg_loop){.function = cfg->blocks[block].function,
		    .head = block,
		    .parent = around,
		    .depth = around == CFG_NONE ? 1 : cfg->loops[around].depth + 1,
		    .latches = w->latches[number],
		    .reducible = !w->irreducible[number]};
		w->stack[number] = loop;
		cfg->blocks[block].loop = loop;
		function->reducible = function->reducible && !w->irreducible[number];
		cfg->counts.irreducible += w->irreducible[number];
	}
	function->loop_count = cfg->counts.loops - function->loops;
	for (uint32_t b = w->base; b < w->base + w->count - 1; b++) {
		if (cfg->blocks[b].loop != CFG_NONE)
			cfg->loops[cfg->blocks[b].loop].block_count++;
	}
	for (uint32_t loop = cfg->counts.loops; loop-- > function->loops;) {
		if (cfg->loops[loop].parent != CFG_NONE)
			cfg->loops[cfg->loops[loop].parent].block_count += cfg->loops[loop].block_count;
	}
	return CFG_OK;
}

int cfg_loops(struct cfg *cfg)
{
	int error = CFG_OK;
	size_t size = 0;
	for (uint32_t i = 0; i < cfg->counts.functions && error == CFG_OK; i++) {
		struct cfg_function *function = &cfg->functions[i];
		struct work w = {.cfg = cfg, .base = function->blocks, .count = function->block_count + 1};
		if (function->block_count == 0)
			continue;
		error = make_work(&w, function->edge_count);
		if (error == CFG_OK) {
			make_preds(&w);
			search(&w);
			dominate(&w);
			memset(w.edge, 0, w.count * sizeof *w.edge);
			nest(&w);
			error = store(cfg, function, &w, &size);
		}
		free_work(&w);
	}
	return error;
}

bool cfg_dominates(const struct cfg *cfg, uint32_t a, uint32_t b)
{
	while (b != CFG_NONE && b != a)
		b = cfg->blocks[b].dominator;
	return b == a;
}
