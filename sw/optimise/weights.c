/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* How often each branch went each way, from start and history of the records (TSH claim 9). */
#include "sw/optimise/private.h"

struct optimise_weight *optimise_weight(const struct optimise *optimise, uint32_t pc)
{
	uint32_t mask = optimise->weight_room - 1, at = (pc >> 1) * 0x9E3779B1u >> 7 & mask;
	while (optimise->weights[at].pc != 1 && optimise->weights[at].pc != pc)
		at = (at + 1) & mask;
	return &optimise->weights[at];
}

static uint32_t add(uint32_t a, uint32_t b)
{
	return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static struct optimise_seed *seed_place(const struct optimise *optimise, uint32_t pc)
{
	uint32_t mask = optimise->seed_room - 1, at = (pc >> 1) * 0x9E3779B1u >> 7 & mask;
	while (optimise->seeds[at].pc != 1 && optimise->seeds[at].pc != pc)
		at = (at + 1) & mask;
	return &optimise->seeds[at];
}

struct optimise_seed *optimise_seed_at(const struct optimise *optimise, uint32_t pc)
{
	struct optimise_seed *s = seed_place(optimise, pc);
	return s->pc == pc ? s : NULL;
}

bool optimise_considered(const struct optimise *optimise, uint32_t pc)
{
	const struct optimise_seed *s = optimise_seed_at(optimise, pc);
	return s != NULL && s->done;
}

void optimise_seed(struct optimise *optimise, uint32_t pc, uint32_t flow, bool root)
{
	struct optimise_seed *s = seed_place(optimise, pc);
	if (s->pc == pc) {
		s->flow = add(s->flow, flow);
		s->root |= root;
	} else if (optimise->seed_count + 1 < optimise->seed_room) { /* one place stays empty: the search ends there */
		optimise->seed_count++;
		*s = (struct optimise_seed){.pc = pc, .flow = flow, .root = root};
	}
}

static void weigh(struct optimise *optimise, uint32_t pc, bool taken, uint32_t count)
{
	struct optimise_weight *w = optimise_weight(optimise, pc);
	if (w->pc == 1) {
		/* One place stays empty: the search ends there. */
		if (optimise->weight_count + 1 >= optimise->weight_room)
			return;
		optimise->weight_count++;
		*w = (struct optimise_weight){.pc = pc};
	}
	if (taken)
		w->taken = add(w->taken, count);
	else
		w->fall = add(w->fall, count);
}

/* The way of a record through the program. */
struct way {
	struct optimise *optimise;
	uint32_t pc, hist;
	unsigned left; /* outcomes */
	uint32_t calls[OPTIMISE_CALLS];
	unsigned depth;
};

static struct way way_of(struct optimise *optimise, uint32_t start, uint32_t hist)
{
	return (struct way){
	    .optimise = optimise, .pc = start, .hist = hist, .left = 31 - (unsigned)__builtin_clz(hist)};
}

/* Past the instruction at w->pc. False: the record does not say where it goes on, or the code does not bear it out. */
static inline bool pass(struct way *w, const struct optimise_insn *insn)
{
	uint32_t behind = w->pc + insn->length;
	switch (insn->kind) {
	case KIND_EXIT:
		if (w->left == 0)
			return false;
		w->pc = w->hist >> --w->left & 1 ? insn->target : behind;
		return true;
	case KIND_CALL:
		w->calls[w->depth++ % OPTIMISE_CALLS] = behind;
		w->pc = insn->target;
		return true;
	case KIND_JUMP:
		w->pc = insn->target;
		return true;
	case KIND_INDIRECT:
		if (w->depth == 0 || (insn->rs1 != 1 && insn->rs1 != 5))
			return false;
		w->pc = w->calls[--w->depth % OPTIMISE_CALLS];
		return true;
	default:
		w->pc = behind;
		return insn->kind != KIND_STOP ||
		       (insn->op != ISA_ILLEGAL && insn->op != ISA_JALR && insn->op != ISA_MRET &&
			   insn->op != ISA_ECALL && insn->op != ISA_EBREAK);
	}
}

/* Follows a record, and notes its branches. False: the code does not bear it out. */
static bool follow(struct optimise *optimise, uint32_t pc, uint32_t hist, uint32_t branches[31])
{
	struct way w = way_of(optimise, pc, hist);
	for (unsigned n = 0; w.left > 0 && n < OPTIMISE_WALK_MAX; n++) {
		const struct optimise_insn *insn = optimise_program_insn(optimise, w.pc);
		if (insn == NULL)
			return false;
		if (insn->kind == KIND_EXIT)
			*branches++ = w.pc;
		if (!pass(&w, insn))
			return false;
	}
	return w.left == 0;
}

/* Takes back a patch of the last build at pc. */
static void unpatch(struct optimise *optimise, uint32_t pc)
{
	uint32_t kept = optimise->built_patches;
	for (uint32_t i = kept; i < optimise->patch_count; i++) {
		const struct optimise_patch patch = optimise->patches[i];
		if (patch.pc != pc)
			optimise->patches[kept++] = patch;
		else
			optimise->traces[patch.trace].root = false;
	}
	optimise->patch_count = kept;
}

/*
 * A patch is right if no instruction begins in its middle, nor one before it ends there:
 *
 *	patch at p      ├── 4 bytes ──┤
 *	way 1                  ├──── at p + 2
 *	way 2    ├── 4 bytes ──┤       at p - 2
 */
void optimise_witness(struct optimise *optimise, uint32_t start, uint32_t hist)
{
	if (hist == 0 || (start & 1) != 0 || optimise->patch_count == optimise->built_patches)
		return;
	/* without outcomes it goes a few instructions: only where a trace begins in these 64 bytes or the next */
	if (hist == 1 && (optimise->entries[start >> 6 & 31] | optimise->entries[((start >> 6) + 1) & 31]) == 0)
		return;
	struct way w = way_of(optimise, start, hist);
	for (unsigned n = 0; n < OPTIMISE_WALK_MAX; n++) {
		uint32_t pc = w.pc;
		const struct optimise_insn *insn = optimise_program_insn(optimise, pc);
		if (insn == NULL)
			return;
		if (optimise_may_begin(optimise, pc - 2))
			unpatch(optimise, pc - 2);
		if (insn->length == 4 && optimise_may_begin(optimise, pc + 2))
			unpatch(optimise, pc + 2);
		/* on to the branch behind the last one: where a record ends the program goes on */
		if (!pass(&w, insn))
			return;
	}
}

void optimise_record(struct optimise *optimise, uint32_t start, uint32_t hist, uint32_t count)
{
	if (count == 0)
		return;
	uint32_t branches[31];
	if (hist == 0 || (start & 1) != 0 || optimise_decoded(optimise, start) == NULL ||
	    !follow(optimise, start, hist, branches)) {
		optimise->refused++;
		return;
	}
	unsigned outcomes = 31 - (unsigned)__builtin_clz(hist);
	for (unsigned i = 0; i < outcomes; i++)
		weigh(optimise, branches[i], (hist >> (outcomes - 1 - i) & 1) != 0, count);
	optimise->total += count;
	optimise_seed(optimise, start, count, true);
}

void optimise_forget(struct optimise *optimise)
{
	optimise->total = 0;
	for (uint32_t i = 0; i < optimise->seed_room; i++)
		optimise->seeds[i].flow = 0;
}
