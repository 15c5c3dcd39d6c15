/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/profile/change.h"

#include <inttypes.h>
#include <stdio.h>

bool change_read(struct record_change *change, const uint8_t *content, size_t size)
{
	uint64_t kind;
	uint64_t *const numbers[] = {&kind, &change->cycle, &change->rose.start, &change->rose.hist,
	    &change->rose.count, &change->sank.start, &change->sank.hist, &change->sank.count};
	size_t at = 2;
	if (size < 3 || content[0] != FRAME_KERNEL)
		return false;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (frame_get_leb(content, size, &at, numbers[i]) != 0 || kind != FRAME_PHASE)
			return false;
	return at == size && change->rose.hist != 0 && change->sank.hist != 0;
}

void change_put(const struct record_change *change, struct frame *frame)
{
	const uint64_t numbers[] = {FRAME_PHASE, change->cycle, change->rose.start, change->rose.hist,
	    change->rose.count, change->sank.start, change->sank.hist, change->sank.count};
	frame_begin(frame, FRAME_KERNEL, 0);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		frame_leb(frame, numbers[i]);
}

int change_describe(const struct record_change *change, char *text, size_t size)
{
	return snprintf(text, size,
	    "cycle %" PRIu64 ": 0x%08" PRIx64 ":0x%" PRIx64 " (%" PRIu64 ") passes 0x%08" PRIx64 ":0x%" PRIx64
	    " (%" PRIu64 ")",
	    change->cycle, change->rose.start, change->rose.hist, change->rose.count, change->sank.start,
	    change->sank.hist, change->sank.count);
}
