/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Codes of a frame: a run of right guesses, then what was not, and so on up to the end. */
#include <string.h>
#include "host/records/dense_private.h"

enum { RUN_GROUP = 2, VALUE_GROUP = 4, INDEX_LOW = 4, REASON_BITS = 4, INSN_BITS = 16 };

static unsigned read_bits(struct dense_bits *bits, unsigned count)
{
	unsigned value = 0;
	for (unsigned i = 0; i < count; i++, bits->at++) {
		if (bits->at >= bits->size) {
			bits->wrong = true;
			return 0;
		}
		value |= (unsigned)(bits->bytes[bits->at / 8] >> bits->at % 8 & 1) << i;
	}
	return value;
}

/* Groups of bits, each with whether another one follows. The last is not 0, unless it is the only one. In groups of two
 * 5 is 01, more, 01, no more: 1 + (1 << 2). */
static uint64_t read_groups(struct dense_bits *bits, unsigned group, unsigned width)
{
	uint64_t value = 0;
	for (unsigned at = 0;; at += group) {
		const uint64_t part = read_bits(bits, group);
		const bool more = read_bits(bits, 1);
		if (bits->wrong || at >= width || (at + group > width && part >> (width - at) != 0) ||
		    (part == 0 && at > 0 && !more)) {
			bits->wrong = true;
			return 0;
		}
		value |= part << at;
		if (!more)
			return value;
	}
}

static unsigned read_reason(struct dense_bits *bits)
{
	if (read_bits(bits, 1) == 0)
		return TRACE_BACKWARD;
	if (read_bits(bits, 1) == 0)
		return TRACE_INDIRECT;
	const unsigned reason = read_bits(bits, REASON_BITS);
	bits->wrong |= reason >= TRACE_REASONS || reason == TRACE_BACKWARD || reason == TRACE_INDIRECT;
	return reason;
}

static unsigned read_event(struct dense_bits *bits)
{
	unsigned event = DENSE_SECOND;
	while (event < DENSE_END && read_bits(bits, 1) == 1)
		event++;
	return event;
}

static void add_dense_record(
    struct dense_frame *frame, struct dense_bits *bits, const struct dense_trace *trace, uint32_t insns)
{
	if (frame->count == DENSE_TRACES_MAX) {
		bits->wrong = true;
		return;
	}
	frame->records[frame->count++] = (struct record){
	    .start = trace->start, .hist = trace->hist, .reason = trace->reason, .count = 1, .insns = insns};
}

/* The entry with this number, which is not empty, comes next. */
static void add_entry(
    struct dense_frame *frame, struct dense_bits *bits, struct dense_coder *coder, unsigned number, bool right)
{
	bits->wrong |= coder->entry[number].hist == 0;
	if (bits->wrong)
		return;
	add_dense_record(frame, bits, &coder->entry[number], 0);
	dense_coder_step(coder, number, right);
}

static void read_guess_run(struct dense_frame *frame, struct dense_bits *bits, struct dense_coder *coder)
{
	if (read_bits(bits, 1) == 0)
		return;
	uint64_t run = read_groups(bits, RUN_GROUP, 12) + 1;
	for (; run > 0 && !bits->wrong; run--)
		add_entry(frame, bits, coder, dense_coder_place(coder)->first, true);
}

/* A guess that would have been made is not written as something else. */
static void read_hit(struct dense_frame *frame, struct dense_bits *bits, struct dense_coder *coder)
{
	const struct dense_place *place = dense_coder_place(coder);
	const unsigned low = read_bits(bits, INDEX_LOW);
	const unsigned number = low | read_bits(bits, dense_log2(coder->entries) - INDEX_LOW) << INDEX_LOW;
	bits->wrong |= number == place->first || number == place->second || number == coder->follower[coder->last];
	add_entry(frame, bits, coder, number, false);
}

static void read_guess(struct dense_frame *frame, struct dense_bits *bits, struct dense_coder *coder, unsigned event)
{
	const struct dense_place *place = dense_coder_place(coder);
	const unsigned follower = coder->follower[coder->last];
	const unsigned number = event == DENSE_SECOND ? place->second : follower;
	bits->wrong |= number == place->first || (event == DENSE_FOLLOWER && number == place->second);
	add_entry(frame, bits, coder, number, false);
}

static void read_miss(struct dense_frame *frame, struct dense_bits *bits, struct dense_coder *coder)
{
	struct dense_trace trace;
	trace.reason = (uint8_t)read_reason(bits);
	trace.start = read_groups(bits, VALUE_GROUP, frame->xlen - 1) << 1 ^ coder->previous;
	trace.hist = read_groups(bits, VALUE_GROUP, frame->hist);
	const unsigned set = dense_coder_set(coder, &trace);
	bits->wrong |= trace.hist == 0 || dense_same_trace(&coder->entry[set], &trace) ||
		       dense_same_trace(&coder->entry[set | 1], &trace);
	const bool is_cut = record_reason_cut(trace.reason);
	const uint32_t insns = is_cut ? (uint32_t)read_groups(bits, VALUE_GROUP, INSN_BITS) : 0;
	if (bits->wrong)
		return;
	add_dense_record(frame, bits, &trace, insns);
	if (is_cut)
		return;
	dense_coder_step(coder, set | coder->victim, false);
	dense_coder_enter(coder, &trace);
}

/* The last byte is filled up with zeros. */
static bool is_filled(struct dense_bits *bits)
{
	const size_t left = bits->size - bits->at;
	return left < 8 && read_bits(bits, (unsigned)left) == 0;
}

bool dense_frame_read(struct dense_frame *frame, struct dense_coder *coder, const uint8_t *bytes, size_t size)
{
	struct dense_bits bits = {.bytes = bytes, .size = 8 * size};
	frame->count = 0;
	while (!bits.wrong) {
		read_guess_run(frame, &bits, coder);
		const unsigned event = bits.wrong ? DENSE_END : read_event(&bits);
		if (bits.wrong)
			return false;
		if (event == DENSE_END)
			return is_filled(&bits);
		if (event == DENSE_MISS)
			read_miss(frame, &bits, coder);
		else if (event == DENSE_HIT)
			read_hit(frame, &bits, coder);
		else
			read_guess(frame, &bits, coder, event);
	}
	return false;
}
