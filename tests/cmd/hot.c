/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A program with something to find, for the cases of report, annotate, diff and merge: a loop, a recursion, an indirect
 * call, an inlined function. Linked by fixture.ld.
 *   -DSAMPLE   the trace unit samples one trace in 16 (12 to 19)
 *   -DSEED=n   another start of the random part of the period
 *   -DTIMES=n   turns of the outer loop, instead of 400
 *   -DSLOWER   crunch() does twice the work, and everything stands some lines lower
 */
#ifndef SEED
#define SEED 1
#endif
#ifndef TIMES
#define TIMES 400
#endif
#ifdef SLOWER
#define ROUNDS 20

#else
#define ROUNDS 10
#endif
static inline __attribute__((always_inline)) unsigned twist(unsigned value)
{
	return value << 5 ^ value >> 3;
}

__attribute__((noinline)) unsigned crunch(unsigned value)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		value = twist(value) + i;
	return value;
}

__attribute__((noinline)) unsigned fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) unsigned halve(unsigned value)
{
	return value % 3 == 0 ? value / 3 : value / 2;
}

__attribute__((noinline)) unsigned rare(unsigned value)
{
	return value * 7 + 1;
}

unsigned (*volatile indirect)(unsigned) = halve;
volatile unsigned result;

int start(void)
{
	unsigned sum = 1;
	for (unsigned i = 0; i < TIMES; i++) {
		sum += crunch(sum + i);
		sum ^= indirect(sum);
		if (i % 100 == 0)
			sum += fibonacci(9);
		if (i == TIMES - 1)
			sum += rare(sum);
	}
	result = sum;
	return 0;
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#include "common/rivulet_regs.h"
#define CTRL TEXT(RV_CSR_CTRL)
#define PERIOD TEXT(RV_CSR_PERIOD)
#define COUNTER TEXT(RV_CSR_COUNTER)
#define DITHER TEXT(RV_CSR_DITHER)
#define LFSR TEXT(RV_CSR_LFSR)
#define FROM TEXT(SEED)
#define ON TEXT(RV_CTRL_MODES_MASK) " | " TEXT(RV_CTRL_ENABLE_MASK)
#define SAMPLING TEXT(RV_CTRL_SAMPLE_MASK)
/* Traces start() and what it calls. */
__asm__(".section .text.start, \"ax\"\n"
	".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	la sp, __stack\n"
#ifdef SAMPLE
	"	li t0, 12\n"
	"	csrw " PERIOD ", t0\n"
	"	csrw " COUNTER ", t0\n"
	"	li t0, 7\n"
	"	csrw " DITHER ", t0\n"
	"	li t0, " FROM "\n"
	"	csrw " LFSR ", t0\n"
	"	li t0, " ON " | " SAMPLING "\n"
#else
	"	li t0, " ON "\n"
#endif
	"	csrw " CTRL ", t0\n"
	"	call start\n"
	"	csrw " CTRL ", zero\n"
	"	li t0, 0x10010000\n"
	"	sw a0, 4(t0)\n"
	"1:	j 1b\n"
	".size _start, . - _start\n");
