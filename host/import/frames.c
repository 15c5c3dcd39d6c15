/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/import/frames.h"

#include <string.h>
#include "host/base/bytes.h"

#define MARK 0x7FFFFFFFu
#define MARK_BYTES 4u
#define FLAGS 15u

static unsigned keep_frame_byte(struct frames *f, uint8_t byte, uint8_t out[FRAMES_BYTES], unsigned kept)
{
	if (f->wanted == 0 && f->id != 0 && f->id <= FRAMES_ID_MAX)
		f->wanted = f->id;
	if (f->id == 0 || f->id != f->wanted) {
		f->others += f->id != 0;
		return kept;
	}
	out[kept] = byte;
	return kept + 1;
}

static unsigned open_frame(struct frames *f, uint8_t out[FRAMES_BYTES])
{
	unsigned kept = 0;
	for (unsigned i = 0; i < FLAGS; i += 2) {
		const bool flag = f->bytes[FLAGS] >> i / 2 & 1, names = f->bytes[i] & 1;
		const bool data_behind = i + 1 < FLAGS;
		if (!names)
			kept = keep_frame_byte(f, (uint8_t)(f->bytes[i] | flag), out, kept);
		if (names && flag && data_behind) /* of the source before */
			kept = keep_frame_byte(f, f->bytes[i + 1], out, kept);
		if (names)
			f->id = f->bytes[i] >> 1;
		if (data_behind && !(names && flag))
			kept = keep_frame_byte(f, f->bytes[i + 1], out, kept);
	}
	return kept;
}

unsigned frames_put(struct frames *f, uint8_t byte, uint8_t out[FRAMES_BYTES], bool *broke)
{
	f->bytes[f->count++] = byte;
	*broke = false;
	if (f->count == MARK_BYTES && bytes_get32(f->bytes) == MARK) {
		f->count = 0;
		if (++f->marks % MARK_BYTES == 0)
			f->id = 0;
		return 0;
	}
	if (f->count < FRAMES_BYTES)
		return 0;
	*broke = f->marks >= MARK_BYTES;
	f->marks = f->count = 0;
	return open_frame(f, out);
}

/* Each frame begins with its ID, so that a reader may begin at any. */
bool frames_write(struct frames_writer *frame, unsigned id, uint8_t byte)
{
	if (frame->count % FRAMES_BYTES == 0) {
		memset(frame->bytes, 0, FRAMES_BYTES);
		frame->bytes[0] = (uint8_t)(id << 1 | 1);
		frame->count = 1;
	}
	if (frame->count % 2 == 0) {
		frame->bytes[FLAGS] |= (uint8_t)((byte & 1) << frame->count / 2);
		byte &= 0xFE;
	}
	frame->bytes[frame->count++] = byte;
	frame->count += frame->count == FLAGS;
	return frame->count == FRAMES_BYTES;
}

bool frames_end(struct frames_writer *frame)
{
	if (frame->count == 0 || frame->count == FRAMES_BYTES)
		return false;
	const unsigned at = frame->count & ~1u;
	if (frame->count % 2 != 0) { /* the last byte gives its place to the ID, which begins behind it */
		frame->bytes[at + 1] = (uint8_t)(frame->bytes[at] | (frame->bytes[FLAGS] >> at / 2 & 1));
		frame->bytes[FLAGS] |= (uint8_t)(1u << at / 2);
	}
	frame->bytes[at] = 1;
	frame->count = FRAMES_BYTES;
	return true;
}
