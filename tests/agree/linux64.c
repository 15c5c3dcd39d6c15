/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Calls that the program counts by itself, on RV64 Linux: loops, recursion, longjmp, qsort(). Prints "function
 * calls". */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AWAY __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

static jmp_buf back;
static volatile int sink;
static unsigned leafs, mids, fibs, jumps, orders, values, texts;

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

AWAY int by_value(const void *a, const void *b)
{
	values++;
	return *(const int *)a - *(const int *)b;
}

static int (*volatile by)(const void *, const void *) = by_value;

/* A tail call of a leaf, from code without counters */
__attribute__((noinline, noclone, optimize("optimize-sibling-calls"))) int order(const void *a, const void *b)
{
	orders++;
	return by(a, b);
}

/* One to code without counters, which comes back */
__attribute__((noinline, noclone, optimize("optimize-sibling-calls"))) int by_text(const void *a, const void *b)
{
	texts++;
	return strcmp(a, b);
}

int main(void)
{
	char words[30][8];
	int list[40];
	int sum = 0;
	for (int i = 0; i < 50; i++)
		sum += mid(i);
	sum += fib(12);
	if (setjmp(back) == 0)
		jump(5);
	for (int i = 0; i < 40; i++)
		list[i] = i * 7 % 40;
	qsort(list, 40, sizeof *list, order);
	for (int i = 0; i < 30; i++)
		sprintf(words[i], "%d", i * 7 % 30);
	qsort(words, 30, sizeof *words, by_text);
	printf("by_text %u\n", texts);
	printf("leaf %u\nmid %u\nfib %u\njump %u\nmain 1\norder %u\nby_value %u\n", leafs, mids, fibs, jumps, orders,
	    values);
	return sum == 0;
}
