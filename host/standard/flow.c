/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/standard/flow.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int standard_flow_open(struct standard_flow *flow, struct standard_code *code, standard_sink *sink, void *context)
{
	*flow = (struct standard_flow){.sink = sink, .code = code, .context = context, .joins = STANDARD_NOWHERE};
	flow->held = malloc(STANDARD_HELD_MAX * sizeof *flow->held);
	return flow->held == NULL ? -1 : 0;
}

void standard_flow_close(struct standard_flow *flow)
{
	free(flow->held);
	*flow = (struct standard_flow){0};
}

static int release_run(struct standard_flow *flow, uint64_t pc, uint32_t count)
{
	if (flow->run_sink != NULL)
		return flow->run_sink(flow->context, pc, count);
	int stopped = 0;
	for (; count > 0 && stopped == 0; count--) {
		stopped = flow->sink(flow->context, STANDARD_RETIRED, pc);
		if (count > 1)
			pc += standard_code_at(flow->code, pc)->length;
	}
	return stopped;
}

/* The oldest steps leave. */
static int release_steps(struct standard_flow *flow, size_t count)
{
	for (size_t i = 0; i < count && flow->stopped == 0; i++) {
		const struct standard_step *step = &flow->held[i];
		if (step->event == STANDARD_RETIRED)
			flow->stopped = release_run(flow, step->pc, step->count);
		else
			flow->stopped = flow->sink(flow->context, step->event, step->pc);
	}
	flow->count -= count;
	memmove(flow->held, flow->held + count, flow->count * sizeof *flow->held);
	return flow->stopped;
}

static void hold_step(struct standard_flow *flow, enum standard_event event, uint64_t pc, uint32_t count)
{
	if (flow->count == STANDARD_HELD_MAX) {
		for (size_t i = 0; i < STANDARD_HELD_MAX / 2; i++)
			flow->unconfirmed += flow->held[i].count;
		release_steps(flow, STANDARD_HELD_MAX / 2);
	}
	flow->held[flow->count++] = (struct standard_step){pc, count, event};
}

int standard_flow_put(struct standard_flow *flow, enum standard_event event, uint64_t pc)
{
	hold_step(flow, event, pc, event == STANDARD_RETIRED);
	flow->joins = STANDARD_NOWHERE;
	flow->last = pc;
	return flow->stopped;
}

static int put_run(struct standard_flow *flow, uint64_t pc, uint32_t count, uint64_t behind)
{
	if (flow->joins == pc && flow->count > 0)
		flow->held[flow->count - 1].count += count;
	else
		hold_step(flow, STANDARD_RETIRED, pc, count);
	flow->joins = behind;
	return flow->stopped;
}

int standard_flow_run(struct standard_flow *flow, const struct standard_block *block)
{
	flow->last = block->last;
	return put_run(
	    flow, block->pc, block->count, block->class == STANDARD_PLAIN ? block->behind : STANDARD_NOWHERE);
}

int standard_flow_retire(struct standard_flow *flow, const struct standard_insn *insn)
{
	flow->last = insn->pc;
	return put_run(
	    flow, insn->pc, 1, insn->class == STANDARD_PLAIN ? insn->pc + insn->length : (uint64_t)STANDARD_NOWHERE);
}

int standard_flow_confirm(struct standard_flow *flow)
{
	flow->joins = STANDARD_NOWHERE;
	return release_steps(flow, flow->count);
}

static bool is_state_event(enum standard_event event)
{
	return event >= STANDARD_MODE;
}

int standard_flow_put_before(struct standard_flow *flow, enum standard_event event, uint64_t value)
{
	const uint64_t last = flow->last;
	if (flow->count == 0 || flow->held[flow->count - 1].event != STANDARD_RETIRED)
		return standard_flow_put(flow, event, value);
	standard_flow_take_back(flow);
	standard_flow_put(flow, event, value);
	return standard_flow_put(flow, STANDARD_RETIRED, last);
}

void standard_flow_take_back(struct standard_flow *flow)
{
	flow->joins = STANDARD_NOWHERE;
	if (flow->count > 0 && flow->held[flow->count - 1].count > 1)
		flow->held[flow->count - 1].count--;
	else
		flow->count -= flow->count > 0;
}

int standard_flow_drop(struct standard_flow *flow)
{
	size_t kept = 0;
	flow->joins = STANDARD_NOWHERE;
	for (size_t i = 0; i < flow->count; i++) {
		flow->dropped += flow->held[i].count;
		if (is_state_event(flow->held[i].event))
			flow->held[kept++] = flow->held[i];
	}
	flow->count = kept;
	if (flow->stopped == 0)
		flow->stopped = flow->sink(flow->context, STANDARD_BROKEN, STANDARD_NOWHERE);
	return release_steps(flow, flow->count);
}
