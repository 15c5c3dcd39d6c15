/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A million calls, 1,000 deep, for the timeline of the page: what is out of sight must cost nothing. */
#include <stdint.h>
#include "sw/run/app.h"

#define DEEPEST 1000u
#define TURNS 1000u
static uint32_t sum;

__attribute__((noinline)) static void dig(uint32_t deeper)
{
	sum = sum * 31u + deeper;
	if (deeper > 1)
		dig(deeper - 1);
	sum ^= deeper; /* behind the call: it is none at the end */
}

int app_main(int input)
{
	(void)input;
	for (uint32_t turn = 0; turn < TURNS; turn++)
		dig(DEEPEST);
	return 0;
}
