/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/trace/private.h"

/* Where a trace ends, first part: the reason of its own instruction; TRACE_NONE if it goes on. */
static uint8_t own_reason(const struct trace *trace, const struct trace_decoded *s)
{
	if (s->astray)
		return TRACE_GAP;
	bool full = s->br && trace->cur_hist >> (trace->config.hist - 1);
	if (s->back && !(trace->ctrl & RV_CTRL_NO_BACKWARD_MASK))
		return TRACE_BACKWARD;
	if (s->ind && !(trace->ctrl & RV_CTRL_NO_INDIRECT_MASK))
		return TRACE_INDIRECT;
	if (s->ret)
		return TRACE_XRET;
	return full ? TRACE_FULL : TRACE_NONE;
}

/* Where a trace ends, second part: the reason of a discontinuity in this cycle. */
static uint8_t disc_reason(const struct trace *trace, const struct trace_verdict *verdict)
{
	if (!trace_on(trace))
		return TRACE_OFF;
	if (verdict->gap_disc)
		return TRACE_GAP;
	if (verdict->trap_disc)
		return TRACE_TRAP;
	return verdict->left ? TRACE_LEFT : TRACE_NONE;
}

static void set_end(struct trace *trace, uint8_t reason)
{
	trace->end = reason != TRACE_NONE;
	trace->end_reason = trace->config.with_reason ? reason : (uint8_t)TRACE_NONE;
}

static void clear(struct trace *trace)
{
	trace->cur_hist = 1;
	trace->cur_insns = 0;
}

/* FIRST LOAD if the pair is fresh, SHIFT if the instruction in S is a branch. */
static void take(struct trace *trace, const struct trace_decoded *s, bool fresh)
{
	if (fresh) {
		trace->cur_start = trace->s.pc;
		trace->skip = trace->ctrl & RV_CTRL_RANGE_START_MASK && !trace_in_range(trace);
		clear(trace);
	}
	if (s->br)
		trace->cur_hist = trace->cur_hist << 1 | s->outcome;
	if (trace->config.with_insns && trace->cur_insns < trace_ones(trace->config.insn_bits))
		trace->cur_insns++;
	trace->cur_valid = true;
	trace->next_pc = trace->s.next_pc;
	set_end(trace, own_reason(trace, s));
}

static void count_cycle(struct trace *trace, const struct trace_verdict *verdict, bool latch)
{
	uint32_t base = latch ? 0 : trace->cur_cycles;
	if (verdict->idle)
		trace->cur_cycles = 0;
	else
		trace->cur_cycles = base + (verdict->counting && base < trace_ones(trace->config.cycle_bits));
}

bool trace_pair(
    struct trace *trace, const struct trace_decoded *s, const struct trace_verdict *verdict, struct record *n)
{
	const uint8_t disc = disc_reason(trace, verdict);
	/* WITH_NEXT_PC: the trace ends by the instruction of the cycle before, and nothing takes this one */
	const bool next_load = trace->config.with_next_pc && trace->cur_valid && trace->end && trace->own_end && !disc;
	bool latch = trace->cur_valid && (trace->end || disc);
	bool record = latch && !trace->skip, fresh = latch || !trace->cur_valid;
	if (latch)
		*n = (struct record){.start = trace->cur_start,
		    .hist = trace->cur_hist,
		    .reason = trace->end                  ? trace->end_reason
			      : trace->config.with_reason ? disc
							  : (uint8_t)TRACE_NONE,
		    .count = 1,
		    .timed = trace->config.with_cycles,
		    .cycles = trace->cur_cycles,
		    .insns = trace->cur_insns};
	trace->cur_loaded = (next_load || trace->cur_loaded) && !verdict->take && !disc;
	trace->own_end = verdict->take && !s->astray;
	if (verdict->take) {
		take(trace, s, fresh);
	} else if (latch) {
		if (next_load)
			trace->cur_start = trace->next_pc;
		clear(trace);
		trace->cur_valid = false;
		set_end(trace, TRACE_NONE);
	} else if (verdict->elsewhere && trace->cur_valid) {
		set_end(trace, TRACE_TRAP);
	}
	if (trace->config.with_cycles)
		count_cycle(trace, verdict, latch);
	return record;
}
