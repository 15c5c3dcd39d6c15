/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Calls what jumps to computed places (computed.S), and functions of C beside it that have counters. */
#include <stdio.h>
int row_leaf(int index);
int row_frame(int index);
int row_other(int index);
int ways_apart(int way, const long *end);
void row_fill(unsigned char *bytes, int value, int count);
__attribute__((noinline)) int mixed(int n)
{
	unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	int sum = 0;
	row_fill(bytes, n, n & 7);
	for (int i = 0; i < 8; i++)
		sum = sum * 3 + bytes[i];
	return n & 1 ? sum + row_leaf(n) + ways_apart(n >> 1, NULL) : sum - row_frame(n) * row_other(n + 1);
}
int main(void)
{
	unsigned all = 0;
	for (int n = 0; n < 40; n++)
		all = all * 31 + (unsigned)mixed(n);
	printf("%u\n", all);
	return 0;
}
