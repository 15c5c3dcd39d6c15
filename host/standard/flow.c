/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/standard/flow.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int standard_flow_open(struct standard_flow *flow, standard_sink *sink, void *context)
{
	*flow = (struct standard_flow){.sink = sink, .context = context};
	flow->held = malloc(STANDARD_HELD_MAX * sizeof *flow->held);
	return flow->held == NULL ? -1 : 0;
}

void standard_flow_close(struct standard_flow *flow)
{
	free(flow->held);
	*flow = (struct standard_flow){0};
}

/* The oldest steps leave. */
static int release_steps(struct standard_flow *flow, size_t count)
{
	for (size_t i = 0; i < count && flow->stopped == 0; i++)
		flow->stopped = flow->sink(flow->context, flow->held[i].event, flow->held[i].pc);
	flow->count -= count;
	memmove(flow->held, flow->held + count, flow->count * sizeof *flow->held);
	return flow->stopped;
}

int standard_flow_put(struct standard_flow *flow, enum standard_event event, uint64_t pc)
{
	if (flow->count == STANDARD_HELD_MAX) {
		for (size_t i = 0; i < STANDARD_HELD_MAX / 2; i++)
			flow->unconfirmed += flow->held[i].event == STANDARD_RETIRED;
		release_steps(flow, STANDARD_HELD_MAX / 2);
	}
	flow->held[flow->count++] = (struct standard_step){pc, event};
	return flow->stopped;
}

int standard_flow_confirm(struct standard_flow *flow)
{
	return release_steps(flow, flow->count);
}

static bool is_state_event(enum standard_event event)
{
	return event >= STANDARD_MODE;
}

int standard_flow_put_before(struct standard_flow *flow, enum standard_event event, uint64_t value)
{
	if (flow->count == 0)
		return standard_flow_put(flow, event, value);
	const struct standard_step last = flow->held[--flow->count];
	standard_flow_put(flow, event, value);
	return standard_flow_put(flow, last.event, last.pc);
}

void standard_flow_take_back(struct standard_flow *flow)
{
	flow->count -= flow->count > 0;
}

int standard_flow_drop(struct standard_flow *flow)
{
	size_t kept = 0;
	for (size_t i = 0; i < flow->count; i++) {
		flow->dropped += flow->held[i].event == STANDARD_RETIRED;
		if (is_state_event(flow->held[i].event))
			flow->held[kept++] = flow->held[i];
	}
	flow->count = kept;
	if (flow->stopped == 0)
		flow->stopped = flow->sink(flow->context, STANDARD_BROKEN, STANDARD_NOWHERE);
	return release_steps(flow, flow->count);
}
