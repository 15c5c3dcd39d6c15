/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Frames: arbitrary coded bytes, and the way back of what can be coded. */
#include "common/frame.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	uint8_t content[FRAME_CONTENT_MAX], coded[FRAME_CODED_MAX];
	int got = frame_decode(bytes, size, content);
	must(got >= -3 && got <= FRAME_CONTENT_MAX - 4);
	size_t at = 0;
	uint64_t value;
	while (at < size && frame_get_leb(bytes, size, &at, &value) == 0)
		must(at <= size);
	if (size < 2)
		return 0;
	struct frame frame;
	frame_begin(&frame, bytes[0], bytes[1]);
	for (size_t i = 2; i < size && frame_room(&frame) > 0; i++)
		frame_byte(&frame, bytes[i]);
	size_t length = frame.length;
	uint8_t before[FRAME_CONTENT_MAX];
	memcpy(before, frame.content, length);
	size_t sent = frame_end(&frame, coded);
	must(sent >= 3 && sent <= FRAME_CODED_MAX && coded[0] == 0 && coded[sent - 1] == 0);
	must(memchr(coded + 1, 0, sent - 2) == NULL);
	must(frame_decode(coded + 1, sent - 2, content) == (int)length);
	must(memcmp(content, before, length) == 0);
	/* one bit wrong is always seen */
	uint8_t broken[FRAME_CODED_MAX];
	memcpy(broken, coded, sent);
	broken[1 + bytes[0] % (sent - 2)] ^= (uint8_t)(1u << (bytes[1] % 8));
	must(frame_decode(broken + 1, sent - 2, content) < 0);
	return 0;
}
