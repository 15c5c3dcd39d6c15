/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Functions with more paths than are numbered: their graphs are cut. Switches through tables, loops of one block with a
 * call in it, two ends of paths at one block, recursion, longjmp(). */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf out;
static unsigned state = 1, sum;

__attribute__((noinline)) static unsigned next(void)
{
	state = state * 1103515245u + 12345u;
	return state >> 16 & 255;
}

#define DIAMOND(bit, what)                                                                                             \
	if (x & (1u << (bit)))                                                                                         \
		__asm__ volatile(what : "+r"(s));                                                                      \
	else                                                                                                           \
		__asm__ volatile("addi %0, %0, 3" : "+r"(s));

/* 2^14 paths a turn */
__attribute__((noinline)) static unsigned diamonds(unsigned x, unsigned turns)
{
	unsigned s = 0;
	for (unsigned i = 0; i < turns; i++) {
		DIAMOND(0, "addi %0, %0, 1")
		DIAMOND(1, "slli %0, %0, 1")
		DIAMOND(2, "xori %0, %0, 5")
		DIAMOND(3, "addi %0, %0, 2")
		DIAMOND(4, "addi %0, %0, 7")
		DIAMOND(5, "xori %0, %0, 9")
		DIAMOND(6, "addi %0, %0, 4")
		DIAMOND(7, "slli %0, %0, 2")
		DIAMOND(0, "addi %0, %0, 6")
		DIAMOND(2, "xori %0, %0, 1")
		DIAMOND(4, "addi %0, %0, 8")
		DIAMOND(6, "addi %0, %0, 5")
		DIAMOND(1, "xori %0, %0, 3")
		DIAMOND(7, "addi %0, %0, 1")
		if (s & 1)
			x = x * 5 + 1;
		x += next();
	}
	return s;
}

/* cut, with jumps through a table */
__attribute__((noinline)) static unsigned table(unsigned x, unsigned depth)
{
	unsigned s = x;
	while (depth-- > 0) {
		DIAMOND(3, "addi %0, %0, 1")
		DIAMOND(4, "slli %0, %0, 1")
		DIAMOND(5, "xori %0, %0, 5")
		DIAMOND(6, "addi %0, %0, 2")
		DIAMOND(7, "addi %0, %0, 7")
		DIAMOND(8, "xori %0, %0, 9")
		DIAMOND(9, "addi %0, %0, 4")
		DIAMOND(3, "slli %0, %0, 2")
		DIAMOND(5, "addi %0, %0, 6")
		DIAMOND(7, "addi %0, %0, 6")
		DIAMOND(9, "addi %0, %0, 6")
		switch (x % 8) {
		case 0:
			s += next();
			break;
		case 1:
			s ^= 77;
			break;
		case 2:
			s += 3; /* on */
		case 3:
			s *= 3;
			break;
		case 4:
			s -= 9;
			break;
		case 5:
			if (depth > 3)
				continue;
			s++;
			break;
		case 6:
			s += table(x >> 3, depth / 2);
			break;
		default:
			if (s == 12345)
				return s;
			s += 11;
		}
		s += diamonds(x, 1) & 3;
		x = x * 13 + s;
	}
	return s;
}

__attribute__((noinline)) static unsigned calls(unsigned n)
{
	do
		sum += next();
	while (--n > 0);
	return sum;
}

__attribute__((noinline)) static void leave(unsigned x)
{
	if (x & 1)
		longjmp(out, 1);
	sum += x;
}

int main(void)
{
	for (int i = 0; i < 300; i++) {
		unsigned x = next();
		sum += diamonds(x, x & 3) + table(x, 5) + calls(1 + x % 5);
	}
	for (volatile int i = 0; i < 20; i++) {
		if (setjmp(out) == 0)
			leave(next());
	}
	printf("%u\n", sum);
	return 0;
}
