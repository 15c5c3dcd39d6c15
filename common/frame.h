/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_FRAME_H
#define RIVULET_FRAME_H
/* Frames of docs/profile-format.md: COBS, CRC-32, LEB128. Freestanding C11, no allocation: used by firmware and host
 * alike. */
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#define FRAME_CONTENT_MAX 250                   /* type, sequence, payload, CRC */
#define FRAME_CODED_MAX (FRAME_CONTENT_MAX + 3) /* with COBS byte and both zeros */
#define FRAME_LEB_MAX 10                        /* bytes of the longest LEB128 number */
/* Text of others than the sender of frames (docs/profile-format.md, "Text that is no frame"): the mark stands twice
 * directly behind a zero byte, and what follows it up to the next zero byte is no frame. A zero byte of theirs is sent
 * as two bytes. */
#define FRAME_TEXT_MARK 0xFFu
#define FRAME_TEXT_ZERO_0 0xC0u
#define FRAME_TEXT_ZERO_1 0x80u
enum {
	FRAME_HEADER = 1,
	FRAME_ENTRIES = 2,
	FRAME_END = 3,
	FRAME_KERNEL = 4,
	FRAME_OBJECTS = 5,
	FRAME_EVENTS = 6,
	FRAME_STACK = 7,
	FRAME_PLACES = 8
};
/* the first number of frame 4 */
enum { FRAME_KERNEL_RUN, FRAME_KERNEL_PROCESS, FRAME_KERNEL_SLICES, FRAME_PHASE, FRAME_KERNEL_WAITS };
/* the first number of frame 8 */
enum { FRAME_PLACE_BEGIN, FRAME_PLACE_MORE, FRAME_PLACE_RULES, FRAME_PLACE_CODE };
/* the first number of frame 7 */
enum { FRAME_STACK_BEGIN, FRAME_STACK_REGISTERS, FRAME_STACK_WORDS, FRAME_STACK_SUMS, FRAME_STACK_OBJECTS };

/* A frame being built. Invariant: 2 <= length <= FRAME_CONTENT_MAX - 4 from frame_begin() on. */
struct frame {
	uint8_t content[FRAME_CONTENT_MAX];
	size_t length;
};
void frame_begin(struct frame *frame, uint8_t type, uint8_t sequence);
size_t frame_room(const struct frame *frame);       /* payload bytes that still fit */
void frame_byte(struct frame *frame, uint8_t byte); /* caller has checked frame_room() */
void frame_leb(struct frame *frame, uint64_t value);
size_t frame_end(struct frame *frame,
    uint8_t coded[FRAME_CODED_MAX]); /* adds the CRC, codes, returns the bytes to send, zeros included */

/* coded: what lay between two zero bytes. Returns the content length without CRC (type, sequence, payload), or -1 if
 * the COBS code is broken, -2 if the CRC is wrong, -3 if it is too long or short. content may be coded itself. */
int frame_decode(const uint8_t *coded, size_t size, uint8_t content[FRAME_CONTENT_MAX]);
/* Reads a LEB128 number at *at (< end), moves *at. Returns 0, or -1 if it is cut off or longer than 64 bits. */
int frame_get_leb(const uint8_t *bytes, size_t end, size_t *at, uint64_t *value);

uint32_t frame_crc32(uint32_t crc, const void *bytes, size_t size); /* start with 0; chainable */
static inline uint64_t frame_zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}
static inline int64_t frame_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}
/* The first byte of an entry (docs/profile-format.md, frame 2): why its trace ended, and whether cycles and insns
 * follow. */
#define FRAME_ENTRY_REASON 0x07u
#define FRAME_ENTRY_EXTRAS 0x08u
#define FRAME_ENTRY_REASON_HIGH 0x10u /* bit 3 of the reason */
static inline uint8_t frame_entry_flags(unsigned reason, bool extras)
{
	return (uint8_t)((reason & 7) | (extras ? FRAME_ENTRY_EXTRAS : 0) | (reason & 8) << 1);
}
static inline uint8_t frame_entry_reason(uint8_t flags)
{
	return (uint8_t)((flags & FRAME_ENTRY_REASON) | (flags & FRAME_ENTRY_REASON_HIGH) >> 1);
}
#endif
