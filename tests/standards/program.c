/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Calls through pointers, recursion, switches, loops of fixed and of changing length, and a return that longjmp
 * skips. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf out;
static unsigned seed = 12345;

static unsigned draw(unsigned below)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % below;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

static __attribute__((noinline)) int depth(int n)
{
	if (n > 20 && draw(40) == 0)
		longjmp(out, n);
	return n == 0 ? 0 : 1 + depth(n - 1) + (n % 7 == 0 ? depth(n / 7) : 0);
}

static __attribute__((noinline)) int machine(const unsigned char *code, int size)
{
	int a = 1;
	for (int i = 0; i < size; i++) {
		switch (code[i] % 9) {
		case 0:
			a += i;
			break;
		case 1:
			a ^= 0x5A;
			break;
		case 2:
			a *= 3;
			break;
		case 3:
			a = -a;
			break;
		case 4:
			i += a & 1;
			break;
		case 5:
			a = a < 0 ? a >> 1 : a << 1;
			break;
		case 6:
			a -= code[i];
			break;
		case 7:
			a |= 4;
			break;
		default:
			a %= 1000;
			break;
		}
	}
	return a;
}

int main(void)
{
	static int numbers[700];
	static unsigned char code[3000];
	int sum = 0;
	for (int i = 0; i < 700; i++)
		numbers[i] = (int)draw(100000);
	for (int i = 0; i < 3000; i++)
		code[i] = (unsigned char)draw(256);
	qsort(numbers, 700, sizeof *numbers, compare);
	for (volatile int i = 0; i < 40; i++) {
		int left = setjmp(out);
		sum += left == 0 ? depth(20 + i) : left;
	}
	sum += machine(code, 3000);
	printf("%d %d %d\n", numbers[0], numbers[699], sum);
	return 0;
}
