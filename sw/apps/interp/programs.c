/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "programs.h"

#include <stdbool.h>

/* Every program finds its size in memory word 0, and a seed in word 1. */
static const char sieve[] =
    "push 0 fetch store 0  push 2 store 1 "
    "clear: load 1 load 0 lt jz begin  push 1 load 1 push 8 add put  load 1 push 1 add store 1  jump clear "
    "begin: push 2 store 1 "
    "next: load 1 load 0 lt jz done  load 1 push 8 add fetch jz skip "
    "load 1 out  load 1 dup add store 2 "
    "strike: load 2 load 0 lt jz skip  push 0 load 2 push 8 add put  load 2 load 1 add store 2  jump strike "
    "skip: load 1 push 1 add store 1  jump next "
    "done: halt";

static const char fibonacci[] = "push 0 fetch call fib out halt "
				"fib: store 0  load 0 push 2 lt jz more  load 0 ret "
				"more: load 0 push 1 sub call fib  load 0 push 2 sub call fib  add ret";

/* Insertion sort of pseudo-random words at 8, then their check sum. */
static const char sort[] =
    "push 0 fetch store 0  push 1 fetch store 3  push 0 store 1 "
    "fill: load 1 load 0 lt jz sort  load 3 push 1103515245 mul push 12345 add dup store 3  push 16 sar  load 1 push 8 "
    "add put "
    "load 1 push 1 add store 1  jump fill "
    "sort: push 1 store 1 "
    "outer: load 1 load 0 lt jz show  load 1 push 8 add fetch store 4  load 1 store 2 "
    "inner: load 2 jz place  load 4 load 2 push 7 add fetch lt jz place "
    "load 2 push 7 add fetch load 2 push 8 add put  load 2 push 1 sub store 2  jump inner "
    "place: load 4 load 2 push 8 add put  load 1 push 1 add store 1  jump outer "
    "show: push 0 store 1 "
    "each: load 1 load 0 lt jz done  load 1 push 8 add fetch out  load 1 push 1 add store 1  jump each "
    "done: halt";

static const char collatz[] =
    "push 0 fetch store 0  push 1 store 1 "
    "next: load 1 load 0 lt jz done  load 1 store 2  push 0 store 3 "
    "walk: load 2 push 1 eq not jz count  load 3 push 1 add store 3  load 2 push 1 and jz even "
    "load 2 push 3 mul push 1 add store 2  jump walk "
    "even: load 2 push 1 sar store 2  jump walk "
    "count: load 3 out  load 1 push 1 add store 1  jump next "
    "done: halt";

/* Fixed point with 10 fraction bits, a square of size points a side, at most 24 steps a point. */
static const char mandelbrot[] =
    "push 0 fetch store 0  push 0 store 1 "
    "row: load 1 load 0 lt jz done  push 0 store 2 "
    "point: load 2 load 0 lt jz newrow  push 0 store 3  push 0 store 4  push 0 store 5 "
    "step: load 5 push 24 lt jz escaped "
    "load 3 load 3 mul push 10 sar store 6  load 4 load 4 mul push 10 sar store 7 "
    "load 6 load 7 add push 4096 lt jz escaped "
    "load 3 load 4 mul push 9 sar  load 1 push 2400 mul load 0 div push 1200 sub  add store 4 "
    "load 6 load 7 sub  load 2 push 3000 mul load 0 div push 2200 sub  add store 3 "
    "load 5 push 1 add store 5  jump step "
    "escaped: load 5 out  load 2 push 1 add store 2  jump point "
    "newrow: load 1 push 1 add store 1  jump row "
    "done: halt";

static int32_t give(int32_t out, int32_t value)
{
	return (int32_t)((uint32_t)out * 31u + (uint32_t)value);
}

static int32_t native_sieve(int32_t size, int32_t seed)
{
	int32_t out = 0;
	(void)seed;
	for (int32_t i = 2; i < size; i++) {
		bool prime = true;
		for (int32_t d = 2; d * d <= i && prime; d++)
			prime = i % d != 0;
		if (prime)
			out = give(out, i);
	}
	return out;
}

static int32_t native_fibonacci(int32_t size, int32_t seed)
{
	int32_t a = 0, b = 1;
	(void)seed;
	for (; size; size--) {
		int32_t next = a + b;
		a = b;
		b = next;
	}
	return a;
}

/* By counting how many are smaller: another method than the program's. */
static int32_t native_sort(int32_t size, int32_t seed)
{
	static int32_t values[PROGRAM_SORT_MAX], sorted[PROGRAM_SORT_MAX];
	uint32_t x = (uint32_t)seed;
	int32_t out = 0;
	for (int32_t i = 0; i < size; i++) {
		x = x * 1103515245u + 12345u;
		values[i] = (int32_t)x >> 16;
	}
	for (int32_t i = 0; i < size; i++) {
		int32_t rank = 0;
		for (int32_t j = 0; j < size; j++)
			rank += values[j] < values[i] || (values[j] == values[i] && j < i);
		sorted[rank] = values[i];
	}
	for (int32_t i = 0; i < size; i++)
		out = give(out, sorted[i]);
	return out;
}

static int32_t native_collatz(int32_t size, int32_t seed)
{
	int32_t out = 0;
	(void)seed;
	for (int32_t i = 1; i < size; i++) {
		int32_t steps = 0;
		for (int32_t n = i; n != 1; n = n & 1 ? 3 * n + 1 : n / 2)
			steps++;
		out = give(out, steps);
	}
	return out;
}

static int32_t native_mandelbrot(int32_t size, int32_t seed)
{
	int32_t out = 0;
	(void)seed;
	for (int32_t y = 0; y < size; y++)
		for (int32_t x = 0; x < size; x++) {
			int32_t ci = y * 2400 / size - 1200, cr = x * 3000 / size - 2200, zr = 0, zi = 0, n = 0;
			for (; n < 24; n++) {
				int32_t rr = zr * zr >> 10, ii = zi * zi >> 10;
				if (rr + ii >= 4096)
					break;
				zi = (zr * zi >> 9) + ci;
				zr = rr - ii + cr;
			}
			out = give(out, n);
		}
	return out;
}

const struct program programs[PROGRAM_COUNT] = {{"sieve", sieve, native_sieve},
    {"fibonacci", fibonacci, native_fibonacci}, {"sort", sort, native_sort}, {"collatz", collatz, native_collatz},
    {"mandelbrot", mandelbrot, native_mandelbrot}};
