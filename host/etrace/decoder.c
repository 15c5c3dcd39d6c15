/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* E-Trace 2.0, chapter "Decoder": from packets to instructions. */
#include "host/etrace/decoder.h"

#include <stdio.h>
#include <stdlib.h>
#include "host/etrace/state.h"

#define STRAIGHT_MAX SIZED(1u << 22, 1u << 12)         /* instructions between two outcomes or jumps */
#define RIGHT_MAX SIZED(UINT64_MAX, UINT64_C(1) << 12) /* predictions that one packet may confirm */
#define TEXT_MAX 256
#define SUPPORT_MASK 0x0F /* format 3, subformat 3 */
#define NULL_MASK 0x1F
#define NULLS_FEW 4

enum place {
	PLACE_LOST,    /* no full address yet, or none since damage */
	PLACE_OUTSIDE, /* in code that the image does not have */
	PLACE_KNOWN
};

struct outcomes {     /* of branches that were not walked yet: first map, then predictions */
	uint64_t map; /* oldest in bit 0; 0: taken */
	unsigned count;
	uint64_t right; /* so many went as predicted, */
	bool wrong;     /* then one did not */
};

struct etrace_decoder {
	struct standard_decoder base;
	struct etrace_options options;
	struct etrace_reader reader;
	struct etrace_state state;
	enum place place;
	uint64_t pc;      /* retired last */
	uint64_t behind;  /* the address behind that instruction */
	uint64_t address; /* sent last */
	struct standard_insn before;
	struct outcomes outcomes;
	unsigned privilege;
	bool untrained;  /* the branch at pc is left out of the predictor: a synchronising packet named it */
	bool stop_last;  /* the packet ends at the branch of its last outcome */
	bool trapped;    /* a trap was told, its handler was not */
	bool stamped;    /* packets have times of the transport */
	bool time_waits; /* for the next packet, which says whether pc was meant when it was reached first */
	uint64_t waiting_time;
	bool inferred; /* pc was reached straight on; the packet may have meant a jump to it that comes later */
	struct etrace_packet meant; /* that packet */
	unsigned straight;
	bool before_sync;      /* the packet before has updiscon set: one of format 3 follows */
	bool told;             /* the packet before named the instruction that retired last */
	uint64_t plain_depths; /* packets without irreport whose irdepth was as it has to be; UINT64_MAX: one was not */
	unsigned nulls;        /* between the packet before and the next */
	bool has_nulls, has_data;
	const char *wrong;
};

static void etrace_lose(struct etrace_decoder *d, uint64_t offset, const char *why)
{
	standard_decoder_lose(&d->base, offset, why);
	d->place = PLACE_LOST;
	d->inferred = d->trapped = d->time_waits = false;
	d->before_sync = d->told = false;
}

static bool etrace_fail(struct etrace_decoder *d, const char *why)
{
	d->wrong = why;
	return false;
}

/* ---------------------------------------------------------------- outcomes */

static uint64_t etrace_outcomes_left(const struct etrace_decoder *d)
{
	return d->outcomes.count + d->outcomes.right + d->outcomes.wrong;
}

static bool is_branch(const struct etrace_decoder *d, uint64_t pc)
{
	return standard_code_at(d->base.code, pc)->class == STANDARD_BRANCH;
}

/* The next outcome, of the branch at pc. */
static bool oldest_outcome(const struct etrace_decoder *d)
{
	const struct outcomes *o = &d->outcomes;
	if (o->count > 0)
		return (o->map & 1) == 0;
	return etrace_predict(&d->state, d->pc) == (o->right > 0);
}

/*
 * An example: a packet with three outcomes in its map, 0 1 0 from the oldest on, and the address T.
 *
 *   pc ─ straight ─► branch, 0: taken ─► branch, 1: not ─► branch, 0: taken ─ straight ─► T
 *                    left: 1 0           left: 0           none is left                   reached: the packet is done
 *
 * With the predictor a packet may say instead that so many branches went as predicted.
 */
static bool take_outcome(struct etrace_decoder *d)
{
	struct outcomes *o = &d->outcomes;
	bool taken = oldest_outcome(d);
	if (o->count > 0) {
		o->map >>= 1;
		o->count--;
	} else if (o->right > 0)
		o->right--;
	else
		o->wrong = false;
	if (!d->untrained)
		etrace_train(&d->state, d->pc, taken);
	d->untrained = false;
	d->straight = 0;
	return taken;
}

static void add_outcomes(struct etrace_decoder *d, uint64_t map, unsigned count)
{
	d->outcomes.map |= map << d->outcomes.count;
	d->outcomes.count += count;
}

/* A prediction that is left is of the branch at pc: the next packet's outcomes come behind it. */
static void settle_prediction(struct etrace_decoder *d)
{
	if (d->outcomes.count > 0 || etrace_outcomes_left(d) != 1)
		return;
	bool taken = oldest_outcome(d);
	d->outcomes = (struct outcomes){.map = !taken, .count = 1};
}

/* ---------------------------------------------------------------- walking */

/* The return at pc goes where the stack says: the packet does not report it. */
static bool is_implicit(
    const struct etrace_decoder *d, const struct standard_insn *insn, uint64_t target, const struct etrace_packet *t)
{
	if (!d->options.implicit_return || insn->class != STANDARD_RETURN || d->state.depth == 0)
		return false;
	bool last = etrace_outcomes_left(d) == (is_branch(d, target) ? 1u : 0u);
	return !(t->irreport && t->irdepth == d->state.depth && last);
}

static bool etrace_expects_jump(const struct etrace_decoder *d, const struct standard_insn *insn, uint64_t *target)
{
	return d->options.sequential_jump && standard_sequential(&d->before, insn, target);
}

static void etrace_decoder_retire(struct etrace_decoder *d, const struct standard_insn *insn)
{
	d->pc = insn->pc;
	d->behind = (insn->pc + insn->length) & d->base.ones;
	standard_flow_retire(&d->base.flow, insn);
}

/* From a plain instruction at pc on in a straight line, up to the next one that may do more; not past `short_of`
 * (odd: no such place). False: there is no such line, or it has to be walked step by step. */
static bool etrace_run_straight(struct etrace_decoder *d, uint64_t short_of)
{
	const struct standard_block *line = standard_code_block(d->base.code, d->pc);
	const bool inside = short_of > d->pc && short_of < line->last;
	const bool sequential =
	    d->options.sequential_jump && (line->class == STANDARD_PLAIN || line->class > STANDARD_CALL);
	if (line->count < 2 || inside || sequential || line->last < d->pc || d->straight + line->count > STRAIGHT_MAX)
		return false;
	const struct standard_block rest = {.pc = d->behind,
	    .last = line->last,
	    .behind = line->behind,
	    .count = (uint16_t)(line->count - 1),
	    .class = line->class};
	d->straight += rest.count;
	d->before.constant = false;
	d->before.class = STANDARD_PLAIN;
	d->pc = rest.last;
	d->behind = rest.behind;
	standard_flow_run(&d->base.flow, &rest);
	return true;
}

/* pc is not in the image: how many instructions run there is not known. */
static void etrace_leave_image(struct etrace_decoder *d, uint64_t pc)
{
	standard_flow_put(&d->base.flow, STANDARD_BROKEN, pc);
	d->base.counts.excursions++;
	d->place = PLACE_OUTSIDE;
	d->inferred = false;
	d->pc = pc;
}

/* Where insn goes, which is no jump whose target the packet tells. */
static bool infer_target(struct etrace_decoder *d, const struct standard_insn *insn, uint64_t target,
    const struct etrace_packet *t, uint64_t *to)
{
	*to = insn->pc + insn->length;
	if (etrace_expects_jump(d, insn, to))
		return true;
	if (is_implicit(d, insn, target, t)) {
		*to = etrace_top(&d->state);
		etrace_pop(&d->state);
		return true;
	}
	if (insn->class == STANDARD_BRANCH || insn->class == STANDARD_JUMP || insn->class == STANDARD_CALL)
		*to = insn->target;
	return !standard_uninferable(insn);
}

/* From pc to the instruction that retires after it; *stop: it is the target that the packet tells. */
static bool etrace_step(struct etrace_decoder *d, uint64_t target, const struct etrace_packet *t, bool *stop)
{
	const struct standard_insn here = *standard_code_at(d->base.code, d->pc), *insn = &here;
	uint64_t to;
	*stop = false;
	if (insn->class == STANDARD_BRANCH) {
		if (etrace_outcomes_left(d) == 0)
			return etrace_fail(d, "meets a branch without an outcome");
		to = take_outcome(d) ? insn->target : insn->pc + insn->length;
	} else if (!infer_target(d, insn, target, t, &to)) {
		if (d->stop_last)
			return etrace_fail(d, "has outcomes behind a jump whose target it does not tell");
		to = target;
		*stop = true;
	}
	to &= d->base.ones;
	d->before = here;
	if (d->options.implicit_return && (insn->class == STANDARD_CALL || insn->class == STANDARD_CALL_INDIRECT))
		etrace_push(&d->state, (insn->pc + insn->length) & d->base.ones);
	const struct standard_insn *there = standard_code_at(d->base.code, to);
	if (there->length == 0) {
		if (insn->class == STANDARD_PLAIN || insn->class == STANDARD_BRANCH)
			return etrace_fail(d, "leaves the program's code");
		etrace_leave_image(d, to);
		return true;
	}
	if (there->class == STANDARD_TRAPS)
		return etrace_fail(d, "passes an instruction that cannot retire");
	if (++d->straight > STRAIGHT_MAX)
		return etrace_fail(d, "names an instruction that its walk does not reach");
	etrace_decoder_retire(d, there);
	return true;
}

/* Whether the walk is where the packet ends, at address. */
static bool is_there(struct etrace_decoder *d, const struct etrace_packet *t)
{
	if (d->stop_last || d->pc != d->address || etrace_outcomes_left(d) != is_branch(d, d->pc))
		return false;
	if (t->kind == ETRACE_START)
		return t->privilege == d->privilege || d->before.class == STANDARD_TRAP_RETURN;
	if (t->kind == ETRACE_CACHED)
		return false;
	if (t->irreport && t->irdepth != d->state.depth)
		return false;
	if (t->notify || t->updiscon)
		return t->notify;
	d->inferred = true;
	d->meant = *t;
	return true;
}

/* Walks until the packet is spent; *stop: its address was the target of a jump. */
static bool follow_packet(struct etrace_decoder *d, const struct etrace_packet *t, bool *stop)
{
	d->straight = 0;
	while (d->base.flow.stopped == 0) {
		*stop = false;
		if (!etrace_run_straight(d, d->address) && !etrace_step(d, d->address, t, stop))
			return false;
		if (d->place == PLACE_OUTSIDE)
			return true;
		if (d->stop_last && etrace_outcomes_left(d) == 1 && is_branch(d, d->pc)) {
			d->stop_last = false;
			return true;
		}
		if (*stop && t->notify)
			return etrace_fail(d, "is about a jump's target, but says that it is not");
		if (*stop)
			return etrace_outcomes_left(d) == is_branch(d, d->pc)
				   ? true
				   : etrace_fail(d, "has more outcomes than branches");
		if (is_there(d, t))
			return true;
	}
	return true;
}

/* The packet before meant a jump to pc, not the arrival that came first: goes round once more. */
static bool settle_arrival(struct etrace_decoder *d)
{
	uint64_t target = d->pc;
	bool stop = false;
	if (!d->inferred)
		return true;
	d->inferred = false;
	d->stop_last = false;
	d->straight = 0;
	while (!stop && d->base.flow.stopped == 0 && d->place == PLACE_KNOWN) {
		if (!etrace_run_straight(d, STANDARD_NOWHERE) && !etrace_step(d, target, &d->meant, &stop))
			return false;
	}
	if (stop && d->options.cache)
		*etrace_place(&d->state, d->pc) = d->pc;
	return true;
}

/* ---------------------------------------------------------------- packets */

static void empty_outcomes(struct etrace_decoder *d)
{
	d->outcomes = (struct outcomes){0};
	d->untrained = false;
}

/* What both sides forget at a synchronising packet. */
static void etrace_forget(struct etrace_decoder *d)
{
	etrace_state_reset(&d->state, &d->options.layout);
	d->untrained = etrace_outcomes_left(d) > 0;
}

/* The walk goes on at address, which retired. */
static void etrace_start_at(struct etrace_decoder *d, uint64_t address)
{
	d->before.constant = false;
	d->before.class = STANDARD_PLAIN;
	d->pc = address;
	if (!standard_has_code(&d->base, address)) {
		etrace_leave_image(d, address);
		return;
	}
	d->place = PLACE_KNOWN;
	etrace_decoder_retire(d, standard_code_at(d->base.code, address));
}

/* U, S or M. Three bits: 4 debug, 5 and 6 VU and VS; one bit: U, M. */
static unsigned privilege_mode(const struct etrace_decoder *d, unsigned privilege)
{
	static const uint8_t modes[8] = {0, 1, 3, 3, 3, 0, 1, 3};
	return d->options.layout.privilege == 1 && privilege == 1 ? 3 : modes[privilege & 7];
}

/* Mode and context of a packet of format 3, of the instruction that it names; walked: the walk has put it already. */
static void etrace_enter_mode(struct etrace_decoder *d, const struct etrace_packet *t, bool walked)
{
	int (*put)(struct standard_flow *, enum standard_event, uint64_t) =
	    walked ? standard_flow_put_before : standard_flow_put;
	const bool has_context = d->options.layout.context > 0;
	standard_decoder_enter(&d->base, privilege_mode(d, t->privilege), has_context ? &t->context : NULL);
	put(&d->base.flow, STANDARD_MODE, d->base.mode);
	if (has_context)
		put(&d->base.flow, STANDARD_CONTEXT, t->context);
	if (walked && d->base.foreign) {
		standard_flow_take_back(&d->base.flow);
		etrace_leave_image(d, d->pc);
	}
}

/* A time of format 3 is used if the transport has none. */
static void etrace_take_time(struct etrace_decoder *d, const struct etrace_packet *t)
{
	const bool has_time = d->options.layout.time > 0 && (t->kind == ETRACE_START || t->kind == ETRACE_TRAP);
	const bool own = has_time && !d->stamped;
	const bool records = d->options.layout.transport == ETRACE_RECORDS;
	const unsigned stamp_bits = records ? 64 : 8 * d->options.layout.time_bytes;
	d->stamped = d->stamped || d->reader.timed;
	if (!d->reader.timed && !own)
		return;
	const uint64_t time = d->reader.timed ? standard_later(d->waiting_time, d->reader.time, stamp_bits)
					      : standard_later(d->waiting_time, t->time, d->options.layout.time);
	d->time_waits = d->inferred;
	d->waiting_time = time;
	if (!d->time_waits)
		standard_flow_put(&d->base.flow, STANDARD_TIME, time);
}

/* The time of the packet before t, now that it is known which arrival at its address it meant. */
static bool put_waiting_time(struct etrace_decoder *d, const struct etrace_packet *t)
{
	const bool goes_on = t != NULL && (t->kind < ETRACE_START || (t->kind == ETRACE_SUPPORT && t->status == 3));
	if (!d->time_waits)
		return true;
	d->time_waits = false;
	if (goes_on && d->place == PLACE_KNOWN && !d->trapped && !settle_arrival(d))
		return false;
	standard_flow_put(&d->base.flow, STANDARD_TIME, d->waiting_time);
	return true;
}

/* The end of tracing, or of what is known. */
static void etrace_end_at(struct etrace_decoder *d, uint64_t pc)
{
	standard_flow_put(&d->base.flow, STANDARD_BROKEN, pc);
	standard_flow_confirm(&d->base.flow);
	d->place = PLACE_LOST;
	d->inferred = d->trapped = false;
}

/* Where the program goes on behind pc, if that can be known without a packet. */
static bool known_successor(struct etrace_decoder *d, uint64_t *to)
{
	const struct standard_insn insn = *standard_code_at(d->base.code, d->pc);
	uint64_t target = insn.pc + insn.length;
	bool known = !standard_uninferable(&insn);
	if (etrace_expects_jump(d, &insn, &target))
		known = true;
	else if (d->options.implicit_return && insn.class == STANDARD_RETURN && d->state.depth > 0) {
		target = etrace_top(&d->state);
		known = true;
	} else if (insn.class == STANDARD_JUMP || insn.class == STANDARD_CALL)
		target = insn.target;
	else if (insn.class == STANDARD_BRANCH) {
		known = etrace_outcomes_left(d) > 0;
		target = known && oldest_outcome(d) ? insn.target : target;
	}
	*to = target & d->base.ones;
	return known;
}

static void etrace_tell_trap(struct etrace_decoder *d, const struct etrace_packet *t)
{
	uint64_t pc;
	uint64_t told = t->address & d->base.ones;
	bool walked = !d->trapped && d->place == PLACE_KNOWN, known = walked && known_successor(d, &pc);
	bool returns = walked && standard_code_at(d->base.code, d->pc)->class == STANDARD_RETURN;
	if (walked && !known && !t->handler && !t->interrupt) {
		pc = told;
		known = true;
	} else if (known && returns && !t->handler) /* where the stack says, or not: the address tells, if it is one */
		known = pc == told;
	if (known)
		standard_flow_put(&d->base.flow, t->interrupt ? STANDARD_INTERRUPT : STANDARD_EXCEPTION, pc);
	else
		standard_flow_put(&d->base.flow, STANDARD_BROKEN, STANDARD_NOWHERE);
	standard_flow_confirm(&d->base.flow);
}

static uint64_t handler_of(const struct etrace_decoder *d, const struct etrace_packet *t)
{
	bool vectored = (d->options.vector & 1) != 0 && t->interrupt;
	return (d->options.vector & ~UINT64_C(3)) + (vectored ? 4 * (uint64_t)t->cause : 0);
}

static bool etrace_take_trap(struct etrace_decoder *d, const struct etrace_packet *t)
{
	etrace_tell_trap(d, t);
	empty_outcomes(d);
	d->inferred = false;
	d->address = t->address & d->base.ones;
	d->trapped = !t->handler;
	d->privilege = t->privilege;
	etrace_enter_mode(d, t, false);
	if (!t->handler) {
		etrace_forget(d);
		d->place = d->place == PLACE_LOST ? PLACE_LOST : PLACE_KNOWN;
		return true;
	}
	if (d->options.implicit_exception)
		d->address = handler_of(d, t) & d->base.ones;
	if (is_branch(d, d->address))
		add_outcomes(d, t->not_taken, 1);
	etrace_start_at(d, d->address);
	etrace_forget(d);
	return true;
}

static bool take_start(struct etrace_decoder *d, const struct etrace_packet *t)
{
	bool direct = d->place != PLACE_KNOWN || d->trapped, stop;
	uint64_t address = t->address & d->base.ones;
	d->inferred = false;
	d->stop_last = false;
	if (direct)
		empty_outcomes(d);
	if (is_branch(d, address))
		add_outcomes(d, t->not_taken, 1);
	d->address = address;
	if (!direct && !follow_packet(d, t, &stop))
		return false;
	const bool walked = !direct && d->place == PLACE_KNOWN;
	etrace_enter_mode(d, t, walked);
	if (walked)
		standard_flow_confirm(&d->base.flow);
	if (d->place == PLACE_LOST)
		standard_flow_put(&d->base.flow, STANDARD_BROKEN, STANDARD_NOWHERE);
	if (direct || (d->place == PLACE_OUTSIDE && !walked)) {
		standard_flow_confirm(&d->base.flow);
		etrace_start_at(d, address);
	}
	d->privilege = t->privilege;
	d->trapped = false;
	etrace_forget(d);
	return true;
}

static bool take_support(struct etrace_decoder *d, const struct etrace_packet *t)
{
	uint64_t pc;
	if (t->status == 0 || d->place == PLACE_LOST) {
		d->base.counts.overflows += t->status == 2;
		return true;
	}
	if (t->status == 3 && d->place == PLACE_KNOWN && !settle_arrival(d))
		return false;
	d->base.counts.overflows += t->status == 2;
	bool known = d->place == PLACE_KNOWN && !d->trapped && t->status != 2 && known_successor(d, &pc);
	etrace_end_at(d, known ? pc : STANDARD_NOWHERE);
	return true;
}

/* Back from code that the image does not have: the reported instruction is a target, if nothing else is inferred. */
static void rejoin_image(struct etrace_decoder *d, const struct etrace_packet *t, uint64_t address)
{
	bool plain = !d->options.implicit_return && !d->options.predictor && !d->options.cache;
	if (!plain || !t->has_address || t->notify || !standard_has_code(&d->base, address))
		return;
	empty_outcomes(d);
	if (is_branch(d, address)) {
		if (t->branches == 0)
			return;
		add_outcomes(d, t->map >> (t->branches - 1) & 1, 1);
	}
	etrace_start_at(d, address);
}

static bool find_packet_address(struct etrace_decoder *d, const struct etrace_packet *t)
{
	uint64_t difference = d->options.full_address ? 0 : d->address;
	if (t->kind == ETRACE_CACHED) {
		uint64_t target = d->state.cache[t->index & ((1u << d->options.layout.cache) - 1)];
		if (target == ETRACE_NO_TARGET)
			return etrace_fail(d, "names a place of the jump cache that is empty");
		d->address = target;
	} else if (t->has_address)
		d->address = (difference + t->address) & d->base.ones;
	return true;
}

static bool etrace_take_flow(struct etrace_decoder *d, const struct etrace_packet *t)
{
	bool stop = false;
	if (d->place == PLACE_KNOWN && d->trapped)
		return etrace_fail(d, "comes between a trap and its handler");
	if (d->place == PLACE_KNOWN && !settle_arrival(d))
		return false;
	if (!find_packet_address(d, t))
		return false;
	if (d->place == PLACE_OUTSIDE) {
		rejoin_image(d, t, d->address);
		return true;
	}
	add_outcomes(d, t->map, t->branches);
	if (t->kind == ETRACE_PREDICTED) {
		settle_prediction(d);
		d->outcomes.right = t->right;
		d->outcomes.wrong = t->wrong;
		if (t->right > RIGHT_MAX)
			return etrace_fail(d, "has more predictions than a test allows");
	}
	d->stop_last = !t->has_address && t->kind != ETRACE_CACHED;
	if (!follow_packet(d, t, &stop))
		return false;
	if (d->place == PLACE_OUTSIDE) {
		rejoin_image(d, t, d->address);
		return true;
	}
	settle_prediction(d);
	if (stop && d->options.cache)
		*etrace_place(&d->state, d->address) = d->address;
	if (d->options.full_address && t->has_address)
		standard_flow_confirm(&d->base.flow);
	return true;
}

/* What the packet before and the fields of this one leave open to it. */
static bool is_possible(struct etrace_decoder *d, const struct etrace_packet *t)
{
	const bool sync = t->kind >= ETRACE_START, named = t->kind == ETRACE_START || t->kind == ETRACE_TRAP;
	const bool ratified = d->options.layout.form == ETRACE_RATIFIED;
	if (d->before_sync && !sync)
		return etrace_fail(d, "follows one that announces a packet of format 3");
	if (t->odd && d->plain_depths > STANDARD_USUAL && d->plain_depths != UINT64_MAX)
		return etrace_fail(d, "has a depth of calls, though it does not report a return");
	if (t->odd)
		d->plain_depths = UINT64_MAX;
	else if (!sync && !t->irreport && d->plain_depths != UINT64_MAX)
		d->plain_depths++;
	if (named && d->options.layout.privilege == 2 && t->privilege == 2)
		return etrace_fail(d, "has a reserved privilege");
	if (named && ratified && !t->not_taken && t->kind == ETRACE_START &&
	    standard_has_code(&d->base, t->address & d->base.ones) && !is_branch(d, t->address & d->base.ones))
		return etrace_fail(d, "has an outcome of an instruction that is no branch");
	const bool ends = t->kind == ETRACE_SUPPORT && (t->status == 1 || t->status == 3);
	if (ends && d->place == PLACE_KNOWN && !d->told)
		return etrace_fail(d, "ends tracing behind an instruction that was not told");
	return true;
}

static bool etrace_dispatch(struct etrace_decoder *d, const struct etrace_packet *t)
{
	if (!is_possible(d, t))
		return false;
	switch (t->kind) {
	case ETRACE_START:
		return take_start(d, t);
	case ETRACE_TRAP:
		return etrace_take_trap(d, t);
	case ETRACE_CONTEXT:
		etrace_enter_mode(d, t, false);
		if (d->place == PLACE_KNOWN && d->base.foreign)
			etrace_leave_image(d, d->pc);
		return true;
	case ETRACE_SUPPORT:
		return take_support(d, t);
	default:
		return etrace_take_flow(d, t);
	}
}

static void etrace_take_packet(struct etrace_decoder *d, uint64_t offset)
{
	static const char *const names[] = {"format 0 (prediction)", "format 0 (jump cache)", "format 1", "format 2",
	    "format 3 (start)", "format 3 (trap)", "format 3 (context)", "format 3 (support)"};
	struct etrace_packet t;
	char text[TEXT_MAX];
	const uint8_t *payload = d->reader.bytes + d->reader.payload_at;
	d->wrong = etrace_parse(&d->options.layout, payload, d->reader.payload_size, &t);
	if (d->wrong != NULL) {
		snprintf(text, sizeof text, "a packet %s", d->wrong);
		etrace_lose(d, offset, text);
		return;
	}
	if (d->place == PLACE_LOST && t.kind < ETRACE_START) {
		d->base.counts.before++;
		return;
	}
	const bool named = t.has_address || t.kind == ETRACE_CACHED || t.kind == ETRACE_START || t.kind == ETRACE_TRAP;
	if (put_waiting_time(d, &t) && etrace_dispatch(d, &t)) {
		d->before_sync = t.kind < ETRACE_START && t.updiscon;
		d->told = t.kind == ETRACE_CONTEXT || t.kind == ETRACE_SUPPORT ? d->told : named;
		etrace_take_time(d, &t);
		return;
	}
	snprintf(text, sizeof text, "a packet of %s %s", names[t.kind], d->wrong);
	etrace_lose(d, offset, text);
	if (t.kind == ETRACE_START) /* its address is full */
		take_start(d, &t);
}

/* ---------------------------------------------------------------- the stream */

static void take_payload(struct etrace_decoder *d, enum etrace_read got)
{
	d->base.counts.messages++;
	if (got == ETRACE_GAP)
		etrace_lose(d, d->reader.begin, "packets are missing: the index jumps");
	if (d->reader.source == d->options.source) {
		if (got == ETRACE_PAYLOAD)
			etrace_take_packet(d, d->reader.begin);
		return;
	}
	const bool begins = (d->reader.bytes[d->reader.payload_at] & SUPPORT_MASK) == SUPPORT_MASK;
	if (standard_new_source(&d->base, d->reader.source) && !begins)
		etrace_lose(d, d->reader.begin, "a packet is of a source of which there was none");
}

/* Null packets and data trace: the first of them in a stream that had none may be a damaged packet. A run of null
 * packets is no damage. */
static void pass_skipped(struct etrace_decoder *d)
{
	const bool null = (d->reader.bytes[0] & NULL_MASK) == 0, usual = d->base.counts.messages <= STANDARD_USUAL;
	if (d->options.layout.transport != ETRACE_ENCAPSULATED)
		return;
	d->nulls += null;
	if (null)
		return;
	if (!d->has_data && !usual)
		etrace_lose(d, d->reader.begin, "a packet is of data trace, of which there was none");
	d->has_data = true;
}

static void end_nulls(struct etrace_decoder *d)
{
	const bool usual = d->base.counts.messages <= STANDARD_USUAL || d->has_nulls;
	if (d->nulls > 0 && d->nulls < NULLS_FEW && !usual)
		etrace_lose(d, d->reader.begin, "a null packet stands before this one, of which there was none");
	d->has_nulls = d->has_nulls || d->nulls > 0;
	d->nulls = 0;
}

static void etrace_feed(struct standard_decoder *base, const uint8_t *bytes, size_t size)
{
	struct etrace_decoder *d = (struct etrace_decoder *)base;
	for (size_t i = 0; i < size && base->flow.stopped == 0; i++) {
		enum etrace_read got = etrace_read(&d->reader, bytes[i]);
		if (got == ETRACE_DAMAGED) {
			char text[TEXT_MAX];
			snprintf(text, sizeof text, "a packet %s", d->reader.damage);
			etrace_lose(d, d->reader.begin, text);
		} else if (got == ETRACE_SKIPPED)
			pass_skipped(d);
		else if (got == ETRACE_PAYLOAD || got == ETRACE_GAP) {
			end_nulls(d);
			take_payload(d, got);
		}
	}
}

static void etrace_move(struct standard_decoder *base, uint64_t offset, bool joins)
{
	struct etrace_decoder *d = (struct etrace_decoder *)base;
	if (!joins) {
		etrace_lose(d, offset, "bytes are missing before this one");
		etrace_reader_init(&d->reader, &d->options.layout, true);
	}
	d->reader.offset = offset;
}

static void etrace_finish(struct standard_decoder *base)
{
	struct etrace_decoder *d = (struct etrace_decoder *)base;
	put_waiting_time(d, NULL);
	if (d->reader.lost)
		etrace_lose(d, d->reader.offset, "no run of zeros came behind which a packet begins for certain");
	else if (etrace_reader_rest(&d->reader) > 0)
		etrace_lose(d, d->reader.begin, "the stream ends inside a packet");
}

void etrace_complete(struct etrace_options *options, const struct image *image)
{
	struct etrace_layout *l = &options->layout;
	if (l->address == 0)
		l->address = image_xlen(image);
	if (l->selector == 0)
		l->selector = l->predictor > 0 && l->cache > 0;
}

struct standard_decoder *etrace_open(const struct image *image, const struct etrace_options *options,
    standard_sink *sink, standard_teller *teller, void *context)
{
	struct etrace_decoder *d = calloc(1, sizeof *d);
	if (d == NULL)
		return NULL;
	d->base.feed = etrace_feed;
	d->base.finish = etrace_finish;
	d->base.move = etrace_move;
	d->options = *options;
	etrace_complete(&d->options, image);
	etrace_reader_init(&d->reader, &d->options.layout, options->wrapped);
	etrace_state_reset(&d->state, &d->options.layout);
	if (standard_decoder_open(&d->base, image, sink, teller, context) != 0) {
		standard_close(&d->base);
		return NULL;
	}
	return &d->base;
}
