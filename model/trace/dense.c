/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The dense coder. One thing is done after the other, a state a cycle or longer:
 *
 *   CLEAR ─► FETCH ─► AIM ─► READY ──right guess──► FETCH
 *                              └─► SEARCH WAY0 WAY1 ─► FIRST ... INSNS ─► UPDATE ─► FETCH
 */
#include <string.h>
#include "model/trace/dense_private.h"

enum { RUN_GROUP = 2, VALUE_GROUP = 4, INDEX_LOW = 4, FIELD_NIBBLES = 8, SHAPE_NIBBLES = 4, CHECK_BYTES = 4 };

void dense_config_default(struct dense_config *config)
{
	*config = (struct dense_config){.xlen = 32,
	    .hist = 32,
	    .entries = 256,
	    .places = 1024,
	    .repeat_bits = 8,
	    .insn_bits = 16,
	    .queue = 256,
	    .buffer = 512,
	    .check_bits = 10,
	    .start_bits = 16};
}

void dense_reset(struct dense *dense, const struct dense_config *config)
{
	const struct dense_config own = *config;
	memset(dense, 0, sizeof *dense);
	dense->config = own;
	dense_coder_start(&dense->coder, own.entries, own.places);
}

/* Its length is not known from the program, so it is never entered. */
static bool is_cut(const struct dense *dense)
{
	const unsigned reason = dense->head.reason;
	return reason == TRACE_TRAP || reason >= TRACE_LEFT;
}

static struct dense_trace head_trace(const struct dense *dense)
{
	return (struct dense_trace){dense->head.start, dense->head.hist, dense->head.reason};
}

static bool is_drained(const struct dense *dense)
{
	return dense->queue.wr == dense->queue.rd;
}

static bool guesses_right(const struct dense *dense)
{
	const struct dense_coder *c = &dense->coder;
	const struct dense_trace trace = head_trace(dense);
	return dense_same_trace(&c->entry[dense_coder_place(c)->first], &trace);
}

static uint32_t dense_shape(const struct dense_config *c)
{
	return dense_log2(c->entries) | dense_log2(c->places) << 4 | (c->hist - 1) << 8 |
	       (c->xlen == 64 ? DENSE_SHAPE_XLEN64 : 0);
}

/* ---------------------------------------------------------------- what is written in a state */

static struct dense_put put_some_bits(unsigned value, unsigned size)
{
	return (struct dense_put){.bits = true, .value = (uint8_t)value, .size = (uint8_t)size};
}

/* A group, and whether another one follows. */
static struct dense_put put_bit_group(uint64_t value, unsigned size)
{
	const unsigned more = value >> size != 0;
	return put_some_bits((unsigned)(value & dense_ones(size)) | more << size, size + 1);
}

static struct dense_put event_bits(unsigned event)
{
	return event == DENSE_END ? put_some_bits(15, 4)
				  : put_some_bits((1u << event) - 1, event == DENSE_MISS ? 4 : event + 1);
}

static struct dense_put reason_bits(unsigned reason)
{
	if (reason == TRACE_BACKWARD)
		return put_some_bits(0, 1);
	return reason == TRACE_INDIRECT ? put_some_bits(1, 2) : put_some_bits(3 | reason << 2, 6);
}

static struct dense_put put_of(const struct dense *dense)
{
	const struct dense *d = dense;
	switch (d->state) {
	case DENSE_FIRST:
		return put_some_bits(d->run != 0, 1);
	case DENSE_RUN:
		return put_bit_group(d->run, RUN_GROUP);
	case DENSE_EVENT:
		return event_bits(d->event);
	case DENSE_LOW:
		return put_some_bits(d->index & 15, INDEX_LOW);
	case DENSE_HIGH:
		return put_some_bits(d->index >> INDEX_LOW, dense_log2(d->config.entries) - INDEX_LOW);
	case DENSE_REASON:
		return reason_bits(d->head.reason);
	case DENSE_ADDRESS:
	case DENSE_HISTORY:
	case DENSE_INSNS:
		return put_bit_group(d->value, VALUE_GROUP);
	case DENSE_PAD:
		return (struct dense_put){.pad = true};
	case DENSE_CHECK:
		return (struct dense_put){.check = true};
	case DENSE_FLAG:
		return (struct dense_put){.flag = true};
	case DENSE_OPEN:
		return (struct dense_put){.flag = true, .first = true};
	case DENSE_HEAD:
		return put_some_bits(d->nibble == 0 ? DENSE_HEAD_VERSION : d->fresh | d->tells << 1, 4);
	case DENSE_SHAPE:
	case DENSE_NUMBER:
	case DENSE_LOST:
		return put_some_bits(d->value & 15, VALUE_GROUP);
	default:
		return (struct dense_put){0};
	}
}

/* ---------------------------------------------------------------- a trace is coded */

/* Returns whether the record leaves the queue. */
static bool count_trace(struct dense *dense)
{
	dense->number++;
	if (dense->done + 1 == dense->head.repeat) {
		dense->done = 0;
		return true;
	}
	dense->done++;
	return false;
}

/* A right guess that changes nothing leaves all as it was read. */
static bool take_right(struct dense *dense)
{
	struct dense_coder *c = &dense->coder;
	const struct dense_place place = *dense_coder_place(c);
	const unsigned hash = c->hash, last = c->last;
	const bool steady = place.sure && c->follower[last] == place.first;
	dense_coder_step(c, place.first, true);
	dense->run++;
	if (!steady || c->hash != hash || c->last != last)
		dense->state = DENSE_FETCH;
	return count_trace(dense);
}

static void take_way1(struct dense *dense)
{
	const struct dense_coder *c = &dense->coder;
	const struct dense_trace trace = head_trace(dense);
	const unsigned set = dense_coder_set(c, &trace);
	const bool match1 = dense_same_trace(&c->entry[set | 1], &trace);
	const bool victim = match1 || c->victim;
	const unsigned number = set | (!dense->match0 && victim);
	dense->index = number;
	if (!dense->match0 && !match1)
		dense->event = DENSE_MISS;
	else if (number == dense_coder_place(c)->second)
		dense->event = DENSE_SECOND;
	else
		dense->event = number == c->follower[c->last] ? DENSE_FOLLOWER : DENSE_HIT;
	dense->state = DENSE_FIRST;
}

static bool take_wrong(struct dense *dense)
{
	const struct dense_trace trace = head_trace(dense);
	const bool enters = dense->event == DENSE_MISS;
	dense->state = DENSE_FETCH;
	if (enters && is_cut(dense))
		return count_trace(dense);
	dense_coder_step(&dense->coder, dense->index, false);
	if (enters)
		dense_coder_enter(&dense->coder, &trace);
	return count_trace(dense);
}

/* ---------------------------------------------------------------- ready for the next one */

/* The present frame ends here. */
static bool is_to_close(const struct dense *dense, bool flush)
{
	const bool full = (dense->number >> dense->config.check_bits & 1) != dense->parity;
	const bool idle = is_drained(dense) && (flush || dense->losing);
	return dense->open && (full || idle || dense->restart);
}

/* Returns whether a record leaves the queue. */
static bool take_ready(struct dense *dense, bool flush)
{
	if (is_to_close(dense, flush)) {
		dense->event = DENSE_END;
		dense->state = DENSE_FIRST;
	} else if (!dense->open && dense->restart && !dense->fresh) {
		dense->state = DENSE_CLEAR;
	} else if (!dense->open && (dense->queue.valid || (dense->losing && is_drained(dense)))) {
		dense->tells = dense->losing && is_drained(dense);
		dense->state = dense->fresh ? DENSE_OPEN : DENSE_HEAD;
	} else if (dense->queue.valid) {
		if (guesses_right(dense))
			return take_right(dense);
		dense->state = DENSE_SEARCH;
	}
	return false;
}

/* ---------------------------------------------------------------- what was written leads on */

static void load_value(struct dense *dense, enum dense_state state, uint64_t value)
{
	dense->state = state;
	dense->value = value;
	dense->nibble = 0;
}

static void after_event(struct dense *dense)
{
	static const enum dense_state next[] = {[DENSE_SECOND] = DENSE_UPDATE,
	    [DENSE_FOLLOWER] = DENSE_UPDATE,
	    [DENSE_HIT] = DENSE_LOW,
	    [DENSE_MISS] = DENSE_REASON,
	    [DENSE_END] = DENSE_PAD};
	dense->state = next[dense->event];
}

/* Whether the last group of a value is being written, else the next one comes. */
static bool ends_value(struct dense *dense)
{
	dense->value >>= VALUE_GROUP;
	return dense->value == 0;
}

/* The last of so many nibbles. */
static bool ends_field(struct dense *dense, unsigned nibbles)
{
	dense->value >>= VALUE_GROUP;
	dense->nibble = (dense->nibble + 1) % FIELD_NIBBLES;
	return dense->nibble == nibbles % FIELD_NIBBLES;
}

/* The head is complete. */
static void open_frame(struct dense *dense)
{
	dense->parity = dense->number >> dense->config.check_bits & 1;
	if (dense->fresh) {
		dense->epoch = dense->number >> dense->config.start_bits & 1;
		dense->restart = false;
	}
	dense->open = true;
	dense->fresh = false;
	dense->state = DENSE_READY;
}

/* What is lost from now on is another loss. */
static void tell_loss(struct dense *dense)
{
	if (!dense->tells) {
		open_frame(dense);
		return;
	}
	load_value(dense, DENSE_LOST, dense->lost);
	dense->number += dense->lost;
	dense->lost = 0;
	dense->losing = false;
}

static void after_head(struct dense *dense)
{
	if (dense->fresh)
		load_value(dense, DENSE_SHAPE, dense_shape(&dense->config));
	else
		tell_loss(dense);
}

static void after_flag(struct dense *dense)
{
	const bool due = (dense->number >> dense->config.start_bits & 1) != dense->epoch;
	dense->open = false;
	dense->state = due || dense->restart ? DENSE_CLEAR : DENSE_READY;
}

/* What the state put was taken: of a trace. */
static void trace_was_put(struct dense *d)
{
	switch (d->state) {
	case DENSE_FIRST:
		d->state = d->run ? DENSE_RUN : DENSE_EVENT;
		d->run -= d->run != 0;
		return;
	case DENSE_RUN:
		d->run >>= RUN_GROUP;
		if (d->run == 0)
			d->state = DENSE_EVENT;
		return;
	case DENSE_EVENT:
		after_event(d);
		return;
	case DENSE_LOW:
		d->state = DENSE_HIGH;
		return;
	case DENSE_HIGH:
		d->state = DENSE_UPDATE;
		return;
	case DENSE_REASON:
		load_value(d, DENSE_ADDRESS, (d->head.start ^ d->coder.previous) >> 1);
		return;
	case DENSE_ADDRESS:
		if (ends_value(d))
			load_value(d, DENSE_HISTORY, d->head.hist);
		return;
	case DENSE_HISTORY:
		if (ends_value(d))
			load_value(d, is_cut(d) ? DENSE_INSNS : DENSE_UPDATE, d->head.insns);
		return;
	case DENSE_INSNS:
		if (ends_value(d))
			d->state = DENSE_UPDATE;
		return;
	default:
		return;
	}
}

/* The same of what is around the traces of a frame. */
static void frame_was_put(struct dense *d)
{
	switch (d->state) {
	case DENSE_PAD:
		d->nibble = 0;
		d->state = DENSE_CHECK;
		return;
	case DENSE_CHECK:
		d->nibble++;
		if (d->nibble == CHECK_BYTES)
			d->state = DENSE_FLAG;
		return;
	case DENSE_FLAG:
		d->nibble = 0;
		after_flag(d);
		return;
	case DENSE_OPEN:
		d->nibble = 0;
		d->state = DENSE_HEAD;
		return;
	case DENSE_HEAD:
		if (d->nibble++ == 1)
			after_head(d);
		return;
	case DENSE_SHAPE:
		if (ends_field(d, SHAPE_NIBBLES))
			load_value(d, DENSE_NUMBER, d->number);
		return;
	case DENSE_NUMBER:
		if (ends_field(d, FIELD_NIBBLES))
			tell_loss(d);
		return;
	case DENSE_LOST:
		if (ends_field(d, FIELD_NIBBLES))
			open_frame(d);
		return;
	default:
		return;
	}
}

static void take_clear(struct dense *dense)
{
	const struct dense_config *c = &dense->config;
	const unsigned most = c->places > c->entries ? c->places : c->entries;
	if (dense->walk == 0)
		dense_coder_start(&dense->coder, c->entries, c->places);
	dense->walk++;
	if (dense->walk < most)
		return;
	dense->walk = 0;
	dense->fresh = true;
	dense->restart = false;
	dense->state = DENSE_FETCH;
}

/* Without anything to write. Returns whether a record leaves the queue. */
static bool take_state(struct dense *dense, bool flush)
{
	const struct dense_trace trace = head_trace(dense);
	switch (dense->state) {
	case DENSE_CLEAR:
		take_clear(dense);
		return false;
	case DENSE_FETCH:
		dense->state = DENSE_AIM;
		return false;
	case DENSE_AIM:
		dense->state = DENSE_READY;
		return false;
	case DENSE_READY:
		return take_ready(dense, flush);
	case DENSE_SEARCH:
		dense->state = DENSE_WAY0;
		return false;
	case DENSE_WAY0:
		dense->match0 = dense_same_trace(&dense->coder.entry[dense_coder_set(&dense->coder, &trace)], &trace);
		dense->state = DENSE_WAY1;
		return false;
	case DENSE_WAY1:
		take_way1(dense);
		return false;
	case DENSE_UPDATE:
		return take_wrong(dense);
	default:
		return false;
	}
}

/* ---------------------------------------------------------------- the queue of records */

/* Whether the record of this cycle is lost, which nothing but the next frame says. */
static bool queue_record(struct dense *dense, const struct dense_in *in, bool accept)
{
	struct dense_pointers *q = &dense->queue;
	const struct dense_config *c = &dense->config;
	const bool fits = in->repeat <= dense_ones(c->repeat_bits);
	if (!in->rec_valid)
		return false;
	if (!accept || !fits) {
		dense->lost += in->repeat;
		return true;
	}
	dense->queue_mem[q->wr & (c->queue - 1)] = (struct dense_waiting){.start = in->start,
	    .hist = in->hist,
	    .repeat = in->repeat,
	    .insns = in->insns & (uint16_t)dense_ones(c->insn_bits),
	    .reason = in->reason};
	q->wr = (q->wr + 1) & (2 * c->queue - 1);
	return false;
}

static void read_queue(struct dense *dense, bool pop)
{
	struct dense_pointers *q = &dense->queue;
	const unsigned rd_next = (q->rd + pop) & (2 * dense->config.queue - 1);
	q->valid = q->wr != rd_next; /* what is pushed in this cycle can be read in the next one */
	if (q->valid)
		dense->head = dense->queue_mem[rd_next & (dense->config.queue - 1)];
	q->rd = rd_next;
}

void dense_cycle(struct dense *dense, const struct dense_in *in, struct dense_out *out)
{
	struct dense *d = dense;
	const struct dense_put put = put_of(d);
	const bool puts = put.bits || put.pad || put.check || put.flag, ready = dense_pack_ready(d);
	const bool full = dense_held(&d->queue, d->config.queue) == d->config.queue, losing = d->losing;
	*out = (struct dense_out){.byte_valid = d->buffer.valid,
	    .byte = d->byte,
	    .busy = d->state == DENSE_CLEAR || d->open || losing || !is_drained(d) || !dense_pack_empty(d) ||
		    d->state == DENSE_LOST};
	dense_pack(d, &put, in->byte_ready);
	bool pop = false;
	if (!puts)
		pop = take_state(d, in->flush);
	else if (ready && d->state < DENSE_PAD)
		trace_was_put(d);
	else if (ready)
		frame_was_put(d);
	if (in->begin)
		d->restart = true;
	read_queue(d, pop);
	d->losing |= queue_record(d, in, !losing && !full);
}
