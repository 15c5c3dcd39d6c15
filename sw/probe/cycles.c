/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/probe/cycles.h"

#include <stdbool.h>

#define WIDTH sizeof(uintptr_t)
#define MODE_CYCLES 5 /* enum insert_mode */
#define LEAF 1u       /* in the stack pointer of what is entered, and in the site of a leaf that was jumped to */

typedef struct rivulet_cycles_node node;
_Static_assert(RIVULET_CYCLES_WORDS == 32, "inserted code and the hint's form");

static const struct rivulet_probe_node *registered(void)
{
	return rivulet_probe_root.nodes;
}

#define ALIGNED __attribute__((aligned(sizeof(node))))
#define nodes rivulet_cycles_nodes
ALIGNED node nodes[RIVULET_CYCLES_NODES + 1]; /* one more than are used: a hint may lie behind the last and be read */
static ALIGNED node nowhere;                  /* stands for functions where nothing is counted */
static uintptr_t classes[RIVULET_CYCLES_CLASSES]; /* their records */
static uint32_t used = 1;
static volatile uint8_t busy, ended;
static uintptr_t stacks, threads, damaged;
node *rivulet_cycles_table[RIVULET_CYCLES_TABLE];

node *rivulet_cycles_enter_slow(uintptr_t *record, uintptr_t sp, uintptr_t site, uintptr_t tag);
void rivulet_cycles_rare_slow(uintptr_t cycles, node *n);
void rivulet_cycles_waited_slow(uintptr_t cycles, node *n, uintptr_t site, uintptr_t class);

/* The hint that says: this node runs, and its next callee is not known. */
static uintptr_t runs(const node *n)
{
	return (uintptr_t)n - WIDTH;
}

static void empty(node *n)
{
	for (unsigned k = 0; k < RIVULET_CYCLES_SLOTS; k++)
		n->slot[k] = (uintptr_t)&n->slot[k] - WIDTH;
}

static node *not_counted(void)
{
	empty(&nowhere);
	nowhere.now = 0;
	nowhere.back = runs(&nowhere);
	return &nowhere;
}

static void widen(node *n, uintptr_t cycles)
{
	n->least = cycles < n->least ? cycles : n->least;
	n->most = cycles > n->most ? cycles : n->most;
}

/* A call that was left by longjmp, or runs at the end. */
static void end_early(node *n)
{
	n->self += n->now;
	n->self_high += n->self < n->now;
	n->early++;
	widen(n, n->now);
	n->now = 0;
}

void rivulet_cycles_rare_slow(uintptr_t cycles, node *n)
{
	n->self_high += n->self < cycles;
	widen(n, cycles);
}

/* The node that runs by a hint, and the slot that the hint is from. NULL: it is no hint. */
static node *running(uintptr_t hint, uintptr_t **slot)
{
	uintptr_t at = hint + WIDTH, offset = at % sizeof(node);
	node *n = (node *)(at - offset);
	*slot = NULL;
	if (n == &nowhere)
		return n;
	if (n < nodes || n >= nodes + used || offset % WIDTH != 0)
		return NULL;
	if (offset == WIDTH) { /* a node of another function that was called from the same place before */
		*slot = (uintptr_t *)n->home;
		return n->parent;
	}
	if (offset != 0 && *(uintptr_t *)at == hint)
		*slot = (uintptr_t *)at;
	return n;
}

static node *make(node *parent)
{
	if (used == RIVULET_CYCLES_NODES) {
		nodes[0].calls = 1;
		return NULL;
	}
	node *n = &nodes[used++];
	n->parent = parent; /* word by word: memset() may be a function with counters */
	n->least = UINTPTR_MAX;
	n->next = parent->child;
	empty(n);
	parent->child = n;
	return n;
}

static node *find(node *parent, uintptr_t *record, uintptr_t tag, uintptr_t site, uintptr_t edge)
{
	node *n = parent->child;
	while (n != NULL && (n->record != record || n->site != site || n->tail != edge))
		n = n->next;
	if (n != NULL)
		return n;
	n = make(parent);
	if (n != NULL) {
		n->record = record;
		n->tag = tag;
		n->site = site;
		n->tail = edge;
		n->back = edge != 0 ? parent->back : runs(parent);
	}
	return n;
}

/* The same jump from above its own frame goes back to that frame: functions that jump to each other in turn are no
 * deeper for it. */
static node *jumped_before(const node *from, const uintptr_t *record, uintptr_t edge)
{
	for (node *n = (node *)from; n->tail != 0; n = n->parent) {
		if (n->record == record && n->tail == edge && n->parent->record == from->record)
			return n;
	}
	return NULL;
}

#define HANDLERS 16
static const node *handlers[HANDLERS]; /* without a caller, on a stack of their own */
static uint32_t handler_count;

/* Whether the entry has a caller on the main stack. Handlers have no caller; tasks that the program reports have roots
 * of their own. */
static bool on_main_stack(const node *n)
{
	const node *top = n;
	for (; n->record != NULL && n->parent != NULL; n = n->parent)
		top = n;
	for (uint32_t i = 0; i < handler_count; i++) {
		if (handlers[i] == top)
			return false;
	}
	return n == &nodes[0] && top != n && handler_count < HANDLERS;
}

/* Whether a function that was left by a jump has come back when something is called from a place, with a stack pointer.
 * Who is jumped to has its own. From the same place, deeper: a recursion of its caller. */
static bool came_back(const node *n, uintptr_t site, uintptr_t sp)
{
	if (n->site == site)
		return (intptr_t)n->left < 0 || sp > n->sp;
	return sp >= n->sp;
}

/* The node of the function that is entered (by its record), where the hint has another. */
node *rivulet_cycles_enter_slow(uintptr_t *record, uintptr_t sp, uintptr_t site, uintptr_t tag)
{
	if (busy || ended) {
		nodes[0].least += !ended;
		return not_counted();
	}
	busy = 1;
	nodes[0].now = 1;
	uintptr_t hint = rivulet_cycles_hint, *slot, leaf = sp & LEAF;
	sp -= leaf;
	enum rivulet_cycles_strange strange =
	    rivulet_cycles_strange != NULL ? rivulet_cycles_strange((uintptr_t)&slot) : RIVULET_CYCLES_KNOWN;
	if (strange == RIVULET_CYCLES_THREAD) {
		threads++;
		busy = 0;
		rivulet_cycles_hint = runs(&nowhere);
		return not_counted();
	}
	node *parent = running(hint, &slot), *n = NULL;
	if (parent == NULL) {
		nodes[0].self++;
		parent = &nodes[0];
	}
	if (strange == RIVULET_CYCLES_STACK && parent != &nowhere && on_main_stack(parent))
		stacks++;
	/* left by a jump to one without counters, which has returned: to one without counters that calls now */
	while (parent->now == 0 && parent->left != 0 && came_back(parent, site, sp)) {
		node *below = running(parent->back, &slot);
		if (below == NULL || below == parent)
			break;
		parent = below;
	}
	if (parent != &nowhere) {
		/* the parent has been left and no function with counters was entered since: it jumped to this function,
		 * or to one without counters, which calls this one */
		bool jump = parent->now == 0 && parent->site == site && parent->sp == sp && (intptr_t)parent->left > 0;
		uintptr_t edge = jump ? parent->left : 0;
		n = edge != 0 ? jumped_before(parent, record, edge) : NULL;
		leaf = edge != 0 ? leaf : 0;
		if (n == NULL) {
			n = find(parent, record, tag, site | leaf, edge);
			if (slot != NULL && n != NULL) {
				*slot = (uintptr_t)n;
				n->home = (uintptr_t)slot;
			}
			if (n != NULL && edge == 0)
				rivulet_cycles_table[((uintptr_t)parent >> 5 ^ site << 1) / 4 % RIVULET_CYCLES_TABLE] =
				    n;
		}
	}
	if (n != NULL && parent == &nodes[0] && strange != RIVULET_CYCLES_KNOWN && handler_count < HANDLERS)
		handlers[handler_count++] = n;
	if (n == NULL)
		n = not_counted();
	else if (n->now != 0) {
		nodes[0].most++;
		end_early(n);
	}
	busy = 0;
	/* a handler may have changed it. A leaf leaves the hint as it is: who was jumped to goes back to the jump's
	 * caller */
	rivulet_cycles_hint = n == &nowhere ? runs(n) : n->tail != 0 && leaf != 0 ? n->back : (uintptr_t)n;
	return n;
}

void rivulet_cycles_waited_slow(uintptr_t cycles, node *n, uintptr_t site, uintptr_t class)
{
	(void)site;
	if (busy || ended || n == &nowhere) {
		nodes[0].least += busy && !ended;
		return;
	}
	busy = 1;
	node *own = find(n, &classes[class], 1, 0, 0);
	if (own != NULL) {
		own->self += cycles;
		own->self_high += own->self < cycles;
		own->calls++;
		widen(own, cycles);
	}
	busy = 0;
}

uintptr_t rivulet_cycles_switch(uintptr_t to)
{
	uintptr_t from = rivulet_cycles_hint;
	if (to == 0 && !ended && !busy) {
		node *n = make(&nodes[0]);
		if (n != NULL)
			n->now = 1;
		to = runs(n != NULL ? n : not_counted());
	}
	rivulet_cycles_hint = to;
	return from;
}

uintptr_t rivulet_cycles_handler(void)
{
	uintptr_t from = rivulet_cycles_hint;
	rivulet_cycles_hint = runs(ended ? not_counted() : &nodes[0]);
	return from;
}

/* ---- the profile ---- */

static struct rivulet_probe_node tree, class_records;

static bool is_record(const uintptr_t *record)
{
	if (record >= classes && record < classes + RIVULET_CYCLES_CLASSES)
		return true;
	for (const struct rivulet_probe_node *n = registered(); n != NULL; n = n->next) {
		const uintptr_t *all = n->counters;
		if (record >= all && record < all + n->count && n->mode == MODE_CYCLES)
			return ((uintptr_t)record - (uintptr_t)all) % WIDTH == 0;
	}
	return false;
}

/* Nodes that the program wrote over become roots, so that what is left is a tree. */
static void check(void)
{
	const uintptr_t *behind = (const uintptr_t *)&nodes[RIVULET_CYCLES_NODES];
	bool bad = nodes[0].parent != NULL || nodes[0].record != NULL || nodes[0].tag != 0;
	nodes[0].parent = NULL;
	nodes[0].record = NULL;
	for (size_t i = 0; i < RIVULET_CYCLES_WORDS; i++)
		bad = bad || behind[i] != 0;
	damaged += bad;
	for (uint32_t i = 1; i < used; i++) {
		node *n = &nodes[i];
		uintptr_t at = (uintptr_t)n->parent - (uintptr_t)nodes;
		bool root = n->record == NULL;
		bool small =
		    WIDTH == 4 || ((n->self | n->self_high | n->calls | n->most | n->early) >> 8 * (WIDTH - 1) == 0 &&
				      (n->least == UINTPTR_MAX || n->least >> 8 * (WIDTH - 1) == 0));
		bool below = at % sizeof *n == 0 && at / sizeof *n < i;
		if (below && small && (root ? at == 0 && n->tag == 0 : is_record(n->record)))
			continue;
		damaged++;
		n->parent = &nodes[0];
		n->record = NULL;
		n->self = n->self_high = n->calls = n->least = n->most = n->early = n->now = n->site = n->tail = 0;
	}
}

static void clear_words(node *n)
{
	n->tag = n->back = n->left = n->now = n->sp = 0;
	n->child = n->next = NULL;
	n->record = NULL;
	n->least = n->least == UINTPTR_MAX
		       ? 0
		       : n->least; /* without calls 0, which adds nothing to the sum of all words that is sent too */
	for (unsigned k = 0; k < RIVULET_CYCLES_SLOTS; k++)
		n->slot[k] = 0;
}

void rivulet_probe_before(void)
{
	uintptr_t *slot;
	if (ended)
		return;
	ended = 1;
	check();
	for (node *n = running(rivulet_cycles_hint, &slot); n != NULL && n != nodes && n != &nowhere; n = n->parent) {
		if (n->now != 0 && n->record != NULL)
			end_early(n);
	}
	rivulet_cycles_hint = runs(not_counted());
	for (uint32_t i = 1; i < used; i++) {
		if (nodes[i].now != 0 && nodes[i].record != NULL) {
			nodes[0].most++;
			end_early(&nodes[i]);
		}
		if (nodes[i].record != NULL)
			*nodes[i].record = 0;
	}
	for (uint32_t i = 1; i < used; i++) {
		if (nodes[i].record != NULL && *nodes[i].record == 0)
			*nodes[i].record = i;
		nodes[i].home = nodes[i].record == NULL ? 0 : *nodes[i].record;
	}
	for (uint32_t i = 0; i < used; i++)
		clear_words(&nodes[i]);
	rivulet_probe_register(&class_records);
	class_records.id[0] = (uint32_t)RIVULET_CYCLES_CLASS_ID;
	class_records.id[1] = (uint32_t)(RIVULET_CYCLES_CLASS_ID >> 32);
	class_records.counters = classes;
	class_records.count = RIVULET_CYCLES_CLASSES;
	class_records.width = WIDTH;
	class_records.mode = MODE_CYCLES;
	rivulet_probe_register(&tree); /* before anything is counted: registering sets all to 0 */
	tree.id[0] = (uint32_t)RIVULET_CYCLES_ID;
	tree.id[1] = (uint32_t)(RIVULET_CYCLES_ID >> 32);
	tree.counters = nodes;
	tree.count = used * (uint32_t)RIVULET_CYCLES_WORDS;
	tree.width = WIDTH;
	tree.mode = MODE_CYCLES;
	nodes[0].early = rivulet_cycles_gone != NULL ? rivulet_cycles_gone() : 0;
	nodes[0].self_high = stacks;
	nodes[0].tail = threads;
	nodes[0].site = damaged;
	nodes[0].home = (uintptr_t)nodes; /* the host subtracts it from the pointers of the others */
}

/* A new process, or a program that begins anew: calls that are active keep what they have. */
void rivulet_probe_cleared(void)
{
	for (uint32_t i = 1; i < used && !ended; i++) {
		node *n = &nodes[i];
		n->self = n->self_high = n->calls = n->early = n->most = 0;
		n->least = UINTPTR_MAX;
	}
	nodes[0].least = nodes[0].most = nodes[0].self = 0;
	stacks = threads = 0;
}
