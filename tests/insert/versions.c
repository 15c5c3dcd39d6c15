/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Functions of every kind that two versions may be in the way of (tests/insert/versions). SIGUSR2 switches. */
#include <stdarg.h>
#include <stdio.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
int (*keep)(int);
__attribute__((noinline)) int plus(int x)
{
	return x + 3;
}
extern int also(int) __attribute__((alias("plus")));
__attribute__((weak, noinline)) int soft(int x)
{
	return x * 2;
}
__attribute__((noinline)) int sum(int n, ...)
{
	va_list v;
	va_start(v, n);
	int s = 0;
	while (n-- > 0)
		s += va_arg(v, int);
	va_end(v);
	return s;
}
__attribute__((noinline)) int pick(int x)
{
	switch (x & 7) {
	case 0:
		return plus(x);
	case 1:
		return x * 7;
	case 2:
		return soft(x);
	case 3:
		return -x;
	case 4:
		return x + 9;
	case 5:
		return x / 3;
	case 6:
		return 1;
	}
	return 5;
}
#ifndef __clang__
__attribute__((noinline)) int apply(int (*f)(int), int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += f(i);
	return s;
}
__attribute__((noinline)) int nested(int k)
{
	int add(int x)
	{
		return x > 3 ? x + k : x - k;
	}
	return apply(add, 9);
}
#else
__attribute__((noinline)) int nested(int k)
{
	return k;
}
#endif
__attribute__((noinline)) int threaded(const unsigned char *p)
{
	static const void *const ops[] = {&&inc, &&dbl, &&end};
	int a = 1;
	goto *ops[*p++];
inc:
	a++;
	goto *ops[*p++];
dbl:
	a *= 2;
	goto *ops[*p++];
end:
	return a;
}
static jmp_buf out;
__attribute__((noinline)) void deep(int n)
{
	if (n == 0)
		longjmp(out, 7);
	deep(n - 1);
	plus(n);
}
__attribute__((noinline)) int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
__attribute__((noinline)) int leaf_loop(const char *s)
{
	int n = 0;
	while (*s) {
		n += *s++ == 'a';
	}
	return n;
}
__attribute__((noinline)) int even(unsigned n);
__attribute__((noinline)) int odd(unsigned n)
{
	return n == 0 ? 0 : even(n - 1);
}
__attribute__((noinline)) int even(unsigned n)
{
	return n == 0 ? 1 : odd(n - 1);
}
static int started;
__attribute__((constructor)) static void start(void)
{
	started = fib(5);
}
static void handler(int s)
{
	(void)s;
	plus(s);
}
__attribute__((noinline)) double real(double a, double b)
{
	return a > b ? a * b : a - b;
}
int main(void)
{
	static const unsigned char code[] = {0, 1, 0, 1, 2};
	int t = started;
	keep = plus;
	if (getenv("IGNORE"))
		signal(SIGUSR2, SIG_IGN);
	signal(SIGUSR1, handler);
	for (int i = 0; i < 300; i++) {
		t += pick(i);
		if (i % 50 == 0)
			raise(SIGUSR1);
		if (i % 37 == 5)
			raise(SIGUSR2);
	}
	t += sum(4, 1, 2, 3, 4) + nested(6) + threaded(code) + fib(12) + leaf_loop("banana") + even(20) + odd(7) +
	     (int)real(3.5, 2.0);
	if (setjmp(out) == 0)
		deep(8);
	printf("%d %d %d\n", t, keep == also, keep(2));
	char b[40];
	snprintf(b, sizeof b, "%d-%s", t, "x");
	puts(b);
	return 0;
}
