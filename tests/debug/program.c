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

/* 64 paths: more than the smallest table has room for, with those of the rest. */
static __attribute__((noinline)) uint32_t count_bits(uint32_t value)
{
	static volatile uint32_t kinds[6];
	uint32_t sum = 0;
	if (value & 1)
		sum += ++kinds[0];
	if (value & 2)
		sum ^= ++kinds[1];
	if (value & 4)
		sum -= ++kinds[2];
	if (value & 8)
		sum |= ++kinds[3];
	if (value & 16)
		sum += ++kinds[4] << 1;
	if (value & 32)
		sum ^= ++kinds[5] << 2;
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
		value += count_bits(value) + count_bits(value >> 9) + count_bits(value >> 17);
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
