/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/trace/private.h"

bool trace_in_scope(const struct trace *trace)
{
	const struct trace_retire *s = &trace->s;
	if (!(trace->ctrl >> RV_CTRL_MODES_LSB >> s->mode & 1))
		return false;
	uint32_t range_en = (trace->ctrl & RV_CTRL_RANGE_EN_MASK) >> RV_CTRL_RANGE_EN_LSB;
	if (!range_en)
		return true;
	for (unsigned i = 0; i < trace->config.ranges; i++)
		if (range_en >> i & 1 && s->pc >= trace->range_lo[i] && s->pc < trace->range_hi[i])
			return true;
	return false;
}

/* Depth of nested handlers. Returns whether this cycle belongs to one. */
static bool freeze(struct trace *trace, bool ret, struct trace_verdict *verdict)
{
	const struct trace_retire *s = &trace->s;
	bool freezing = trace_freezing(trace), enter = s->valid && s->intr;
	bool top = trace->depth == DEPTH_MAX;
	verdict->trap_disc = s->valid && (freezing ? s->intr && top : s->trap || s->intr);
	if (!freezing)
		return false;
	unsigned depth_now = trace->depth + (enter && !top);
	trace->depth = depth_now - (ret && depth_now != 0);
	verdict->elsewhere = ret && depth_now == 1 && s->next_pc != trace->resume;
	return depth_now != 0;
}

void trace_scope(struct trace *trace, const struct trace_decoded *s, struct trace_verdict *verdict)
{
	const struct trace_retire *i = &trace->s;
	bool enable = trace->ctrl & RV_CTRL_ENABLE_MASK;
	*verdict = (struct trace_verdict){0};
	bool frozen = freeze(trace, s->ret, verdict);
	if (trace->config.with_freeze && i->valid && !frozen)
		trace->resume = i->trap ? i->pc : i->next_pc;
	bool completed = i->valid && !i->trap && !frozen;
	bool inside = completed && trace_in_scope(trace);
	verdict->take = inside && enable;
	verdict->left = completed && !inside;
	if (completed)
		trace->outside = !inside;
	verdict->counting = enable && !frozen && !trace->outside;
	verdict->idle = !enable || trace->outside;
}
