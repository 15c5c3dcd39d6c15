/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/standard/flow.h"

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

int standard_flow_drop(struct standard_flow *flow)
{
	for (size_t i = 0; i < flow->count; i++)
		flow->dropped += flow->held[i].event == STANDARD_RETIRED;
	flow->count = 0;
	if (flow->stopped == 0)
		flow->stopped = flow->sink(flow->context, STANDARD_BROKEN, STANDARD_NOWHERE);
	return flow->stopped;
}
