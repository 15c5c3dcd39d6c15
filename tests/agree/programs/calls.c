/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What makes call graphs hard: QTY's program (start, main, A, B, C, D; B and C call D equally often, but not for
 * equally long), tail calls, mutual recursion, longjmp out of several frames, calls by pointer, divisions, a switch.
 */
#include <setjmp.h>
#include <stdint.h>
#include "sw/run/app.h"

#define AWAY __attribute__((noinline, noclone))

static volatile uint32_t sink;

AWAY void work_d(uint32_t rounds)
{
	for (uint32_t i = 0; i < rounds; i++)
		sink += i;
}

AWAY void work_b(void)
{
	for (uint32_t i = 0; i < 40; i++)
		work_d(300);
	sink++;
}

AWAY void work_c(void)
{
	for (uint32_t i = 0; i < 40; i++)
		work_d(100);
	sink++;
}

AWAY void work_a(void)
{
	work_b();
	work_c();
	sink++;
}

/* A tail call, of one that makes another */
AWAY uint32_t last(uint32_t x)
{
	return x / 3 + sink;
}

AWAY uint32_t middle(uint32_t x)
{
	sink += x;
	return last(x + 1);
}

AWAY uint32_t first(uint32_t x)
{
	if (x & 1)
		return middle(x);
	return last(x);
}

AWAY uint32_t odd(uint32_t x);
AWAY uint32_t even(uint32_t x)
{
	return x == 0 ? 1 : odd(x - 1) + (sink & 0);
}
AWAY uint32_t odd(uint32_t x)
{
	return x == 0 ? 0 : even(x - 1) + (sink & 0);
}

static jmp_buf back;

AWAY uint32_t deep(uint32_t level, uint32_t bottom)
{
	work_d(level);
	if (level == bottom)
		longjmp(back, (int)level + 1);
	if (sink == 0xFFFFFFFFu) /* it is not */
		return level;
	uint32_t x = deep(level + 1, bottom);
	return x + sink;
}

AWAY uint32_t catcher(uint32_t bottom)
{
	volatile uint32_t tries = 0;
	int got = setjmp(back);
	work_d(2);
	if (got == 0)
		return deep(0, bottom);
	if (++tries < 3)
		longjmp(back, got);
	work_d(3);
	return (uint32_t)got;
}

AWAY int32_t divide(int32_t a, int32_t b)
{
	return a / b + a % b + (int32_t)((uint32_t)a / 7u);
}

AWAY uint32_t choose(uint32_t x)
{
	switch (x % 9) {
	case 0:
		return x + 3;
	case 1:
		return x * 5;
	case 2:
		return x - 1;
	case 3:
		return first(x);
	case 4:
		return x ^ 99;
	case 5:
		return middle(x);
	case 6:
		return x | 1;
	case 7:
		return ~x;
	default:
		return 0;
	}
}

static uint32_t (*const pointers[])(uint32_t) = {first, middle, last, choose, even};

int app_main(int input)
{
	uint32_t sum = 0;
	work_a();
	for (uint32_t i = 0; i < (input == APP_TRAIN ? 200u : 2000u); i++) {
		sum = app_hash(sum, first(i));
		sum = app_hash(sum, choose(i));
		sum = app_hash(sum, pointers[i % 5](i % 23));
		sum = app_hash(sum, (uint32_t)divide((int32_t)(i * 0x9E3779B9u) >> (i & 31), (int32_t)(i % 5)));
	}
	int failed = app_check("even", even(21), 0);
	for (uint32_t i = 0; i < 12; i++)
		failed += app_check("caught", catcher(i), i + 1);
	sink = sum;
	return failed;
}
