/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The smallest application that has paths worth looking at: a loop with a branch that goes each way at a known rate. */
#include "sw/run/app.h"

int app_main(int input)
{
	uint32_t rounds = input == APP_TRAIN ? 100000 : 4000000;
	uint32_t odd = 0, sum = 0;
	for (uint32_t i = 0; i < rounds; i++) {
		if ((i & 3) == 1)
			odd++;
		else
			sum += i;
		__asm__ volatile("" : "+r"(odd), "+r"(sum));
	}
	/* Of each four numbers 4k, 4k + 2, 4k + 3 are summed. */
	uint32_t k = rounds / 4;
	return app_check("odd", odd, k) + app_check("sum", sum, 6 * k * (k - 1) + 5 * k);
}
