/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/qemu/plugin_choose: what it may choose, and how far it is from the best that there is. */
#include <string.h>
#include "host/qemu/capture.h"
#include "host/qemu/plugin_choose.h"
#include "tests/suite.h"

enum { LEAST = 10 }; /* blocks of a random graph, all choices of which are tried */

static size_t at_address(const struct choice *all, size_t count, uint64_t address)
{
	size_t i = 0;
	while (i < count && all[i].address != address)
		i++;
	return i;
}

/* The most silent blocks in a row from here on, in a circle more than are allowed. */
static unsigned row_from(const struct choice *all, size_t count, unsigned silent, size_t i, unsigned length)
{
	unsigned longest = length;
	for (size_t w = 0; w < all[i].way_count && length <= CAPTURE_SILENT_DEPTHS; w++) {
		const size_t to = at_address(all, count, all[i].ways[w]);
		if (to == count || (silent >> to & 1) == 0)
			continue;
		const unsigned row = row_from(all, count, silent, to, length + 1);
		longest = row > longest ? row : longest;
	}
	return longest;
}

static bool is_allowed(const struct choice *all, size_t count, unsigned silent)
{
	for (size_t i = 0; i < count; i++) {
		if ((silent >> i & 1) != 0 &&
		    (all[i].calls || row_from(all, count, silent, i, 1) > CAPTURE_SILENT_DEPTHS))
			return false;
	}
	return true;
}

static uint64_t calls_of(const struct choice *all, size_t count, unsigned silent)
{
	uint64_t calls = 0;
	for (size_t i = 0; i < count; i++)
		calls += (silent >> i & 1) == 0 ? all[i].weight : 0;
	return calls;
}

/* What was chosen as bits; its depths grow along every way. */
static unsigned chosen(const struct choice *all, size_t count)
{
	unsigned silent = 0;
	for (size_t i = 0; i < count; i++) {
		silent |= (unsigned)(all[i].depth > 0) << i;
		ck_assert_uint_le(all[i].depth, CAPTURE_SILENT_DEPTHS);
		for (size_t w = 0; w < all[i].way_count && all[i].depth > 0; w++) {
			const size_t to = at_address(all, count, all[i].ways[w]);
			ck_assert(to == count || all[to].depth == 0 || all[to].depth > all[i].depth);
		}
	}
	return silent;
}

START_TEST(loop_of_eight)
{
	struct choice all[8] = {0};
	for (size_t i = 0; i < 8; i++)
		all[i] = (struct choice){.address = 16 * i, .weight = 100, .ways = {16 * i + 16}, .way_count = 1};
	all[7].way_count = 0;
	all[7].calls = true;
	ck_assert(choose_silent(all, 8));
	const unsigned silent = chosen(all, 8);
	ck_assert(is_allowed(all, 8, silent));
	ck_assert_uint_eq(calls_of(all, 8, silent), 300);
}
END_TEST

START_TEST(a_block_that_goes_to_itself_calls)
{
	struct choice all[1] = {{.address = 8, .weight = 7, .ways = {12, 8}, .way_count = 2}};
	ck_assert(choose_silent(all, 1));
	ck_assert_uint_eq(all[0].depth, 0);
	ck_assert(choose_silent(all, 0));
}
END_TEST

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

START_TEST(near_the_best)
{
	uint32_t seed = 1;
	uint64_t ours = 0, best = 0;
	for (int turn = 0; turn < 400; turn++) {
		struct choice all[LEAST] = {0};
		for (size_t i = 0; i < LEAST; i++) {
			all[i] = (struct choice){.address = 4 * i, .weight = 1 + next_random(&seed) % 1000};
			all[i].way_count = (uint8_t)(next_random(&seed) % 5 < 2 ? 1 : 2);
			all[i].ways[0] = 4 * (i + 1);
			all[i].ways[1] = 4 * (next_random(&seed) % (LEAST + 1));
			all[i].calls = next_random(&seed) % 8 == 0;
		}
		ck_assert(choose_silent(all, LEAST));
		const unsigned silent = chosen(all, LEAST);
		ck_assert(is_allowed(all, LEAST, silent));
		uint64_t least = UINT64_MAX;
		for (unsigned other = 0; other < 1u << LEAST; other++) {
			const uint64_t calls = calls_of(all, LEAST, other);
			if (calls < least && is_allowed(all, LEAST, other))
				least = calls;
		}
		ours += calls_of(all, LEAST, silent);
		best += least;
	}
	ck_assert_uint_ge(ours, best);
	ck_assert_msg(
	    ours * 1000 <= best * 1015, "%lu calls, the best are %lu", (unsigned long)ours, (unsigned long)best);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"loop", loop_of_eight, 0},
	    {"itself", a_block_that_goes_to_itself_calls, 0},
	    {"best", near_the_best, 0},
	};
	return suite_run("qemu_choose", cases, sizeof cases / sizeof *cases, NULL, NULL);
}
