/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A trace: the likely way from its first instruction (TSH step 850). Direct jumps vanish; a branch that is likely taken
 * is turned, so that the likely way falls through:
 *
 *   program                      trace
 *   a:  beqz a0, c               a:  bnez a0, exit b
 *   b:  ...                          what stands at c
 *   c:  ...
 *
 * A call becomes the return address in its link register, and the callee follows; a return by a link register whose
 * value the trace knows vanishes.
 */
#include "sw/optimise/private.h"

#define PART 24u       /* instructions of a trace, after which it is asked whether it can still be worth its cost */
#define LINK_CYCLES 2u /* what an exit saves that leads to a trace: its stub's jump */
#define NOTHING_YET 4u /* one that has saved nothing is tried again when it was met so many times as often */

static bool is_entry(const struct optimise *optimise, uint32_t pc)
{
	return optimise_trace_at(optimise, pc) != NULL;
}

/* flow * part / whole, to 15 bits where the product has more than 32; part <= whole. The core has no division of 64
 * bits: the ratio is as long as 32 bits have room. */
static uint32_t share(uint32_t flow, uint32_t part, uint32_t whole)
{
	if (part == 0)
		return 0;
	if (part == whole)
		return flow;
	if ((flow | part) <= 0xFFFF)
		return flow * part / whole;
	if (whole <= 0xFFFF)
		return (uint32_t)((uint64_t)flow * ((part << 16) / whole) >> 16);
	unsigned up = (unsigned)__builtin_clz(part), zeros = (unsigned)__builtin_clz(whole),
		 down = zeros < 16 ? 16 - zeros : 0;
	uint32_t ratio = (part << up) / (whole >> down);
	uint64_t product = (uint64_t)flow * ratio >> (up + down);
	return product > flow ? flow : (uint32_t)product; /* the ratio may be a little more than 1 */
}

static uint8_t turned(uint8_t op)
{
	switch (op) {
	case ISA_BEQ:
		return ISA_BNE;
	case ISA_BNE:
		return ISA_BEQ;
	case ISA_BLT:
		return ISA_BGE;
	case ISA_BGE:
		return ISA_BLT;
	case ISA_BLTU:
		return ISA_BGEU;
	default:
		return ISA_BLTU;
	}
}

/* What the builder of a trace knows. */
struct builder {
	struct optimise *optimise;
	uint32_t first, count, begin, pc, flow, start_flow;
	uint32_t least;  /* flow that is too little to go on */
	uint64_t rounds; /* how often it comes to its beginning, in counts */
	uint32_t price;  /* what an instruction has to save, in cycles times counts */
	struct optimise_links links;
	uint32_t extra;     /* cycles of the program that the layout saves, on the whole way */
	uint64_t saved;     /* the same, times the flow */
	bool lead, start;   /* start: the next instruction begins a record */
	uint32_t traits;    /* enum optimise_trait */
	uint32_t divisions; /* by values that repeat */
	bool turns;         /* it has come to a branch, a jump, a call or a return */
	uint64_t linked;    /* cycles that the exits of other traces save that lead here, times the flow */
};

static struct optimise_insn *append(struct builder *b, const struct optimise_insn *insn)
{
	struct optimise_insn *out = &b->optimise->insns[b->first + b->count++];
	*out = *insn;
	if (insn->pc == b->begin && (b->start || b->count == 1))
		b->rounds += b->flow;
	if (b->start)
		out->flags |= OPTIMISE_START;
	b->start = false;
	return out;
}

/* A transfer of the program that the trace does not have: the cycles it took, and whether a record ended with it. */
static void vanishes(struct builder *b, uint32_t target, uint32_t cycles, bool ends_record)
{
	const struct optimise_insn *insn = optimise_decoded(b->optimise, target);
	if (insn != NULL && insn->length == 4 && (target & 2) != 0)
		cycles++;
	b->extra += cycles;
	b->saved += (uint64_t)cycles * b->flow;
	b->start |= ends_record;
}

static void end_with_jump(struct builder *b, uint32_t target, uint32_t flow)
{
	append(b, &(struct optimise_insn){.pc = target,
		      .target = target,
		      .flow = flow,
		      .op = ISA_JAL,
		      .kind = KIND_JUMP,
		      .flags = OPTIMISE_EDITED});
}

/* What an instruction has that is looked for later; it is decoded. */
static inline void note_traits(struct builder *b, uint32_t pc)
{
	b->traits |= optimise_place(b->optimise, pc)->traits;
}

/* Does the trace end where it would go on at pc? */
static bool ends_at(const struct builder *b, uint32_t pc, uint32_t flow)
{
	const struct optimise_config *config = &b->optimise->config;
	if (b->count == 0)
		return false;
	if (b->lead)
		return is_entry(b->optimise, pc);
	bool own = pc == b->begin;
	if (own && !(config->passes & OPTIMISE_UNROLL))
		return true;
	return (b->count >= config->length || flow < b->start_flow / 8) && (own || is_entry(b->optimise, pc));
}

/* A branch. True: the trace goes on. */
static bool branch(struct builder *b, const struct optimise_insn *insn)
{
	const struct optimise_weight *w = optimise_weight(b->optimise, b->pc);
	uint32_t fall = b->pc + insn->length;
	if (w->pc == 1 || insn->target == fall) {
		end_with_jump(b, b->pc, b->flow);
		return false;
	}
	uint64_t both = (uint64_t)w->taken + w->fall;
	bool taken = w->taken > w->fall;
	uint32_t whole = both > UINT32_MAX ? UINT32_MAX : (uint32_t)both;
	uint32_t stays = share(b->flow, taken ? w->taken : w->fall, whole);
	uint32_t next = taken ? insn->target : fall, other = taken ? fall : insn->target;
	bool ends = ends_at(b, next, stays);
	struct optimise_insn *out = append(b, insn);
	if (taken != ends) {
		out->op = turned(out->op);
		out->flags |= OPTIMISE_EDITED;
	}
	out->target = ends ? next : other;
	out->flow = ends ? stays : b->flow - stays;
	if (ends) {
		end_with_jump(b, other, b->flow - stays);
		return false;
	}
	b->flow = stays;
	if (taken)
		vanishes(b, next, 1, next <= b->pc);
	b->pc = next;
	return true;
}

static bool call(struct builder *b, const struct optimise_insn *insn)
{
	uint32_t back = b->pc + insn->length;
	struct optimise_insn call = *insn;
	if (!(b->optimise->config.passes & OPTIMISE_INLINE) || optimise_decoded(b->optimise, call.target) == NULL) {
		end_with_jump(b, b->pc, b->flow);
		return false;
	}
	insn = &call;
	struct optimise_insn *out = append(b, insn);
	out->kind = KIND_SET;
	out->op = ISA_LUI;
	out->imm = (int32_t)back;
	out->flags |= OPTIMISE_EDITED;
	optimise_links_follow(&b->links, insn);
	vanishes(b, insn->target, 0, insn->target <= b->pc);
	b->pc = insn->target;
	return true;
}

static bool indirect(struct builder *b, const struct optimise_insn *insn)
{
	uint32_t back = optimise_links_return(&b->links, insn);
	if (b->optimise->config.passes & OPTIMISE_INLINE && back != 0) {
		vanishes(b, back, 2, true);
		b->pc = back;
		return true;
	}
	append(b, insn);
	return false;
}

/*
 * Most of a trace: instructions that go on behind themselves, and tell nothing about links, flow or divisors. They were
 * decoded one behind the other too.
 */
static void run_on(struct builder *b)
{
	struct optimise *optimise = b->optimise;
	uint32_t mask = optimise->decoded_room - 1, traits = 0, pc = b->pc,
		 end = b->flow < b->start_flow / 8 ? 0 : optimise->config.length,
		 stops = TRAIT_SPECIAL | (b->links.saved != 0 ? TRAIT_STORE : 0);
	struct optimise_insn *first = &optimise->insns[b->first + b->count], *out = first,
			     *last = &optimise->insns[b->first + end];
	while (out < last) {
		const struct optimise_decoded *d = &optimise->decoded[(pc >> 1) & mask];
		if (d->insn.pc != pc && optimise_decode(optimise, pc) == NULL)
			break;
		if ((d->traits & stops) != 0 || pc == b->begin)
			break;
		traits |= d->traits;
		*out++ = d->insn;
		pc += d->insn.length;
	}
	if (out == first)
		return;
	first->flags |= b->start ? OPTIMISE_START : 0;
	b->start = false;
	b->traits |= traits;
	b->count += (uint32_t)(out - first);
	b->pc = pc;
}

static void plain(struct builder *b, const struct optimise_insn *insn)
{
	optimise_links_follow(&b->links, insn);
	/* a remainder beside its quotient: divide.c */
	const struct optimise_insn *last = &b->optimise->insns[b->first + b->count - 1];
	if (b->count > 0 && optimise_division(insn->op) && optimise_division(last->op) && insn->rs1 == last->rs1 &&
	    insn->rs2 == last->rs2)
		b->saved += 20 * (uint64_t)b->flow;
	uint32_t divisor;
	if (optimise_division(insn->op) && optimise_divisor_repeats(b->optimise, insn->pc, &divisor)) {
		b->saved += 18 * (uint64_t)b->flow; /* reciprocal.c */
		b->divisions++;
	}
	append(b, insn);
	b->pc += insn->length;
}

/* One instruction more. True: the trace goes on. */
static bool step(struct builder *b)
{
	if (!b->lead)
		run_on(b);
	const struct optimise_insn *insn = optimise_decoded(b->optimise, b->pc);
	if (insn == NULL || insn->kind == KIND_STOP || b->flow < b->least) {
		end_with_jump(b, b->pc, b->flow);
		return false;
	}
	if (b->count >= 2 * b->optimise->config.length || ends_at(b, b->pc, b->flow)) {
		end_with_jump(b, b->pc, b->flow);
		return false;
	}

	note_traits(b, b->pc);
	b->turns |= insn->kind > KIND_STORE;
	switch (insn->kind) {
	case KIND_EXIT:
		return branch(b, insn);
	case KIND_CALL:
		return call(b, insn);
	case KIND_JUMP: {
		uint32_t target = insn->target;
		if (optimise_decoded(b->optimise, target) == NULL) {
			end_with_jump(b, b->pc, b->flow);
			return false;
		}
		vanishes(b, target, 2, target <= b->pc);
		b->pc = target;
		return true;
	}
	case KIND_INDIRECT:
		return indirect(b, insn);
	default:
		plain(b, insn);
		return true;
	}
}

/* Free instructions behind a trace, for passes that need more than there were. */
static uint32_t spare_of(const struct builder *b)
{
	const struct optimise *optimise = b->optimise;
	uint32_t room = optimise->insn_room - b->first - b->count,
		 wanted = OPTIMISE_SPARE + OPTIMISE_SPARE_DIVISION * b->divisions;
	wanted = wanted < OPTIMISE_SPARE_MOST ? wanted : OPTIMISE_SPARE_MOST;
	return wanted < room ? wanted : room;
}

/* How often a trace is entered, of the counts of its rounds: the profile counted each. part <= whole. */
struct entered {
	uint32_t part, whole;
};
static struct entered entered_of(const struct builder *b)
{
	uint64_t rounds = b->rounds == 0 || b->start_flow == 0 ? b->start_flow : b->rounds;
	uint32_t high = (uint32_t)(rounds >> 32);
	unsigned down = high == 0 ? 0 : 32 - (unsigned)__builtin_clz(high);
	return (struct entered){b->start_flow >> down, (uint32_t)(rounds >> down)};
}

/* The profile counted each round of a loop that the trace now goes several times; and starts of records that it comes
 * by need no trace of their own for that. Where the exits of a trace go, more traces may begin. */
static void share_out(struct optimise *optimise, struct optimise_trace *trace, struct entered entered)
{
	struct optimise_insn *insn = &optimise->insns[trace->first], *end = insn + trace->count;
	uint32_t flow = share(trace->flow, entered.part, entered.whole);
	trace->flow = flow;
	for (; insn < end; insn++) {
		if (insn->kind < KIND_EXIT && !(insn->flags & OPTIMISE_START))
			continue;
		if (insn->flags & OPTIMISE_START && insn->pc != trace->pc) {
			struct optimise_seed *s = optimise_seed_at(optimise, insn->pc);
			if (s != NULL)
				s->flow -= flow < s->flow ? flow : s->flow;
		}
		if (insn->kind != KIND_EXIT && insn->kind != KIND_JUMP)
			continue;
		if (entered.part != entered.whole && insn->flow != 0)
			insn->flow = share(insn->flow, entered.part, entered.whole);
		if (insn->kind == KIND_EXIT)
			flow -= insn->flow < flow ? insn->flow : flow;
		if (insn->flow != 0 && !trace->lead)
			optimise_seed(optimise, insn->target, insn->flow, false);
	}
	trace->end_flow = flow;
}

/* What a trace saves, in cycles times counts. */
static uint64_t saved_by(const struct builder *b, struct entered entered)
{
	if (entered.part == entered.whole)
		return b->saved + b->linked;
	uint32_t high = (uint32_t)(b->saved >> 32);
	unsigned down = high == 0 ? 0 : 32 - (unsigned)__builtin_clz(high); /* the product has 64 bits */
	return (((b->saved >> down) * entered.part / entered.whole) << down) + b->linked;
}

/* It is tried again when it has been met so often that it would be worth its cost, if it went as it goes now. */
static void put_off(const struct builder *b, uint64_t saved, uint64_t cost)
{
	struct optimise_seed *seed = optimise_seed_at(b->optimise, b->begin);
	b->optimise->unpaid++;
	if (b->price == 0 || seed == NULL || saved >= cost)
		return;
	uint64_t times = saved == 0 ? NOTHING_YET : cost / saved + 1;
	seed->wanted = seed->flow > UINT32_MAX / times ? UINT32_MAX : seed->flow * (uint32_t)times;
	seed->done = seed->wanted == UINT32_MAX;
}

/* One in n of a total, rounded up. */
static uint64_t part_of(uint64_t total, uint32_t n)
{
	return total / n + (total % n != 0);
}

/* Is what the trace saves worth what it costs to make it? */
static bool worth_it(const struct builder *b, uint64_t saved)
{
	const struct optimise_config *config = &b->optimise->config;
	uint64_t cost = (uint64_t)b->price * b->count;
	if (saved >= cost && (config->worth == 0 || saved >= part_of(b->optimise->total, config->worth)))
		return true;
	put_off(b, saved, cost);
	return false;
}

/* Most places are not worth a trace, and to find that out takes as long as to make one. So a part of it is looked at
 * first: does it save half of what it costs? */
static bool is_hopeless(const struct builder *b)
{
	uint64_t saved = saved_by(b, entered_of(b)), cost = (uint64_t)b->price * b->count;
	if (2 * saved >= cost)
		return false;
	put_off(b, saved, cost);
	return true;
}

bool optimise_follow(struct optimise *optimise, uint32_t pc, uint32_t flow, bool lead)
{
	struct builder b = {.optimise = optimise,
	    .first = optimise->insn_count,
	    .begin = pc,
	    .pc = pc,
	    .flow = flow,
	    .start_flow = flow,
	    .lead = lead};
	uint64_t hot = optimise->total / optimise->config.hot_share;
	b.least = hot < flow / 16 ? (uint32_t)hot : flow / 16;
	b.price = lead ? 0 : optimise->config.build_cycles;
	const struct optimise_seed *seed = lead ? NULL : optimise_seed_at(optimise, pc);
	b.linked = seed == NULL ? 0 : (uint64_t)LINK_CYCLES * seed->led;
	uint32_t most = 2 * optimise->config.length + 2 + OPTIMISE_SPARE, jumps = 0;
	const struct optimise_insn *insn = optimise_decoded(optimise, pc);
	if (insn == NULL || optimise->trace_count == optimise->trace_room ||
	    optimise->insn_room - optimise->insn_count < most) {
		optimise->full++;
		return false;
	}
	/* A trace that begins with a jump would begin elsewhere. */
	if (insn->kind == KIND_JUMP || insn->kind == KIND_STOP || insn->kind == KIND_INDIRECT)
		return false;
	uint32_t look = b.price == 0 ? UINT32_MAX : PART;
	while (jumps++ < 16 * most && step(&b)) {
		if (b.count < look || (!b.turns && b.count < 2 * PART))
			continue;
		if (is_hopeless(&b))
			return false;
		look += PART;
	}
	optimise_witness(optimise, b.pc, 1);
	if (jumps >= 16 * most) /* jumps in a circle */
		return false;
	/* Only a way out again: nothing is won. */
	if (b.count < 2)
		return false;
	struct entered entered = entered_of(&b);
	uint64_t saved = saved_by(&b, entered);
	if (!lead && !worth_it(&b, saved))
		return false;
	uint32_t spare = spare_of(&b);
	const struct optimise_trace *before = optimise_trace_at(optimise, pc);
	optimise->traces[optimise->trace_count++] = (struct optimise_trace){.pc = pc,
	    .flow = flow,
	    .first = b.first,
	    .count = b.count,
	    .lead = lead,
	    .traits = (uint8_t)b.traits,
	    .spare = (uint8_t)spare,
	    .before_it = before == NULL ? 0 : (uint16_t)(before - optimise->traces + 1),
	    .epoch = optimise->epoch};
	optimise->entries[pc >> 6 & 31] |= 1u << (pc >> 1 & 31);
	for (uint32_t i = 0; i < spare; i++) { /* nothing, until a pass needs it */
		struct optimise_insn *free = &optimise->insns[b.first + b.count++];
		free->kind = KIND_PLAIN;
		free->flags = OPTIMISE_GONE;
		free->size = 0;
		free->link = 0;
	}
	optimise->insn_count += b.count;
	struct optimise_trace *trace = &optimise->traces[optimise->trace_count - 1];
	trace->after = optimise_cost(optimise, trace);
	trace->before = b.extra + trace->after;
	trace->saved = saved;
	share_out(optimise, trace, entered);
	return true;
}
