/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Dense streams: bytes between flags, with a right CRC if the first byte says so; what a coder sends, damaged. */
#include "common/frame.h"
#include "fuzz/fuzz.h"
#include "host/records/dense.h"
#include "model/dense.h"

enum { SENT_MAX = 200, STREAM_MAX = 16384, CRC_BYTES = 4 };

struct seen {
	const struct record *sent; /* NULL: not known */
	size_t sent_count, at;
	uint64_t traces;
};

static int take_seen(void *context, const struct record *record)
{
	struct seen *seen = context;
	seen->traces++;
	must(record_valid(record) && record->count == 1);
	if (seen->sent == NULL)
		return 0;
	must(seen->at < seen->sent_count);
	const struct record *sent = &seen->sent[seen->at++];
	must(record->start == sent->start && record->hist == sent->hist && record->reason == sent->reason);
	return 0;
}

static int take_gap(void *context, uint64_t count)
{
	struct seen *seen = context;
	seen->at += (size_t)count;
	return 0;
}

static void take_note(void *context, const struct dense_note *note)
{
	char text[300];
	(void)context;
	must(dense_note_describe(note, text, sizeof text) > 0);
	touch_text(text);
}

static void receive(struct seen *seen, const uint8_t *bytes, size_t size)
{
	const struct dense_reader_sink sink = {take_seen, take_gap, take_note, seen};
	struct dense_reader *reader;
	must(dense_reader_open(&reader, &sink) == DENSE_READER_OK);
	must(dense_reader_feed(reader, bytes, size) == DENSE_READER_OK);
	must(dense_reader_finish(reader) == DENSE_READER_OK);
	must(dense_reader_counts(reader)->traces == seen->traces && dense_reader_counts(reader)->bytes == size);
	dense_reader_close(reader);
}

/* One frame of these bytes, a start, whose CRC is right. */
static void receive_frame(const uint8_t *content, size_t size)
{
	static uint8_t bytes[STREAM_MAX];
	const uint32_t crc = frame_crc32(0, content, size);
	size_t at = 0;
	for (size_t i = 0; i < size + CRC_BYTES && at + 3 < STREAM_MAX; i++) {
		const uint8_t byte = i < size ? content[i] : (uint8_t)(crc >> 8 * (i - size));
		const bool special = byte == DENSE_FLAG_BYTE || byte == DENSE_ESCAPE_BYTE;
		if (special)
			bytes[at++] = DENSE_ESCAPE_BYTE;
		bytes[at++] = special ? byte ^ DENSE_ESCAPE_FLIP : byte;
	}
	bytes[at++] = DENSE_FLAG_BYTE;
	receive(&(struct seen){0}, bytes, at);
}

static size_t send(struct input *input, struct record *sent, size_t *count, uint8_t *bytes)
{
	static struct dense dense;
	struct dense_config config;
	struct dense_out out = {.busy = true};
	size_t size = 0;
	dense_config_default(&config);
	config.entries = config.places = 32;
	config.queue = DENSE_QUEUE_MAX;
	config.buffer = DENSE_BUFFER_MAX;
	config.check_bits = config.start_bits = 3;
	dense_reset(&dense, &config);
	for (unsigned cycle = 0; out.busy && size < STREAM_MAX; cycle++) {
		struct dense_in in = {.byte_ready = true, .flush = input->left == 0};
		if (cycle % 16 == 15 && input->left > 0 && *count < SENT_MAX) {
			const unsigned which = (unsigned)take(input, 1);
			in.rec_valid = true;
			in.start = 2 * which;
			in.hist = 1 + which % 5;
			in.reason = (uint8_t)(which % TRACE_REASONS);
			in.repeat = 1;
			sent[(*count)++] = (struct record){.start = in.start, .hist = in.hist, .reason = in.reason};
		}
		in.flush = *count == SENT_MAX || input->left == 0;
		dense_cycle(&dense, &in, &out);
		out.busy |= !in.flush;
		if (out.byte_valid)
			bytes[size++] = out.byte;
	}
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static uint8_t stream[STREAM_MAX];
	struct record sent[SENT_MAX];
	size_t count = 0;
	struct input input = {bytes, size};
	const unsigned way = (unsigned)take(&input, 1) % 3, where = (unsigned)take(&input, 2);
	const uint8_t flip = (uint8_t)take(&input, 1);
	if (way == 0) {
		receive(&(struct seen){0}, input.at, input.left);
	} else if (way == 1) {
		receive_frame(input.at, input.left);
	} else {
		const size_t length = send(&input, sent, &count, stream);
		if (length > 0)
			stream[where % length] ^= flip;
		struct seen seen = {.sent = sent, .sent_count = count};
		receive(&seen, stream, length);
		must(flip != 0 || seen.at == count);
	}
	return 0;
}
