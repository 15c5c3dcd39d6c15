/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The blocks of a function in another order: those that ran by tsp.h, the others behind them, then padding. */
#include <stdlib.h>
#include "host/layout/layout_private.h"
#include "host/layout/tsp.h"

/* A branch that is not taken saves what a taken one costs; where there is no branch, an instruction too. */
#define ALWAYS 2

struct block {
	uint32_t first, end; /* atoms */
	uint32_t node;       /* in the graph; UINT32_MAX: it did not run */
};
struct blocks {
	struct laying *l;
	const struct layout_function *f;
	struct block *all;
	size_t count;
	uint32_t *block_of; /* by atom of the function */
	struct tsp_block *nodes;
	uint32_t *node_blocks; /* by node */
	size_t node_count;
	struct tsp_edge *edges;
	size_t edge_count;
};

static const struct edit_atom *atom_of(const struct blocks *b, uint32_t number)
{
	return &b->l->section->atoms[number];
}

/* The atom in the function that a direct transfer goes to; UINT32_MAX: it leaves. */
static uint32_t jump_target(const struct blocks *b, const struct edit_atom *atom)
{
	const struct edit_section *s = b->l->section;
	if ((atom->flow != EDIT_BRANCH && atom->flow != EDIT_JUMP) || atom->section != s->number)
		return UINT32_MAX;
	const struct edit_atom *to = edit_atom_at(s, atom->target);
	const uint32_t number = to == NULL ? UINT32_MAX : (uint32_t)(to - s->atoms);
	return number >= b->f->first && number < b->f->body ? number : UINT32_MAX;
}

static bool ends_block(const struct edit_atom *atom)
{
	return atom->flow == EDIT_BRANCH || atom->flow == EDIT_JUMP || atom->flow == EDIT_INDIRECT;
}

/* A block begins where one can be jumped to, behind transfers, and where counts change. */
static void find_blocks(struct blocks *b, bool *leads)
{
	const struct layout_function *f = b->f;
	for (uint32_t a = f->first; a < f->body; a++) {
		const uint32_t to = jump_target(b, atom_of(b, a));
		if (to != UINT32_MAX)
			leads[to - f->first] = true;
		if (a == f->first || ends_block(atom_of(b, a - 1)) ||
		    laying_count(b->l, a) != laying_count(b->l, a - 1))
			leads[a - f->first] = true;
	}
	for (uint32_t a = f->first; a < f->body; a++) {
		leads[a - f->first] = a == f->first || ((leads[a - f->first] || b->l->apart[a]) && !b->l->glued[a]);
		if (leads[a - f->first])
			b->all[b->count++] = (struct block){.first = a, .end = a, .node = UINT32_MAX};
		b->all[b->count - 1].end = a + 1;
		b->block_of[a - f->first] = (uint32_t)b->count - 1;
	}
}

static void find_nodes(struct blocks *b)
{
	for (size_t i = 0; i < b->count; i++) {
		struct block *k = &b->all[i];
		uint64_t count = 0; /* of one in several parts, the most */
		for (uint32_t a = k->first; a < k->end; a++)
			count = laying_count(b->l, a) > count ? laying_count(b->l, a) : count;
		if (count == 0 && i > 0)
			continue;
		k->node = (uint32_t)b->node_count;
		b->node_blocks[b->node_count] = (uint32_t)i;
		b->nodes[b->node_count++] =
		    (struct tsp_block){(uint32_t)(atom_of(b, k->end)->offset - atom_of(b, k->first)->offset), count};
	}
}

static void add_node_edge(struct blocks *b, const struct block *from, uint32_t to, uint64_t count)
{
	if (to < b->f->first || to >= b->f->body || count == 0)
		return;
	const struct block *k = &b->all[b->block_of[to - b->f->first]];
	if (k->node != UINT32_MAX && k->first == to)
		b->edges[b->edge_count++] = (struct tsp_edge){from->node, k->node, count};
}

static void find_edges(struct blocks *b)
{
	for (size_t i = 0; i < b->node_count; i++) {
		const struct block *k = &b->all[b->node_blocks[i]];
		const uint32_t last = k->end - 1;
		const struct edit_atom *atom = atom_of(b, last);
		const struct layout_site *site = b->l->sites[last];
		if (site == NULL)
			continue;
		const uint32_t to = jump_target(b, atom);
		if (atom->flow == EDIT_BRANCH) {
			if (to != UINT32_MAX)
				add_node_edge(b, k, to, site->taken);
			add_node_edge(b, k, k->end, site->not_taken);
		} else if (atom->flow == EDIT_JUMP) {
			if (to != UINT32_MAX)
				add_node_edge(b, k, to, ALWAYS * site->count);
		} else if (atom->flow != EDIT_INDIRECT && k->end < b->f->body) {
			const uint64_t next = laying_count(b->l, k->end);
			add_node_edge(b, k, k->end, ALWAYS * (next < site->count ? next : site->count));
		}
	}
}

static uint32_t lay_block(const struct blocks *b, const struct block *k, uint32_t at)
{
	for (uint32_t a = k->first; a < k->end; a++)
		b->l->order[at++] = a;
	return at;
}

/* nodes: by place. NULL: as they are. */
static void put_blocks(const struct blocks *b, const uint32_t *nodes)
{
	uint32_t at = b->f->first;
	for (size_t i = 0; i < b->node_count; i++)
		at = lay_block(b, &b->all[b->node_blocks[nodes[i]]], at);
	for (size_t i = 0; i < b->count; i++) {
		if (b->all[i].node == UINT32_MAX)
			at = lay_block(b, &b->all[i], at);
	}
}

static int order_blocks(struct blocks *b)
{
	const struct tsp_graph graph = {b->nodes, b->node_count, b->edges, b->edge_count};
	uint32_t *order = malloc((b->node_count + 1) * sizeof *order),
		 *same = malloc((b->node_count + 1) * sizeof *same);
	int error = order == NULL || same == NULL || tsp_order(&graph, order) != 0 ? OBJECT_ENOMEM : OBJECT_OK;
	if (error == OBJECT_OK) {
		for (uint32_t i = 0; i < b->node_count; i++)
			same[i] = i;
		put_blocks(b, tsp_worth(&graph, order) > tsp_worth(&graph, same) ? order : same);
	}
	free(order);
	free(same);
	return error;
}

int laying_blocks(struct laying *l, struct layout_function *f)
{
	const size_t n = f->body - f->first + 1;
	struct blocks b = {.l = l, .f = f};
	bool *leads = calloc(n, sizeof *leads);
	int error = OBJECT_OK;
	b.all = calloc(n, sizeof *b.all);
	b.block_of = calloc(n, sizeof *b.block_of);
	b.nodes = calloc(n, sizeof *b.nodes);
	b.node_blocks = calloc(n, sizeof *b.node_blocks);
	b.edges = calloc(2 * n, sizeof *b.edges);
	if (leads == NULL || b.all == NULL || b.block_of == NULL || b.nodes == NULL || b.node_blocks == NULL ||
	    b.edges == NULL)
		error = OBJECT_ENOMEM;
	else {
		find_blocks(&b, leads);
		find_nodes(&b);
		find_edges(&b);
		error = order_blocks(&b);
	}
	free(leads);
	free(b.all);
	free(b.block_of);
	free(b.nodes);
	free(b.node_blocks);
	free(b.edges);
	return error;
}
