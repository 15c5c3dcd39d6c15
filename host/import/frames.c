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
