/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Tables of jumps and of functions, calls by pointers, longjmp(), constructors, thread-local variables, floating point,
 * a long function whose branches grow, and code that no symbol but its own names. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread int local = 3;
static jmp_buf back;
static int begun;
__attribute__((constructor)) static void begin(void)
{
	begun = 5;
}
__attribute__((destructor)) static void end(void)
{
	if (begun != 5)
		puts("no constructor");
}

__attribute__((noinline)) static int choose(int x)
{
	switch (x) {
	case 0:
		return 5;
	case 1:
		return 7 + local++;
	case 2:
		return 9;
	case 3:
		return 1;
	case 4:
		return 77;
	case 5:
		return 3;
	}
	return x * 2;
}
static int twice(int x)
{
	return 2 * x;
}
static int less(int x)
{
	return x - 1;
}
int (*const functions[])(int) = {choose, twice, less, abs};
static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
__attribute__((noinline)) static void leave(int i)
{
	if (i % 100 == 99)
		longjmp(back, i);
}
#define STEP(n)                                                                                                        \
	if ((x & (1u << n)) != 0)                                                                                      \
		s += (int)(x >> n) * (n + 3);                                                                          \
	else                                                                                                           \
		s ^= n;
#define STEPS(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3)
__attribute__((noinline)) static int lengthy(unsigned x)
{
	int s = 0;
	for (int i = 0; i < 3; i++) {
		STEPS(0) STEPS(4) STEPS(8) STEPS(12) STEPS(16) STEPS(20) if (s == 123456789) continue;
		x = x * 1103515245u + 12345u;
	}
	return s;
}

int main(void)
{
	int s = 0, values[64];
	double sum = 0;
	for (volatile int i = 0; i < 1000; i++) {
		if (setjmp(back) == 0)
			leave(i);
		else
			s++;
		s += functions[i % 4](i % 9);
		sum += 1.0 / (i + 1);
		values[i % 64] = (int)((unsigned)s * 2654435761u >> 8) % 1000;
	}
	qsort(values, 64, sizeof *values, by_value);
	printf("%d %d %.6f %d %d\n", s, lengthy((unsigned)s), sum, values[0], values[63]);
	return 0;
}
