/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* setjmp and longjmp, signals, exit handlers, tail calls, deep recursion. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
static volatile int caught;
static void on_signal(int number)
{
	caught += number;
}
static void dive(int depth)
{
	if (depth == 0)
		longjmp(back, 3);
	dive(depth - 1);
	caught++;
}
__attribute__((noinline)) static int even(unsigned n);
__attribute__((noinline)) static int odd(unsigned n)
{
	return n == 0 ? 0 : even(n - 1);
}
__attribute__((noinline)) static int even(unsigned n)
{
	return n == 0 ? 1 : odd(n - 1);
}
static unsigned ackermann(unsigned m, unsigned n)
{
	return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static void bye(void)
{
	puts("bye");
}
int main(void)
{
	int sum = 0;
	atexit(bye);
	signal(SIGUSR1, on_signal);
	for (volatile int i = 0; i < 50; i++) {
		int r = setjmp(back);
		if (r == 0)
			dive(i);
		else
			sum += r;
		if (i % 10 == 0)
			raise(SIGUSR1);
	}
	printf("%d %d %d %u\n", sum, caught, even(5001), ackermann(2, 30));
	exit(0);
}
