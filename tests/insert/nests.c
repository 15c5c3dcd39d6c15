/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Nested regions of many kinds, without threads, so that two runs count the same: tests/insert/regions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned random_state = 1;
static unsigned next(unsigned below)
{
	random_state = random_state * 1103515245u + 12345u;
	return (random_state >> 16) % below;
}

/* Three levels; the innermost leaves two of them at once. */
__attribute__((noinline)) static unsigned search(const unsigned char *text, unsigned length, const char *word)
{
	unsigned found = 0, size = (unsigned)strlen(word);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i + size <= length; i++) {
			unsigned k = 0;
			while (k < size && text[i + k] == (unsigned char)word[k])
				k++;
			if (k == size && ++found % 7 == 0)
				goto next_round;
		}
	next_round:;
	}
	return found;
}

/* A loop with two entries. */
__attribute__((noinline)) static unsigned irreducible(unsigned n, int middle)
{
	unsigned sum = 0;
	if (middle)
		goto second;
	for (;;) {
		sum += n;
		if (n % 3 == 0)
			sum ^= 5;
	second:
		if (n == 0)
			return sum;
		n--;
	}
}

__attribute__((noinline)) static unsigned machine(const unsigned char *code, unsigned length)
{
	unsigned a = 0, steps = 0;
	for (unsigned pc = 0; pc < length && steps < 100000; steps++) {
		switch (code[pc++] % 9) {
		case 0:
			a++;
			break;
		case 1:
			a *= 3;
			break;
		case 2:
			a ^= steps;
			break;
		case 3:
			if ((a & 1) != 0)
				pc += 2;
			break;
		case 4:
			for (unsigned i = 0; i < (a & 7); i++)
				a += i;
			break;
		case 5:
			if (a % 5 == 0 && pc > 9)
				pc -= 9;
			a++;
			break;
		case 6:
			a -= 2;
			break;
		case 7:
			a >>= 1;
			break;
		default:
			return a + steps;
		}
	}
	return a;
}

static unsigned ackermann(unsigned m, unsigned n)
{
	while (m > 0) {
		n = n == 0 ? 1 : ackermann(m, n - 1);
		m--;
	}
	return n + 1;
}

static int by_value(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return (x > y) - (x < y);
}

int main(void)
{
	static unsigned char text[4096];
	static unsigned values[500];
	unsigned sum = 0;
	for (unsigned i = 0; i < sizeof text; i++)
		text[i] = (unsigned char)('a' + next(4));
	sum += search(text, sizeof text, "abca") * 3 + search(text, sizeof text, "dd");
	for (unsigned i = 0; i < 40; i++)
		sum += irreducible(next(50), (int)(i & 1));
	for (unsigned i = 0; i < 60; i++)
		sum ^= machine(text + 17 * i, 64 + next(200));
	sum += ackermann(2, 9);
	for (unsigned i = 0; i < 500; i++)
		values[i] = next(10000);
	qsort(values, 500, sizeof *values, by_value);
	for (unsigned i = 1; i < 500; i++)
		sum = sum * 31 + (values[i] - values[i - 1]);
	printf("%u\n", sum);
	return 0;
}
