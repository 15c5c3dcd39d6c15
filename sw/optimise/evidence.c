/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What a record tells about the program's branches, also where it goes through the cache, whose branches are turned:
 *
 *	record    start ── branch ── patch ┐       ┌── branch ── ...
 *	                     0             │       │     1
 *	trace                              └─ exit ┘
 *	                                       1     the program's branch went the way that the trace does not have
 *
 * Where a trace is left for the program, one more may begin. Its questions are counted: do its divisors still repeat?
 */
#include "sw/optimise/private.h"

/* Outcomes of a record that are left. */
struct rest {
	uint32_t hist, count;
	unsigned left;
};

static inline bool next_outcome(struct rest *rest)
{
	return (rest->hist >> --rest->left & 1) != 0;
}

/* The outcomes of the program's branches up to the next patch; the trace that it leads to, NULL: the record ends. */
static struct optimise_trace *tell_branches(struct optimise *optimise, const uint32_t *branches, struct rest *rest)
{
	while (rest->left > 0 && *branches != OPTIMISE_NOWHERE) {
		bool taken = next_outcome(rest);
		optimise_weigh(optimise, *branches++, taken, rest->count);
	}
	if (rest->left == 0)
		return NULL;
	const struct optimise_patch *patch = optimise_patch_at(optimise, branches[1]);
	return patch == NULL ? NULL : &optimise->traces[patch->trace];
}

static void tell_exit(
    struct optimise *optimise, struct optimise_trace *trace, const struct optimise_insn *exit, bool out, uint32_t count)
{
	if (!optimise_asks(exit)) {
		bool falls = exit->target == exit->pc + exit->length;
		optimise_weigh(optimise, exit->pc, out != falls, count);
		return;
	}
	trace->asked += count;
	trace->failed += out ? count : 0;
}

/* From an instruction of a trace on: returns the trace that comes next, or NULL: the program does, at *pc, 0: the
 * record ends. */
static struct optimise_trace *tell_trace(
    struct optimise *optimise, struct optimise_trace *trace, uint32_t at, struct rest *rest, uint32_t *pc)
{
	const struct optimise_insn *insn = &optimise->insns[trace->first + at],
				   *end = &optimise->insns[trace->first + trace->count];
	*pc = 0;
	for (; insn < end && rest->left > 0; insn++) {
		bool out = insn->kind == KIND_JUMP;
		if (insn->kind == KIND_EXIT && !(insn->flags & OPTIMISE_GONE)) {
			out = next_outcome(rest);
			tell_exit(optimise, trace, insn, out, rest->count);
		}
		if (!out)
			continue;
		if (insn->link != 0 && optimise->config.passes & OPTIMISE_LINK)
			return &optimise->traces[insn->link - 1];
		*pc = insn->target;
		if (insn->kind == KIND_EXIT && !optimise_asks(insn))
			optimise_seed(optimise, insn->target, rest->count, false);
		return NULL;
	}
	return NULL;
}

/* The rest of a record from an instruction of a trace on. */
static void tell_rest(struct optimise *optimise, struct optimise_trace *trace, uint32_t at, struct rest *rest)
{
	uint32_t branches[OPTIMISE_OUTCOMES], pc;
	for (unsigned n = 0; trace != NULL && rest->left > 0 && n < OPTIMISE_WALK_MAX; n++, at = 0) {
		trace = tell_trace(optimise, trace, at, rest, &pc);
		if (pc == 0 || rest->left == 0)
			continue;
		uint32_t hist = 1u << rest->left | (rest->hist & ((1u << rest->left) - 1));
		if (optimise_walk(optimise, pc, hist, branches, rest->count) != 0)
			trace = tell_branches(optimise, branches, rest);
	}
}

static struct rest rest_of(uint32_t hist, uint32_t count)
{
	return (struct rest){.hist = hist, .count = count, .left = 31 - (unsigned)__builtin_clz(hist)};
}

void optimise_record(struct optimise *optimise, uint32_t start, uint32_t hist, uint32_t count)
{
	if (count == 0)
		return;
	uint32_t branches[OPTIMISE_OUTCOMES];
	unsigned walked = hist == 0 || (start & 1) != 0 ? 0 : optimise_walk(optimise, start, hist, branches, count);
	if (walked == 0) {
		optimise->refused++;
		return;
	}
	optimise->total += count;
	optimise_seed(optimise, start, count, true);
	struct optimise_seed *seed = optimise_seed_at(optimise, start);
	if (walked > 1 && seed != NULL)
		seed->divides = true;
	struct rest rest = rest_of(hist, count);
	tell_rest(optimise, tell_branches(optimise, branches, &rest), 0, &rest);
}

void optimise_record_inside(struct optimise *optimise, uint32_t start, uint32_t hist, uint32_t count)
{
	uint32_t offset = start - optimise->config.cache;
	if (hist == 0)
		return;
	struct rest rest = rest_of(hist, count);
	for (uint32_t t = 0; t < optimise->trace_count; t++) {
		struct optimise_trace *trace = &optimise->traces[t];
		if (offset - 2u * trace->at >= 2u * trace->size)
			continue;
		const struct optimise_insn *insn = &optimise->insns[trace->first], *end = insn + trace->count;
		for (; insn < end; insn++)
			if (insn->size != 0 && offset == 2u * insn->at)
				tell_rest(optimise, trace, (uint32_t)(insn - &optimise->insns[trace->first]), &rest);
		return;
	}
}
