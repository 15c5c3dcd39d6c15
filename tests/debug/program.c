/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A program that knows nothing of the trace unit but one bit: it begins when CTRL.ENABLE is 1, so that the judge and
 * the unit see the same run. Then it works, and sets `done`. ROUNDS turns of branches, calls, a switch and recursion.
 */
#include <stdint.h>

#define CTRL (*(volatile uint32_t *)0x40000008u)
#ifndef ROUNDS
#define ROUNDS 40
#endif
#ifndef CALLS
#define CALLS 3
#endif

volatile uint32_t done;
static volatile uint32_t result;

__attribute__((naked, section(".start"))) void _start(void)
{
	__asm__ volatile("la sp, __stack\n\tj main");
}

static uint32_t mix(uint32_t value, unsigned kind)
{
	switch (kind) {
	case 0:
		return value + 0x9E3779B9u;
	case 1:
		return value ^ (value << 5);
	case 2:
		return value ^ (value >> 7);
	case 3:
		return ~value;
	case 4:
		return (value << 11) | (value >> 21);
	default:
		return value & 1 ? value >> 1 : value + 3;
	}
}

/* A path for each number of BITS bits: 64, or with 12 more than the table has room for. */
#ifndef BITS
#define BITS 6
#endif
static __attribute__((noinline)) uint32_t count_bits(uint32_t value)
{
	static volatile uint32_t kinds[12];
	uint32_t sum = 0;
#define COUNT_BIT(n)                                                                                                   \
	if (n < BITS && (value >> n & 1) != 0)                                                                         \
		sum += ++kinds[n];
	COUNT_BIT(0)
	COUNT_BIT(1)
	COUNT_BIT(2)
	COUNT_BIT(3)
	COUNT_BIT(4)
	COUNT_BIT(5)
	COUNT_BIT(6)
	COUNT_BIT(7)
	COUNT_BIT(8)
	COUNT_BIT(9)
	COUNT_BIT(10)
	COUNT_BIT(11)
	return sum;
}

static __attribute__((noinline)) uint32_t depth(uint32_t value, unsigned left)
{
	if (left == 0)
		return value;
	return mix(depth(value + left, left - 1), left & 3);
}

static __attribute__((noinline)) uint32_t remainder(uint32_t value, uint32_t by)
{
	while (value >= by << 4)
		value -= by << 4;
	while (value >= by)
		value -= by;
	return value;
}

__attribute__((noinline)) void wait_to_begin(void)
{
	while ((CTRL & 1) == 0)
		;
}

__attribute__((noinline, noreturn)) void wait_for_ever(void)
{
	for (;;)
		;
}

static __attribute__((noinline)) uint32_t work(void)
{
	uint32_t value = 1;
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < 24; i++)
			value = mix(value, remainder(value & 0xFFF, 7));
		for (unsigned i = 0; i < CALLS; i++)
			value += count_bits(value >> i);
		value = depth(value, round & 7);
	}
	return value;
}

int main(void)
{
	wait_to_begin();
	result = work();
	done = 1;
	wait_for_ever();
}
