/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/trace/private.h"

bool trace_in_range(const struct trace *trace)
{
	const struct trace_retire *s = &trace->s;
	uint32_t range_en = (trace->ctrl & RV_CTRL_RANGE_EN_MASK) >> RV_CTRL_RANGE_EN_LSB;
	if (!range_en)
		return true;
	for (unsigned i = 0; i < trace->config.ranges; i++)
		if (range_en >> i & 1 && s->pc >= trace->range_lo[i] && s->pc < trace->range_hi[i])
			return true;
	return false;
}

bool trace_in_scope(const struct trace *trace)
{
	return trace->ctrl >> RV_CTRL_MODES_LSB >> trace->s.mode & 1 &&
	       (trace->ctrl & RV_CTRL_RANGE_START_MASK || trace_in_range(trace));
}

static void count(uint16_t *counter, bool event)
{
	if (event && *counter != UINT16_MAX)
		++*counter;
}

/* No handler runs below the mode in which it began, so the one that DEPTH counts is over. */
static bool below_handler(const struct trace *trace)
{
	const struct trace_retire *i = &trace->s;
	return (trace->config.with_check || trace->config.with_heal) && i->valid && trace_freezing(trace) &&
	       trace->depth != 0 && !i->intr && i->mode < trace->hmode;
}

/* Section 11, first part: does the instruction in S follow the one before? Sets verdict->gap_disc. */
static void follow(struct trace *trace, const struct trace_decoded *s, struct trace_verdict *verdict)
{
	const struct trace_retire *i = &trace->s;
	verdict->gap_disc = i->valid && i->lost;
	if (!trace->config.with_check || !i->valid)
		return;
	bool gap = trace->known && !i->intr && (i->pc != trace->expect || trace->trapped);
	verdict->gap_disc = gap || below_handler(trace);
	count(&trace->gaps, gap || s->astray);
	trace->expect = i->next_pc;
	trace->trapped = i->trap;
	trace->known = true;
}

/* Section 4: the handler goes on without an end, or sets the address of handlers anew, so the program has gone on. */
static bool is_endless(const struct trace *trace, const struct trace_decoded *s)
{
	const unsigned limit = (trace->ctrl & RV_CTRL_LIMIT_MASK) >> RV_CTRL_LIMIT_LSB;
	bool reached = limit != 0 && (trace->since >> 3 * limit & 1) != 0;
	return trace->config.with_heal && (s->vector || (trace->s.valid && !trace->s.intr && reached && !s->ret));
}

static void count_since(struct trace *trace, bool changes)
{
	if (trace->config.with_heal)
		trace->since = changes ? 0 : (trace->since + trace->s.valid) & 0x3FFFFF;
}

/* Depth of nested handlers. Returns whether this cycle belongs to one. */
static bool freeze(struct trace *trace, const struct trace_decoded *s, struct trace_verdict *verdict)
{
	const struct trace_retire *i = &trace->s;
	bool freezing = trace_freezing(trace), enter = i->valid && i->intr, check = trace->config.with_check;
	bool top = trace->depth == DEPTH_MAX, lower = below_handler(trace);
	verdict->trap_disc = (i->valid && (freezing ? i->intr && top : i->trap || i->intr)) || (lower && !check);
	if (enter && trace->depth == 0)
		trace->hmode = i->mode;
	if (!freezing) {
		trace->since = 0;
		return false;
	}
	unsigned depth_now = trace->depth + (enter && !top);
	bool heal = (check && verdict->gap_disc && trace->depth != 0) || lower ||
		    ((check || trace->config.with_heal) && enter && top);
	if (heal || (i->valid && i->lost && !enter))
		depth_now = 0;
	bool frozen = depth_now != 0;
	bool unknown = check && (s->astray || s->ind) && i->next_pc == trace->resume;
	unknown = frozen && (unknown || is_endless(trace, s));
	if (check)
		count(&trace->heals, heal || unknown);
	trace->depth = unknown ? 0 : depth_now - (s->ret && frozen);
	count_since(trace, !frozen || enter || s->ret);
	verdict->elsewhere = (s->ret && depth_now == 1 && i->next_pc != trace->resume) || unknown;
	return frozen;
}

void trace_scope(struct trace *trace, const struct trace_decoded *s, struct trace_verdict *verdict)
{
	const struct trace_retire *i = &trace->s;
	bool enable = trace_on(trace);
	*verdict = (struct trace_verdict){0};
	follow(trace, s, verdict);
	bool frozen = freeze(trace, s, verdict);
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

bool trace_takes(const struct trace *trace)
{
	struct trace copy = *trace;
	struct trace_decoded s;
	struct trace_verdict verdict;
	trace_decoder(&copy.config, &copy.s, &s);
	trace_scope(&copy, &s, &verdict);
	return verdict.take;
}
