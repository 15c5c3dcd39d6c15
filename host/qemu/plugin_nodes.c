/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A trace that ran once is known. Each block in it has a node, for each trace that came there another one, and a node
 * knows where it goes on: to the next block of the trace, or, when the trace ends, to the root of the block that begins
 * the next one. So a block that begins costs one comparison, one addition and one step:
 *
 *   node A ──► B begins: count[0] + 1, node AB             the trace goes on
 *          └─► C begins: count[1] + 1, root C              it ends, by the branch: key[1] is its key
 *
 *   root of a block: it begins a trace. A branch has two ways on, [taken]; all other ends one. What goes anywhere has
 *   one key, and its ways are the first blocks that it came to; the others are found by their root.
 *
 * What no node knows goes by the rules (plugin.c), and is remembered if it went as it must. The first node knows
 * nothing: there what is under way is with the processor, as behind the last of all nodes that there is room for.
 */
#include <stdlib.h>
#include "host/qemu/plugin.h"

static _Atomic(struct block *) all_blocks;

/* Whether it is one of this processor's. */
static inline bool owns_node(const struct processor *p, const struct capture_node *node)
{
	return ((uintptr_t)node - (uintptr_t)p) / CAPTURE_REGION_SIZE == 0;
}

static struct capture_node *current_node(const struct processor *p)
{
	return (struct capture_node *)(uintptr_t)p->shared.node;
}

static struct capture_state *node_state(const struct processor *p, const struct capture_node *node)
{
	return &p->states[node - p->nodes];
}

void take_state(struct processor *p)
{
	const struct capture_node *node = current_node(p);
	if (node == p->nodes)
		return;
	p->shared.now = *node_state(p, node);
	p->before = (struct block *)(uintptr_t)p->shared.now.block;
}

void give_state(struct processor *p)
{
	p->shared.now.last = p->before == NULL ? 0 : p->before->insns;
	p->shared.now.block = (uintptr_t)p->before;
	p->shared.node = p->shared.nodes;
}

/* For what is under way. The first one: there is no more room. */
static struct capture_node *new_node(struct processor *p)
{
	const uint32_t count = atomic_load_explicit(&p->shared.node_count, memory_order_relaxed);
	if (count == CAPTURE_NODES_MAX)
		return p->nodes;
	p->states[count] = p->shared.now;
	atomic_store_explicit(&p->shared.node_count, count + 1, memory_order_release);
	return &p->nodes[count];
}

/* ---------------------------------------------------------------- roots */

static struct node_root *root_place(const struct processor *p, const struct block *b)
{
	size_t at = ((uintptr_t)b >> 5) * UINT64_C(0x9E3779B97F4A7C15) >> 20 & (p->root_room - 1);
	while (p->roots[at].block != NULL && p->roots[at].block != b)
		at = (at + 1) & (p->root_room - 1);
	return &p->roots[at];
}

static void widen_roots(struct processor *p)
{
	struct node_root *old = p->roots;
	const size_t room = p->root_room;
	p->root_room = room == 0 ? 1024 : 2 * room;
	p->roots = calloc(p->root_room, sizeof *p->roots);
	if (p->roots == NULL)
		capture_give_up(CAPTURE_NO_MEMORY);
	for (size_t i = 0; i < room; i++) {
		if (old[i].block != NULL)
			*root_place(p, old[i].block) = old[i];
	}
	free(old);
}

/* Of the block that begins now, with a trace. */
static struct capture_node *root_of(struct processor *p, struct block *b)
{
	struct capture_node *known = atomic_load_explicit(&b->root, memory_order_relaxed);
	if (known != NULL && owns_node(p, known))
		return known;
	if (2 * p->root_count >= p->root_room)
		widen_roots(p);
	struct node_root *root = root_place(p, b);
	if (root->block == NULL) {
		struct capture_node *node = new_node(p);
		if (node == p->nodes)
			return node;
		*root = (struct node_root){b, node};
		p->root_count++;
	}
	atomic_store_explicit(&b->root, root->node, memory_order_relaxed);
	return root->node;
}

void remember_block(struct block *b)
{
	b->next = atomic_load(&all_blocks);
	while (!atomic_compare_exchange_weak(&all_blocks, &b->next, b))
		;
}

void forget_roots(void)
{
	for (struct block *b = atomic_load(&all_blocks); b != NULL; b = b->next)
		atomic_store(&b->root, NULL);
}

/* ---------------------------------------------------------------- ways on */

/* Which way this block is, from a node that the block before ends; of what goes anywhere, where there is room. */
static size_t way_to(const struct capture_node *node, const struct block *before, const struct block *b)
{
	if (before->end >= END_INDIRECT)
		return node->to[0] != 0;
	return before->end == END_BRANCH && b->start != before->behind;
}

bool same_code(const struct block *a, const struct block *b)
{
	return a->start == b->start && a->insns == b->insns && a->last == b->last && a->behind == b->behind &&
	       a->end == b->end && a->target == b->target && a->alone == b->alone;
}

/* The node of a trace that goes on. */
static struct capture_node *child_node(
    struct processor *p, const struct capture_node *node, size_t way, struct block *b)
{
	struct capture_node *child = (struct capture_node *)(uintptr_t)node->next[way];
	if (child == NULL || !same_code((const struct block *)(uintptr_t)node_state(p, child)->block, b))
		return new_node(p);
	node_state(p, child)->block = (uintptr_t)b;
	return child;
}

/* The node of the block that begins now, and how it is reached from the one before. A system call is looked at each
 * time, because a signal may come behind it. */
static struct capture_node *learn_way(
    struct processor *p, struct capture_node *from, const struct block *before, struct block *b, bool regular)
{
	const bool ends = p->shared.now.insns == 0;
	if (!regular || from == p->nodes)
		return ends ? root_of(p, b) : p->nodes;
	const size_t way = way_to(from, before, b);
	struct capture_node *next = ends ? root_of(p, b) : child_node(p, from, way, b);
	if (next == p->nodes || (from->key[way] != 0 && from->key[way] != p->ended))
		return next;
	from->key[way] = p->ended;
	from->anywhere = before->end >= END_INDIRECT;
	from->next[way] = (uintptr_t)next;
	from->to[way] = b->end != END_SYSTEM_CALL ? (uintptr_t)b : 0;
	return next;
}

static __attribute__((noinline)) void begin_unknown(unsigned cpu, struct block *b)
{
	struct processor *p = cpu < PROCESSORS ? processors[cpu] : NULL;
	if (p == NULL)
		p = new_processor(cpu);
	struct capture_node *from = current_node(p);
	take_state(p);
	const struct block *before = p->before;
	p->ended = 0;
	const bool regular = block_begins_anew(p, b);
	give_state(p);
	p->shared.node = (uintptr_t)learn_way(p, from, before, b, regular);
}

/* ---------------------------------------------------------------- a block begins */

static inline __attribute__((always_inline)) void count_way(
    struct processor *p, struct capture_node *node, size_t way, uint32_t *ended)
{
	node->count[way]++;
	*ended = node->key[way];
	p->shared.node = node->next[way];
}

/* The key that this counts + 1, or 0. False: no node knows this way. */
static inline __attribute__((always_inline)) bool take_way(struct processor *p, const struct block *b, uint32_t *ended)
{
	struct capture_node *node = current_node(p);
	/* two branches, nothing computed: the processor guesses the way, and need not wait for the node */
	if (node->to[0] == (uintptr_t)b) {
		count_way(p, node, 0, ended);
		return true;
	}
	if (node->to[1] == (uintptr_t)b) {
		count_way(p, node, 1, ended);
		return true;
	}
	/* anywhere, as often before */
	struct capture_node *root = atomic_load_explicit(&b->root, memory_order_relaxed);
	if (node->anywhere == 0 || root == NULL || !owns_node(p, root) || b->end == END_SYSTEM_CALL)
		return false;
	node->count[0]++;
	*ended = node->key[0];
	p->shared.node = (uintptr_t)root;
	return true;
}

void block_begins(unsigned cpu, void *data)
{
	struct processor *p = cpu < PROCESSORS ? processors[cpu] : NULL;
	uint32_t ended;
	if (__builtin_expect(p == NULL || !take_way(p, data, &ended), 0))
		begin_unknown(cpu, data);
}

void block_begins_in_order(unsigned cpu, void *data)
{
	struct processor *p = cpu < PROCESSORS ? processors[cpu] : NULL;
	uint32_t ended = 0;
	if (__builtin_expect(p == NULL || !take_way(p, data, &ended), 0))
		begin_unknown(cpu, data);
	else if (ended != 0)
		push_trace(p, ended - 1);
}

void block_begins_checked(unsigned cpu, void *data)
{
	const struct block *b = data;
	if (__builtin_expect(b->check, 0))
		begin_unknown(cpu, data);
	else
		block_begins_in_order(cpu, data);
}
