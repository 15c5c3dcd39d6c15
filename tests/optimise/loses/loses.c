/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A loop that goes one way until it is optimised, and then the other for the rest of the run: its trace only costs. */
#include "sw/hal/hal.h"
#include "sw/run/app.h"

uint32_t two_ways(uint32_t rounds, const uint32_t *words, uint32_t sum);

int app_main(int input)
{
	static uint32_t words[2] = {1, 1};
	uint32_t sum = two_ways(40000, words, (uint32_t)input);
	words[0] = words[1] = 0;
	for (int i = 0; i < 20; i++)
		sum = two_ways(20000, words, sum);
	hal_print("state ");
	hal_print_hex(sum);
	hal_print("\n");
	return 0;
}
