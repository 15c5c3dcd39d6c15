/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/profile/split.h"
#include "common/frame.h"
#include "host/profile/change.h"

#include <stdbool.h>
#include <string.h>

/* What lies between the zero byte at `zero` and the next, or the end. Returns the frame's type, 0 if it is none. */
static int frame_type(const uint8_t *bytes, size_t size, size_t zero, size_t *next)
{
	uint8_t content[FRAME_CONTENT_MAX];
	const uint8_t *end = memchr(bytes + zero + 1, 0, size - zero - 1);
	*next = end ? (size_t)(end - bytes) : size;
	size_t length = *next - zero - 1;
	if (!end || length == 0 || length > FRAME_CONTENT_MAX + 1)
		return 0;
	return frame_decode(bytes + zero + 1, length, content) < 2 ? 0 : content[0];
}

/* A phase change lies in its profile. */
static bool is_phase(const uint8_t *bytes, size_t zero, size_t next)
{
	uint8_t content[FRAME_CONTENT_MAX];
	struct record_change change;
	const int length = frame_decode(bytes + zero + 1, next - zero - 1, content);
	return length > 0 && change_read(&change, content, (size_t)length);
}

int profile_next(const uint8_t *bytes, size_t size, size_t *at, struct profile_range *range)
{
	bool open = false;
	const uint8_t *first = *at < size ? memchr(bytes + *at, 0, size - *at) : NULL;
	size_t zero = first ? (size_t)(first - bytes) : size;
	while (zero < size) {
		size_t next;
		int type = frame_type(bytes, size, zero, &next);
		if (type == FRAME_KERNEL && !(open && is_phase(bytes, zero, next))) { /* belongs to no profile */
			if (open)
				break;
			zero = next;
			continue;
		}
		if (open && type == FRAME_HEADER)
			break;
		if (type != 0) {
			if (!open)
				range->begin = zero;
			open = true;
			range->size = next + 1 - range->begin;
		}
		if (type == FRAME_END) {
			*at = next; /* the zero may be shared with the next frame */
			return 1;
		}
		zero = next;
	}
	*at = zero;
	return open;
}
