/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Code of many shapes, of which the arguments choose some: switches, loops, conditions, calls by pointer, recursion. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int digits(const char *text)
{
	int sum = 0;
	for (const char *c = text; *c != '\0'; c++) {
		if (*c >= '0' && *c <= '9')
			sum += *c - '0';
		else if (*c == '-')
			sum = -sum;
		else
			return -1;
	}
	return sum;
}

static int choose(int kind, int value)
{
	switch (kind) {
	case 0:
		return value + 1;
	case 1:
		value *= 3;
		/* fall through */
	case 2:
		return value - 2;
	case 3:
		if (value > 100)
			value = 100;
		return value;
	case 4:
		return value / 2;
	case 5:
		return -value;
	default:
		abort();
	}
}

static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int never(int value)
{
	value++;
	return value * 2;
}

static int twice(int value)
{
	return 2 * value;
}

static int (*const table[])(int) = {twice, never, fibonacci};

static int conditions(int a, int b, int c)
{
	int hits = 0;
	if (a > 0 && b > 0)
		hits++;
	if (a > 3 || b > 3 || c > 3)
		hits += 10;
	if ((a > 0 && b > 0) || (c > 0 && a < 5))
		hits += 100;
	while (a-- > 0) {
		if (a == 7)
			break;
		if (a % 2 != 0)
			continue;
		hits++;
	}
	do {
		hits += b;
		b--;
	} while (b > 0);
	return hits;
}

static void sort(int *values, int count)
{
	for (int i = 1; i < count; i++) {
		int value = values[i], at = i;
		for (; at > 0 && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

int main(int argc, char **argv)
{
	int sum = 0, values[16], count = 0;
	for (int i = 1; i < argc; i++) {
		int value = digits(argv[i]);
		if (value < 0) {
			printf("%s is no number\n", argv[i]);
			continue;
		}
		if (count < 16)
			values[count++] = value;
		sum += choose(value % 4, value);
		sum += table[value % 2 == 0 ? 0 : 2](value % 9);
		sum += conditions(value, count, i);
	}
	sort(values, count);
	for (int i = 0; i < count; i++)
		printf("%d ", values[i]);
	if (strlen(argv[0]) == 0)
		printf("no name\n");
	printf("%d\n", sum);
	return 0;
}
