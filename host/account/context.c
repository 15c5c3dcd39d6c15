/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Calls, and what a function took with what it calls, as far as one trace shows it. A stack of frames is kept while the
 * path is gone through:
 *
 *   call ──► push (function, call)     into another function without a call ──► back to it if it is there, else push
 *   return ──► pop to the call with this link register, and what lies above it
 *
 * A function or call that is on the stack twice (recursion) counts from its outermost frame only.
 */
#include "host/account/private.h"

#include <stdlib.h>
#include "isa/isa.h"

/* Where a call, or a jump, at row goes: from the instruction, or from the AUIPC right before it. */
static uint64_t call_target_of(const struct maker *maker, size_t row)
{
	const struct account_insn *insn = &maker->account->insns[row];
	struct isa_insn decoded;
	uint64_t target;
	if ((insn->class_bits & (ISA_JUMP | ISA_BRANCH)) == 0)
		return image_far_target(maker->image, insn->pc, &target) ? target : ACCOUNT_NOWHERE;
	return image_insn(maker->image, insn->pc, 0, &decoded) ? isa_target(&decoded, insn->pc) : ACCOUNT_NOWHERE;
}

/* Whether a function begins at target. */
static bool function_begins(const struct maker *maker, uint64_t target)
{
	uint64_t start = 0;
	if (image_function(maker->image, target, &start) != NULL)
		return start == target;
	size_t half = account_half(maker, target);
	return half != SIZE_MAX && (maker->flags[half] & CALLED) != 0;
}

int account_calls(struct maker *maker)
{
	struct account *a = maker->account;
	maker->call_of = calloc(a->insn_count + 1, sizeof *maker->call_of);
	a->calls = calloc(a->insn_count + 1, sizeof *a->calls);
	maker->call_depth = calloc(a->insn_count + 1, sizeof *maker->call_depth);
	maker->call_from = calloc(a->insn_count + 1, sizeof *maker->call_from);
	if (maker->call_of == NULL || a->calls == NULL || maker->call_depth == NULL || maker->call_from == NULL)
		return ACCOUNT_ENOMEM;
	for (size_t i = 0; i < a->insn_count; i++) {
		const struct account_insn *insn = &a->insns[i];
		bool call = (insn->class_bits & ISA_CALL) != 0;
		maker->call_of[i] = ACCOUNT_NONE;
		if ((insn->class_bits & (ISA_JUMP | ISA_BRANCH | ISA_INDIRECT)) == 0)
			continue;
		uint64_t target = call_target_of(maker, i);
		if (!call && (target == ACCOUNT_NOWHERE || target == a->functions[insn->function].start ||
				 !function_begins(maker, target)))
			continue;
		maker->call_of[i] = (uint32_t)a->call_count;
		a->calls[a->call_count++] = (struct account_call){.pc = insn->pc,
		    .function = insn->function,
		    .callee = target,
		    .callee_row = target == ACCOUNT_NOWHERE ? ACCOUNT_NONE : account_function_at(a, target),
		    .kind = call ? ACCOUNT_CALL : ACCOUNT_TAIL_CALL};
	}
	return ACCOUNT_OK;
}

static void push_activation(struct maker *maker, struct frame frame, struct account_pair now)
{
	if (!array_room(&maker->frames, maker->frame_count + 1, &maker->frame_room)) {
		maker->error = ACCOUNT_ENOMEM;
		return;
	}
	frame.activation = maker->activations++;
	maker->frames[maker->frame_count++] = frame;
	if (maker->function_depth[frame.function]++ == 0)
		maker->function_from[frame.function] = now;
	if (frame.call != ACCOUNT_NONE && maker->call_depth[frame.call]++ == 0)
		maker->call_from[frame.call] = now;
}

static void charge_span(struct maker *maker, uint64_t *insns, uint64_t *cycles, struct account_pair from,
    struct account_pair now, uint64_t n)
{
	if (!account_add(insns, now.insns - from.insns, n) || !account_add(cycles, now.cycles - from.cycles, 1))
		maker->error = ACCOUNT_EOVERFLOW;
}

static void pop_activation(struct maker *maker, struct account_pair now, uint64_t n)
{
	struct account *a = maker->account;
	const struct frame *frame = &maker->frames[--maker->frame_count];
	struct account_function *function = &a->functions[frame->function];
	if (--maker->function_depth[frame->function] == 0)
		charge_span(maker, &function->inclusive_insns, &function->inclusive_cycles,
		    maker->function_from[frame->function], now, n);
	if (frame->call == ACCOUNT_NONE)
		return;
	struct account_call *call = &a->calls[frame->call];
	if (--maker->call_depth[frame->call] == 0)
		charge_span(maker, &call->insns, &call->cycles, maker->call_from[frame->call], now, n);
}

/* A return through a link register: the walk has found a call for it, so it is here too. */
static void return_through(struct maker *maker, uint32_t link, struct account_pair now, uint64_t n)
{
	while (maker->frame_count > 1) {
		bool found = maker->frames[maker->frame_count - 1].link == link;
		pop_activation(maker, now, n);
		if (found)
			return;
	}
}

/* Control came into function without a call or return. */
static void move_to_function(struct maker *maker, uint32_t function, struct account_pair now, uint64_t n)
{
	size_t i = maker->frame_count;
	while (i > 0 && maker->frames[i - 1].function != function && maker->frames[i - 1].link == 0)
		i--;
	if (i > 0 && maker->frames[i - 1].function == function) {
		while (maker->frame_count > i)
			pop_activation(maker, now, n);
	} else
		push_activation(maker, (struct frame){.function = function, .call = ACCOUNT_NONE}, now);
}

/* What the last instruction of a visit does to the stack. function: that of the instruction behind it, ACCOUNT_NONE at
 * the end of the trace. */
static void leave_trace(struct maker *maker, const struct visited *visit, uint32_t row, uint32_t function,
    struct account_pair now, uint64_t n)
{
	const struct walk_block *block = visit->block;
	uint32_t index = maker->call_of[row];
	bool goes =
	    visit->outcome != 0 && visit->count == block->count && (visit->outcome == 1 || block->exit != WALK_BRANCH);
	if (goes && index != ACCOUNT_NONE) {
		struct account_call *call = &maker->account->calls[index];
		if (!account_add(&call->count, n, 1))
			maker->error = ACCOUNT_EOVERFLOW;
		if (function != ACCOUNT_NONE)
			push_activation(maker,
			    (struct frame){.function = function,
				.call = index,
				.link = call->kind == ACCOUNT_CALL ? block->link : 0},
			    now);
	} else if (goes && function != ACCOUNT_NONE && block->exit == WALK_INDIRECT)
		return_through(maker, block->through, now, n);
}

int account_context(struct maker *maker, uint64_t count)
{
	const struct account_insn *insns = maker->account->insns;
	struct account_pair now = {0};
	size_t at = 0;
	maker->frame_count = 0;
	maker->activations = 0;
	for (size_t i = 0; i < maker->visit_count && maker->error == ACCOUNT_OK; i++) {
		const struct visited *visit = &maker->visits[i];
		for (uint32_t k = 0; k < visit->count && maker->error == ACCOUNT_OK; k++, at++) {
			uint32_t function = insns[maker->steps[at].row].function;
			if (at == 0)
				push_activation(maker, (struct frame){.function = function, .call = ACCOUNT_NONE}, now);
			else if (maker->frames[maker->frame_count - 1].function != function)
				move_to_function(maker, function, now, count);
			if (maker->error != ACCOUNT_OK)
				break;
			maker->steps[at].activation = maker->frames[maker->frame_count - 1].activation;
			now.insns++;
			now.cycles += maker->steps[at].part.cycles;
		}
		uint32_t next = at < maker->step_count ? insns[maker->steps[at].row].function : ACCOUNT_NONE;
		if (maker->error == ACCOUNT_OK)
			leave_trace(maker, visit, maker->steps[at - 1].row, next, now, count);
	}
	while (maker->frame_count > 0)
		pop_activation(maker, now, count);
	return maker->error;
}

/* Leaves out calls that never happened (tail calls by a branch that was not taken), and counts those of each callee. */
int account_finish_calls(struct maker *maker)
{
	struct account *a = maker->account;
	size_t used = 0;
	for (size_t i = 0; i < a->call_count; i++) {
		if (a->calls[i].count == 0)
			continue;
		a->calls[used++] = a->calls[i];
		if (a->calls[i].callee_row != ACCOUNT_NONE &&
		    !account_add(&a->functions[a->calls[i].callee_row].callers, a->calls[i].count, 1))
			return ACCOUNT_EOVERFLOW;
	}
	a->call_count = used;
	return ACCOUNT_OK;
}
