/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A program of Linux for RV32 without a C library, which Debian does not have: 7,000 steps, a line, status 3. */
static long call(long n, long a, long b, long c)
{
	register long a7 __asm__("a7") = n;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
	return a0;
}
static volatile unsigned sum;
__attribute__((noinline)) static void step(unsigned i)
{
	sum += i & 1 ? i : 2 * i;
}
void _start(void)
{
	for (unsigned i = 0; i < 7000; i++)
		step(i);
	call(64, 1, (long)"done\n", 5);
	call(94, 3, 0, 0);
}
