/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "common/frame.h"

#define CRC_BYTES 4
#define FIXED_BYTES 2 /* type and sequence */

uint32_t frame_crc32(uint32_t crc, const void *bytes, size_t size)
{
	/* One table entry per low nibble: 64 bytes, small enough for firmware. */
	static const uint32_t nibble[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
	    0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278,
	    0xBDBDF21C};
	const uint8_t *at = bytes;
	crc = ~crc;
	while (size--) {
		crc ^= *at++;
		crc = crc >> 4 ^ nibble[crc & 15];
		crc = crc >> 4 ^ nibble[crc & 15];
	}
	return ~crc;
}

void frame_begin(struct frame *frame, uint8_t type, uint8_t sequence)
{
	frame->content[0] = type;
	frame->content[1] = sequence;
	frame->length = FIXED_BYTES;
}

size_t frame_room(const struct frame *frame)
{
	return FRAME_CONTENT_MAX - CRC_BYTES - frame->length;
}

void frame_byte(struct frame *frame, uint8_t byte)
{
	frame->content[frame->length++] = byte;
}

void frame_leb(struct frame *frame, uint64_t value)
{
	while (value >= 0x80) {
		frame_byte(frame, (uint8_t)(value | 0x80));
		value >>= 7;
	}
	frame_byte(frame, (uint8_t)value);
}

/* The content is shorter than 254 bytes, so no run of COBS needs a second code byte without a zero. */
size_t frame_end(struct frame *frame, uint8_t coded[FRAME_CODED_MAX])
{
	uint32_t crc = frame_crc32(0, frame->content, frame->length);
	for (unsigned i = 0; i < CRC_BYTES; i++)
		frame->content[frame->length++] = (uint8_t)(crc >> 8 * i);
	size_t at = 0;
	coded[at++] = 0;
	size_t code_at = at++;
	uint8_t code = 1;
	for (size_t i = 0; i < frame->length; i++) {
		if (frame->content[i]) {
			coded[at++] = frame->content[i];
			code++;
		} else {
			coded[code_at] = code;
			code_at = at++;
			code = 1;
		}
	}
	coded[code_at] = code;
	coded[at++] = 0;
	return at;
}

int frame_decode(const uint8_t *coded, size_t size, uint8_t content[FRAME_CONTENT_MAX])
{
	if (size > FRAME_CODED_MAX - 2 || size < FIXED_BYTES + CRC_BYTES + 1)
		return -3;
	size_t length = 0;
	for (size_t at = 0; at < size;) {
		uint8_t code = coded[at++];
		if (code == 0 || (size_t)(code - 1) > size - at)
			return -1;
		/* Writing stays behind reading, so content may be coded itself. */
		for (unsigned i = 1; i < code; i++) {
			if (coded[at] == 0)
				return -1;
			content[length++] = coded[at++];
		}
		if (at < size)
			content[length++] = 0;
	}
	if (length < FIXED_BYTES + CRC_BYTES)
		return -3;
	uint32_t crc = frame_crc32(0, content, length - CRC_BYTES);
	for (unsigned i = 0; i < CRC_BYTES; i++)
		if (content[length - CRC_BYTES + i] != (uint8_t)(crc >> 8 * i))
			return -2;
	return (int)(length - CRC_BYTES);
}

int frame_get_leb(const uint8_t *bytes, size_t end, size_t *at, uint64_t *value)
{
	uint64_t v = 0;
	size_t i = *at;
	for (unsigned shift = 0; i < end; shift += 7) {
		uint8_t byte = bytes[i++];
		if (shift == 63 && byte > 1)
			return -1;
		v |= (uint64_t)(byte & 0x7F) << shift;
		if (!(byte & 0x80)) {
			*value = v;
			*at = i;
			return 0;
		}
		if (shift == 63)
			return -1;
	}
	return -1;
}
