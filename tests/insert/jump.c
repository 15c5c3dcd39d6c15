/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* 1,000 turns of a loop with setjmp(); longjmp() leaves several calls of recursive functions, from two places, with
 * loops and branches on the way, or nothing is left. What a turn does differs from that of others. */
#include <setjmp.h>
#include <stdio.h>
static jmp_buf back;
static volatile int sum;
int deep(int n, int turn);
int middle(int turn);
int turns(int count);
__attribute__((noinline)) int deep(int n, int turn)
{
	int all = 0;
	for (int i = 0; i < n; i++) {
		if ((i & 1) != 0)
			all += deep(n - 1, turn);
		else
			sum += i;
	}
	if (n == 1 && turn % 3 == 0)
		longjmp(back, turn + 1);
	if (n == 0 && turn % 7 == 0)
		longjmp(back, turn + 1);
	return all + sum;
}
__attribute__((noinline)) int middle(int turn)
{
	int all = 0;
	for (int i = 0; i <= turn % 5; i++)
		all += deep(i, turn);
	return all;
}
__attribute__((noinline)) int turns(int count)
{
	volatile int left = 0, ended = 0;
	for (volatile int i = 0; i < count; i++) {
		if (i % 11 == 0)
			sum++;
		if (setjmp(back) == 0) {
			if (i % 2 == 0)
				sum += 3;
			ended += middle(i) != 0;
		} else
			left++;
	}
	return left * 10000 + ended;
}
int main(void)
{
	printf("%d\n", turns(1000));
	return 0;
}
