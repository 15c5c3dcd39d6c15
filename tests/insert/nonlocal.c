/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A goto out of a nested function (GNU C) leaves calls, and the runtime learns nothing of it. */
#include <stdio.h>

__attribute__((noinline)) static int apply(int (*function)(int), int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += function(i);
	return sum;
}

__attribute__((noinline)) static int leaves(int k)
{
	__label__ out;
	int seen = 0;
	int leave(int x)
	{
		seen = x;
		if (x == k)
			goto out;
		return x;
	}
	apply(leave, 10);
	return -1;
out:
	return seen * 100;
}

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 20; i++)
		sum += leaves(i);
	printf("%d\n", sum);
	return 0;
}
