/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef BITS_H
#define BITS_H
/* Streams of bits in bytes, most significant bit first. */
#include <stddef.h>
#include <stdint.h>

/* The last `pending` bits of `pool` are not stored yet; pending < 8 between calls. */
struct bit_writer {
	uint8_t *to;
	uint32_t pool;
	unsigned pending;
};

/* The low `count` bits of value, count <= 24. */
static inline void bits_put(struct bit_writer *w, uint32_t value, unsigned count)
{
	w->pool = w->pool << count | value;
	w->pending += count;
	while (w->pending >= 8) {
		w->pending -= 8;
		*w->to++ = (uint8_t)(w->pool >> w->pending);
	}
}

/* Fills the last byte with zeros. */
static inline void bits_flush(struct bit_writer *w)
{
	if (w->pending > 0)
		bits_put(w, 0, 8 - w->pending);
}

/* The next bit is the top of `window`; `valid` bits of it are there. Behind the end of the input there are zeros, which
 * `over` counts. */
struct bit_reader {
	const uint8_t *from, *end;
	uint32_t window;
	unsigned valid;
	uint32_t over;
};

/* At least 25 bits in the window. */
static inline void bits_fill(struct bit_reader *r)
{
	while (r->valid <= 24) {
		uint32_t byte = 0;
		if (r->from < r->end)
			byte = *r->from++;
		else
			r->over += 8;
		r->window |= byte << (24 - r->valid);
		r->valid += 8;
	}
}

static inline void bits_drop(struct bit_reader *r, unsigned count)
{
	r->window <<= count;
	r->valid -= count;
}

/* count 1 to 24. */
static inline uint32_t bits_get(struct bit_reader *r, unsigned count)
{
	bits_fill(r);
	uint32_t value = r->window >> (32 - count);
	bits_drop(r, count);
	return value;
}

/* Whether bits were used that the input does not have. */
static inline int bits_overrun(const struct bit_reader *r)
{
	return r->over > r->valid;
}
#endif
