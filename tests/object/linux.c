/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What an edited C program must still do: jump tables, computed goto, far and near branches, variable arguments,
 * signals, sorting, strings, floating point. Everything that it computes it prints. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint32_t state = 12345;
static uint32_t next(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	return state ^= state << 5;
}

static int dispatch(int op, int a, int b)
{
	switch (op) {
	case 0:
		return a + b;
	case 1:
		return a - b;
	case 2:
		return a * b;
	case 3:
		return b != 0 ? a / b : 0;
	case 4:
		return b != 0 ? a % b : 0;
	case 5:
		return a & b;
	case 6:
		return a | b;
	case 7:
		return a ^ b;
	case 8:
		return a << (b & 7);
	case 9:
		return a >> (b & 7);
	case 10:
		return a < b;
	case 11:
		return a == b;
	default:
		return -1;
	}
}

/* An interpreter by computed goto: one indirect jump for each operation. */
static long interpret(const uint8_t *code, int rounds)
{
	static const void *const table[] = {&&add, &&sub, &&dup, &&loop, &&end};
	long sum = 1;
	const uint8_t *at = code;
	goto *table[*at++];
add:
	sum += 7;
	goto *table[*at++];
sub:
	sum -= 3;
	goto *table[*at++];
dup:
	sum = sum * 2 % 1000003;
	goto *table[*at++];
loop:
	if (--rounds > 0)
		at = code;
	goto *table[*at++];
end:
	return sum;
}

static long total(int count, ...)
{
	va_list list;
	long sum = 0;
	va_start(list, count);
	for (int i = 0; i < count; i++)
		sum += i % 2 == 0 ? va_arg(list, int) : (long)va_arg(list, double);
	va_end(list);
	return sum;
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y); /* break here */
}

static volatile sig_atomic_t signals;
static void on_signal(int number)
{
	(void)number;
	signals++;
}

static long many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k)
{
	long sum = 0;
	for (long n = 0; n < 10; n++)
		sum += a * n + b - c + d * 2 - e + f * 3 - g + h * i - j * n + (k > n ? k : n);
	return sum;
}

static double series(int n)
{
	double sum = 0;
	for (int i = 1; i <= n; i++)
		sum += (i % 2 == 0 ? -1.0 : 1.0) / i * sqrt((double)i) + fabs(sin((double)i));
	return sum;
}

static jmp_buf again;

int main(void)
{
	static uint32_t numbers[1000];
	static const uint8_t code[] = {0, 2, 1, 0, 2, 2, 3, 4};
	char text[200], *end;
	int sum = 0;
	for (int i = 0; i < 1000; i++) {
		numbers[i] = next();
		sum += dispatch((int)(numbers[i] % 14), i, (int)(numbers[i] >> 20));
	}
	qsort(numbers, 1000, sizeof *numbers, by_value);
	printf("%d %u %u\n", sum, numbers[0], numbers[999]);
	printf("%ld\n", interpret(code, 1000));
	printf("%ld\n", total(7, 1, 2.5, 3, 4.5, 5, 6.5, 7));
	printf("%ld\n", many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
	printf("%.12g\n", series(500));
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 5; i++)
		raise(SIGUSR1);
	printf("%d signals\n", (int)signals);
	volatile int tries = 0;
	int jumped = setjmp(again);
	tries++;
	if (tries < 4)
		longjmp(again, tries);
	printf("%d %d\n", jumped, tries);
	snprintf(text, sizeof text, "%08.3f|%-10s|%5d|%x|%c|%e", 3.14159, "left", 42, 0xABCDu, 'z', 12345.678);
	puts(text);
	printf("%ld %g\n", strtol("  -1234xyz", &end, 10), strtod("1.5e10", NULL));
	puts(end);
	time_t when = 1000000000;
	struct tm *tm = gmtime(&when);
	strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", tm);
	puts(text);
	char *copy = strdup(text);
	for (char *word = strtok(copy, "-: "); word != NULL; word = strtok(NULL, "-: "))
		printf("%s,", word);
	free(copy);
	printf("\n%d\n", strcmp(text, "2001") > 0);
	return 5;
}
