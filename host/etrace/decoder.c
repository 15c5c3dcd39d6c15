/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* E-Trace 2.0, chapter "Decoder": from packets to instructions. */
#include "host/etrace/decoder.h"

#include <stdio.h>
#include <stdlib.h>
#include "host/etrace/steps.h"

#define RIGHT_MAX SIZED(UINT64_MAX, UINT64_C(1) << 12) /* predictions that one packet may confirm */
#define TEXT_MAX 256
#define SUPPORT_MASK 0x0F /* format 3, subformat 3 */
#define NULL_MASK 0x1F
#define NULLS_FEW 4

static void etrace_lose(struct etrace_decoder *d, uint64_t offset, const char *why)
{
	standard_decoder_lose(&d->base, offset, why);
	d->place = PLACE_LOST;
	d->inferred = d->trapped = d->time_waits = false;
	d->before_sync = d->told = false;
}

/* ---------------------------------------------------------------- packets */

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
	if (goes_on && d->place == PLACE_KNOWN && !d->trapped && !etrace_settle_arrival(d))
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
		target = known && etrace_next_outcome(d) ? insn.target : target;
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
	etrace_empty_outcomes(d);
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
	if (etrace_is_branch(d, d->address))
		etrace_add_outcomes(d, t->not_taken, 1);
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
		etrace_empty_outcomes(d);
	if (etrace_is_branch(d, address))
		etrace_add_outcomes(d, t->not_taken, 1);
	d->address = address;
	if (!direct && !etrace_follow_packet(d, t, &stop))
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
	if (t->status == 3 && d->place == PLACE_KNOWN && !etrace_settle_arrival(d))
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
	etrace_empty_outcomes(d);
	if (etrace_is_branch(d, address)) {
		if (t->branches == 0)
			return;
		etrace_add_outcomes(d, t->map >> (t->branches - 1) & 1, 1);
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
	if (d->place == PLACE_KNOWN && !etrace_settle_arrival(d))
		return false;
	if (!find_packet_address(d, t))
		return false;
	if (d->place == PLACE_OUTSIDE) {
		rejoin_image(d, t, d->address);
		return true;
	}
	etrace_add_outcomes(d, t->map, t->branches);
	if (t->kind == ETRACE_PREDICTED) {
		etrace_settle_prediction(d);
		d->outcomes.right = t->right;
		d->outcomes.wrong = t->wrong;
		if (t->right > RIGHT_MAX)
			return etrace_fail(d, "has more predictions than a test allows");
	}
	d->stop_last = !t->has_address && t->kind != ETRACE_CACHED;
	if (!etrace_follow_packet(d, t, &stop))
		return false;
	if (d->place == PLACE_OUTSIDE) {
		rejoin_image(d, t, d->address);
		return true;
	}
	etrace_settle_prediction(d);
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
	    standard_has_code(&d->base, t->address & d->base.ones) && !etrace_is_branch(d, t->address & d->base.ones))
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
