/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Runs of a decoder, into records. Where nothing but instructions retires, the model of the unit is left between two
 * cycles, and the rules of its pair (docs/trace-unit.md sections 5 and 6) are followed a block at a time; it goes on at
 * the next trap, break or change of mode. check_import_runs holds these records against the unit's.
 *
 *   run ──► drained? ──► block, block, block ... ──► records
 *            │ no                          │ trap, break, mode, handler
 *            └──► import_step() ◄──────────┘
 */
#include "common/rivulet_regs.h"
#include "host/import/private.h"

/* No handler is open, nothing is on its way to a record, and what retires is traced. */
static bool is_quiet(const struct trace *unit)
{
	return unit->depth == 0 && !unit->s.valid && !unit->end && !unit->hold_valid && !unit->outside && !unit->skip;
}

static bool may_begin(const struct import *import)
{
	const struct import_step *step = &import->waiting;
	const bool plain = import->has_waiting && !step->trap && !step->intr && !step->has_next;
	const bool wanted = !import->config.stepwise && import->watcher == NULL && import->config.ret_mask == 0;
	return plain && wanted && !import->off && !import->interrupted && step->mode == import->mode &&
	       import->trace.depth == 0 && (import->config.modes >> import->mode & 1) != 0;
}

/* The step that waits is the last one of a run that ended with insn. */
static void wait_for_next(struct import_pair *pair, const struct standard_block *block)
{
	pair->class = block->class;
	pair->behind = block->behind;
	pair->target = block->target;
}

/* Leaves the unit; the step that waits has not been shown. */
static int import_pair_begin(struct import *import)
{
	struct import_pair *pair = &import->pair;
	const struct trace *unit = &import->trace;
	const struct standard_block *block = standard_code_block(import->decoder->code, import->waiting.pc);
	if (!may_begin(import) || block->count == 0)
		return IMPORT_OK;
	int error = import_drain(import);
	if (error != IMPORT_OK || !is_quiet(unit))
		return error;
	*pair = (struct import_pair){.on = true,
	    .valid = unit->cur_valid,
	    .start = unit->cur_start,
	    .hist = unit->cur_hist,
	    .insns = unit->cur_insns,
	    .full = UINT64_C(1) << (unit->config.hist - 1),
	    .insns_most = (UINT64_C(1) << unit->config.insn_bits) - 1};
	if (block->count == 1)
		wait_for_next(pair, block);
	else
		pair->behind = import->waiting.pc + standard_code_at(import->decoder->code, block->pc)->length;
	return IMPORT_OK;
}

void import_pair_end(struct import *import)
{
	struct import_pair *pair = &import->pair;
	struct trace *unit = &import->trace;
	if (!pair->on)
		return;
	pair->on = false;
	unit->cur_valid = pair->valid;
	unit->cur_start = pair->start;
	unit->cur_hist = pair->valid ? pair->hist : 1;
	unit->cur_insns = pair->valid ? (uint32_t)pair->insns : 0;
}

static void add_insns(struct import_pair *pair, uint64_t pc, uint64_t count)
{
	if (!pair->valid) {
		pair->valid = true;
		pair->start = pc;
		pair->hist = 1;
		pair->insns = 0;
	}
	pair->insns += count;
	if (pair->insns > pair->insns_most)
		pair->insns = pair->insns_most;
}

static bool can_go_on(const struct import_pair *pair, uint64_t next)
{
	switch (pair->class) {
	case STANDARD_PLAIN:
		return next == pair->behind;
	case STANDARD_BRANCH:
		return next == pair->behind || next == pair->target;
	case STANDARD_JUMP:
	case STANDARD_CALL:
		return next == pair->target;
	default:
		return pair->class <= STANDARD_INDIRECT;
	}
}

/* Why the trace ends with the instruction at pc, which went on at next. */
static uint8_t pair_reason(const struct import_pair *pair, uint64_t pc, uint64_t next, bool taken)
{
	const bool direct = pair->class == STANDARD_JUMP || pair->class == STANDARD_CALL;
	if ((direct || taken) && next <= pc)
		return TRACE_BACKWARD;
	if (pair->class >= STANDARD_CALL_INDIRECT)
		return TRACE_INDIRECT;
	return pair->class == STANDARD_BRANCH && pair->hist >= pair->full ? TRACE_FULL : TRACE_NONE;
}

/* The step that waits retired and went on at next. */
static int pass_waiting(struct import *import, uint64_t next)
{
	struct import_pair *pair = &import->pair;
	const uint64_t pc = import->waiting.pc;
	const bool taken = pair->class == STANDARD_BRANCH && next != pair->behind;
	import->counts.instructions++;
	add_insns(pair, pc, 1);
	if (pair->class == STANDARD_PLAIN)
		return IMPORT_OK;
	if (pair->class == STANDARD_BRANCH)
		pair->hist = pair->hist << 1 | taken;
	const uint8_t reason = pair_reason(pair, pc, next, taken);
	if (reason == TRACE_NONE)
		return IMPORT_OK;
	const struct record record = {
	    .start = pair->start, .hist = pair->hist, .reason = reason, .count = 1, .insns = (uint32_t)pair->insns};
	pair->valid = false;
	return import_clock_record(import->clock, &record, import->counts.instructions);
}

/* The address of the last of count instructions of a block. */
static uint64_t last_of(struct import *import, const struct standard_block *block, uint32_t count)
{
	uint64_t pc = block->pc;
	if (count == block->count)
		return block->last;
	for (; count > 1; count--)
		pc += standard_code_at(import->decoder->code, pc)->length;
	return pc;
}

/* The first instructions of a block retired: all but the last are added, and that one waits. */
static void pass_block(struct import *import, const struct standard_block *block, uint32_t count)
{
	struct import_pair *pair = &import->pair;
	const uint64_t last = last_of(import, block, count);
	if (count > 1)
		add_insns(pair, block->pc, count - 1);
	import->counts.instructions += count - 1;
	import->waiting.pc = last;
	import->waiting.line = import->counts.lines;
	wait_for_next(pair, block);
	if (count < block->count) {
		pair->class = STANDARD_PLAIN;
		pair->behind = last + standard_code_at(import->decoder->code, last)->length;
	}
}

static int show_one(struct import *import, uint64_t pc)
{
	const struct import_step step = {.line = import->counts.lines,
	    .pc = pc,
	    .hart = import->config.hart,
	    .mode = import->mode,
	    .intr = import->interrupted};
	import_pair_end(import);
	import->interrupted = false;
	return import_step(import, &step);
}

int import_run(struct import *import, uint64_t pc, uint32_t count)
{
	int error = IMPORT_OK;
	while (count > 0 && error == IMPORT_OK) {
		const struct standard_block *block;
		uint32_t passed = 1;
		if (!import->pair.on)
			error = import_pair_begin(import);
		if (error != IMPORT_OK)
			break;
		block = standard_code_block(import->decoder->code, pc);
		if (import->pair.on && can_go_on(&import->pair, pc) && block->count > 0) {
			passed = count < block->count ? count : block->count;
			error = pass_waiting(import, pc);
			pass_block(import, block, passed);
			pc = import->pair.behind;
		} else {
			error = show_one(import, pc);
			pc = (pc + standard_code_at(import->decoder->code, pc)->length) & import->ones;
		}
		count -= passed;
	}
	return error;
}
