/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cycles/split.h"

#define UNKNOWN_WAIT 2u /* cycles */

void split_part(const struct core *core, struct core_state *state, const struct core_insn *insn, bool taken,
    struct split_part *part)
{
	part->least = core_next(core, state, insn, taken, 0);
	part->room = insn->most == CORE_UNBOUNDED ? SPLIT_UNBOUNDED : (uint32_t)(insn->most - insn->least);
}

static struct split_part *part_at(void *parts, size_t stride, size_t index)
{
	return (struct split_part *)(void *)((char *)parts + index * stride);
}

static uint64_t share_upto(uint64_t all, uint64_t upto, uint64_t of)
{
	return (uint64_t)((unsigned __int128)all * upto / of);
}

static void in_proportion(void *parts, size_t stride, size_t count, uint64_t sum, uint64_t cycles)
{
	uint64_t passed = 0, given = 0;
	for (size_t i = 0; i < count; i++) {
		struct split_part *part = part_at(parts, stride, i);
		passed += part->least;
		uint64_t upto = share_upto(cycles, passed, sum);
		part->cycles = upto - given;
		given = upto;
	}
}

void split_begin(struct split_part *first, const struct core_insn *insn)
{
	if (first->room != SPLIT_UNBOUNDED)
		*first = (struct split_part){
		    .least = insn->least, .room = first->least - insn->least + first->room + UNKNOWN_WAIT};
}

struct sums { /* of all parts, one execution */
	uint64_t least, room, unbounded, roomy;
};

static struct sums sums_of(const void *parts, size_t stride, size_t count)
{
	struct sums sums = {0};
	for (size_t i = 0; i < count; i++) {
		const struct split_part *part = part_at((void *)(uintptr_t)parts, stride, i);
		sums.least += part->least;
		sums.room += part->room;
		sums.roomy += part->room > 0;
		sums.unbounded += part->room == SPLIT_UNBOUNDED;
	}
	return sums;
}

static bool sums_fit(const struct sums *sums, uint64_t times, uint64_t cycles)
{
	uint64_t needed, most;
	if (__builtin_mul_overflow(sums->least, times, &needed) || needed > cycles)
		return false;
	return sums->unbounded > 0 || __builtin_mul_overflow(sums->room, times, &most) || cycles - needed <= most;
}

bool split_fits(const void *parts, size_t stride, size_t count, uint64_t times, uint64_t cycles)
{
	const struct sums sums = sums_of(parts, stride, count);
	return sums_fit(&sums, times, cycles);
}

/* How much of the rest may have been another's. */
static uint64_t shared_rest(const struct sums *sums, uint64_t times, uint64_t rest)
{
	return sums->roomy <= 1 || (sums->unbounded == 0 && rest == sums->room * times) ? 0 : rest;
}

uint64_t split_cycles(void *parts, size_t stride, size_t count, uint64_t times, uint64_t cycles)
{
	const struct sums sums = sums_of(parts, stride, count);
	if (!sums_fit(&sums, times, cycles)) {
		uint64_t needed;
		bool less = __builtin_mul_overflow(sums.least, times, &needed) || needed > cycles;
		uint64_t open = less ? cycles : cycles - needed;
		in_proportion(parts, stride, count, sums.least, open);
		for (size_t i = 0; i < count && !less; i++) {
			struct split_part *part = part_at(parts, stride, i);
			part->cycles += part->least * times;
		}
		return open;
	}
	uint64_t rest = cycles - sums.least * times, passed = 0, given = 0;
	for (size_t i = 0; i < count; i++) {
		struct split_part *part = part_at(parts, stride, i);
		part->cycles = part->least * times;
		if (rest == 0 || part->room == 0 || (sums.unbounded > 0 && part->room != SPLIT_UNBOUNDED))
			continue;
		passed += sums.unbounded > 0 ? 1 : part->room;
		uint64_t upto = share_upto(rest, passed, sums.unbounded > 0 ? sums.unbounded : sums.room);
		part->cycles += upto - given;
		given = upto;
	}
	return shared_rest(&sums, times, rest);
}

void split_add(struct split_sum *sum, const struct split_part *part)
{
	sum->least += part->least;
	sum->room += part->room;
	sum->unbounded += part->room == SPLIT_UNBOUNDED;
	sum->roomy += part->room > 0;
}

static struct split_sum *sum_at(void *sums, size_t stride, size_t index)
{
	return (struct split_sum *)(void *)((char *)sums + index * stride);
}

/* The shares of neighbours are differences of shares from the first part on, so those of a sum's parts add up to the
 * difference over all of them. */
uint64_t split_sums(struct split_sum *first, size_t stride, size_t count, uint64_t cycles)
{
	struct sums all = {0};
	for (size_t i = 0; i < count; i++) {
		const struct split_sum *sum = sum_at(first, stride, i);
		all.least += sum->least;
		all.room += sum->room;
		all.unbounded += sum->unbounded;
		all.roomy += sum->roomy;
	}
	const bool fits = sums_fit(&all, 1, cycles), less = cycles < all.least;
	const uint64_t open = less ? cycles : cycles - all.least;
	if (count == 1) {
		first->cycles = cycles;
		return fits ? shared_rest(&all, 1, open) : open;
	}
	uint64_t of = all.room, passed = 0, given = 0;
	if (!fits)
		of = all.least;
	else if (all.unbounded > 0)
		of = all.unbounded;

	for (size_t i = 0; i < count; i++) {
		struct split_sum *sum = sum_at(first, stride, i);
		sum->cycles = less ? 0 : sum->least;
		if (open == 0 || of == 0)
			continue;
		if (!fits)
			passed += sum->least;
		else
			passed += all.unbounded > 0 ? sum->unbounded : sum->room;
		uint64_t upto = share_upto(open, passed, of);
		sum->cycles += upto - given;
		given = upto;
	}
	return fits ? shared_rest(&all, 1, open) : open;
}
