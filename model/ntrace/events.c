/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/ntrace/private.h"

#define ACC_LIMIT 59 /* of six bits: the next instruction still has room, and the limit is far */

/* What the registers of this module become; here: there is an event. */
static void leave(struct ntrace *t, bool take, bool stop, bool here, bool drop)
{
	struct ntrace_events *e = &t->events;
	const unsigned self = t->s.trap ? 0 : (t->s.insn & 3) == 3 ? 2 : 1;
	if (take) {
		e->running = !drop;
		e->expect = t->s.next_pc;
		e->trapped = t->s.trap;
		e->owner = (uint64_t)t->s_context << 2 | t->s.mode;
		e->acc = (uint8_t)(here ? 0 : e->acc + self);
	}
	if (stop) {
		e->running = false;
		e->acc = 0;
	}
}

bool ntrace_events(struct ntrace *t, enum ntrace_kind kind, bool match, struct ntrace_event *event, bool *drop)
{
	struct ntrace_events *e = &t->events;
	const struct trace_retire *s = &t->s;
	const bool enabled = ntrace_on(t), on = enabled && !t->s_debug, full = ntrace_queue_full(t);
	const bool take = s->valid && on && match && (e->running || !e->lost || ntrace_queue_room(t));
	const bool stop = e->running && (!on || (s->valid && !match)), sorry = e->lost && !on && !e->running;
	const uint64_t owner = (uint64_t)t->s_context << 2 | s->mode;
	const bool first = take && !e->running;
	if ((kind == NTRACE_NOT_TAKEN && !ntrace_history(t)) || (kind == NTRACE_CALL && !ntrace_returns(t)))
		kind = NTRACE_PLAIN;
	*event = (struct ntrace_event){.kind = (uint8_t)kind, .first = first, .wide = (s->insn & 3) == 3};
	if (stop)
		event->kind = NTRACE_TRACE_STOP;
	else if (sorry)
		event->kind = NTRACE_LOST;
	else if (s->trap)
		event->kind = NTRACE_TRAP;
	event->odd = take && e->running && (s->pc >> 1 != e->expect >> 1 || (s->intr && !e->trapped));
	event->own = t->config.with_owner && take && e->running && ntrace_owner(t) && owner != e->owner;
	event->lost = e->lost && (first || sorry);
	event->debug = stop ? t->s_debug : e->debug;
	event->acc = e->acc;
	event->pc = s->pc >> 1;
	event->next = s->next_pc >> 1;
	event->owner = owner;
	event->time = t->regs.time;
	const bool here =
	    stop || sorry ||
	    (take && (first || event->odd || event->own || s->trap || kind != NTRACE_PLAIN || e->acc >= ACC_LIMIT));
	const bool push = here && !full;
	*drop = here && full && !sorry;
	leave(t, take, stop, here, *drop);
	if (*drop)
		e->lost = true;
	else if (push && (first || sorry))
		e->lost = false;
	if (enabled && t->s_debug)
		e->debug = true;
	else if (!enabled || (push && first))
		e->debug = false;
	return push;
}
