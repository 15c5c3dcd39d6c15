/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Calls that are left in the midst of nested loops: loops of one path, whose turns are counted in a register, loops
 * whose turns are a difference, more sums than registers, several ways out, and a program that ends in one of them. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
static volatile int sink, left;
static unsigned long long state = 1;

__attribute__((noipa)) static int random_below(int n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (int)((state >> 33) % (unsigned)n);
}

__attribute__((noipa)) static void leaf(int n)
{
	if (left-- == 0)
		longjmp(back, 1);
	sink += n;
}

/* One path a turn, and the call in it. */
__attribute__((noipa)) static int turns(int n)
{
	int i;
	for (i = 0; i < n; i++)
		leaf(i);
	return i;
}

/* The same, backwards by 4. */
__attribute__((noipa)) static int downwards(int n)
{
	for (int i = 4 * n; i != 0; i -= 4)
		leaf(i);
	return n;
}

/* Loops in loops, each of several paths. */
__attribute__((noipa)) static int nested(int n)
{
	int all = 0;
	for (int i = 0; i < n; i++) {
		if (i % 3 == 1)
			all += 2;
		for (int j = 0; j <= i; j++) {
			if ((i ^ j) & 1)
				all += 3;
			else
				sink++;
			for (int k = 0; k < 3; k++) {
				if (k == j)
					all++;
				leaf(k);
				if (k == 1)
					sink += 4;
			}
			if (all & 4)
				sink--;
		}
		if (i == 4)
			leaf(i);
	}
	return all;
}

/* More is kept over the calls than there are registers. */
__attribute__((noipa)) static int crowded(int n)
{
	int a = n, b = n + 1, c = n * 3, d = n ^ 5, e = n - 7, f = n | 8, g = n * 5, h = 1, i = 2, j = 3, k = 4;
	for (int x = 0; x < n; x++) {
		if (a & 1)
			b += c;
		for (int y = 0; y < 3; y++) {
			if (b & 2)
				d += e;
			leaf(a);
			for (int z = y; z < 3; z++) {
				if (d & 4)
					f += g;
				else
					h += i;
				leaf(z);
				a += b ^ k;
			}
			j += k;
			b++;
		}
		k += a ^ j;
	}
	return a + b + c + d + e + f + g + h + i + j + k;
}

/* setjmp() in an inner loop, what is left in another one. */
__attribute__((noipa)) static int around(int n)
{
	volatile int i, j, times = 0;
	for (i = 0; i < n; i++) {
		if (i % 2 != 0)
			sink++;
		for (j = 0; j < 3; j++) {
			if (j == 1 && setjmp(back) != 0) {
				times++;
				if (times % 3 == 0)
					break;
			}
			if (j == 2)
				sink += 2;
		}
		for (int k = 0; k < 4; k++)
			leaf(k);
		if (times > 20)
			break;
	}
	return times;
}

__attribute__((noipa)) static int again(int (*work)(int), int n)
{
	if (setjmp(back) != 0)
		return -1;
	return work(n);
}

/* Ends the program in two loops. */
__attribute__((noipa)) static void ends(int n)
{
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++) {
			if (i == 3 && j == 5)
				exit(sink & 7);
			sink++;
			leaf(j);
		}
		if (i & 1)
			sink += i;
	}
}

int main(void)
{
	int all = 0;
	for (int i = 0; i < 300; i++) {
		left = random_below(12);
		all += again(turns, 2 + random_below(14));
		left = random_below(12);
		all += again(downwards, 2 + random_below(14));
		left = random_below(90);
		all += again(nested, 2 + random_below(5));
		left = random_below(90);
		all += again(crowded, 2 + random_below(5));
		left = random_below(20);
		all += around(2 + random_below(6));
	}
	printf("%d %d\n", all, sink);
	fflush(stdout);
	left = 1 << 20;
	ends(9);
	return 0;
}
