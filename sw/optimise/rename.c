/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Copies vanish: the copy's register is from there on another name of the one that was copied.
 *
 *   mv   a3, a2                                      a3 lies in a2
 *   mv   a2, a1                                      a2 lies in a1
 *   add  a1, a4, a5            add  a3, a4, a5       a1 lies in a3, which is free now
 *   bne  a1, a6, exit          bne  a3, a6, exit     its stub: a3 <- a2, a2 <- a1, a1 <- a3, all at once
 *
 * Every register of the program lies in exactly one register of the core; several may lie in the same one as long as
 * they are equal. At the end of the trace, at exits, and where a fault shows registers, all are put where the program
 * expects them. The stack, global and thread pointers stay where they are: interrupt handlers use them.
 */
#include "sw/optimise/private.h"

#define DISPLACED 12u /* with so many at once no copy vanishes any more */

struct rename {
	uint8_t lies[32];   /* in which register the program's register is */
	uint8_t names[32];  /* how many lie in this one */
	uint32_t displaced; /* registers that do not lie at home */
};

struct mend { /* put at home, one after the other: reg takes what is in from, or they are exchanged */
	uint8_t kind, reg, from;
};

static inline bool is_copy(const struct optimise_insn *insn, unsigned *from)
{
	bool copy = optimise_copies(insn);
	*from = insn->rs1 | (insn->op == ISA_ADD ? insn->rs2 : 0u);
	return copy && !(OPTIMISE_KEPT >> insn->rd & 1) && !(OPTIMISE_KEPT >> *from & 1);
}

static unsigned count_bits(uint32_t bits)
{
	unsigned count = 0;
	for (; bits != 0; bits &= bits - 1)
		count++;
	return count;
}

static inline void lay(struct rename *r, unsigned reg, unsigned at)
{
	r->names[r->lies[reg]]--;
	r->lies[reg] = (uint8_t)at;
	r->names[at]++;
	if (at == reg)
		r->displaced &= ~(1u << reg);
	else
		r->displaced |= 1u << reg;
}

/* The moves that put all at home; at most one for each displaced register. */
static unsigned mends(const struct rename *now, struct mend mend[32])
{
	struct rename r = *now;
	unsigned count = 0;
	while (r.displaced != 0) {
		uint32_t left = r.displaced;
		unsigned reg = 0;
		while (left != 0) { /* one whose home no other displaced register lies in */
			reg = (unsigned)__builtin_ctz(left);
			if (r.names[reg] == 0)
				break;
			left &= left - 1;
		}
		unsigned from = r.lies[reg];
		if (left != 0) {
			mend[count++] = (struct mend){FIX_COPY, (uint8_t)reg, (uint8_t)from};
			lay(&r, reg, reg);
			continue;
		}
		/* they go round in a circle: what was at the home of reg is now where reg was */
		mend[count++] = (struct mend){FIX_SWAP, (uint8_t)reg, (uint8_t)from};
		lay(&r, reg, reg);
		for (left = r.displaced; left != 0; left &= left - 1) {
			unsigned other = (unsigned)__builtin_ctz(left);
			if (r.lies[other] == reg)
				lay(&r, other, from);
		}
	}
	return count;
}

static uint32_t cost(const struct mend *mend, unsigned count)
{
	uint32_t cycles = 0;
	for (unsigned i = 0; i < count; i++)
		cycles += mend[i].kind == FIX_SWAP ? 3 : 1;
	return cycles;
}

/* Where a new value of reg goes: home, or a register in which nothing lies. */
static void place(struct rename *r, unsigned reg)
{
	if (r->lies[reg] == reg && r->names[reg] == 1)
		return;
	if (r->names[reg] == 0) {
		lay(r, reg, reg);
	} else if (r->names[r->lies[reg]] > 1) {
		unsigned at = 15;
		while (at > 0 && (r->names[at] != 0 || OPTIMISE_KEPT >> at & 1))
			at--;
		for (unsigned high = 16; at == 0; high++)
			at = r->names[high] == 0 ? high : 0;
		lay(r, reg, at);
	}
}

/* Which copies are tried: all, or those whose register is written again before the one that was copied. */
enum policy { ALL, SHORT };

static bool short_lived(const struct optimise_insn *insns, uint32_t count, uint32_t i, unsigned from)
{
	unsigned reg = insns[i].rd;
	for (i++; i < count; i++) {
		uint32_t written = optimise_writes(&insns[i]);
		if (written >> reg & 1)
			return true;
		if (written >> from & 1)
			return false;
	}
	return false;
}

static inline bool vanishes(const struct rename *r, const struct optimise_insn *insns, uint32_t count, uint32_t i,
    enum policy policy, unsigned *from)
{
	return is_copy(&insns[i], from) && count_bits(r->displaced) < DISPLACED &&
	       (policy == ALL || short_lived(insns, count, i, *from));
}

static void begin(struct rename *r)
{
	*r = (struct rename){.displaced = 0};
	for (unsigned i = 0; i < 32; i++) {
		r->lies[i] = (uint8_t)i;
		r->names[i] = 1;
	}
}

/* Cycles that the policy saves, times the profile's counts; 0 if it cannot be done. *entries: fixes that it needs. */
static int64_t try(const struct optimise_trace *trace, const struct optimise_insn *insns, enum policy policy,
    uint32_t first, uint32_t *entries)
{
	struct rename r;
	struct mend mend[32];
	uint32_t flow = trace->flow, removed = trace->spare;
	unsigned from, number = 0;
	int64_t saved = 0;
	bool listed = true;
	begin(&r);
	*entries = 0;
	for (uint32_t i = 0; i < trace->count; i++) {
		const struct optimise_insn *insn = &insns[i];
		if (r.displaced == 0 && (i < first || insn->kind != KIND_PLAIN)) { /* nothing to do but to count */
			if (insn->kind == KIND_EXIT)
				flow -= insn->flow < flow ? insn->flow : flow;
			continue;
		}
		if (vanishes(&r, insns, trace->count, i, policy, &from)) {
			saved += flow;
			removed++;
			lay(&r, insn->rd, r.lies[from]);
			listed = false;
			continue;
		}
		bool end = insn->kind == KIND_JUMP || insn->kind == KIND_INDIRECT;
		if (!optimise_pure(insn) && !listed) {
			number = mends(&r, mend);
			*entries += number;
			listed = true;
		}
		*entries += insn->fix != 0 ? number : 0; /* its list is its own */
		if (end && cost(mend, number) > removed)
			return 0;
		if ((end || insn->kind == KIND_EXIT) && r.displaced != 0) {
			uint32_t leaves = end ? flow : insn->flow < flow ? insn->flow : flow;
			saved -= (int64_t)leaves * (cost(mend, number) + !end);
		}
		if (insn->kind == KIND_EXIT)
			flow -= insn->flow < flow ? insn->flow : flow;
		if (optimise_writes(insn) != 0) {
			unsigned before = r.lies[insn->rd];
			place(&r, insn->rd);
			listed = listed && before == r.lies[insn->rd];
		}
	}
	return saved;
}

static uint16_t list(struct optimise *optimise, const struct mend *mend, unsigned count, uint16_t next, bool *ok)
{
	while (count-- > 0)
		next = optimise_fix(optimise, next, mend[count].kind, mend[count].reg, mend[count].from, ok);
	return next;
}

/* At the end all are put at home by instructions. The last one is there already: they come before it. */
static uint32_t go_home(struct optimise_insn *insns, uint32_t to, const struct mend *mend, unsigned count, uint32_t pc)
{
	for (unsigned i = 0; i < count; i++) {
		struct optimise_insn insn = {.pc = pc,
		    .op = ISA_ADD,
		    .rd = mend[i].reg,
		    .rs2 = mend[i].from,
		    .kind = KIND_PLAIN,
		    .flags = OPTIMISE_EDITED};
		for (unsigned n = 0; mend[i].kind == FIX_SWAP && n < 2; n++) {
			struct optimise_insn half = insn;
			half.op = ISA_XOR;
			half.rd = n == 0 ? mend[i].reg : mend[i].from;
			half.rs1 = mend[i].reg;
			insns[to++] = half;
		}
		if (mend[i].kind == FIX_SWAP) {
			insn.op = ISA_XOR;
			insn.rs1 = insn.rd;
		}
		insns[to++] = insn;
	}
	return to;
}

void optimise_rename(struct optimise *optimise, struct optimise_trace *trace)
{
	struct optimise_insn *insns = &optimise->insns[trace->first];
	uint32_t to = 0, count = trace->count;
	unsigned from, number = 0;
	uint32_t first = 0, copies = 0, entries, entries_short;
	enum policy policy = ALL;
	for (uint32_t i = count; i-- > 0;)
		if (insns[i].kind == KIND_PLAIN && is_copy(&insns[i], &from)) {
			first = i;
			copies++;
		}
	if (copies == 0)
		return;
	int64_t all = try(trace, insns, ALL, first, &entries);
	if (all < (int64_t)trace->flow * (copies + 1) / 2) { /* it could be better */
		int64_t some = try(trace, insns, SHORT, first, &entries_short);
		if (all <= 0 && some <= 0)
			return;
		policy = some > all ? SHORT : ALL;
		entries = some > all ? entries_short : entries;
	}
	if (optimise->fix_room - optimise->fix_count < entries || optimise->fix_count + entries > UINT16_MAX)
		return;
	struct rename r;
	struct mend mend[32];
	uint16_t fix = 0;
	bool listed = true, ok = true;
	begin(&r);
	to = first;
	for (uint32_t i = first; i < count; i++) {
		struct optimise_insn *insn = &insns[i];
		if (vanishes(&r, insns, count, i, policy, &from)) {
			lay(&r, insn->rd, r.lies[from]);
			listed = false;
			continue;
		}
		if (insn->kind == KIND_JUMP || insn->kind == KIND_INDIRECT) {
			number = mends(&r, mend);
			struct optimise_insn last = *insn;
			to = go_home(insns, to, mend, number, insn->pc);
			insns[to++] = last;
			continue;
		}
		if (insn->rs1 != r.lies[insn->rs1] || insn->rs2 != r.lies[insn->rs2]) {
			insn->rs1 = r.lies[insn->rs1];
			insn->rs2 = r.lies[insn->rs2];
			insn->flags |= OPTIMISE_EDITED;
		}
		if (insn->kind == KIND_EXIT || insn->kind == KIND_LOAD || insn->kind == KIND_STORE) {
			if (!listed) {
				number = mends(&r, mend);
				fix = list(optimise, mend, number, 0, &ok);
				listed = true;
			}
			/* what it does itself comes behind that, on the program's own registers */
			insn->fix = insn->fix != 0 ? list(optimise, mend, number, insn->fix, &ok) : fix;
		}
		if (optimise_writes(insn) != 0) {
			unsigned before = r.lies[insn->rd];
			place(&r, insn->rd);
			listed = listed && before == r.lies[insn->rd];
			if (r.lies[insn->rd] != insn->rd) {
				insn->rd = r.lies[insn->rd];
				insn->flags |= OPTIMISE_EDITED;
			}
		}
		if (to != i)
			insns[to] = *insn;
		to++;
	}
	if (to > count) {
		trace->spare = (uint8_t)(trace->spare - (to - count));
		trace->count = to;
	}
	for (uint32_t i = to; i < count; i++)
		insns[i].flags |= OPTIMISE_GONE;
	optimise_close_gaps(optimise, trace);
}
