/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The columns of a block as they are written (docs/record-format.md): each of as few bytes a value as suffice. block.c
 * reads them. */
#include "host/records/private.h"

#include <stdlib.h>
#include <string.h>

int columns_init_written(struct columns *c, uint32_t room)
{
	*c = (struct columns){0};
	c->listed = aligned_alloc(64, room * sizeof *c->listed);
	c->key = malloc(room * sizeof *c->key);
	c->less = malloc(room * sizeof *c->less);
	c->extra = malloc(room * sizeof *c->extra);
	c->step = malloc(room * sizeof *c->step);
	if (c->listed == NULL || c->key == NULL || c->less == NULL || c->extra == NULL || c->step == NULL) {
		columns_fini(c);
		return RECORDS_ENOMEM;
	}
	return RECORDS_OK;
}
static unsigned column_width_of(uint64_t ored)
{
	if (ored == 0)
		return 0;
	if (ored <= 0xFF)
		return 1;
	if (ored <= 0xFFFF)
		return 2;
	return ored <= UINT32_MAX ? 4 : 8;
}
#define KEY_BYTES_MAX (10 + 10 + 1 + 5 + 5 + 5)

size_t columns_bound(const struct columns *c)
{
	return COLUMNS_HEAD + COLUMNS_CARRIED + (size_t)(c->key_count - c->carried) * KEY_BYTES_MAX +
	       (size_t)c->count * (2 + 2 + 4 + 8);
}
static uint8_t *put_leb(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

#define LITTLE_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
/* Packs count values into width bytes each, which is enough. */
#define PACK(type)                                                                                                     \
	static uint8_t *pack_##type(uint8_t *to, const type *from, uint32_t count, unsigned width)                     \
	{                                                                                                              \
		if (width == sizeof *from && LITTLE_ENDIAN_HOST) {                                                     \
			memcpy(to, from, (size_t)count *width);                                                        \
			return to + (size_t)count * width;                                                             \
		}                                                                                                      \
		for (uint32_t i = 0; width == 1 && i < count; i++)                                                     \
			to[i] = (uint8_t)from[i];                                                                      \
		for (uint32_t i = 0; width == 2 && i < count; i++) {                                                   \
			to[2 * i] = (uint8_t)from[i];                                                                  \
			to[2 * i + 1] = (uint8_t)(from[i] >> 8);                                                       \
		}                                                                                                      \
		for (uint32_t i = 0; width == 4 && i < count; i++)                                                     \
			bytes_put32(to + 4 * (size_t)i, (uint32_t)from[i]);                                            \
		for (uint32_t i = 0; width == 8 && i < count; i++)                                                     \
			bytes_put64(to + 8 * (size_t)i, (uint64_t)from[i]);                                            \
		return to + (size_t)count * width;                                                                     \
	}
PACK(uint16_t)
PACK(uint32_t)
PACK(uint64_t)

void columns_clear(struct columns *c, bool carry)
{
	c->count = 0;
	c->carried = c->key_count = carry ? c->key_count : 0;
	memset(c->ored, 0, sizeof c->ored);
}

/* Whether most keys are the one behind the key before them, as in a long loop: some are looked at. */
static bool keys_step(const struct columns *c)
{
	enum { LOOKED_AT = 64 };
	const uint32_t apart = c->count / (LOOKED_AT + 1);
	uint32_t next = 0;
	for (uint32_t i = 1; i <= LOOKED_AT && apart > 0; i++)
		next += c->key[i * apart] == (uint16_t)(c->key[i * apart - 1] + 1);
	return next > LOOKED_AT / 4 * 3;
}

/* Some at a time, so that they are made side by side. */
static uint8_t *put_steps(const struct columns *c, uint8_t *to)
{
	enum { SOME = 64 };
	uint16_t steps[SOME];
	uint32_t i = 1;
	to = pack_uint16_t(to, c->key, 1, 2); /* behind key -1 */
	for (; c->count - i >= SOME; i += SOME) {
		const uint16_t *key = c->key + i, *before = key - 1;
		for (uint32_t j = 0; j < SOME; j++)
			steps[j] = (uint16_t)(key[j] - before[j] - 1);
		to = pack_uint16_t(to, steps, SOME, 2);
	}
	for (; i < c->count; i++) {
		steps[0] = (uint16_t)(c->key[i] - c->key[i - 1] - 1);
		to = pack_uint16_t(to, steps, 1, 2);
	}
	return to;
}

static uint8_t *put_keys(const struct columns *c, uint8_t *to)
{
	uint64_t start = 0;
	for (uint32_t k = c->carried; k < c->key_count; k++) {
		const struct listed_key *key = &c->listed[k];
		to = put_leb(to, frame_zigzag((int64_t)(key->start - start) / 2));
		to = put_leb(to, key->hist);
		*to++ = key->reason;
		to = put_leb(to, key->insns);
		to = put_leb(to, key->context);
		to = put_leb(to, key->base);
		start = key->start;
	}
	return to;
}

size_t columns_put(struct columns *c, bool summed, uint8_t *bytes)
{
	const uint64_t *ored = c->ored;
	const bool steps = c->multiplied && keys_step(c);
	const unsigned widths[4] = {steps ? 2 : column_width_of(c->key_count - 1), column_width_of(ored[0]),
	    column_width_of(ored[1]), column_width_of(ored[2])};
	bytes_put32(bytes, c->key_count - c->carried);
	const unsigned beside[4] = {[0] = steps ? COLUMNS_STEPS : 0,
	    [2] = c->multiplied ? COLUMNS_MULTIPLIED : 0,
	    [3] = c->clocked ? COLUMNS_CLOCKED : 0};
	for (unsigned i = 0; i < 4; i++)
		bytes[4 + i] = (uint8_t)(widths[i] | beside[i]);
	uint8_t *to = bytes + COLUMNS_HEAD;
	if (c->carried > 0) {
		bytes_put32(to, c->carried);
		bytes_put32(to + 4, c->sum);
		to += COLUMNS_CARRIED;
	}
	const uint8_t *const list = to;
	to = put_keys(c, to);
	if (summed)
		c->sum = base_crc32(c->carried > 0 ? c->sum : 0, list, (size_t)(to - list));
	to = steps ? put_steps(c, to) : pack_uint16_t(to, c->key, c->count, widths[0]);
	to = pack_uint16_t(to, c->less, c->count, widths[1]);
	to = pack_uint32_t(to, c->extra, c->count, widths[2]);
	to = pack_uint64_t(to, c->step, c->count, widths[3]);
	return (size_t)(to - bytes);
}
