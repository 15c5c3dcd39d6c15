/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Measures calls of its own by the core's cycle counter, and says the least, the most and the sum of what it saw. */
#include <stdint.h>
#include <stdio.h>

static volatile uint32_t sink;

__attribute__((noinline)) static uint32_t leaf(uint32_t n)
{
	uint32_t value = n;
	for (uint32_t i = 0; i < n; i++)
		value = (value << 3 ^ value) + i;
	return value;
}

__attribute__((noinline)) static uint32_t work(uint32_t n)
{
	uint32_t value = leaf(n);
	if ((n & 3) == 0)
		value += leaf(n * 5);
	for (uint32_t i = 0; i < (n & 7); i++)
		sink = value += i;
	return value;
}

static inline uint32_t cycles(void)
{
	uint32_t now;
	__asm__ volatile("csrr %0, mcycle" : "=r"(now)::"memory");
	return now;
}

int main(void)
{
	uint32_t least = UINT32_MAX, most = 0, sum = 0;
	for (uint32_t i = 0; i < 50; i++) {
		uint32_t from = cycles();
		sink = work(i * 7 % 31);
		uint32_t took = cycles() - from;
		least = took < least ? took : least;
		most = took > most ? took : most;
		sum += took;
	}
	printf("%lu %lu %lu\n", (unsigned long)least, (unsigned long)most, (unsigned long)sum);
	return 0;
}
