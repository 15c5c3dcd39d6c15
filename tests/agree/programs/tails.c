/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Tail calls, by pointer and not, in functions that code without counters calls from one place (tails.S): what is
 * called next is not below the function that has jumped away and returned.
 *
 * Parts: calls
 * Parts: view
 * Parts: cycles
 */
#include <stdint.h>
#include "sw/run/app.h"

#define AWAY __attribute__((noinline, noclone))

typedef uint32_t function(uint32_t);
uint32_t each(function *const *list, uint32_t count, uint32_t x);
static volatile uint32_t sink;

/* Leaves: they call nobody, and are jumped to as well as called */
AWAY static uint32_t add(uint32_t x)
{
	return x + 3;
}
AWAY static uint32_t mix(uint32_t x)
{
	for (uint32_t i = 0; i < (x & 7); i++)
		x = x * 33 ^ i;
	return x;
}

/* None: it comes back, and goes on */
AWAY static uint32_t twice(uint32_t x)
{
	return mix(x) + mix(x + 1);
}

static function *volatile pointers[] = {add, mix, twice, add};

AWAY static uint32_t by_pointer(uint32_t x)
{
	sink = x;
	return pointers[x & 3](x);
}
AWAY static uint32_t call_and_jump(uint32_t x)
{
	x += mix(x);
	return pointers[x >> 1 & 3](x);
}
AWAY static uint32_t direct(uint32_t x)
{
	sink += x;
	return mix(x + 1);
}
/* By two jumps, the last one of two sites */
AWAY static uint32_t further(uint32_t x)
{
	if ((x & 1) != 0)
		return direct(x);
	return by_pointer(x + 2);
}
AWAY static uint32_t outer(uint32_t x);
/* To code without counters, which comes back, or calls first */
uint32_t shift(uint32_t x);
uint32_t around(uint32_t x);
uint32_t called_back(uint32_t x);
AWAY uint32_t called_back(uint32_t x)
{
	return mix(x) ^ sink;
}
AWAY static uint32_t away(uint32_t x)
{
	sink += x;
	return shift(x);
}
AWAY static uint32_t away_and_back(uint32_t x)
{
	sink ^= x;
	if ((x & 1) != 0)
		return shift(x + 1);
	return around(x);
}

static function *const all[] = {by_pointer, mix, by_pointer, direct, direct, mix, further, add, call_and_jump, add,
    twice, further, further, outer, direct, outer, mix, away, away, away_and_back, mix, away, away_and_back,
    away_and_back, further, away};
#define ALL (sizeof all / sizeof *all)

/* Code without counters once more, below one of them */
AWAY static uint32_t outer(uint32_t x)
{
	x = each(all, 13, x); /* those before it */
	x = each(all + 2, 3, x);
	return add(x);
}

int app_main(int input)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < (input == APP_TRAIN ? 40u : 400u); i++) {
		sum = app_hash(sum, each(all, ALL, i));
		sum = app_hash(sum, by_pointer(i));
		sum = app_hash(sum, each(all + 3, 2, i));
		sum = app_hash(sum, further(i));
	}
	sink = sum;
	return 0;
}
