/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Three functions, of which one has WORK rounds: 1% more of them is what `rivulet diff --budget' must find. */
#include <stdio.h>

#define ROUNDS 10000

static unsigned seed = 1;

__attribute__((noinline)) static void crunch(int rounds)
{
	for (int i = 0; i < rounds; i++)
		seed = seed * 1664525u + 1013904223u;
}

__attribute__((noinline)) static void other(int rounds)
{
	for (int i = 0; i < rounds; i++)
		seed ^= seed >> 3;
}

__attribute__((noinline)) static void rare(int rounds)
{
	for (int i = 0; i < rounds; i++)
		seed += 3;
}

int main(void)
{
	crunch(WORK);
	other(ROUNDS);
	rare(ROUNDS / 10);
	printf("%u\n", seed);
	return 0;
}
