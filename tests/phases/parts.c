/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A program of four marked parts of different lengths; the third does the same as the first. */
#include <stdint.h>
#include "sw/run/app.h"

#define SIZE 512u
static uint32_t numbers[SIZE];

static __attribute__((noinline)) void add(uint32_t turns)
{
	for (uint32_t t = 0; t < turns; t++)
		for (uint32_t i = 1; i < SIZE; i++)
			numbers[i] += numbers[i - 1] * 3 + t;
}

static __attribute__((noinline)) void search(uint32_t turns)
{
	for (uint32_t t = 0; t < turns; t++) {
		uint32_t low = 0, high = SIZE;
		while (high - low > 1) {
			const uint32_t middle = (low + high) / 2;
			if (numbers[middle] > t * 2654435761u)
				high = middle;
			else
				low = middle;
		}
		numbers[0] += low;
	}
}

static __attribute__((noinline)) void gcds(uint32_t turns)
{
	for (uint32_t t = 0; t < turns; t++) {
		uint32_t a = numbers[t % SIZE] | 1, b = t + 1;
		while (b != 0) {
			const uint32_t rest = a % b;
			a = b;
			b = rest;
		}
		numbers[t % SIZE] ^= a;
	}
}

__attribute__((noinline)) void part_1(void)
{
	add(100);
}
__attribute__((noinline)) void part_2(void)
{
	search(9000);
}
__attribute__((noinline)) void part_3(void)
{
	add(200);
	__asm__ volatile("");
}
__attribute__((noinline)) void part_4(void)
{
	gcds(8000);
}

int app_main(int input)
{
	(void)input;
	part_1();
	part_2();
	part_3();
	part_4();
	return 0;
}
