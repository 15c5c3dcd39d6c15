/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Calls through pointers: qsort and bsearch of libc. */
#include <stdio.h>
#include <stdlib.h>
static int up(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}
static int down(const void *a, const void *b)
{
	return up(b, a);
}
int main(void)
{
	static int v[400];
	unsigned seed = 1, found = 0;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 400; i++)
			v[i] = (int)((seed = seed * 1664525u + 1013904223u) >> 16);
		qsort(v, 400, sizeof *v, round & 1 ? up : down);
		for (int k = 0; k < 60; k++)
			found += bsearch(&k, v, 400, sizeof *v, round & 1 ? up : down) != NULL;
	}
	printf("%d %u\n", v[7], found);
	return 0;
}
