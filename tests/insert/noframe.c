/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Functions that end by a call which does not return, and keep ra nowhere (clang): who called them is left by
 * longjmp(), and what had run of it is in the counts. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf place;
static volatile long state;
static long all;

__attribute__((noinline, noreturn)) static void throw_it(long value)
{
	state += value;
	longjmp(place, 1);
}

__attribute__((noinline, noreturn)) static void complain(long at)
{
	throw_it(at + 3);
}

/* as many turns as the caller says, and a call in the midst of a path */
__attribute__((noinline)) static long parse(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++) {
		sum += i ^ state;
		if (sum % 7 == 3)
			complain(sum);
		if (sum & 1)
			state++;
	}
	return sum;
}

/* counted before the call, and nothing behind it is run */
__attribute__((noinline)) static long read_all(long n)
{
	all += parse(n) + 1;
	return all * 3;
}

int main(void)
{
	volatile long thrown = 0;
	for (volatile long n = 0; n < 60; n++) {
		if (setjmp(place) == 0)
			read_all(n);
		else
			thrown++;
	}
	printf("%ld %ld %ld\n", all, state, thrown);
	return thrown == 0;
}
