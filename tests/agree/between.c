/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* tests/agree/linux64: sum() has variable arguments, and so no counters. */
#include <stdarg.h>
static __attribute__((noinline)) int twice(int x)
{
	__asm__ volatile("");
	return 2 * x;
}
static __attribute__((noinline)) int sum(int n, ...)
{
	va_list list;
	int all = 0;
	va_start(list, n);
	while (n-- > 0)
		all += twice(va_arg(list, int));
	va_end(list);
	return all;
}
int main(void)
{
	return sum(3, 1, 2, 3) == 12 ? 0 : 1;
}
