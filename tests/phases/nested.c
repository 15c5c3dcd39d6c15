/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* (hash (sort matrix)^2)^4: three pieces of work in nested loops, for the grammar of phases. */
#include <stdint.h>
#include "sw/run/app.h"

#define SIZE 256u
#define SIDE 16u
static uint32_t numbers[SIZE], sum;
static uint32_t left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];

__attribute__((noinline)) static void hash(void)
{
	for (uint32_t turn = 0; turn < 60; turn++)
		for (uint32_t i = 0; i < SIZE; i++)
			sum = (sum ^ numbers[i]) * 16777619u;
}

__attribute__((noinline)) static void sort(void)
{
	for (uint32_t i = 0; i < SIZE; i++)
		numbers[i] = (sum += 2654435761u) >> 8;
	for (uint32_t i = 1; i < SIZE; i++) {
		const uint32_t number = numbers[i];
		uint32_t at = i;
		for (; at > 0 && numbers[at - 1] > number; at--)
			numbers[at] = numbers[at - 1];
		numbers[at] = number;
	}
}

__attribute__((noinline)) static void matrix(void)
{
	for (uint32_t turn = 0; turn < 3; turn++)
		for (uint32_t i = 0; i < SIDE; i++)
			for (uint32_t k = 0; k < SIDE; k++) {
				uint32_t cell = 0;
				for (uint32_t j = 0; j < SIDE; j++)
					cell += left[i][j] * right[j][k];
				product[i][k] = cell;
			}
	left[sum % SIDE][sum / SIDE % SIDE] = product[sum % SIDE][1] + sum;
	right[sum % SIDE][2] = sum;
}

int app_main(int input)
{
	(void)input;
	for (unsigned outer = 0; outer < 4; outer++) {
		hash();
		for (unsigned inner = 0; inner < 2; inner++) {
			sort();
			matrix();
		}
	}
	return 0;
}
