/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "lz.h"

#include <stdbool.h>
#include <string.h>

#define HASH_BITS 10
#define CHAIN_LIMIT 24 /* candidates looked at for one position */
#define GOOD_LENGTH 32 /* long enough to look no further */
#define NOWHERE UINT16_MAX

/* Positions with the same hash, newest first; chain is indexed by position modulo the window. */
static struct {
	uint16_t head[1 << HASH_BITS];
	uint16_t chain[LZ_WINDOW];
} dictionary;

struct match {
	size_t offset, length;
};

static unsigned hash3(const uint8_t *at)
{
	return ((at[0] << 16 | at[1] << 8 | at[2]) * 2654435761u) >> (32 - HASH_BITS);
}

static void insert(const uint8_t *in, size_t at)
{
	unsigned h = hash3(in + at);
	dictionary.chain[at % LZ_WINDOW] = dictionary.head[h];
	dictionary.head[h] = (uint16_t)at;
}

static size_t common_length(const uint8_t *a, const uint8_t *b, size_t most)
{
	size_t length = 0;
	while (length < most && a[length] == b[length])
		length++;
	return length;
}

/* The longest match for position at, among the candidates of its chain. */
static struct match find(const uint8_t *in, size_t size, size_t at)
{
	struct match best = {0, 0};
	if (size - at < LZ_MIN)
		return best;
	size_t most = size - at < LZ_LONGEST ? size - at : LZ_LONGEST;
	unsigned tries = CHAIN_LIMIT;
	for (uint16_t from = dictionary.head[hash3(in + at)]; from != NOWHERE && at - from <= LZ_WINDOW && tries--;) {
		/* A longer match must agree in the byte behind the best one. */
		if (best.length < most && in[from + best.length] == in[at + best.length]) {
			size_t length = common_length(in + from, in + at, most);
			if (length > best.length)
				best = (struct match){at - from, length};
			if (length >= GOOD_LENGTH)
				break;
		}
		uint16_t before = dictionary.chain[from % LZ_WINDOW];
		if (before >= from) /* overwritten by a newer position */
			break;
		from = before;
	}
	return best.length >= LZ_MIN ? best : (struct match){0, 0};
}

struct output {
	uint8_t *at, *end, *flags;
	unsigned items;
	bool full;
};

static void put_byte(struct output *out, uint8_t byte)
{
	if (out->at == out->end)
		out->full = true;
	else
		*out->at++ = byte;
}

static void begin_item(struct output *out, bool match)
{
	if (out->items++ % 8 == 0) {
		out->flags = out->at;
		put_byte(out, 0);
	}
	if (match && !out->full)
		*out->flags |= (uint8_t)(1u << ((out->items - 1) % 8));
}

static void put_match(struct output *out, struct match match)
{
	size_t length = match.length - LZ_MIN, offset = match.offset - 1;
	unsigned nibble = length < 15 ? (unsigned)length : 15;
	begin_item(out, true);
	put_byte(out, (uint8_t)offset);
	put_byte(out, (uint8_t)(offset >> 8 | nibble << 4));
	if (nibble == 15)
		put_byte(out, (uint8_t)(length - 15));
}

size_t lz_compress(const uint8_t *in, size_t size, uint8_t *out, size_t room)
{
	struct output o = {out, out + room, out, 0, false};
	memset(&dictionary, 0xFF, sizeof dictionary);
	struct match match = find(in, size, 0);
	for (size_t at = 0; at < size && !o.full;) {
		size_t end = at + 1;
		if (size - at >= LZ_MIN)
			insert(in, at);
		struct match next = at + 1 < size ? find(in, size, at + 1) : (struct match){0, 0};
		/* Lazy: a literal now may buy a longer match at the next position. */
		if (match.length && match.length >= next.length) {
			put_match(&o, match);
			end = at + match.length;
			for (size_t i = at + 1; i < end && size - i >= LZ_MIN; i++)
				insert(in, i);
			next = end < size ? find(in, size, end) : (struct match){0, 0};
		} else {
			begin_item(&o, false);
			put_byte(&o, in[at]);
		}
		at = end;
		match = next;
	}
	return o.full ? 0 : (size_t)(o.at - out);
}

long lz_decompress(const uint8_t *in, size_t size, uint8_t *out, size_t room)
{
	const uint8_t *end = in + size;
	size_t at = 0;
	unsigned flags = 1; /* a 1 above the flags left */
	while (in < end) {
		if (flags == 1) {
			flags = *in++ | 0x100u;
			continue;
		}
		bool match = flags & 1;
		flags >>= 1;
		if (!match) {
			if (at == room)
				return -1;
			out[at++] = *in++;
			continue;
		}
		if (end - in < 2)
			return -1;
		size_t offset = (in[0] | (size_t)(in[1] & 15) << 8) + 1, length = in[1] >> 4;
		in += 2;
		if (length == 15) {
			if (in == end)
				return -1;
			length += *in++;
		}
		length += LZ_MIN;
		if (offset > at || length > room - at)
			return -1;
		for (; length--; at++)
			out[at] = out[at - offset];
	}
	return (long)at;
}
