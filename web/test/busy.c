/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A program of Linux of ten seconds, with 640 million records, for `make bench-live'. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBERS 4096
#define TURNS 4000

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

int main(void)
{
	static uint32_t numbers[NUMBERS];
	uint32_t seed = 1, sum = 0;
	for (int turn = 0; turn < TURNS; turn++) {
		for (int i = 0; i < NUMBERS; i++)
			numbers[i] = seed = seed * 1664525u + 1013904223u;
		qsort(numbers, NUMBERS, sizeof numbers[0], compare);
		sum += numbers[turn];
	}
	printf("%u\n", sum);
	return 0;
}
