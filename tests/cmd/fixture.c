/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* For tests of host/image and of the command: a loop, a call, an inlined function. Tests name its lines. */
static inline __attribute__((always_inline)) unsigned rotate(unsigned value, unsigned by)
{
	return value << by | value >> (32 - by); /* line 6 */
}

__attribute__((noinline)) unsigned mix(unsigned value)
{
	if (value & 1)
		value ^= 0x9E3779B9u;
	return rotate(value, 7); /* line 13: the call of rotate() */
}

#ifdef WRONG
#define EXPECTED 0u
#else
#define EXPECTED 0x1c1341ceu
#endif

volatile unsigned result;

/* Returns the exit status: 0 if the sum is right, else 9. */
int start(void)
{
	unsigned sum = 1;
	for (unsigned i = 0; i < 1000; i++)
		sum += mix(sum + i);
	result = sum;
	for (const char *c = "fixture\n"; *c != '\0'; c++)
		*(volatile unsigned *)0x10010000 = (unsigned char)*c;
	return sum == EXPECTED ? 0 : 9;
}

#include "common/rivulet_regs.h"
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define CTRL TEXT(RV_CSR_CTRL)
#define ON TEXT(RV_CTRL_MODES_MASK) " | " TEXT(RV_CTRL_ENABLE_MASK)
/* Traces start() only. */
__asm__(".section .text.start, \"ax\"\n"
	".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	la sp, __stack\n"
	"	li t0, " ON "\n"
	"	csrw " CTRL ", t0\n"
	"	call start\n"
	"	csrw " CTRL ", zero\n"
	"	li t0, 0x10010000\n"
	"	sw a0, 4(t0)\n"
	"1:	j 1b\n"
	".size _start, . - _start\n");
