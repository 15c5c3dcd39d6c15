/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A block of records as bytes: head and columns (docs/record-format.md). */
#include "host/records/private.h"

#include <stdlib.h>
#include <string.h>
#include "common/frame.h"

/* The first byte is no text and no zero; CR LF shows a transfer that changes line ends. */
const uint8_t records_sync[SYNC_SIZE] = {0x8B, 'R', 'V', 'R', 0x0D, 0x0A, 0x1A, 0xF5};
const uint8_t records_trailer_sync[SYNC_SIZE] = {0x8B, 'R', 'V', 'E', 0x0D, 0x0A, 0x1A, 0xF5};

void head_put(const struct head *head, uint8_t bytes[HEAD_SIZE])
{
	memset(bytes, 0, HEAD_SIZE);
	memcpy(bytes, records_sync, SYNC_SIZE);
	bytes[8] = head->type;
	bytes[9] = head->coding;
	put32(bytes + 12, head->file);
	put32(bytes + 16, head->stored);
	put32(bytes + 20, head->plain);
	put32(bytes + 24, head->crc);
	put32(bytes + 28, head->count);
	put64(bytes + 32, head->first);
	put64(bytes + 40, head->cycle);
	put64(bytes + 48, head->skipped);
	put32(bytes + 56, head->ctrl);
	put32(bytes + 60, base_crc32(0, bytes, 60));
}

bool head_get(struct head *head, const uint8_t bytes[HEAD_SIZE])
{
	if (memcmp(bytes, records_sync, SYNC_SIZE) != 0 || get32(bytes + 60) != base_crc32(0, bytes, 60))
		return false;
	*head = (struct head){.type = bytes[8],
	    .coding = bytes[9],
	    .file = get32(bytes + 12),
	    .stored = get32(bytes + 16),
	    .plain = get32(bytes + 20),
	    .crc = get32(bytes + 24),
	    .count = get32(bytes + 28),
	    .first = get64(bytes + 32),
	    .cycle = get64(bytes + 40),
	    .skipped = get64(bytes + 48),
	    .ctrl = get32(bytes + 56)};
	uint32_t plain_max = head->type == HEAD_FILE  ? HEADER_TEXT_MAX
			     : head->type == HEAD_END ? INDEX_PLAIN_MAX
						      : PLAIN_MAX;
	if (head->type < HEAD_FILE || head->type > HEAD_END || head->coding > CODING_ZSTD || head->plain > plain_max ||
	    head->stored > plain_max + 1024 || (head->coding == CODING_PLAIN && head->stored != head->plain))
		return false;
	/* numbers and their ends stay below 2^63, so sums of them do not overflow */
	return head->type != HEAD_RECORDS || (head->count > 0 && head->count <= RECORDS_BLOCK_MAX &&
						 head->first < (UINT64_C(1) << 62) && head->skipped <= head->first);
}

int columns_init(struct columns *c, uint32_t room)
{
	*c = (struct columns){0};
	c->keys = malloc(room * sizeof *c->keys);
	c->context = malloc(room * sizeof *c->context);
	c->base = malloc(room * sizeof *c->base);
	c->key = malloc(room * sizeof *c->key);
	c->repeat = malloc(room * sizeof *c->repeat);
	c->cycles = malloc(room * sizeof *c->cycles);
	c->time = malloc(room * sizeof *c->time);
	if (c->keys == NULL || c->context == NULL || c->base == NULL || c->key == NULL || c->repeat == NULL ||
	    c->cycles == NULL || c->time == NULL) {
		columns_fini(c);
		return RECORDS_ENOMEM;
	}
	return RECORDS_OK;
}

void columns_fini(struct columns *c)
{
	free(c->keys);
	free(c->context);
	free(c->base);
	free(c->key);
	free(c->repeat);
	free(c->cycles);
	free(c->time);
	*c = (struct columns){0};
}

/* ---------------------------------------------------------------- a column: width, values */

static unsigned width_of(uint64_t ored)
{
	return ored == 0 ? 0 : ored <= 0xFF ? 1 : ored <= 0xFFFF ? 2 : ored <= UINT32_MAX ? 4 : 8;
}

static uint32_t fold32(uint32_t value)
{
	return value << 1 ^ (0 - (value >> 31));
}
static uint32_t unfold32(uint32_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

/* Difference of the record's time to what it would be if nothing lay between it and the one before. */
static uint64_t time_step(const struct columns *c, uint64_t first_time, uint32_t i)
{
	uint64_t before = i == 0 ? first_time - c->cycles[0] : c->time[i - 1];
	return frame_zigzag((int64_t)(c->time[i] - before - c->cycles[i]));
}

static uint8_t *put_value(uint8_t *to, uint64_t value, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		to[i] = (uint8_t)(value >> (8 * i));
	return to + width;
}

#define KEY_BYTES_MAX (10 + 10 + 1 + 5 + 5 + 5)
#define COLUMNS_HEAD 8

size_t columns_bound(const struct columns *c)
{
	return COLUMNS_HEAD + (size_t)c->key_count * KEY_BYTES_MAX + (size_t)c->count * (2 + 2 + 4 + 8);
}

static uint8_t *put_leb(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

size_t columns_put(const struct columns *c, uint64_t first_time, uint8_t *bytes)
{
	uint64_t repeats = 0, cycles = 0, times = 0;
	for (uint32_t i = 0; i < c->count; i++) {
		repeats |= c->repeat[i] - 1u;
		cycles |= fold32(c->cycles[i] - c->base[c->key[i]]);
		times |= time_step(c, first_time, i);
	}
	const unsigned widths[4] = {width_of(c->key_count - 1), width_of(repeats), width_of(cycles), width_of(times)};
	put32(bytes, c->key_count);
	for (unsigned i = 0; i < 4; i++)
		bytes[4 + i] = (uint8_t)widths[i];
	uint8_t *to = bytes + COLUMNS_HEAD;
	uint64_t start = 0;
	for (uint32_t k = 0; k < c->key_count; k++) {
		const struct record *key = &c->keys[k];
		to = put_leb(to, frame_zigzag((int64_t)(key->start - start) / 2));
		to = put_leb(to, key->hist);
		*to++ = key->reason;
		to = put_leb(to, key->insns);
		to = put_leb(to, c->context[k]);
		to = put_leb(to, c->base[k]);
		start = key->start;
	}
	for (uint32_t i = 0; i < c->count; i++)
		to = put_value(to, c->key[i], widths[0]);
	for (uint32_t i = 0; i < c->count; i++)
		to = put_value(to, c->repeat[i] - 1u, widths[1]);
	for (uint32_t i = 0; i < c->count; i++)
		to = put_value(to, fold32(c->cycles[i] - c->base[c->key[i]]), widths[2]);
	for (uint32_t i = 0; i < c->count; i++)
		to = put_value(to, time_step(c, first_time, i), widths[3]);
	return (size_t)(to - bytes);
}

/* ---------------------------------------------------------------- and back */

static bool get_leb(const uint8_t *bytes, size_t size, size_t *at, uint64_t max, uint64_t *value)
{
	return frame_get_leb(bytes, size, at, value) == 0 && *value <= max;
}

static bool get_keys(struct columns *c, const uint8_t *bytes, size_t size, size_t *at)
{
	uint64_t start = 0;
	for (uint32_t k = 0; k < c->key_count; k++) {
		struct record *key = &c->keys[k];
		uint64_t step, hist, insns, context, base;
		if (!get_leb(bytes, size, at, UINT64_MAX, &step) || !get_leb(bytes, size, at, UINT64_MAX, &hist) ||
		    *at >= size)
			return false;
		uint8_t reason = bytes[(*at)++];
		if (!get_leb(bytes, size, at, UINT32_MAX, &insns) || !get_leb(bytes, size, at, UINT32_MAX, &context) ||
		    !get_leb(bytes, size, at, UINT32_MAX, &base))
			return false;
		start += 2 * (uint64_t)frame_unzigzag(step);
		*key = (struct record){.start = start, .hist = hist, .insns = (uint32_t)insns, .reason = reason};
		if (!record_valid(key))
			return false;
		c->context[k] = (uint32_t)context;
		c->base[k] = (uint32_t)base;
	}
	return true;
}

/* Expands count values of width bytes; to_type is wide enough for all that are allowed. */
#define EXPAND(type, limit)                                                                                            \
	static bool expand_##type(type *to, uint32_t count, const uint8_t *from, unsigned width)                       \
	{                                                                                                              \
		switch (width) {                                                                                       \
		case 0:                                                                                                \
			memset(to, 0, count * sizeof *to);                                                             \
			return true;                                                                                   \
		case 1:                                                                                                \
			for (uint32_t i = 0; i < count; i++)                                                           \
				to[i] = from[i];                                                                       \
			return true;                                                                                   \
		case 2:                                                                                                \
			for (uint32_t i = 0; i < count; i++)                                                           \
				to[i] = (type)(from[2 * i] | from[2 * i + 1] << 8);                                    \
			return limit >= 2;                                                                             \
		case 4:                                                                                                \
			for (uint32_t i = 0; limit >= 4 && i < count; i++)                                             \
				to[i] = (type)get32(from + 4 * (size_t)i);                                             \
			return limit >= 4;                                                                             \
		case 8:                                                                                                \
			for (uint32_t i = 0; limit >= 8 && i < count; i++)                                             \
				to[i] = (type)get64(from + 8 * (size_t)i);                                             \
			return limit >= 8;                                                                             \
		default:                                                                                               \
			return false;                                                                                  \
		}                                                                                                      \
	}
EXPAND(uint16_t, 2)
EXPAND(uint32_t, 4)
EXPAND(uint64_t, 8)

bool columns_get(struct columns *c, uint32_t count, uint64_t first_time, const uint8_t *bytes, size_t size)
{
	c->count = 0;
	if (size < COLUMNS_HEAD || count == 0 || count > RECORDS_BLOCK_MAX)
		return false;
	c->key_count = get32(bytes);
	if (c->key_count == 0 || c->key_count > count)
		return false;
	const uint8_t *widths = bytes + 4;
	size_t at = COLUMNS_HEAD;
	if (!get_keys(c, bytes, size, &at) ||
	    size - at != (size_t)count * ((size_t)widths[0] + widths[1] + widths[2] + widths[3]))
		return false;
	const uint8_t *from = bytes + at;
	if (!expand_uint16_t(c->key, count, from, widths[0]))
		return false;
	from += (size_t)count * widths[0];
	if (!expand_uint16_t(c->repeat, count, from, widths[1]))
		return false;
	from += (size_t)count * widths[1];
	if (!expand_uint32_t(c->cycles, count, from, widths[2]))
		return false;
	from += (size_t)count * widths[2];
	if (!expand_uint64_t(c->time, count, from, widths[3]))
		return false;
	uint32_t top = 0, repeats = 0;
	for (uint32_t i = 0; i < count; i++)
		top = c->key[i] > top ? c->key[i] : top;
	for (uint32_t i = 0; i < count; i++) {
		repeats = c->repeat[i] > repeats ? c->repeat[i] : repeats;
		c->repeat[i]++;
	}
	if (top >= c->key_count || repeats == UINT16_MAX)
		return false;
	for (uint32_t i = 0; i < count; i++)
		c->cycles[i] = c->base[c->key[i]] + unfold32(c->cycles[i]);
	uint64_t time = first_time - c->cycles[0];
	for (uint32_t i = 0; i < count; i++) {
		time += c->cycles[i] + (uint64_t)frame_unzigzag(c->time[i]);
		c->time[i] = time;
	}
	c->count = count;
	return true;
}
