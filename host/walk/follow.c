/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/walk/follow.h"

#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"

const char *follow_strerror(int error)
{
	switch (error) {
	case FOLLOW_OK:
		return "no difference";
	case FOLLOW_EWALK:
		return "a record cannot be followed";
	case FOLLOW_EPC:
		return "a record gives another instruction than was executed";
	case FOLLOW_ESHORT:
		return "a record gives more instructions than were executed";
	case FOLLOW_EQUEUE:
		return "too many executed instructions that no record accounts for";
	case FOLLOW_ESAMPLED:
		return "the trace unit samples, so its records do not account for everything";
	case FOLLOW_ENOMEM:
		return "out of memory";
	default:
		return "unknown error";
	}
}

int follow_open(struct follow *follow, const struct image *image)
{
	*follow = (struct follow){.image = image, .size = 4096};
	follow->queue = calloc(follow->size, sizeof *follow->queue);
	return follow->queue == NULL ? FOLLOW_ENOMEM : FOLLOW_OK;
}

void follow_close(struct follow *follow)
{
	walk_close(follow->walk);
	free(follow->queue);
	*follow = (struct follow){0};
}

bool follow_taken(const struct trace *trace)
{
	const struct trace_config *config = &trace->config;
	if (!trace->s.valid || trace->s.trap || (trace->ctrl & RV_CTRL_ENABLE_MASK) == 0)
		return false;
	if (config->with_check)
		return trace_takes(trace);
	if (config->with_freeze && (trace->ctrl & RV_CTRL_HANDLERS_MASK) == 0 && (trace->depth > 0 || trace->s.intr))
		return false;
	if (config->with_mode && (trace->ctrl >> (RV_CTRL_MODES_LSB + trace->s.mode) & 1) == 0)
		return false;
	bool ranged = false;
	for (unsigned i = 0; i < config->ranges; i++) {
		if ((trace->ctrl >> (RV_CTRL_RANGE_EN_LSB + i) & 1) == 0)
			continue;
		ranged = true;
		if (trace->s.pc >= trace->range_lo[i] && trace->s.pc < trace->range_hi[i])
			return true;
	}
	return !ranged;
}

static int grow_follow(struct follow *follow)
{
	uint64_t *queue = follow->size >= FOLLOW_QUEUE_MAX ? NULL : malloc(2 * follow->size * sizeof *queue);
	if (queue == NULL)
		return follow->size >= FOLLOW_QUEUE_MAX ? FOLLOW_EQUEUE : FOLLOW_ENOMEM;
	/* the ring's parts in order: from first to its end, then from its beginning */
	size_t tail = follow->size - follow->first;
	memcpy(queue, follow->queue + follow->first, tail * sizeof *queue);
	memcpy(queue + tail, follow->queue, follow->first * sizeof *queue);
	free(follow->queue);
	follow->queue = queue;
	follow->size *= 2;
	follow->first = 0;
	return FOLLOW_OK;
}

int follow_retire(struct follow *follow, const struct trace *trace)
{
	if ((trace->ctrl & RV_CTRL_ENABLE_MASK) != 0)
		follow->ctrl = trace->ctrl;
	if (!follow_taken(trace))
		return FOLLOW_OK;
	if (follow->waiting == follow->size) {
		int error = grow_follow(follow);
		if (error != FOLLOW_OK)
			return error;
	}
	follow->queue[(follow->first + follow->waiting++) & (follow->size - 1)] = trace->s.pc;
	return FOLLOW_OK;
}

static int compare_visit(void *context, const struct walk_visit *visit)
{
	struct follow *follow = context;
	uint64_t starts = visit->block->starts;
	for (uint32_t i = 0; i < visit->count; i++, starts &= starts - 1) {
		uint64_t pc = visit->block->start + 2 * (uint32_t)__builtin_ctzll(starts);
		follow->got = pc;
		if (follow->waiting == 0)
			return FOLLOW_ESHORT;
		follow->expected = follow->queue[follow->first];
		if (pc != follow->expected)
			return FOLLOW_EPC;
		follow->first = (follow->first + 1) & (follow->size - 1);
		follow->waiting--;
		follow->last[follow->last_count++ % FOLLOW_CONTEXT] = pc;
		follow->index++;
		follow->instructions++;
	}
	return 0;
}

/* A walk for the way that the unit collects now; the decoded blocks are lost when it changes, which is seldom. */
static int prepare_follow(struct follow *follow, const struct trace *trace)
{
	const struct walk_config config = {.hist = trace->config.hist,
	    .ctrl = follow->ctrl,
	    .insn_bits = trace->config.with_insns ? trace->config.insn_bits : 0};
	if (follow->walk != NULL && walk_same(follow->walk, &config))
		return FOLLOW_OK;
	walk_close(follow->walk);
	follow->walk = NULL;
	return walk_open(&follow->walk, follow->image, &config) == WALK_OK ? FOLLOW_OK : FOLLOW_ENOMEM;
}

/* NO_INDIRECT: what lies behind a jump to an unknown target is known by number only. */
static bool skip_rest(struct follow *follow, const struct record *record, const struct trace *trace)
{
	if (record->insns <= follow->index || record->insns == (1u << trace->config.insn_bits) - 1 ||
	    record->insns - follow->index > follow->waiting)
		return false;
	uint32_t rest = record->insns - follow->index;
	follow->first = (follow->first + rest) & (follow->size - 1);
	follow->waiting -= rest;
	follow->skipped += rest;
	return true;
}

int follow_record(struct follow *follow, const struct trace *trace, const struct record *record)
{
	follow->record = *record;
	if (trace->config.with_sample && (follow->ctrl & RV_CTRL_SAMPLE_MASK) != 0)
		return FOLLOW_ESAMPLED;
	int error = prepare_follow(follow, trace);
	for (unsigned i = 0; i < record->count && error == FOLLOW_OK; i++) {
		size_t waiting = follow->waiting;
		follow->index = 0;
		follow->walk_error = walk_record(follow->walk, record, compare_visit, follow, &follow->at);
		if (follow->walk_error == WALK_ESTOPPED)
			error = follow->waiting == 0 ? FOLLOW_ESHORT : FOLLOW_EPC;
		else if (follow->walk_error == WALK_ETARGET && skip_rest(follow, record, trace))
			follow->unresolved++;
		else if (follow->walk_error == WALK_ENOMEM)
			error = FOLLOW_ENOMEM;
		else if (follow->walk_error !=
			 WALK_OK) /* an unknown end is a difference too: the stream is to be complete */
			error = FOLLOW_EWALK;
		else
			follow->traces++;
		if (waiting == follow->waiting && error == FOLLOW_OK)
			error = FOLLOW_ESHORT;
	}
	if (error == FOLLOW_OK)
		follow->records++;
	return error;
}
