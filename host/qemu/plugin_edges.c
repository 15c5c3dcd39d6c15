/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Edges alone: traces of one outcome at most, as a trace unit with a history of two bits forms them. A block then ends
 * the same few traces again and again, so each remembers them, and where it went:
 *
 *   block ──► not taken: goes[0], edge[0]        an edge that is remembered: one comparison of its key, one addition
 *         └─► taken:     goes[1], edge[1]        any other: the general way (plugin.c), and it is remembered
 */
#include "common/record.h"
#include "host/qemu/plugin.h"

/* Whether the block before went on with `b' as it did before, and ended the same trace: then that is counted, or the
 * trace goes on. All that a trace is known by is compared, so that a guess of another thread or process is none. */
static inline bool count_edge(struct processor *p, const struct block *b)
{
	const struct block *before = p->before;
	const bool taken = b->start != atomic_load_explicit(&before->goes[0], memory_order_relaxed);
	struct capture_region *r = &p->shared;
	if (b->start != atomic_load_explicit(&before->goes[taken], memory_order_relaxed))
		return false;
	const uint32_t insns = r->insns + before->insns;
	if (before->reason[taken] == TRACE_NONE) {
		r->insns = insns;
		return true;
	}
	const uint64_t hist = before->end == END_BRANCH ? 2 | (uint64_t)taken : 1;
	struct capture_key *k = &p->keys[atomic_load_explicit(&before->edge[taken], memory_order_relaxed)];
	if (k->start != r->start || k->hist != hist || k->insns != insns || k->reason != before->reason[taken])
		return false;
	k->count++;
	r->start = b->start;
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
	const bool taken = b->start != atomic_load_explicit(&before->goes[0], memory_order_relaxed);
	if (before->end >= END_INDIRECT)
		atomic_store_explicit(&before->goes[1], b->start, memory_order_relaxed);
	atomic_store_explicit(
	    &before->edge[taken], atomic_load_explicit(&before->guess, memory_order_relaxed), memory_order_relaxed);
}

void edge_begins(unsigned cpu, void *data)
{
	struct block *b = data;
	struct processor *p = cpu < PROCESSORS ? processors[cpu] : NULL;
	if (__builtin_expect(p == NULL || p->before == NULL || b->check || !count_edge(p, b), 0)) {
		learn_edge(cpu, b);
		return;
	}
	p->before = b;
	p->shared.executed += b->insns;
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
	for (int i = 0; i < 2 && b->alone; i++)
		b->reason[i] = b->reason[i] == TRACE_NONE ? TRACE_GAP : b->reason[i];
}
