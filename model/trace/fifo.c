/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/trace/private.h"

static void lose(struct trace *trace, uint32_t count)
{
	if (trace->config.with_lost)
		trace->lost = trace->lost > UINT32_MAX - count ? UINT32_MAX : trace->lost + count;
}

/* FIFO_DEPTH 0: one LAST record. */
static void last(struct trace *trace, bool pop, bool push, const struct record *rec)
{
	bool unread = trace->readable && !pop;
	if (push && unread)
		lose(trace, (uint32_t)trace->fifo[0].count);
	if (push)
		trace->fifo[0] = *rec;
	trace->readable = push || unread;
	trace->count = trace->readable;
}

bool trace_fifo_newest_first(const struct trace *trace)
{
	return trace->ctrl & RV_CTRL_LIFO_MASK && !trace_sink_owns(trace);
}

void trace_fifo(struct trace *trace, bool lifo, bool pop, bool push, const struct record *rec)
{
	unsigned depth = trace->config.fifo_depth, mask = depth - 1;
	bool ring = trace->ctrl & RV_CTRL_RING_MASK && !lifo;
	pop = pop && trace->readable;
	const bool brim = ring && !pop && trace->count == depth - 1; /* a ring keeps one slot free */
	if (depth == 0) {
		last(trace, pop, push, rec);
		return;
	}
	if (pop) {
		trace->count--;
		if (lifo)
			trace->wr_ptr = (trace->wr_ptr - 1) & mask;
		else
			trace->rd_ptr = (trace->rd_ptr + 1) & mask;
	}
	trace->readable = trace->count != 0 && !(lifo && push);
	if (!push)
		return;
	if (brim || trace->count == depth) {
		if (!lifo && !brim) {
			lose(trace, ring ? 1 : (uint32_t)rec->count);
			return;
		}
		lose(trace, 1);
		trace->rd_ptr = (trace->rd_ptr + 1) & mask;
		trace->count--;
	}
	trace->fifo[trace->wr_ptr] = *rec;
	trace->wr_ptr = (trace->wr_ptr + 1) & mask;
	trace->count++;
}

const struct record *trace_fifo_head(const struct trace *trace)
{
	unsigned depth = trace->config.fifo_depth;
	if (depth == 0)
		return &trace->fifo[0];
	return &trace->fifo[trace_fifo_newest_first(trace) ? (trace->wr_ptr - 1) & (depth - 1) : trace->rd_ptr];
}
