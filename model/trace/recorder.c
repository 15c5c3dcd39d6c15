/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The flight recorder's trigger: what freezes the ring of the last records, and what a reset leaves of it. */
#include <string.h>
#include "common/recorder.h"
#include "model/trace/private.h"

#define SEAL 5u

int trace_recorder_at_reset(const struct trace *trace)
{
	const bool freezes = trace->recorder.arm & RV_RECORDER_RESET_MASK && trace->ctrl & RV_CTRL_RING_MASK;
	if (trace->recorder.frozen)
		return RECORDER_KEEPS;
	return freezes ? RECORDER_FREEZES : RECORDER_FORGETS;
}

bool trace_recorder_sealed(const struct trace *trace)
{
	return trace->recorder.since == SEAL;
}

/* The trap whose handler begins in stage S is one of those of the mask. */
static bool is_wanted_trap(const struct trace *trace)
{
	const struct trace_retire *s = &trace->s;
	const unsigned bit = (s->cause & 15u) | (s->cause >> 5 & 1u) << 4;
	return s->valid && s->intr && !(s->cause & 16) && trace->recorder.traps >> bit & 1;
}

static uint8_t endings_of(const struct trace *trace)
{
	const bool no_backward = trace->ctrl & RV_CTRL_NO_BACKWARD_MASK;
	const bool no_indirect = trace->ctrl & RV_CTRL_NO_INDIRECT_MASK;
	return (uint8_t)(no_backward | no_indirect << 1);
}

void trace_recorder(struct trace *trace, const struct trace_verdict *verdict)
{
	struct trace_recorder *r = &trace->recorder;
	const struct trace_retire *s = &trace->s;
	const bool armed = trace_on(trace) && trace->ctrl & RV_CTRL_RING_MASK, done = s->valid && !s->trap;
	const bool at_from = done && s->pc == r->from, at_to = done && s->pc == r->to;
	const bool late = r->running && !at_from && !at_to && r->waited == r->limit;
	const bool events[] = {is_wanted_trap(trace), s->freeze, at_from, verdict->left, late};
	uint8_t why = RECORDER_BY_NOTHING;
	for (unsigned i = sizeof events / sizeof *events; i-- > 0;)
		if (armed && events[i] && r->arm >> i & 1)
			why = (uint8_t)(i + 1);
	r->running = at_from || (r->running && !at_to);
	r->waited = at_from ? 1 : r->waited + 1;
	r->since = r->frozen ? r->since + (r->since < SEAL) : 0;
	if (r->frozen)
		return;
	/* The last instruction of the program: not the first one of the handler that its trap called. */
	if (s->valid && why != RECORDER_BY_TRAP)
		r->pc = s->pc;
	r->cause = why;
	r->endings = endings_of(trace);
	r->frozen = why != RECORDER_BY_NOTHING;
}

uint32_t trace_recorder_read(const struct trace *trace, unsigned index)
{
	const struct trace_recorder *r = &trace->recorder;
	if (!trace->config.with_recorder)
		return 0;
	switch (index) {
	case RV_REG_RECORDER:
		return r->arm << RV_RECORDER_TRAP_LSB | (uint32_t)r->frozen << RV_RECORDER_FROZEN_LSB |
		       (r->frozen ? (uint32_t)r->cause << RV_RECORDER_CAUSE_LSB | (uint32_t)r->endings
										      << RV_RECORDER_NO_BACKWARD_LSB
				  : 0) |
		       RV_RECORDER_PRESENT_MASK;
	case RV_REG_RECORDER_TRAPS:
		return r->traps;
	case RV_REG_RECORDER_FROM:
		return (uint32_t)r->from;
	case RV_REG_RECORDER_FROM_HI:
		return (uint32_t)(r->from >> 32);
	case RV_REG_RECORDER_TO:
		return (uint32_t)r->to;
	case RV_REG_RECORDER_TO_HI:
		return (uint32_t)(r->to >> 32);
	case RV_REG_RECORDER_LIMIT:
		return r->limit;
	case RV_REG_RECORDER_PC:
		return (uint32_t)r->pc;
	default:
		return (uint32_t)(r->pc >> 32);
	}
}

static void put_address(uint64_t *address, bool high, uint32_t word)
{
	*address = high ? (*address & UINT32_MAX) | (uint64_t)word << 32 : (*address & ~(uint64_t)UINT32_MAX) | word;
}

void trace_recorder_write(struct trace *trace, const struct trace_before *before, unsigned index, uint32_t value)
{
	struct trace_recorder *r = &trace->recorder;
	switch (index) {
	case RV_REG_RECORDER:
		r->arm = value >> RV_RECORDER_TRAP_LSB & 0x3F;
		r->frozen = value & RV_RECORDER_FROZEN_MASK;
		if (!before->frozen && r->frozen && r->cause == RECORDER_BY_NOTHING)
			r->cause = RECORDER_BY_SOFTWARE;
		break;
	case RV_REG_RECORDER_TRAPS:
		r->traps = value;
		break;
	case RV_REG_RECORDER_LIMIT:
		r->limit = value;
		break;
	case RV_REG_RECORDER_FROM:
	case RV_REG_RECORDER_FROM_HI:
		put_address(&r->from, index == RV_REG_RECORDER_FROM_HI, value);
		break;
	default:
		put_address(&r->to, index == RV_REG_RECORDER_TO_HI, value);
		break;
	}
}

void trace_reset_again(struct trace *trace, bool power_on)
{
	const struct trace old = *trace;
	trace_reset(trace, &old.config);
	if (power_on || old.recorder.at_reset == RECORDER_FORGETS)
		return;
	memcpy(trace->fifo, old.fifo, sizeof trace->fifo);
	trace->rd_ptr = old.rd_ptr;
	trace->wr_ptr = old.wr_ptr;
	trace->count = old.count;
	trace->readable = old.readable;
	trace->lost = old.lost;
	trace->recorder.frozen = true;
	trace->recorder.since = SEAL;
	trace->recorder.pc = old.recorder.pc;
	trace->recorder.cause = old.recorder.at_reset == RECORDER_FREEZES ? RECORDER_BY_RESET : old.recorder.cause;
	trace->recorder.endings = old.recorder.endings;
}
