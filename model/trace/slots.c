/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Section 16: stage S of a unit with two slots. trace->s is the oldest of what waits and what came in the cycle before.
 */
#include "model/trace/private.h"

bool trace_slots_ready(const struct trace *trace)
{
	return trace->waiting == 0;
}

/* The retirements of the cycle before find no room, or their slots are not as the port says. */
static bool drops(const struct trace *trace)
{
	const struct trace_retire *slot = trace->slot;
	return (slot[0].valid || slot[1].valid) && (trace->waiting == TRACE_PLACES || !slot[0].valid);
}

bool trace_slots_lost(const struct trace *trace)
{
	return trace->config.retire == 2 && drops(trace);
}

/* All there is in this cycle, oldest first; returns how many. */
static unsigned line_up(const struct trace *trace, struct trace_retire all[TRACE_PLACES + 2])
{
	unsigned n = 0;
	while (n < trace->waiting) {
		all[n] = trace->place[n];
		n++;
	}
	if (!drops(trace))
		for (unsigned i = 0; i < 2 && trace->slot[i].valid; i++)
			all[n++] = trace->slot[i];
	return n;
}

static bool allowed(const struct trace *trace, const struct trace_retire *r)
{
	return trace->ctrl >> RV_CTRL_MODES_LSB >> r->mode & 1;
}

bool trace_slots_both(const struct trace *trace, const struct trace_decoded *s, const struct trace_verdict *verdict,
    struct trace_retire *more)
{
	struct trace_retire all[TRACE_PLACES + 2];
	const unsigned n = line_up(trace, all);
	const bool begins = !trace->cur_valid || trace->end || verdict->trap_disc;
	const bool ends = (s->back && !(trace->ctrl & RV_CTRL_NO_BACKWARD_MASK)) ||
			  (s->ind && !(trace->ctrl & RV_CTRL_NO_INDIRECT_MASK));
	/* two that came together, or that wait together, but not two of three */
	if (n < 2 || trace->waiting % 2 != 0 || all[0].lost || all[0].trap || s->ret || all[1].lost || all[1].trap ||
	    all[1].intr)
		return false;
	if (all[0].stop != all[1].stop || allowed(trace, &all[0]) != allowed(trace, &all[1]))
		return false;
	*more = all[1];
	return !(verdict->take && begins && ends);
}

void trace_slots_next(struct trace *trace, bool both, const struct trace_retire retire[2])
{
	struct trace_retire all[TRACE_PLACES + 2];
	const unsigned n = line_up(trace, all), gone = both ? 2 : n != 0;
	const bool dropped = drops(trace);
	trace->lost_before = dropped || (trace->lost_before && !trace->slot[0].valid);
	trace->waiting = n - gone;
	for (unsigned i = 0; i < trace->waiting; i++)
		trace->place[i] = all[i + gone];
	trace->slot[0] = retire[0];
	trace->slot[1] = retire[1];
	trace->slot[1].stop = retire[0].stop;
	trace->slot[0].lost = trace->lost_before;
	trace->slot[1].lost = false;
	trace->s = (struct trace_retire){.stop = retire[0].stop};
	if (line_up(trace, all))
		trace->s = all[0];
}
