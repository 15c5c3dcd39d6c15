/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Loops of LR and SC: with branches between the two, with ways out, as compilers write them. Its own build makes a load
 * or store between the two, or a loop of more than 16 instructions, a fault (tests/insert/unbroken). */
#include <stdio.h>
#include <stdint.h>
/* atomic max: a branch between LR and SC */
__attribute__((noinline)) static int atomic_max(int *p, int v)
{
	int old, t, f;
	__asm__ volatile("1: lr.w %0, (%3)\n mv %1, %0\n bge %0, %4, 2f\n mv %1, %4\n2: sc.w %2, %1, (%3)\n bnez %2, 1b"
			 : "=&r"(old), "=&r"(t), "=&r"(f)
			 : "r"(p), "r"(v)
			 : "memory");
	return old;
}
/* three ways to the SC */
__attribute__((noinline)) static int atomic_step(int *p, int v)
{
	int old, t, f;
	__asm__ volatile("1: lr.w %0, (%3)\n andi %1, %0, 1\n beqz %1, 2f\n addi %1, %0, 3\n j 3f\n2: blt %0, %4, 4f\n "
			 "addi %1, %0, -5\n j 3f\n4: addi %1, %0, 7\n3: sc.w %2, %1, (%3)\n bnez %2, 1b"
			 : "=&r"(old), "=&r"(t), "=&r"(f)
			 : "r"(p), "r"(v)
			 : "memory");
	return old;
}
/* saturating: leaves without SC */
__attribute__((noinline)) static int atomic_inc_below(int *p, int v)
{
	int old, t, f;
	__asm__ volatile(
	    "1: lr.w %0, (%3)\n li %2, 0\n bge %0, %4, 2f\n addi %1, %0, 1\n sc.w %2, %1, (%3)\n bnez %2, 1b\n2:"
	    : "=&r"(old), "=&r"(t), "=&r"(f)
	    : "r"(p), "r"(v)
	    : "memory");
	return old;
}
__attribute__((noinline)) static int cas(int *p, int a, int b)
{
	__atomic_compare_exchange_n(p, &a, b, 0, 5, 5);
	return a;
}
__attribute__((noinline)) static short cas16(short *p, short a, short b)
{
	while (!__atomic_compare_exchange_n(p, &a, b, 1, 5, 5))
		a = *p;
	return a;
}
__attribute__((noinline)) static unsigned char nand(unsigned char *p, unsigned char v)
{
	return __atomic_fetch_nand(p, v, 5);
}
int main(void)
{
	int x = 3;
	short s = 5;
	unsigned char c = 9;
	unsigned sum = 0;
	for (int i = 0; i < 1000; i++) {
		sum = sum * 31 + (unsigned)atomic_max(&x, (i * 37) % 101);
		sum = sum * 31 + (unsigned)atomic_step(&x, 50);
		sum = sum * 31 + (unsigned)atomic_inc_below(&x, 60);
		sum = sum * 31 + (unsigned)cas(&x, i % 7, i);
		sum = sum * 31 + (unsigned)cas16(&s, s, (short)i);
		sum = sum * 31 + nand(&c, (unsigned char)i);
	}
	printf("%u\n", sum);
	return 0;
}
