/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "common/dense.h"
#include <string.h>

#define HASH_SHIFT 3 /* of the hash at each trace */

unsigned dense_log2(unsigned power)
{
	unsigned bits = 0;
	while (power >> (bits + 1))
		bits++;
	return bits;
}

void dense_coder_start(struct dense_coder *coder, unsigned entries, unsigned places)
{
	memset(coder, 0, sizeof *coder);
	coder->entries = entries;
	coder->places = places;
}

static unsigned fold_bits(uint64_t value, unsigned width)
{
	const unsigned mask = (1u << width) - 1;
	unsigned folded = 0;
	for (; value; value >>= width)
		folded ^= (unsigned)value & mask;
	return folded;
}

/* As the sets of the hot-trace table (docs/trace-unit.md section 8), without a context. */
unsigned dense_coder_set(const struct dense_coder *coder, const struct dense_trace *trace)
{
	const unsigned width = dense_log2(coder->entries) - 1;
	const unsigned hist = fold_bits(trace->hist, width);
	unsigned set = fold_bits(trace->start >> 1, width);
	for (unsigned i = 0; i < width; i++)
		set ^= (hist >> i & 1) << (width - 1 - i) ^ (hist >> i & 1) << (width + 1 - i) % width;
	return set << 1;
}

unsigned dense_coder_enter(struct dense_coder *coder, const struct dense_trace *trace)
{
	const unsigned number = dense_coder_set(coder, trace) | coder->victim;
	coder->entry[number] = *trace;
	coder->victim = !coder->victim;
	coder->previous = trace->start;
	return number;
}

void dense_coder_step(struct dense_coder *coder, unsigned number, bool right)
{
	struct dense_place *place = &coder->place[coder->hash];
	if (right) {
		place->sure = true;
	} else if (place->sure) {
		place->sure = false;
		place->second = (uint16_t)number;
	} else {
		place->second = place->first;
		place->first = (uint16_t)number;
	}
	coder->follower[coder->last] = (uint16_t)number;
	coder->hash = (coder->hash << HASH_SHIFT ^ number) & (coder->places - 1);
	coder->last = number;
}
