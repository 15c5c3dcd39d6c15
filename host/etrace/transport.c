/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* E-Trace encapsulation 1.0, Espressif's packets, PULP's records: where a payload begins, how long it is, whose it
 * is. */
#include <string.h>
#include "host/etrace/packet.h"

#define LENGTH_MASK 0x1Fu
#define EXTEND 0x80u
#define PAYLOAD_LONGEST 31u
#define INDEXED_HEADER 3u
#define INDEXED_LONGEST 13u
#define RECORD_BYTES 40u
#define RECORD_HEADER 9u

void etrace_reader_init(struct etrace_reader *reader, const struct etrace_layout *layout, bool lost)
{
	*reader = (struct etrace_reader){.layout = *layout, .lost = lost && layout->transport != ETRACE_RECORDS};
}

size_t etrace_reader_rest(const struct etrace_reader *reader)
{
	return reader->count;
}

/* So many bytes with a length of 0 stand only between packets. */
static unsigned anchor_bytes(const struct etrace_layout *l)
{
	if (l->transport == ETRACE_INDEXED)
		return INDEXED_LONGEST + 1;
	return PAYLOAD_LONGEST + l->time_bytes + l->source_bits / 8 + 1;
}

static enum etrace_read damaged_packet(struct etrace_reader *r, const char *why)
{
	r->damage = why;
	r->count = 0;
	r->zeros = 0;
	r->lost = true;
	return ETRACE_DAMAGED;
}

/* True: the byte belongs to the search for a safe start. */
static bool search_safe_start(struct etrace_reader *r, uint8_t byte)
{
	if (!r->lost)
		return false;
	bool zero = (byte & LENGTH_MASK) == 0;
	if (!zero && r->zeros >= anchor_bytes(&r->layout)) {
		r->lost = false;
		r->indexed = false;
		return false;
	}
	r->zeros = zero ? r->zeros + 1 : 0;
	return true;
}

/* ---- encapsulated ---- */

static uint64_t get_wide(const uint8_t *bytes, unsigned at, unsigned width)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < width; i++)
		value |= (uint64_t)(bytes[(at + i) / 8] >> (at + i) % 8 & 1) << i;
	return value;
}

static unsigned get_bits(const uint8_t *bytes, unsigned at, unsigned width)
{
	return (unsigned)get_wide(bytes, at, width);
}

/* Payload that does not begin at a byte is moved to one. */
static enum etrace_read open_encapsulated(struct etrace_reader *r)
{
	const struct etrace_layout *l = &r->layout;
	unsigned time = (r->bytes[0] & EXTEND) != 0 ? 8 * l->time_bytes : 0;
	unsigned at = 8, length = r->bytes[0] & LENGTH_MASK;
	r->source = get_bits(r->bytes, at, l->source_bits);
	r->timed = time > 0;
	r->time = get_wide(r->bytes, at + l->source_bits, time);
	at += l->source_bits + time;
	unsigned type = get_bits(r->bytes, at, l->type_bits);
	at += l->type_bits;
	unsigned extra = l->type_bits + l->source_bits % 8;
	r->count = 0;
	if (l->type_bits > 0 && type == 1)
		return ETRACE_SKIPPED;
	if (8 * length < extra + 8)
		return damaged_packet(r, "is too short for a payload");
	r->payload_size = (8 * length - extra) / 8;
	r->payload_at = at / 8;
	if (at % 8 == 0)
		return ETRACE_PAYLOAD;
	for (size_t i = 0; i < r->payload_size; i++)
		r->bytes[i] = (uint8_t)get_bits(r->bytes, at + 8 * (unsigned)i, 8);
	r->payload_at = 0;
	return ETRACE_PAYLOAD;
}

static enum etrace_read put_encapsulated(struct etrace_reader *r)
{
	unsigned length = r->bytes[0] & LENGTH_MASK;
	if (length == 0) {
		r->count = 0;
		return ETRACE_SKIPPED;
	}
	unsigned time = (r->bytes[0] & EXTEND) != 0 ? r->layout.time_bytes : 0;
	if (r->count < 1 + r->layout.source_bits / 8 + time + length)
		return ETRACE_MORE;
	return open_encapsulated(r);
}

/* ---- indexed ---- */

static enum etrace_read put_indexed(struct etrace_reader *r)
{
	unsigned length = r->bytes[0];
	if (length == 0) {
		r->count = 0;
		return ETRACE_SKIPPED;
	}
	if (length <= INDEXED_HEADER || length > INDEXED_LONGEST)
		return damaged_packet(r, "has a length that no packet has");
	if (r->count < length)
		return ETRACE_MORE;
	uint16_t index = (uint16_t)(r->bytes[1] | r->bytes[2] << 8);
	bool gap = r->indexed && index != (uint16_t)(r->index + 1);
	r->index = index;
	r->indexed = true;
	r->source = 0;
	r->payload_at = INDEXED_HEADER;
	r->payload_size = length - INDEXED_HEADER;
	r->count = 0;
	return gap ? ETRACE_GAP : ETRACE_PAYLOAD;
}

/* ---- records ---- */

static enum etrace_read put_record(struct etrace_reader *r)
{
	if (r->count < RECORD_BYTES)
		return ETRACE_MORE;
	unsigned length = r->bytes[0] & LENGTH_MASK;
	r->count = 0;
	r->source = 0;
	r->time = get_wide(r->bytes, 8, 64);
	r->timed = r->time != 0; /* an encoder without a clock leaves 0 */
	r->payload_at = RECORD_HEADER;
	r->payload_size = length;
	return length == 0 ? ETRACE_SKIPPED : ETRACE_PAYLOAD;
}

enum etrace_read etrace_read(struct etrace_reader *reader, uint8_t byte)
{
	uint64_t offset = reader->offset++;
	if (search_safe_start(reader, byte))
		return ETRACE_MORE;
	if (reader->count == 0)
		reader->begin = offset;
	reader->bytes[reader->count++] = byte;
	switch (reader->layout.transport) {
	case ETRACE_INDEXED:
		return put_indexed(reader);
	case ETRACE_RECORDS:
		return put_record(reader);
	default:
		return put_encapsulated(reader);
	}
}

/* ---- writing ---- */

static void put_bits(uint8_t *bytes, unsigned *at, unsigned width, uint64_t value)
{
	for (unsigned i = 0; i < width; i++, (*at)++)
		bytes[*at / 8] |= (uint8_t)((value >> i & 1) << *at % 8);
}

static size_t encapsulate_payload(
    const struct etrace_layout *l, const struct etrace_head *head, const uint8_t *payload, size_t size, uint8_t *bytes)
{
	unsigned at = 8, extra = l->type_bits + l->source_bits % 8, time = head->timed ? l->time_bytes : 0;
	unsigned length = (unsigned)(8 * size + extra + 7) / 8;
	bytes[0] = (uint8_t)(length | (time > 0 ? EXTEND : 0));
	put_bits(bytes, &at, l->source_bits, head->source);
	put_bits(bytes, &at, 8 * time, head->time);
	put_bits(bytes, &at, l->type_bits, l->type_bits == 2 ? 2 : 0);
	for (size_t i = 0; i < size; i++)
		put_bits(bytes, &at, 8, payload[i]);
	return 1 + l->source_bits / 8 + time + length;
}

size_t etrace_frame(const struct etrace_layout *layout, const struct etrace_head *head, const uint8_t *payload,
    size_t size, uint8_t bytes[ETRACE_FRAME_MAX])
{
	memset(bytes, 0, ETRACE_FRAME_MAX);
	switch (layout->transport) {
	case ETRACE_INDEXED:
		bytes[0] = (uint8_t)(size + INDEXED_HEADER);
		bytes[1] = (uint8_t)head->index;
		bytes[2] = (uint8_t)(head->index >> 8);
		memcpy(bytes + INDEXED_HEADER, payload, size);
		return size + INDEXED_HEADER;
	case ETRACE_RECORDS:
		bytes[0] = (uint8_t)size;
		for (unsigned i = 0; i < 8 && head->timed; i++)
			bytes[1 + i] = (uint8_t)(head->time >> 8 * i);
		memcpy(bytes + RECORD_HEADER, payload, size);
		return RECORD_BYTES;
	default:
		return encapsulate_payload(layout, head, payload, size, bytes);
	}
}
