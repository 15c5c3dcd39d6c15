/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/ntrace/private.h"

static unsigned held_events(const struct ntrace *t)
{
	return (t->queue.wr - t->queue.rd) & (2 * t->config.queue_depth - 1);
}

bool ntrace_queue_full(const struct ntrace *t)
{
	return held_events(t) == t->config.queue_depth;
}

bool ntrace_queue_room(const struct ntrace *t)
{
	return held_events(t) < t->config.queue_depth / 2;
}

bool ntrace_queue_nearly_full(const struct ntrace *t)
{
	return held_events(t) >= t->config.queue_depth / 8 * 7;
}

bool ntrace_queue_empty(const struct ntrace *t)
{
	return t->queue.wr == t->queue.rd;
}

void ntrace_queue(struct ntrace *t, bool push, const struct ntrace_event *event, bool pop)
{
	struct ntrace_queue *q = &t->queue;
	const unsigned mask = t->config.queue_depth - 1, wrap = 2 * t->config.queue_depth - 1;
	const unsigned rd_next = (q->rd + pop) & wrap;
	q->valid = q->wr != rd_next; /* what is pushed in this cycle can be read in the next one */
	if (q->valid)
		q->data = q->mem[rd_next & mask];
	if (push) {
		q->mem[q->wr & mask] = *event;
		q->wr = (q->wr + 1) & wrap;
	}
	q->rd = rd_next;
}
