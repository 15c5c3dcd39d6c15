/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Edges alone: traces of one outcome at most, as a trace unit with a history of two bits forms them. A block then ends
 * the same few traces again and again, so each remembers them, and where it went:
 *
 *   block ──► not taken: goes[0], edge[0]        an edge that is remembered: its key is compared, one is added
 *         └─► taken:     goes[1], edge[1]        any other: the general way (plugin.c), and it is remembered
 */
#include "common/record.h"
#include "host/qemu/plugin.h"

static _Atomic(struct block *) all_blocks; /* that have edges; in a list by more_edges */

/* Whether the block before went on with `b' as it did before, and ended the same trace: then that is counted, or the
 * trace goes on. The key is of this end of the block; it is another thread's unless it lies in the region. */
static inline bool count_edge(struct processor *p, const struct block *before, const struct block *b)
{
	const uint64_t start = b->start;
	const size_t taken = start != atomic_load_explicit(&before->goes[0], memory_order_relaxed);
	struct capture_region *r = &p->shared;
	if (__builtin_expect(start != atomic_load_explicit(&before->goes[taken], memory_order_relaxed), 0))
		return false;
	const uint32_t insns = r->insns + before->insns;
	const uintptr_t key = atomic_load_explicit(&before->edge[taken], memory_order_relaxed);
	if (key == EDGE_GOES_ON) {
		r->insns = insns;
		return true;
	}
	struct capture_key *k = (struct capture_key *)key;
	if (__builtin_expect(
		(key - (uintptr_t)p) / CAPTURE_REGION_SIZE != 0 || k->start != r->start || k->insns != insns, 0))
		return false;
	k->count++;
	r->start = start;
	r->insns = 0;
	return true;
}

/* An edge that is not remembered, or the first block of a thread. */
static __attribute__((noinline)) void learn_edge(unsigned cpu, struct block *b)
{
	struct block *before = cpu < PROCESSORS && processors[cpu] != NULL ? processors[cpu]->before : NULL;
	block_begins(cpu, b);
	if (before == NULL)
		return;
	const struct processor *p = processors[cpu];
	const uint32_t guess = atomic_load_explicit(&before->guess, memory_order_relaxed);
	if (before->end >= END_INDIRECT)
		atomic_store_explicit(&before->goes[1], b->start, memory_order_relaxed);
	const bool taken = b->start != atomic_load_explicit(&before->goes[0], memory_order_relaxed);
	if (before->reason[taken] == TRACE_NONE || guess >= atomic_load(&p->shared.keys))
		return;
	/* a trap has another reason */
	const struct capture_key *k = &p->keys[guess];
	if (k->reason == before->reason[taken] && k->hist == before->hist[taken])
		atomic_store_explicit(&before->edge[taken], (uintptr_t)k, memory_order_relaxed);
}

void forget_edges(void)
{
	for (struct block *b = atomic_load(&all_blocks); b != NULL; b = b->more_edges) {
		for (int i = 0; i < 2; i++)
			atomic_store(&b->edge[i], b->reason[i] == TRACE_NONE ? EDGE_GOES_ON : EDGE_UNKNOWN);
	}
}

void edge_begins(unsigned cpu, void *data)
{
	struct block *b = data;
	struct processor *p = cpu < PROCESSORS ? processors[cpu] : NULL;
	const struct block *before = p == NULL ? NULL : p->before;
	if (__builtin_expect(before == NULL || !count_edge(p, before, b), 0)) {
		learn_edge(cpu, b);
		return;
	}
	p->before = b;
	p->shared.executed += b->insns;
}

void edge_begins_checked(unsigned cpu, void *data)
{
	struct block *b = data;
	if (__builtin_expect(b->check, 0))
		learn_edge(cpu, b);
	else
		edge_begins(cpu, b);
}

void note_edges(struct block *b)
{
	const bool jumps = b->end >= END_JUMP;
	const bool backward = (b->end == END_BRANCH || b->end == END_JUMP) && b->target <= b->last;
	b->goes[0] = jumps ? NOWHERE : b->behind;
	b->goes[1] = b->end == END_BRANCH || b->end == END_JUMP ? b->target : NOWHERE;
	b->reason[0] = b->end == END_BRANCH ? TRACE_FULL : TRACE_NONE;
	if (b->end >= END_INDIRECT)
		b->reason[1] = b->end == END_INDIRECT ? TRACE_INDIRECT : TRACE_XRET;
	else if (backward)
		b->reason[1] = TRACE_BACKWARD;
	else
		b->reason[1] = b->end == END_BRANCH ? TRACE_FULL : TRACE_NONE;
	for (unsigned i = 0; i < 2; i++)
		b->hist[i] = (uint8_t)(b->end == END_BRANCH ? 2 | i : 1);
	for (int i = 0; i < 2 && b->alone; i++)
		b->reason[i] = b->reason[i] == TRACE_NONE ? TRACE_GAP : b->reason[i];
	for (int i = 0; i < 2; i++)
		atomic_store(&b->edge[i], b->reason[i] == TRACE_NONE ? EDGE_GOES_ON : EDGE_UNKNOWN);
	if (!plugin.whole_system) { /* which has no children */
		b->more_edges = atomic_load(&all_blocks);
		while (!atomic_compare_exchange_weak(&all_blocks, &b->more_edges, b))
			;
	}
}
