/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Calls that the program counts by itself, on RV64 Linux: loops, recursion, longjmp. Prints "function calls". */
#include <setjmp.h>
#include <stdio.h>

#define AWAY __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

static jmp_buf back;
static volatile int sink;
static unsigned leafs, mids, fibs, jumps;

AWAY int leaf(int x)
{
	int sum = 0;
	leafs++;
	for (int i = 0; i < x; i++)
		sum += i ^ sink;
	return sum;
}

AWAY int mid(int x)
{
	mids++;
	return leaf(x) + leaf(x / 3);
}

AWAY int fib(int n)
{
	fibs++;
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

AWAY void jump(int depth)
{
	jumps++;
	if (depth == 0)
		longjmp(back, 1);
	jump(depth - 1);
	sink++;
}

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 50; i++)
		sum += mid(i);
	sum += fib(12);
	if (setjmp(back) == 0)
		jump(5);
	printf("leaf %u\nmid %u\nfib %u\njump %u\nmain 1\n", leafs, mids, fibs, jumps);
	return sum == 0;
}
