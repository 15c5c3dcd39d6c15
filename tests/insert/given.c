/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Values that are given in temporaries: clang's arguments 9 to 13 of functions that nobody else calls, and the static
 * chain of gcc's nested functions. What is put in before a call must leave them as they are. */
#include <stdio.h>

static volatile long state = 3;

__attribute__((noinline)) static long other(long n)
{
	state = state * 5 + n;
	return state & 15;
}

__attribute__((noinline)) static long many(
    long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l, double m, double n)
{
	long sum = other(a) + b * 2 + c * 3 + d * 4;
	if (sum & 1)
		sum += e * 5 + f * 6 + other(i);
	if (j & 2)
		sum += g * 7 + h * 8 + other(k);
	return sum + i * 9 + j * 10 + k * 11 + l * 12 + (long)(m * n);
}

/* goes on in it: a jump, with the same values */
__attribute__((noinline)) static long passes(
    long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l, double m, double n)
{
	if (a & 1)
		b += a;
	return many(b, a, c, d, e, f, g, h, i, j, k, l, m, n);
}

#ifndef __clang__
__attribute__((noinline)) static long nest(long n)
{
	long sum = n;
	__attribute__((noinline)) long inner(long by)
	{
		if (by & 1)
			sum += other(by);
		return sum * by;
	}
	for (long i = 0; i < n; i++)
		if (inner(i) & 4)
			sum -= inner(i + 1);
	return sum;
}
#else
static long nest(long n)
{
	return n;
}
#endif

int main(void)
{
	unsigned long all = 0;
	for (long n = 0; n < 200; n++) {
		long from = other(n), to = n * 7 % 13;
		if (from > to)
			all = all * 31 + (unsigned long)many(n, from, to, n + 1, from + 1, to + 1, n ^ 5, from ^ 6,
					     to ^ 7, n + 8, from + 9, to + 10, (double)n, 1.5);
		else
			all = all * 31 + (unsigned long)passes(n, to, from, n + 1, to + 1, from + 1, n ^ 5, to ^ 6,
					     from ^ 7, n + 8, to + 9, from + 10, 2.5, (double)n);
		all += (unsigned long)nest(n & 31);
	}
	printf("%lu %ld\n", all, state);
	return 0;
}
