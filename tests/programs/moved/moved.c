/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Runs wherever it is loaded, without a library. */
static volatile int sum;

__attribute__((noinline)) int work(int n)
{
	int s = 0;
	for (volatile int i = 0; i < n; i++)
		s += i % 3 != 0 ? i : -i;
	return s;
}

void _start(void)
{
	for (int i = 0; i < 10; i++)
		sum += work(100);
	register long number __asm__("a7") = 93, status __asm__("a0") = 0;
	__asm__ volatile("ecall" ::"r"(number), "r"(status));
	for (;;)
		;
}
