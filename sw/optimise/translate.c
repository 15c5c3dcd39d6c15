/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A record of the patched program, said in the program's own addresses. Two walkers go along together: one in the cache
 * (and where nothing is patched in the program), which takes the outcomes from the history; one in the program, which
 * makes the records that the unit would have made there:
 *
 *   record     start ─ insn ─ exit ─ insn ─ insn ─ exit ────────── jump: end
 *                       0       │                    1 │              │
 *   program    pc ─ insn ─ branch ─ call ─ insn ─ branch ─ return ─ pc: end of this part
 *                             the outcome that leads there      end of a record: the next begins
 *
 * They meet at exits, jumps and the end of a trace; between these both go straight. Jumps, calls and returns that the
 * trace does not have are the program walker's alone.
 */
#include "common/rivulet_regs.h"
#include "sw/optimise/private.h"

#define STRAIGHT 4096u /* instructions without a branch that are followed */
#define NO_BACKWARD (1u << RV_CTRL_NO_BACKWARD_LSB)
#define NO_INDIRECT (1u << RV_CTRL_NO_INDIRECT_LSB)

struct walk {
	struct optimise *optimise;
	const struct record *record;
	uint32_t ctrl;
	unsigned bits;
	uint16_t epoch;    /* in which the record was made */
	optimise_put *put; /* NULL: only counts */
	void *context;
	/* the record */
	unsigned left;   /* outcomes that are left of it */
	uint32_t budget; /* instructions that are left, if it was cut off */
	bool ended, touched;
	/* the program */
	uint32_t pc, start, hist, insns;
	struct optimise_links links;
	bool silent; /* on the way to where the record begins */
	uint32_t parts, all_insns, total;
	uint32_t cycles, loaded; /* what the program would take, by the model */
};

/* Where no trace begins there is no patch: few get past the filter. */
static inline const struct optimise_patch *patch_at(const struct walk *w, uint32_t pc)
{
	const struct optimise *o = w->optimise;
	if (!optimise_may_begin(o, pc))
		return NULL;
	for (uint32_t i = 0; i < o->patch_count; i++) {
		const struct optimise_patch *patch = &o->patches[i];
		if (patch->pc == pc && patch->from <= w->epoch && (patch->until == 0 || w->epoch < patch->until))
			return patch;
	}
	return NULL;
}

static bool program_insn(const struct walk *w, uint32_t pc, struct optimise_insn *out)
{
	const struct optimise_insn *insn = optimise_decoded(w->optimise, pc);
	if (insn != NULL)
		*out = *insn;
	return insn != NULL;
}

static void forget_links(struct walk *w)
{
	w->links.link[0] = w->links.link[1] = 0;
	w->links.saved = 0;
	w->links.moved = 0;
}

/* ---- the program ---- */

static void part(struct walk *w, enum trace_reason reason, uint32_t next)
{
	if (!w->silent && w->insns != 0) {
		struct record r = {.start = w->start,
		    .hist = w->hist,
		    .count = w->record->count,
		    .timed = w->record->timed,
		    .insns = w->insns,
		    .reason = (uint8_t)reason};
		if (w->put != NULL) {
			r.cycles = w->total == 0 ? w->record->cycles : w->record->cycles / w->total * w->insns;
			w->put(w->context, &r);
		}
		w->parts++;
		w->all_insns += w->insns;
	}
	w->start = next;
	w->hist = 1;
	w->insns = 0;
}

static void begin(struct walk *w)
{
	w->silent = false;
	w->start = w->pc;
	w->hist = 1;
	w->insns = 0;
}

/* An instruction that goes to next. */
static void retire(struct walk *w, const struct optimise_insn *insn, uint32_t next)
{
	bool jump = insn->kind == KIND_JUMP || insn->kind == KIND_CALL,
	     taken = insn->kind == KIND_EXIT && next != insn->pc + insn->length;
	w->insns++;
	if (!w->silent)
		w->cycles += optimise_cost_in_program(insn, next, &w->loaded);
	if (insn->kind == KIND_EXIT)
		w->hist = w->hist << 1 | taken;
	if ((jump || taken) && next <= insn->pc && !(w->ctrl & NO_BACKWARD))
		part(w, TRACE_BACKWARD, next);
	else if ((insn->kind == KIND_INDIRECT || insn->op == ISA_JALR) && !(w->ctrl & NO_INDIRECT))
		part(w, TRACE_INDIRECT, next);
	else if (insn->kind == KIND_EXIT && w->hist >> (w->bits - 1) != 0)
		part(w, TRACE_FULL, next);
	w->pc = next;
}

static bool straight_to(struct walk *w, uint32_t pc)
{
	for (unsigned n = 0; w->pc != pc; n++) {
		struct optimise_insn insn;
		if (n == STRAIGHT || !program_insn(w, w->pc, &insn))
			return false;
		uint32_t next = insn.pc + insn.length;
		if (insn.kind == KIND_CALL || insn.kind == KIND_JUMP)
			next = insn.target;
		else if (insn.kind == KIND_INDIRECT) /* a return that the trace knows */
			next = optimise_links_return(&w->links, &insn);
		else if (insn.kind == KIND_EXIT || insn.kind == KIND_STOP)
			return false;
		if (next == 0)
			return false;
		if (insn.kind != KIND_JUMP && insn.kind != KIND_INDIRECT)
			optimise_links_follow(&w->links, &insn);
		retire(w, &insn, next);
	}
	return true;
}

/* The program's branch of an exit, which the record goes out by or not. */
static bool branch(struct walk *w, const struct optimise_insn *exit, bool out)
{
	struct optimise_insn insn;
	if (optimise_asks(exit)) /* it goes on behind the division, which its stub has done */
		return straight_to(w, out ? exit->target : exit->pc);
	if (!straight_to(w, exit->pc) || !program_insn(w, exit->pc, &insn) || insn.kind != KIND_EXIT)
		return false;
	uint32_t fall = insn.pc + insn.length, other = exit->target == fall ? insn.target : fall;
	retire(w, &insn, out ? exit->target : other);
	return true;
}

/* ---- the record ---- */

static void spend(struct walk *w, uint32_t insns)
{
	w->budget -= insns < w->budget ? insns : w->budget;
	w->ended |= w->budget == 0;
}

/* A direct transfer that was taken: did the record end with it? */
static void goes(struct walk *w, uint32_t from, uint32_t to)
{
	w->ended |= to <= from && !(w->ctrl & NO_BACKWARD);
	spend(w, 1);
}

/* The next outcome. */
static bool outcome(struct walk *w, bool *taken)
{
	if (w->left == 0) {
		w->ended = true;
		return false;
	}
	w->left--;
	*taken = w->record->hist >> w->left & 1;
	w->ended |= w->left == 0 && w->record->hist >> (w->bits - 1) != 0; /* FULL */
	return true;
}

/* The trace that an exit or jump led to when the record was made: one from the same pc that was there. */
static const struct optimise_trace *link_of(const struct walk *w, const struct optimise_insn *insn)
{
	uint16_t link = w->optimise->config.passes & OPTIMISE_LINK ? insn->link : 0;
	while (link != 0 && w->optimise->traces[link - 1].epoch > w->epoch)
		link = w->optimise->traces[link - 1].before_it;
	return link == 0 ? NULL : &w->optimise->traces[link - 1];
}

/* Behind an exit or jump: the trace that it goes to, NULL for the program. */
static const struct optimise_trace *jump(struct walk *w, const struct optimise_insn *insn, uint32_t from)
{
	const struct optimise_trace *to = link_of(w, insn);
	goes(w, from, to != NULL ? optimise_address(w->optimise, to) : insn->target);
	return to;
}

static const struct optimise_trace *through_stub(struct walk *w, const struct optimise_insn *exit)
{
	uint32_t stub = w->optimise->config.cache + exit->word, size = (uint32_t)exit->imm;
	spend(w, exit->fix == 0 ? 0 : (size - 4) / 4); /* at least */
	return jump(w, exit, stub + size - 4);
}

/* The record was cut off in front of instruction i of a trace: the program walker comes as near as it can. */
static void catch_up(struct walk *w, const struct optimise_trace *trace, uint32_t i)
{
	const struct optimise *o = w->optimise;
	uint32_t end = trace->first + trace->count;
	while (i < end && (o->insns[i].size == 0 || o->insns[i].flags & OPTIMISE_GONE))
		i++;
	struct walk trial = *w;
	trial.silent = true;
	if (i < end && straight_to(&trial, o->insns[i].pc))
		straight_to(w, o->insns[i].pc);
}

/* From instruction i of a trace on. Returns the trace that comes next; *program: the program does. False: it does not
 * fit. */
static bool in_trace(struct walk *w, const struct optimise_trace **trace, uint32_t i)
{
	const struct optimise *o = w->optimise;
	uint32_t end = (*trace)->first + (*trace)->count;
	for (; i < end && !w->ended; i++) {
		const struct optimise_insn *insn = &o->insns[i];
		uint32_t at = o->config.cache + 2u * insn->at;
		bool out;
		switch (insn->flags & OPTIMISE_GONE ? KIND_PLAIN : insn->kind) {
		case KIND_EXIT:
			if (!outcome(w, &out))
				return true;
			if (!branch(w, insn, out))
				return false;
			if (!out) {
				spend(w, 1);
				break;
			}
			if (insn->flags & OPTIMISE_DIRECT) {
				*trace = jump(w, insn, at);
				return true;
			}
			goes(w, at, o->config.cache + insn->word);
			*trace = link_of(w, insn);
			if (!w->ended)
				through_stub(w, insn);
			return true;
		case KIND_JUMP:
			if (!straight_to(w, insn->target))
				return false;
			*trace = link_of(w, insn);
			if (insn->size != 0)
				jump(w, insn, at);
			return true;
		case KIND_INDIRECT:
			if (!straight_to(w, insn->pc))
				return false;
			retire(w, insn, 0);
			w->ended = true;
			return true;
		default:
			if (insn->size != 0)
				spend(w, insn->size > 4 || (insn->size == 4 && (insn->word & 3) != 3) ? 2 : 1);
		}
	}
	if (w->ended && w->budget == 0)
		catch_up(w, *trace, i);
	return w->ended;
}

static bool in_program(struct walk *w, const struct optimise_trace **trace)
{
	const struct optimise_patch *patch = patch_at(w, w->pc);
	struct optimise_insn insn;
	if (patch != NULL) {
		*trace = &w->optimise->traces[patch->trace];
		w->touched = true;
		goes(w, w->pc, optimise_address(w->optimise, *trace));
		return true;
	}
	if (!program_insn(w, w->pc, &insn))
		return false;
	uint32_t next = insn.pc + insn.length;
	bool taken;
	switch (insn.kind) {
	case KIND_EXIT:
		if (!outcome(w, &taken))
			return true;
		next = taken ? insn.target : next;
		if (taken)
			goes(w, insn.pc, next);
		else
			spend(w, 1);
		break;
	case KIND_CALL:
	case KIND_JUMP:
		next = insn.target;
		goes(w, insn.pc, next);
		break;
	default:
		w->ended |= insn.kind == KIND_INDIRECT || insn.op == ISA_JALR;
		if (insn.op == ISA_ILLEGAL || insn.op == ISA_ECALL || insn.op == ISA_EBREAK || insn.op == ISA_MRET) {
			w->ended = true;
			return true;
		}
		spend(w, 1);
	}
	retire(w, &insn, next);
	return true;
}

/* The trace with the address, and the instruction there; the program walker comes along from the trace's beginning. */
static bool enter(struct walk *w, uint32_t address, const struct optimise_trace **trace, uint32_t *index)
{
	const struct optimise *o = w->optimise;
	uint32_t offset = address - o->config.cache;
	/* in the body of one trace, or else in a stub of any */
	uint32_t first = 0, count = o->trace_count;
	for (uint32_t t = 0; t < o->trace_count && count != 1; t++)
		if (offset - 2u * o->traces[t].at < 2u * o->traces[t].size) {
			first = t;
			count = 1;
		}
	for (uint32_t t = first; t < first + count; t++) {
		const struct optimise_trace *in = &o->traces[t];
		for (uint32_t i = in->first; i < in->first + in->count; i++) {
			const struct optimise_insn *insn = &o->insns[i];
			bool here = insn->size != 0 && offset == 2u * insn->at,
			     stub = insn->kind == KIND_EXIT && !(insn->flags & OPTIMISE_DIRECT) && offset == insn->word;
			if (!here && !stub)
				continue;
			w->silent = true;
			w->pc = in->pc;
			uint32_t last = in->first;
			for (uint32_t j = in->first; j < i; j++) {
				if (o->insns[j].kind != KIND_EXIT || o->insns[j].flags & OPTIMISE_GONE)
					continue;
				if (!branch(w, &o->insns[j], false))
					return false;
				last = j + 1;
			}
			while (last < i && o->insns[last].size == 0)
				last++;
			/* not behind an exit, nor at the beginning: where it was interrupted */
			if (here && last != i && !straight_to(w, insn->pc))
				return false;
			if (stub && !branch(w, insn, true))
				return false;
			*index = i;
			*trace = in;
			begin(w);
			if (stub) {
				*trace = link_of(w, insn);
				through_stub(w, insn);
				*index = *trace != NULL ? (*trace)->first : 0;
			}
			return true;
		}
	}
	return false;
}

static bool whole(struct walk *w)
{
	const struct record *r = w->record;
	const struct optimise_trace *trace = NULL;
	const struct optimise *o = w->optimise;
	uint32_t start = (uint32_t)r->start, index = 0;
	w->left = 31 - (unsigned)__builtin_clz((uint32_t)r->hist);
	w->budget = record_partial(r) ? r->insns : UINT32_MAX;
	w->ended = w->touched = record_partial(r) && r->insns == 0;
	w->parts = w->all_insns = w->cycles = w->loaded = 0;
	forget_links(w);
	if (start - o->config.cache < o->cache_used) {
		w->touched = true;
		if (!enter(w, start, &trace, &index))
			return false;
	} else {
		w->pc = start;
		begin(w);
	}
	for (unsigned n = 0; !w->ended; n++) {
		if (n == STRAIGHT)
			return false;
		if (trace == NULL ? !in_program(w, &trace) : !in_trace(w, &trace, index))
			return false;
		index = trace != NULL ? trace->first : 0;
		forget_links(w); /* a trace knows its own calls alone */
	}
	if (w->touched)
		part(w, record_partial(r) ? (enum trace_reason)r->reason : TRACE_GAP, 0);
	return true;
}

int optimise_translate(struct optimise *optimise, const struct record *record, uint32_t ctrl, unsigned bits,
    optimise_put *put, void *context)
{
	struct walk w = {.optimise = optimise,
	    .record = record,
	    .ctrl = ctrl,
	    .bits = bits,
	    .epoch = optimise->then != 0 ? optimise->then : optimise->epoch,
	    .context = context};
	if (record->hist == 0 || record->hist > UINT32_MAX || bits < 2 || bits > 32 || record->start & 1)
		return OPTIMISE_ECHANGED;
	bool good = whole(&w);
	optimise->walked = w.cycles;
	if (!w.touched)
		return 0;
	if (!good)
		return OPTIMISE_ECHANGED;
	if (put == NULL)
		return w.parts > 0 ? (int)w.parts : 1;
	w.total = w.all_insns;
	w.put = put;
	if (!whole(&w))
		return OPTIMISE_ECHANGED;
	return w.parts > 0 ? (int)w.parts : 1;
}

uint32_t optimise_own_insns(struct optimise *optimise, const struct record *record, uint32_t ctrl, unsigned bits)
{
	struct record uncut = *record;
	struct walk w = {.optimise = optimise, .record = &uncut, .ctrl = ctrl, .bits = bits}; /* epoch 0: no patch */
	uncut.reason = TRACE_BACKWARD;
	if (uncut.start - optimise->config.cache < optimise->cache_used || !whole(&w) || w.left != 0)
		return 0;
	return w.all_insns + w.insns;
}
