/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/view/levels: each bar is held against the calls that it stands for, counted one by one. */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include "host/view/levels.h"
#include "tests/suite.h"

#define FUNCTIONS 7u
#define LENGTH 1000000u

static uint32_t random_state;
static uint32_t random_below(uint32_t bound)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)(random_state >> 8) * bound) >> 24);
}

/* Calls of some lanes, each lane's side by side, some of no time; in no order. */
static struct level_call *random_calls(uint32_t seed, size_t count)
{
	struct level_call *calls = calloc(count, sizeof *calls);
	const uint32_t lanes = 1 + seed % 5;
	uint64_t at[5] = {0};
	random_state = seed;
	for (size_t i = 0; i < count; i++) {
		const uint32_t lane = random_below(lanes);
		const uint32_t most = random_below(50) == 0 ? 20 * LENGTH / (uint32_t)count : LENGTH / (uint32_t)count;
		const uint64_t length = random_below(most + 1);
		at[lane] += random_below(most / 4 + 1);
		const uint32_t function = random_below(FUNCTIONS + 1);
		calls[i] = (struct level_call){
		    at[lane], length, function == FUNCTIONS ? UINT32_MAX : function, lane / 2, lane % 2};
		at[lane] += length;
	}
	return calls;
}

/* The time of one function in `length` calls from `first` on; of all, if it is FUNCTIONS + 1. */
static uint64_t time_in(const struct level_call *calls, const uint32_t *order, size_t length, uint32_t function)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < length; i++) {
		if (function == FUNCTIONS + 1 || calls[order[i]].function == function)
			sum += calls[order[i]].length;
	}
	return sum;
}

/* One answer for all: an assertion for each of a million facts takes minutes. */
static bool bar_is_right(
    const struct level_call *calls, const uint32_t *order, size_t left, const struct level_bar *bar, uint64_t cell)
{
	if (bar->calls < 1 || bar->calls > left)
		return false;
	const struct level_call *first = &calls[order[0]], *last = &calls[order[bar->calls - 1]];
	bool right = bar->calls == 1 || last->begin + last->length <= first->begin + cell;
	for (size_t i = 0; i < bar->calls; i++) {
		const struct level_call *call = &calls[order[i]];
		right = right && call->process == first->process && call->depth == first->depth;
		right = right && (bar->calls == 1 || call->length < cell);
	}
	right = right && bar->busy == time_in(calls, order, bar->calls, FUNCTIONS + 1);
	right = right && bar->covered == time_in(calls, order, bar->calls, bar->function);
	for (uint32_t f = 0; f <= FUNCTIONS; f++)
		right = right && time_in(calls, order, bar->calls, f == FUNCTIONS ? UINT32_MAX : f) <= bar->covered;
	if (first->length < cell && bar->calls < left) { /* the next one had to begin a bar of its own */
		const struct level_call *next = &calls[order[bar->calls]];
		right = right && (next->process != first->process || next->depth != first->depth ||
				     next->length >= cell || next->begin + next->length > first->begin + cell);
	}
	return right;
}

START_TEST(bars_are_what_their_calls_are)
{
	for (uint32_t seed = 1; seed <= 40; seed++) {
		const size_t count = 20 * (size_t)seed * seed;
		struct level_call *calls = random_calls(seed, count);
		uint32_t *order = levels_order(calls, count);
		struct levels levels;
		ck_assert_int_eq(levels_make(&levels, calls, count, FUNCTIONS, LENGTH), LEVELS_OK);
		ck_assert(levels.count > 0 || count < 10000);
		const struct level_bar *bar = levels.bars;
		for (size_t k = 0; k < levels.count; k++) {
			size_t at = 0;
			bool right = true;
			ck_assert_uint_le(4 * levels.level[k].bars, 3 * count);
			for (size_t i = 0; i < levels.level[k].bars; at += bar++->calls, i++)
				right = right && bar_is_right(calls, order + at, count - at, bar, levels.level[k].cell);
			ck_assert(right);
			ck_assert_uint_eq(at, count);
		}
		ck_assert_ptr_eq(bar, levels.bars == NULL ? NULL : levels.bars + levels.bar_count);
		levels_fini(&levels);
		free(order);
		free(calls);
	}
}
END_TEST

/* However many calls a lane has: the first level draws it with two bars a cell at most. */
START_TEST(a_lane_of_a_million_calls_becomes_few_bars)
{
	const size_t count = 1000000;
	struct level_call *calls = calloc(count, sizeof *calls);
	struct levels levels;
	for (size_t i = 0; i < count; i++)
		calls[i] = (struct level_call){10 * i, 8, (uint32_t)(i % FUNCTIONS), 1, 0};
	ck_assert_int_eq(levels_make(&levels, calls, count, FUNCTIONS, 10 * count), LEVELS_OK);
	ck_assert_uint_gt(levels.count, 3);
	ck_assert_uint_le(levels.level[0].bars, 2 * LEVELS_CELLS);
	for (size_t k = 1; k < levels.count; k++) {
		ck_assert_uint_eq(levels.level[k].cell, levels.level[k - 1].cell / 4);
		ck_assert_uint_le(levels.level[k].bars, 5 * levels.level[k - 1].bars);
	}
	levels_fini(&levels);
	free(calls);
}
END_TEST

START_TEST(nothing_to_merge_makes_no_level)
{
	const struct level_call calls[] = {{0, 5000, 0, 0, 0}, {5000, 5000, UINT32_MAX, 0, 0}, {0, 1, 1, 70000, 0}};
	struct levels levels;
	ck_assert_int_eq(levels_make(&levels, calls, 3, 2, 10000), LEVELS_OK);
	ck_assert_uint_eq(levels.count, 0);
	levels_fini(&levels);
	ck_assert_int_eq(levels_make(&levels, NULL, 0, 0, 0), LEVELS_OK);
	ck_assert_uint_eq(levels.count, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("view levels");
	TCase *cases = tcase_create("view levels");
	tcase_add_test(cases, bars_are_what_their_calls_are);
	tcase_add_test(cases, a_lane_of_a_million_calls_becomes_few_bars);
	tcase_add_test(cases, nothing_to_merge_makes_no_level);
	suite_add_tcase(suite, cases);
	return suite_finish(suite);
}
