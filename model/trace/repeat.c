/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/trace/private.h"

static bool same(const struct trace *trace, const struct record *n)
{
	const struct trace_config *c = &trace->config;
	const struct record *h = &trace->hold;
	return trace->hold_valid && trace_merging(trace) && h->start == n->start && h->hist == n->hist &&
	       h->reason == n->reason &&
	       (n->reason == TRACE_BACKWARD || n->reason == TRACE_INDIRECT || n->reason == TRACE_FULL) &&
	       h->count < trace_ones(c->repeat_bits) &&
	       (!c->with_cycles || h->cycles + n->cycles <= trace_ones(c->cycle_bits)) &&
	       (!c->with_insns || h->insns == n->insns);
}

bool trace_repeat(struct trace *trace, bool kept, const struct record *n, struct record *out)
{
	if (!trace->config.with_repeat) {
		if (kept)
			*out = *n;
		return kept;
	}
	bool push = trace->hold_valid;
	if (kept && same(trace, n)) {
		trace->hold.count++;
		trace->hold.timed += n->timed;
		trace->hold.cycles += n->cycles;
		return false;
	}
	if (!kept && trace_merging(trace) && trace_on(trace))
		return false;
	*out = trace->hold;
	trace->hold_valid = kept;
	if (kept)
		trace->hold = *n;
	return push;
}
