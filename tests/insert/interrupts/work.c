/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What is interrupted: many paths, self loops, recursion, calls; with counters. */
#include <stdint.h>

uint32_t work(uint32_t rounds);
uint32_t leaf(uint32_t x, uint32_t y);
uint32_t tree(uint32_t x, uint32_t depth);

__attribute__((noinline)) uint32_t leaf(uint32_t x, uint32_t y)
{
	uint32_t sum = y;
	if ((x & 1) != 0)
		sum += 3;
	if ((x & 2) != 0)
		sum ^= 0x55;
	else
		sum -= x;
	for (uint32_t i = 0; i < (x & 7); i++) { /* a self loop */
		sum = sum << 1 ^ sum >> 3;
		__asm__ volatile("" : "+r"(sum));
	}
	return (x & 4) != 0 ? sum + 1 : sum;
}

__attribute__((noinline)) uint32_t tree(uint32_t x, uint32_t depth)
{
	if (depth == 0)
		return leaf(x, depth);
	uint32_t left = tree(x * 3 + 1, depth - 1);
	if ((left & 1) == 0)
		return left + leaf(left, x);
	return left ^ tree(x + left, depth - 1);
}

uint32_t work(uint32_t rounds)
{
	uint32_t sum = 1;
	for (uint32_t i = 0; i < rounds; i++) {
		if (i % 3 == 0)
			sum += tree(i, 3);
		else if (i % 5 == 0)
			sum ^= leaf(sum, i);
		switch (sum & 7) {
		case 0:
			sum += i;
			break;
		case 1:
			sum ^= i << 2;
			break;
		case 2:
			sum -= leaf(i, sum);
			break;
		case 5:
			sum = sum * 5 + 1;
			break;
		default:
			sum++;
		}
	}
	return sum;
}
