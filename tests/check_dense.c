/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The dense coder's model and its receiver: the example of the document, and every damage that a line can do. */
#include <string.h>
#include "common/frame.h"
#include "host/records/dense.h"
#include "model/dense.h"
#include "tests/suite.h"

enum { TRACES = 1500, STREAM_MAX = 32768, TOLD_MAX = 64 };

static const uint8_t example[] = {0x7E, 0x11, 0xA8, 0x1F, 0, 0, 0, 0, 0x0E, 0xC4, 0x10, 0x42, 0x08, 0x49, 0x71, 0xC1,
    0x10, 0xCC, 0x45, 0xD2, 0x3C, 0x8B, 0x83, 0x8B, 0xD1, 0x7E};

struct stream {
	uint8_t bytes[STREAM_MAX];
	size_t size, traces;
	struct record sent[TRACES];
};

/* Which traces came: sent[] in order, but for those that are said to be missing. */
struct outcome {
	const struct stream *stream;
	size_t at, given, kinds[DENSE_NOTE_CUT + 1];
	bool wrong;
	unsigned told;
};

static int take_trace(void *context, const struct record *record)
{
	struct outcome *o = context;
	const struct record *sent = o->at < o->stream->traces ? &o->stream->sent[o->at++] : NULL;
	o->given++;
	o->wrong |= sent == NULL || record->start != sent->start || record->hist != sent->hist ||
		    record->reason != sent->reason || record->count != 1 ||
		    record->insns != (record_reason_cut(sent->reason) ? sent->insns : 0);
	return 0;
}

static int take_gap(void *context, uint64_t count)
{
	struct outcome *o = context;
	o->at += (size_t)count;
	return 0;
}

static void take_note(void *context, const struct dense_note *note)
{
	struct outcome *o = context;
	char text[300];
	ck_assert_int_gt(dense_note_describe(note, text, sizeof text), 0);
	o->kinds[note->kind]++;
	o->told++;
}

static struct outcome receive(const struct stream *stream, const uint8_t *bytes, size_t size)
{
	struct outcome outcome = {.stream = stream};
	const struct dense_reader_sink sink = {take_trace, take_gap, take_note, &outcome};
	struct dense_reader *reader;
	ck_assert_int_eq(dense_reader_open(&reader, &sink), DENSE_READER_OK);
	ck_assert_int_eq(dense_reader_feed(reader, bytes, size), DENSE_READER_OK);
	ck_assert_int_eq(dense_reader_finish(reader), DENSE_READER_OK);
	ck_assert_uint_eq(dense_reader_counts(reader)->traces, outcome.given);
	dense_reader_close(reader);
	return outcome;
}

static uint32_t draw(uint64_t *random, uint32_t limit)
{
	*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*random >> 32) * limit >> 32);
}

/* A program of loops: what came follows again, mostly. */
static struct record some_record(uint64_t *random, size_t i)
{
	const uint32_t which = draw(random, 6) == 0 ? draw(random, 300) : (uint32_t)i % 7 + (uint32_t)i / 400;
	const bool cut = draw(random, 50) == 0;
	return (struct record){.start = UINT64_C(0x80000000) + 26 * which,
	    .hist = 1 + which % 37,
	    .reason = (uint8_t)(cut ? TRACE_OFF : 1 + which % 3),
	    .insns = 5 + which,
	    .count = 1};
}

/* slow: a byte is taken in one of so many cycles. */
static void send_stream(struct stream *stream, const struct dense_config *config, unsigned slow)
{
	static struct dense dense;
	struct dense_out out = {.busy = true};
	uint64_t random = 5;
	stream->size = stream->traces = 0;
	dense_reset(&dense, config);
	for (unsigned cycle = 0; stream->traces < TRACES || out.busy; cycle++) {
		const bool send = stream->traces < TRACES && cycle % 8 == 0;
		struct dense_in in = {.byte_ready = cycle % slow == 0, .flush = stream->traces == TRACES};
		if (send) {
			const struct record record = some_record(&random, stream->traces);
			in = (struct dense_in){.rec_valid = true,
			    .start = record.start,
			    .hist = record.hist,
			    .reason = record.reason,
			    .insns = (uint16_t)record.insns,
			    .repeat = 1,
			    .byte_ready = in.byte_ready};
			stream->sent[stream->traces++] = record;
		}
		dense_cycle(&dense, &in, &out);
		if (out.byte_valid && in.byte_ready) {
			ck_assert_uint_lt(stream->size, STREAM_MAX);
			stream->bytes[stream->size++] = out.byte;
		}
	}
}

static void small_config(struct dense_config *config)
{
	dense_config_default(config);
	config->entries = 64;
	config->places = 64;
	config->check_bits = 5;
	config->start_bits = 8;
}

static struct stream clean;

static void send_clean(void)
{
	struct dense_config config;
	small_config(&config);
	send_stream(&clean, &config, 1);
}

START_TEST(example_is_sent)
{
	static struct dense dense;
	struct dense_config config;
	struct dense_out out = {.busy = true};
	size_t size = 0;
	dense_config_default(&config);
	dense_reset(&dense, &config);
	for (unsigned cycle = 0; cycle < 2000 && (cycle < 8 || out.busy); cycle++) {
		const bool second = cycle % 2;
		const struct dense_in in = {.rec_valid = cycle < 8,
		    .start = second ? 0x80000120 : 0x80000100,
		    .hist = second ? 1 : 5,
		    .reason = second ? TRACE_INDIRECT : TRACE_BACKWARD,
		    .repeat = 1,
		    .flush = cycle >= 8,
		    .byte_ready = true};
		dense_cycle(&dense, &in, &out);
		if (!out.byte_valid)
			continue;
		ck_assert_uint_lt(size, sizeof example);
		ck_assert_uint_eq(out.byte, example[size++]);
	}
	ck_assert_uint_eq(size, sizeof example);
}
END_TEST

/* By hand from the document, without what sender and receiver share. */
START_TEST(example_by_hand)
{
	static const char codes[] = "0"
				    "1110"
				    "0" /* no guess, a new trace, BACKWARD */
				    "00001"
				    "00011"
				    "00001"
				    "00001"
				    "00001"
				    "00001"
				    "00001"
				    "00100" /* 40000080, lowest nibble first */
				    "10100" /* HIST 5 */
				    "0"
				    "1110"
				    "10"
				    "00001"
				    "10000"
				    "10000" /* INDIRECT, START xor previous: 20 */
				    "0";
	const size_t head = 8;
	for (size_t i = 0; codes[i] != '\0'; i++)
		if (i < 63)
			ck_assert_int_eq('0' + (example[head + i / 8] >> i % 8 & 1), codes[i]);
	const uint32_t crc = frame_crc32(0, example + 1, sizeof example - 6);
	for (size_t i = 0; i < 4; i++)
		ck_assert_uint_eq(example[sizeof example - 5 + i], crc >> 8 * i & 0xFF);
}
END_TEST

START_TEST(example_is_received)
{
	static struct stream stream;
	stream.traces = 8;
	for (size_t i = 0; i < 8; i++)
		stream.sent[i] = (struct record){.start = i % 2 ? 0x80000120 : 0x80000100,
		    .hist = i % 2 ? 1 : 5,
		    .reason = i % 2 ? TRACE_INDIRECT : TRACE_BACKWARD,
		    .count = 1};
	const struct outcome o = receive(&stream, example, sizeof example);
	ck_assert_uint_eq(o.given, 8);
	ck_assert(!o.wrong);
	ck_assert_uint_eq(o.told, 0);
}
END_TEST

START_TEST(whole_stream)
{
	const struct outcome o = receive(&clean, clean.bytes, clean.size);
	ck_assert_uint_eq(o.given, TRACES);
	ck_assert(!o.wrong);
	ck_assert_uint_eq(o.told, 0);
}
END_TEST

START_TEST(slow_line)
{
	static struct stream stream;
	struct dense_config config;
	small_config(&config);
	config.queue = 16;
	config.buffer = 16;
	send_stream(&stream, &config, 60);
	const struct outcome o = receive(&stream, stream.bytes, stream.size);
	ck_assert_uint_gt(o.kinds[DENSE_NOTE_LOST], 0);
	ck_assert_uint_eq(o.kinds[DENSE_NOTE_LOST], o.told);
	ck_assert_uint_eq(o.at, TRACES);
	ck_assert_uint_lt(o.given, TRACES);
	ck_assert(!o.wrong);
}
END_TEST

/* What came is right, what did not come is said, and behind the second start all is well again. */
static void expect_told(const struct outcome *o, size_t at)
{
	ck_assert_msg(!o->wrong, "byte %zu: a forged trace", at);
	ck_assert_msg(o->told > 0 || o->given == TRACES, "byte %zu: not told", at);
	ck_assert_msg(o->given + 2 * 256 + 32 >= TRACES, "byte %zu: %zu traces came", at, o->given);
	ck_assert_msg(o->at == TRACES || o->at + 256 + 32 >= TRACES, "byte %zu: up to trace %zu", at, o->at);
}

START_TEST(byte_lost)
{
	static uint8_t bytes[STREAM_MAX];
	for (size_t at = 0; at < clean.size; at++) {
		memcpy(bytes, clean.bytes, at);
		memcpy(bytes + at, clean.bytes + at + 1, clean.size - at - 1);
		const struct outcome o = receive(&clean, bytes, clean.size - 1);
		expect_told(&o, at);
	}
}
END_TEST

START_TEST(byte_flipped)
{
	static uint8_t bytes[STREAM_MAX];
	memcpy(bytes, clean.bytes, clean.size);
	for (size_t at = 0; at < clean.size; at++) {
		bytes[at] ^= (uint8_t)(1u << (_i < 8 ? (unsigned)_i : at % 8));
		bytes[at] ^= _i < 8 ? 0 : 0x5A;
		const struct outcome o = receive(&clean, bytes, clean.size);
		expect_told(&o, at);
		bytes[at] = clean.bytes[at];
	}
}
END_TEST

START_TEST(byte_inserted)
{
	static const uint8_t values[] = {0x00, 0x7E, 0x7D, 0x5E};
	static uint8_t bytes[STREAM_MAX];
	for (size_t at = 0; at <= clean.size; at++) {
		memcpy(bytes, clean.bytes, at);
		bytes[at] = values[_i];
		memcpy(bytes + at + 1, clean.bytes + at, clean.size - at);
		const struct outcome o = receive(&clean, bytes, clean.size + 1);
		expect_told(&o, at);
	}
}
END_TEST

/* Whole frames are gone: the next one does not continue what was there, however many there were. */
START_TEST(frames_lost)
{
	static uint8_t bytes[STREAM_MAX];
	size_t ends[256], frames = 0;
	for (size_t i = 1; i < clean.size; i++)
		if (clean.bytes[i] == DENSE_FLAG_BYTE && clean.bytes[i - 1] != DENSE_FLAG_BYTE)
			ends[frames++] = i + 1;
	ck_assert_uint_gt(frames, 40);
	for (size_t from = 0; from + 1 < frames; from++) {
		for (size_t to = from + 1; to < frames; to++) {
			memcpy(bytes, clean.bytes, ends[from]);
			memcpy(bytes + ends[from], clean.bytes + ends[to], clean.size - ends[to]);
			const struct outcome o = receive(&clean, bytes, clean.size - (ends[to] - ends[from]));
			ck_assert(!o.wrong);
			ck_assert(o.told > 0 || to == frames - 1);
		}
	}
}
END_TEST

START_TEST(begins_anywhere)
{
	for (size_t at = 1; at + 1 < clean.size; at += 7) {
		const struct outcome o = receive(&clean, clean.bytes + at, clean.size - at);
		ck_assert(!o.wrong);
		ck_assert(o.told > 0 || o.given == TRACES); /* the first flag says nothing */
		ck_assert(o.at == TRACES || o.given == 0);
	}
}
END_TEST

static int stop_at_once(void *context, const struct record *record)
{
	(void)context;
	(void)record;
	return 1;
}

START_TEST(sink_stops)
{
	struct outcome outcome = {.stream = &clean};
	const struct dense_reader_sink sink = {stop_at_once, take_gap, NULL, &outcome};
	struct dense_reader *reader;
	ck_assert_int_eq(dense_reader_open(&reader, &sink), DENSE_READER_OK);
	ck_assert_int_eq(dense_reader_feed(reader, clean.bytes, clean.size), DENSE_READER_ESTOPPED);
	dense_reader_close(reader);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"example", example_is_sent, 0}, {"example", example_by_hand, 0},
	    {"example", example_is_received, 0}, {"stream", whole_stream, 0}, {"stream", slow_line, 0},
	    {"damage", byte_lost, 0}, {"damage", byte_flipped, 9}, {"damage", byte_inserted, 4},
	    {"damage", frames_lost, 0}, {"stream", begins_anywhere, 0}, {"stream", sink_stops, 0}};
	return SUITE_RUN("dense", cases, send_clean, NULL);
}
