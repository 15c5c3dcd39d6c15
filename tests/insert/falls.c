/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Functions whose last instruction is a call that never returns, before a function that turns for ever: who had called
 * what longjmp() left is told all the same. The way to the last call is not the one that was taken. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf place;
static volatile unsigned long state;

__attribute__((noinline, noreturn)) void refuse(long value)
{
	state += (unsigned long)value;
	longjmp(place, 1);
}

__attribute__((noinline, noreturn)) void refuse_more(long value)
{
	state -= (unsigned long)value;
	longjmp(place, 2);
}

__attribute__((noinline)) void step(void)
{
	if (state++ % 11 == 5)
		longjmp(place, 3);
}

__attribute__((noinline)) long weigh(long i)
{
	return i ^ (long)(state % 64);
}

/* Ends in both calls, one behind the other. */
__attribute__((noinline)) long judge(long n)
{
	long sum = n;
	for (long i = 0; i < n; i++)
		sum += weigh(i);
	if (sum % 3 == 1)
		refuse(sum);
	if (sum % 7 == 6)
		refuse_more(sum);
	return sum * 2;
}

/* Turns for ever: longjmp() leaves it. */
__attribute__((noinline)) void serve(void)
{
	for (;;)
		step();
}

__attribute__((noinline)) long outer(long n)
{
	const long all = judge(n) + 1;
	return all * 3;
}

int main(void)
{
	volatile long thrown = 0, all = 0;
	for (volatile long n = 0; n < 60; n++) {
		const int from = setjmp(place);
		if (from == 0) {
			all += outer(n);
			serve();
		}
		thrown += from;
	}
	printf("%ld %lu %ld\n", all, state, thrown);
	return thrown == 0;
}
