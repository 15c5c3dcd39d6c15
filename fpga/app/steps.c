/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Steps of the Collatz map until 1: small enough for 8 KiB with trace driver and table, and its paths are many. */
#include "sw/run/app.h"

static uint32_t steps(uint32_t n)
{
	uint32_t count = 0;
	while (n != 1) {
		if (n % 2 == 0)
			n /= 2;
		else
			n = 3 * n + 1;
		count++;
		__asm__ volatile("" : "+r"(n)); /* both ways stay branches */
	}
	return count;
}

int app_main(int input)
{
	/* For all numbers below `below`: the most steps, the smallest number that takes so many, the steps of all
	 * together. */
	static const struct {
		uint32_t below, most, of, sum;
	} known[] = {{300, 127, 231, 14151}, {100000, 350, 77031, 10753712}};
	uint32_t most = 0, of = 0, sum = 0;
	for (uint32_t n = 1; n < known[input].below; n++) {
		uint32_t count = steps(n);
		sum += count;
		if (count > most) {
			most = count;
			of = n;
		}
	}
	return app_check("most steps", most, known[input].most) + app_check("of", of, known[input].of) +
	       app_check("sum of steps", sum, known[input].sum);
}
