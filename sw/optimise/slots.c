/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Load-use slots. What uses a loaded value in the next instruction waits a cycle (docs/core.md section 3); an
 * instruction that neither of them needs goes between:
 *
 *   add  a2, a2, a3            lw   a0, 0(a4)
 *   lw   a0, 0(a4)             add  a2, a2, a3
 *   add  a1, a1, a0            add  a1, a1, a0
 *
 * It comes from before the load, or from behind the user. Loads and stores keep their order. What has moved behind a
 * load or store is not done yet if that faults: its list of fixes says so.
 */
#include "sw/optimise/private.h"

#define LOOK 6 /* instructions that are looked at before and behind */

/* May a stand behind b instead of before it? */
static bool independent(const struct optimise_insn *a, const struct optimise_insn *b)
{
	uint32_t ra = optimise_reads(a), wa = optimise_writes(a), rb = optimise_reads(b), wb = optimise_writes(b);
	return (wa & (rb | wb)) == 0 && (wb & ra) == 0;
}

static bool waits(const struct optimise_insn *load, const struct optimise_insn *user)
{
	return load->kind == KIND_LOAD && load->rd != 0 && (optimise_reads(user) >> load->rd & 1) != 0;
}

/* Could this one be done late by optimise_restore()? It is then read from the program again. */
static bool repeatable(const struct optimise_insn *insn)
{
	return insn->kind == KIND_PLAIN && !(insn->flags & OPTIMISE_EDITED);
}

static void move(struct optimise_insn *insns, uint32_t from, uint32_t to)
{
	struct optimise_insn moved = insns[from];
	for (; from < to; from++)
		insns[from] = insns[from + 1];
	for (; from > to; from--)
		insns[from] = insns[from - 1];
	insns[to] = moved;
}

/* From before the load at i to behind it. */
static bool fill_from_before(struct optimise *optimise, struct optimise_insn *insns, uint32_t i)
{
	for (uint32_t k = i; k-- > 0 && i - k <= LOOK;) {
		bool ok = repeatable(&insns[k]);
		if (insns[k].kind == KIND_EXIT)
			return false;
		for (uint32_t j = k + 1; ok && j <= i; j++)
			ok = independent(&insns[k], &insns[j]);
		/* it must not wait itself, nor leave a slot open */
		ok = ok && !(k > 0 && waits(&insns[k - 1], &insns[k + 1]));
		if (!ok)
			continue;
		/* room for all of them, or none is changed */
		if (optimise->fix_room - optimise->fix_count < i - k || optimise->fix_count + (i - k) > UINT16_MAX)
			return false;
		for (uint32_t j = k + 1; ok && j <= i; j++)
			if (insns[j].kind == KIND_LOAD || insns[j].kind == KIND_STORE)
				insns[j].fix =
				    optimise_fix(optimise, insns[j].fix, FIX_INSN, 0, (int32_t)insns[k].pc, &ok);
		if (!ok)
			return false;
		move(insns, k, i);
		return true;
	}
	return false;
}

/* From behind the user at i + 1 to before it: only over what does not fault and is no exit. */
static bool fill_from_behind(struct optimise_insn *insns, uint32_t count, uint32_t i)
{
	for (uint32_t k = i + 2; k < count && k - i <= LOOK; k++) {
		if (!optimise_pure(&insns[k - 1]))
			return false;
		bool ok = insns[k].kind == KIND_PLAIN || insns[k].kind == KIND_LOAD;
		for (uint32_t j = i + 1; ok && j < k; j++)
			ok = independent(&insns[j], &insns[k]);
		ok = ok && !waits(&insns[i], &insns[k]) && !(k + 1 < count && waits(&insns[k - 1], &insns[k + 1]));
		/* a load that comes earlier faults before what it has passed: only over what can be repeated */
		if (!ok || insns[k].kind == KIND_LOAD)
			continue;
		move(insns, k, i + 1);
		return true;
	}
	return false;
}

void optimise_slots(struct optimise *optimise, struct optimise_trace *trace)
{
	struct optimise_insn *insns = &optimise->insns[trace->first], *end = insns + trace->count - 1;
	for (struct optimise_insn *insn = insns; insn < end; insn++) {
		if (insn->kind != KIND_LOAD || !waits(insn, insn + 1))
			continue;
		uint32_t i = (uint32_t)(insn - insns);
		if (!fill_from_before(optimise, insns, i))
			fill_from_behind(insns, trace->count, i);
	}
}
