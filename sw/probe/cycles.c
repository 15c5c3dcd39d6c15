/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/probe/cycles.h"

#define WIDTH sizeof(uintptr_t)
#define JUMPED UINTPTR_MAX /* pending: the running call has jumped to another function */
#define MODE_CYCLES 5      /* enum insert_mode */

typedef struct rivulet_cycles_node node;

static node nodes[RIVULET_CYCLES_NODES];
static uint32_t used = 1;
static volatile uint8_t busy, stopped;
node *rivulet_cycles_current = &nodes[0]; /* NULL: counting has stopped */
uintptr_t rivulet_cycles_pending;
node *rivulet_cycles_table[RIVULET_CYCLES_TABLE];

void rivulet_cycles_enter_slow(uintptr_t *record, uintptr_t sp, uintptr_t site);
void rivulet_cycles_leave_slow(uintptr_t cycles, uintptr_t sp);
void rivulet_cycles_leaf_slow(uintptr_t cycles, uintptr_t *record, uintptr_t site);
void rivulet_cycles_tail_slow(uintptr_t cycles, uintptr_t edge);
void rivulet_cycles_jump_slow(uintptr_t cycles, uintptr_t sp);
uintptr_t rivulet_cycles_again_slow(uintptr_t cycles, uintptr_t sp);

/* A call ends. */
static void end(node *n, uintptr_t cycles)
{
	n->self += cycles;
	n->self_high += n->self < cycles;
	n->calls++;
	n->least = cycles < n->least ? cycles : n->least;
	n->most = cycles > n->most ? cycles : n->most;
	n->now = n->left = 0;
}

/* The running call and those that it was jumped to from end; the one that called runs. */
static node *unwind(node *n, uintptr_t cycles)
{
	end(n, cycles);
	while (n->tail != 0) {
		n = n->parent;
		end(n, n->now);
	}
	return n->parent;
}

static node *find(node *parent, uintptr_t *record, uintptr_t site, uintptr_t edge)
{
	node *n = parent->child;
	while (n != NULL && (n->record != record || n->site != site || n->tail != edge))
		n = n->next;
	if (n != NULL)
		return n;
	if (used == RIVULET_CYCLES_NODES) {
		stopped = 1;
		nodes[0].calls = 1;
		rivulet_cycles_current = NULL;
		return NULL;
	}
	n = &nodes[used++];
	*n = (node){.parent = parent,
	    .record = record,
	    .site = site,
	    .tail = edge,
	    .least = UINTPTR_MAX,
	    .next = parent->child};
	parent->child = n;
	return n;
}

void rivulet_cycles_enter_slow(uintptr_t *record, uintptr_t sp, uintptr_t site)
{
	if (busy || stopped) {
		nodes[0].least += !stopped;
		return;
	}
	busy = 1;
	nodes[0].sp = UINTPTR_MAX;
	nodes[0].tail = 1;
	node *parent = rivulet_cycles_current;
	uintptr_t edge = 0;
	if (parent->left == 0 && rivulet_cycles_pending != JUMPED)
		parent->now = rivulet_cycles_pending;
	while (parent != nodes) {
		/* it jumped away, and nobody with counters has called since: to this function, or to one without counters that
		 * calls this one */
		if (parent->left != 0 && rivulet_cycles_pending == JUMPED) {
			edge = parent->site == site ? parent->left : 0;
			parent->left = edge == 0 ? parent->left : 0;
			break;
		}
		if (parent->left == 0 && sp <= parent->sp)
			break;
		nodes[0].most += parent->left == 0; /* left by longjmp */
		parent = unwind(parent, parent->now);
	}
	/* The same jump from above its own frame goes back to that frame: functions that jump to each other in turn are no
	 * deeper for it. */
	for (node *n = parent; edge != 0 && n->tail != 0 && n != nodes; n = n->parent) {
		if (n->record != record || n->tail != edge || n->parent->record != rivulet_cycles_current->record)
			continue;
		for (node *k = parent; k != n; k = k->parent)
			end(k, k->now);
		end(n, n->now);
		parent = n->parent;
		break;
	}
	node *n = find(parent, record, site, edge);
	if (n != NULL) {
		n->sp = sp;
		n->now = n->left = 0;
		rivulet_cycles_current = n;
		if (edge == 0) {
			*record = (uintptr_t)n;
			rivulet_cycles_table[(site << 1 ^ (uintptr_t)parent) / 4 % RIVULET_CYCLES_TABLE] = n;
		}
	}
	busy = 0;
}

void rivulet_cycles_leave_slow(uintptr_t cycles, uintptr_t sp)
{
	if (busy || stopped)
		return;
	busy = 1;
	node *n = rivulet_cycles_current;
	while (
	    n != nodes && (n->sp < sp || n->left != 0)) { /* left by longjmp, or by a jump to code without counters */
		nodes[0].most += n->left == 0;
		n = unwind(n, n->now);
	}
	if (n != nodes)
		n = unwind(n, cycles);
	else
		nodes[0].now++; /* torn: no frame is the one that returns */
	rivulet_cycles_current = n;
	rivulet_cycles_pending = n->left != 0 ? JUMPED : n->now;
	busy = 0;
}

/* Frames deeper than a stack pointer, and those of its calls, have been left. */
static node *left_above(node *n, uintptr_t sp)
{
	while (n != nodes && (n->sp <= sp || n->left != 0)) {
		nodes[0].most += n->left == 0;
		n = unwind(n, n->now);
	}
	rivulet_cycles_current = n;
	rivulet_cycles_pending = n->now;
	return n;
}

void rivulet_cycles_jump_slow(uintptr_t cycles, uintptr_t sp)
{
	if (busy || stopped)
		return;
	busy = 1;
	if (rivulet_cycles_current != nodes)
		left_above(unwind(rivulet_cycles_current, cycles), sp);
	busy = 0;
}

uintptr_t rivulet_cycles_again_slow(uintptr_t cycles, uintptr_t sp)
{
	if (busy || stopped)
		return cycles;
	busy = 1;
	node *n = rivulet_cycles_current;
	cycles = left_above(n, sp) != n ? rivulet_cycles_current->now : cycles;
	if (rivulet_cycles_current == n)
		rivulet_cycles_pending = cycles;
	busy = 0;
	return cycles;
}

void rivulet_cycles_leaf_slow(uintptr_t cycles, uintptr_t *record, uintptr_t site)
{
	uintptr_t here;
	rivulet_cycles_enter_slow(record, (uintptr_t)&here, site);
	rivulet_cycles_leave_slow(cycles, (uintptr_t)&here);
}

void rivulet_cycles_tail_slow(uintptr_t cycles, uintptr_t edge)
{
	if (busy || stopped)
		return;
	node *n = rivulet_cycles_current;
	n->now = cycles;
	n->left = n == nodes ? 0 : edge;
	n->sp = n == nodes ? n->sp : 0; /* not the usual case of anybody */
	rivulet_cycles_pending = JUMPED;
}

struct rivulet_cycles_node *rivulet_cycles_switch(struct rivulet_cycles_node *to)
{
	node *from = rivulet_cycles_current;
	from->now = rivulet_cycles_pending;
	rivulet_cycles_current = to == NULL ? nodes : to;
	rivulet_cycles_pending = rivulet_cycles_current->now;
	return from;
}

/* ---- the profile ---- */

static struct rivulet_probe_node tree;

void rivulet_probe_before(void)
{
	static uint8_t ended;
	stopped = 1;
	for (node *n = rivulet_cycles_current; !ended && n != NULL && n != nodes; n = n->parent)
		end(n, n == rivulet_cycles_current && n->left == 0 ? rivulet_cycles_pending : n->now);
	ended = 1;
	rivulet_cycles_current = NULL;
	for (uint32_t i = 1; i < used; i++)
		*nodes[i].record = 0;
	for (uint32_t i = 1; i < used; i++) {
		if (*nodes[i].record == 0)
			*nodes[i].record = i;
		nodes[i].serial = *nodes[i].record;
	}
	rivulet_probe_register(&tree); /* while it is empty: what is registered begins with 0 */
	tree.id[0] = (uint32_t)RIVULET_CYCLES_ID;
	tree.id[1] = (uint32_t)(RIVULET_CYCLES_ID >> 32);
	tree.counters = nodes;
	tree.count = used * (uint32_t)RIVULET_CYCLES_WORDS;
	tree.width = WIDTH;
	tree.mode = MODE_CYCLES;
	nodes[0].child = NULL;
	nodes[0].serial = (uintptr_t)nodes; /* pointers of the others are from here */
}
