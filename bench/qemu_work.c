/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Work for bench/qemu: `sort N` sorts N million numbers by qsort(), `fib N` calls itself, `interp N` interprets a small
 * byte code N million times, `sum N` adds in a loop. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static uint32_t sort(uint32_t millions)
{
	const size_t count = millions * 1000000u;
	uint32_t *numbers = malloc(count * sizeof *numbers), x = 1;
	if (numbers == NULL)
		return 0;
	for (size_t i = 0; i < count; i++)
		numbers[i] = x = x * 1664525u + 1013904223u;
	qsort(numbers, count, sizeof *numbers, by_value);
	x = numbers[count / 2];
	free(numbers);
	return x;
}

__attribute__((noinline)) static uint32_t fib(uint32_t n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static uint32_t interp(uint32_t millions)
{
	static const uint8_t code[] = {0, 1, 2, 0, 3, 1, 1, 4, 2, 5};
	uint32_t a = 1, b = 2, at = 0;
	for (uint64_t i = 0; i < millions * UINT64_C(1000000); i++) {
		switch (code[at]) {
		case 0:
			a += b;
			break;
		case 1:
			b ^= a << 3;
			break;
		case 2:
			if ((a & 1) != 0)
				b++;
			break;
		case 3:
			a = a >> 1 | a << 31;
			break;
		case 4:
			b -= a;
			break;
		default:
			a += 7;
		}
		at = at + 1 == sizeof code ? 0 : at + 1;
	}
	return a + b;
}

static uint32_t sum(uint32_t millions)
{
	volatile uint32_t x = 0;
	for (uint64_t i = 0; i < millions * UINT64_C(1000000); i++)
		x += (uint32_t)i;
	return x;
}

int main(int argc, char **argv)
{
	const uint32_t n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 1;
	const char *what = argc > 1 ? argv[1] : "";
	uint32_t result = 0;
	if (strcmp(what, "sort") == 0)
		result = sort(n);
	else if (strcmp(what, "fib") == 0)
		result = fib(n);
	else if (strcmp(what, "interp") == 0)
		result = interp(n);
	else if (strcmp(what, "sum") == 0)
		result = sum(n);
	else
		return 2;
	printf("%u\n", (unsigned)result);
	return 0;
}
