/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A program for breakpoints on its lines: loops, a switch, recursion, calls. C and C++, Linux (-DLINUX) and the SoC. */
#include <stdint.h>

static uint32_t sum = 1;

static __attribute__((noinline)) void note(uint32_t value)
{
	sum = sum * 31 + value;
}

static __attribute__((noinline)) uint32_t deep(uint32_t n)
{
	if (n == 0) {
		note(7);
		return 1;
	}
	uint32_t below = deep(n - 1);
	note(below);
	return below + n;
}

static __attribute__((noinline)) uint32_t choose(uint32_t n)
{
	switch (n % 6) {
	case 0:
		note(1);
		return n + 1;
	case 1:
		note(2);
		break;
	case 2:
		n ^= 5;
		note(n);
		break;
	case 3:
		return deep(n % 4);
	case 4:
		note(n * 3);
		n += deep(2);
		break;
	default:
		n--;
		note(n);
	}
	return n * 2;
}

static __attribute__((noinline)) uint32_t work(uint32_t rounds)
{
	uint32_t total = 0;
	for (uint32_t i = 0; i < rounds; i++) {
		total += choose(i);
		if ((total & 4) != 0)
			note(total);
		else
			total ^= deep(i & 1);
		while ((total & 3) == 3) {
			total >>= 1;
			note(total);
		}
	}
	return total;
}

#ifdef LINUX
#include <stdio.h>
int main(void)
{
	uint32_t total = work(12);
	printf("%08x %08x\n", (unsigned)total, (unsigned)sum);
	return 0;
}
#else
#include "sw/run/app.h"
int app_main(int input)
{
	(void)input;
	app_check("sum", work(12) ^ sum, 0);
	return 0;
}
#endif
