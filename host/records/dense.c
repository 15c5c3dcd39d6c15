/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Bytes to frames, and which of them are good. */
#include "host/records/dense.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "common/frame.h"
#include "common/sizes.h"
#include "host/records/dense_private.h"

/* A coder's longest frame: 2^12 traces of a wide unit, all of them missing in its dictionary. */
#define FRAME_BYTES_MAX SIZED(131072, 4096)
enum { CRC_BYTES = 4, HEAD_BYTES = 1, SHAPE_BYTES = 2, FIELD_BYTES = 4 };
enum { ENTRIES_LOG2_MIN = 5, PLACES_LOG2_MIN = 5, HIST_MIN = 8 };

struct dense_reader {
	struct dense_reader_sink sink;
	struct dense_reader_counts counts;
	uint8_t bytes[FRAME_BYTES_MAX]; /* of the frame that is coming */
	size_t size;
	uint64_t begin; /* offset of its first byte */
	bool escaped, too_long;
	bool started;                   /* there was a good start */
	bool in_step;                   /* a frame that continues can be read */
	uint64_t passing, passing_from; /* frames that were passed over since, and where */
	uint32_t crc;                   /* of the last good one */
	uint32_t number;                /* traces that the coder has coded, or told to be lost */
	unsigned shape;
	struct dense_coder coder;
	struct dense_frame frame;
};

int dense_note_describe(const struct dense_note *note, char *text, size_t size)
{
	static const char *const words[] = {[DENSE_NOTE_DAMAGED] = "a frame is damaged",
	    [DENSE_NOTE_PASSED] = "frames continue what is not known, and were passed over up to the next start",
	    [DENSE_NOTE_JOINED] = "traces came before the first start of this stream",
	    [DENSE_NOTE_MISSING] = "traces are missing, because frames are damaged",
	    [DENSE_NOTE_LOST] = "traces were lost in the coder, whose queue was full",
	    [DENSE_NOTE_RESTART] = "the coder was reset",
	    [DENSE_NOTE_SHAPE] = "a coder with another width of address or history; it is passed over",
	    [DENSE_NOTE_CUT] = "the stream ends inside of a frame"};
	const bool counted = note->kind == DENSE_NOTE_PASSED || note->kind == DENSE_NOTE_JOINED ||
			     note->kind == DENSE_NOTE_MISSING || note->kind == DENSE_NOTE_LOST;
	if (!counted)
		return snprintf(text, size, "byte %" PRIu64 ", behind %" PRIu64 " traces: %s", note->offset,
		    note->traces, words[note->kind]);
	return snprintf(text, size, "byte %" PRIu64 ", behind %" PRIu64 " traces: %" PRIu64 " %s", note->offset,
	    note->traces, note->count, words[note->kind]);
}

static void tell_dense_note(struct dense_reader *reader, enum dense_note_kind kind, uint64_t count)
{
	const struct dense_note told = {.kind = kind,
	    .offset = kind == DENSE_NOTE_PASSED ? reader->passing_from : reader->begin,
	    .size = reader->counts.bytes - reader->begin,
	    .count = count,
	    .traces = reader->counts.traces};
	if (reader->sink.tell != NULL)
		reader->sink.tell(reader->sink.context, &told);
}

int dense_reader_open(struct dense_reader **reader, const struct dense_reader_sink *sink)
{
	*reader = calloc(1, sizeof **reader);
	if (*reader == NULL)
		return DENSE_READER_ENOMEM;
	(*reader)->sink = *sink;
	return DENSE_READER_OK;
}

void dense_reader_close(struct dense_reader *reader)
{
	free(reader);
}

const struct dense_reader_counts *dense_reader_counts(const struct dense_reader *reader)
{
	return &reader->counts;
}

unsigned dense_reader_xlen(const struct dense_reader *reader)
{
	return reader->started ? reader->frame.xlen : 0;
}

unsigned dense_reader_hist(const struct dense_reader *reader)
{
	return reader->started ? reader->frame.hist : 0;
}

static uint32_t crc_in_bytes(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void drop_damaged(struct dense_reader *reader)
{
	reader->counts.damaged++;
	reader->in_step = false;
	tell_dense_note(reader, DENSE_NOTE_DAMAGED, 0);
}

static int miss_traces(struct dense_reader *reader, uint64_t count)
{
	return reader->sink.miss(reader->sink.context, count) == 0 ? DENSE_READER_OK : DENSE_READER_ESTOPPED;
}

/* ---------------------------------------------------------------- the head of a frame */

static bool good_shape(unsigned shape)
{
	const unsigned entries = shape & 15, places = shape >> 4 & 15, hist = (shape >> 8 & 63) + 1;
	return entries >= ENTRIES_LOG2_MIN && 1u << entries <= DENSE_ENTRIES_MAX && places >= PLACES_LOG2_MIN &&
	       1u << places <= DENSE_PLACES_MAX && hist >= HIST_MIN && shape >> 15 == 0;
}

/* What the coder says of the traces before, and what is known of them. */
static int compare_number(struct dense_reader *reader, uint32_t number)
{
	const uint32_t gap = number - reader->number;
	reader->number = number;
	if (gap == 0)
		return DENSE_READER_OK;
	if (reader->started && number == 0) {
		tell_dense_note(reader, DENSE_NOTE_RESTART, 0);
		return miss_traces(reader, 0);
	}
	reader->counts.missing += gap;
	tell_dense_note(reader, reader->started ? DENSE_NOTE_MISSING : DENSE_NOTE_JOINED, gap);
	return miss_traces(reader, gap);
}

static int take_loss(struct dense_reader *reader, uint32_t count)
{
	reader->number += count;
	reader->counts.lost += count;
	tell_dense_note(reader, DENSE_NOTE_LOST, count);
	return miss_traces(reader, count);
}

/* The bytes of the head; 0: they are none, or there are too few. */
static size_t head_size(const uint8_t *bytes, size_t size)
{
	const unsigned head = bytes[0];
	size_t wanted = HEAD_BYTES;
	if (head & DENSE_HEAD_START)
		wanted += SHAPE_BYTES + FIELD_BYTES;
	if (head & DENSE_HEAD_LOST)
		wanted += FIELD_BYTES;
	return (head & ~(unsigned)DENSE_HEAD_MASK) == DENSE_HEAD_VERSION && size >= wanted ? wanted : 0;
}

/* Everything begins anew; false: it is no shape of a coder, or not the one that it was. */
static bool start_dense_coder(struct dense_reader *reader, unsigned shape)
{
	if (!good_shape(shape))
		return false;
	const unsigned xlen = shape & DENSE_SHAPE_XLEN64 ? 64 : 32, hist = (shape >> 8 & 63) + 1;
	if (reader->started && (xlen != reader->frame.xlen || hist != reader->frame.hist)) {
		tell_dense_note(reader, DENSE_NOTE_SHAPE, 0);
		return false;
	}
	reader->frame.xlen = xlen;
	reader->frame.hist = hist;
	dense_coder_start(&reader->coder, 1u << (shape & 15), 1u << (shape >> 4 & 15));
	return true;
}

/* ---------------------------------------------------------------- frames */

static int give_out(struct dense_reader *reader)
{
	for (size_t i = 0; i < reader->frame.count; i++) {
		reader->counts.traces++;
		reader->number++;
		if (reader->sink.take(reader->sink.context, &reader->frame.records[i]) != 0)
			return DENSE_READER_ESTOPPED;
	}
	return DENSE_READER_OK;
}

/* Frames were passed over up to here. */
static void end_passing(struct dense_reader *reader)
{
	if (reader->passing > 0)
		tell_dense_note(reader, DENSE_NOTE_PASSED, reader->passing);
	reader->passing = 0;
}

/* A frame whose CRC is right. */
static int take_good(struct dense_reader *reader, size_t size)
{
	const uint8_t *bytes = reader->bytes;
	const size_t head = head_size(bytes, size);
	const bool start = bytes[0] & DENSE_HEAD_START, loss = bytes[0] & DENSE_HEAD_LOST;
	if (head == 0 || (start && !start_dense_coder(reader, bytes[1] | (unsigned)bytes[2] << 8)) ||
	    !dense_frame_read(&reader->frame, &reader->coder, bytes + head, size - head)) {
		drop_damaged(reader);
		return DENSE_READER_OK;
	}
	int error = DENSE_READER_OK;
	end_passing(reader);
	if (start)
		error = compare_number(reader, crc_in_bytes(bytes + HEAD_BYTES + SHAPE_BYTES));
	if (error == DENSE_READER_OK && loss)
		error = take_loss(reader, crc_in_bytes(bytes + head - FIELD_BYTES));
	reader->in_step = true;
	reader->started = true;
	reader->counts.frames++;
	reader->counts.starts += start;
	return error == DENSE_READER_OK ? give_out(reader) : error;
}

static int take_dense_frame(struct dense_reader *reader)
{
	const size_t size = reader->size;
	if (size == 0 && !reader->escaped && !reader->too_long)
		return DENSE_READER_OK; /* two flags */
	if (size < HEAD_BYTES + 1 + CRC_BYTES || reader->escaped || reader->too_long) {
		drop_damaged(reader);
		return DENSE_READER_OK;
	}
	const bool start = reader->bytes[0] & DENSE_HEAD_START;
	const uint32_t crc = frame_crc32(start ? 0 : reader->crc, reader->bytes, size - CRC_BYTES);
	if (!start && !reader->in_step) {
		if (reader->passing++ == 0)
			reader->passing_from = reader->begin;
		reader->counts.passed++;
		return DENSE_READER_OK;
	}
	if (crc != crc_in_bytes(reader->bytes + size - CRC_BYTES)) {
		drop_damaged(reader);
		return DENSE_READER_OK;
	}
	reader->crc = crc;
	return take_good(reader, size - CRC_BYTES);
}

static void take_dense_byte(struct dense_reader *reader, uint8_t byte)
{
	if (byte == DENSE_ESCAPE_BYTE && !reader->escaped) {
		reader->escaped = true;
		return;
	}
	/* only what has to be escaped is */
	const uint8_t plain = reader->escaped ? byte ^ DENSE_ESCAPE_FLIP : byte;
	if (reader->size == FRAME_BYTES_MAX ||
	    (reader->escaped && plain != DENSE_FLAG_BYTE && plain != DENSE_ESCAPE_BYTE))
		reader->too_long = true;
	else
		reader->bytes[reader->size++] = plain;
	reader->escaped = false;
}

int dense_reader_feed(struct dense_reader *reader, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	int error = DENSE_READER_OK;
	for (size_t i = 0; i < size && error == DENSE_READER_OK; i++) {
		reader->counts.bytes++;
		if (at[i] != DENSE_FLAG_BYTE) {
			take_dense_byte(reader, at[i]);
			continue;
		}
		error = take_dense_frame(reader);
		reader->size = 0;
		reader->escaped = reader->too_long = false;
		reader->begin = reader->counts.bytes;
	}
	return error;
}

int dense_reader_finish(struct dense_reader *reader)
{
	end_passing(reader);
	if (reader->size > 0 || reader->escaped || reader->too_long)
		tell_dense_note(reader, DENSE_NOTE_CUT, 0);
	reader->size = 0;
	reader->escaped = reader->too_long = false;
	return DENSE_READER_OK;
}
