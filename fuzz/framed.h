/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_FUZZ_FRAMED_H
#define RIVULET_FUZZ_FRAMED_H
/*
 * A stream of frames from fuzz input, so that most frames check and their contents are what varies.
 *
 *   size of a chunk: 1 byte, its bytes ──► a frame with these contents, coded, with its checksum
 *   0, size: 1 byte, bytes ──► these bytes as they are: text or damage
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "common/frame.h"

/* The result is to be freed; NULL: out of memory. */
static inline uint8_t *framed(const uint8_t *bytes, size_t size, size_t *length)
{
	/* a chunk of 1 byte and more becomes at most its size + 9 */
	uint8_t *made = malloc(size * 12 + 16);
	size_t to = 0;
	if (made == NULL)
		return NULL;
	for (size_t at = 0; at < size;) {
		size_t want = bytes[at++];
		bool plain = want == 0;
		if (plain && at < size)
			want = bytes[at++];
		if (want > size - at)
			want = size - at;
		if (plain) {
			memcpy(made + to, bytes + at, want);
			to += want;
		} else if (want >= 2) {
			struct frame frame;
			uint8_t coded[FRAME_CODED_MAX];
			frame_begin(&frame, bytes[at], bytes[at + 1]);
			for (size_t i = 2; i < want && frame_room(&frame) > 0; i++)
				frame_byte(&frame, bytes[at + i]);
			size_t sent = frame_end(&frame, coded);
			memcpy(made + to, coded, sent);
			to += sent;
		}
		at += want;
	}
	*length = to;
	return made;
}
#endif
