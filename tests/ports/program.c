/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The program of `make check-ports`: work with loops, calls, a switch and ECALLs, traced whole. The trace unit
 * interrupts at its watermark; the handler takes all records, and the program prints how many there were, how many
 * were lost, and what PORT says. Start and handler are in start.S.
 */
#include <stdint.h>
#include "common/rivulet_regs.h"

#define UNIT ((volatile uint32_t *)0x40000000)
#define CONSOLE (*(volatile uint32_t *)0x50000000)

static volatile uint32_t taken, calls;

void handler(void)
{
	calls++;
	for (uint32_t count = UNIT[RV_REG_COUNT]; count > 0; count--) { /* not more: the handler itself may be traced */
		taken++;
		UNIT[RV_REG_POP] = 0;
	}
}

static void print(const char *name, uint32_t value)
{
	while (*name)
		CONSOLE = (uint32_t)*name++;
	CONSOLE = ' ';
	for (int shift = 28; shift >= 0; shift -= 4)
		CONSOLE = (uint32_t) "0123456789abcdef"[value >> shift & 15];
	CONSOLE = '\n';
}

static uint32_t step(uint32_t sum, uint32_t kind)
{
	switch (kind) {
	case 0:
		return sum + 77;
	case 1:
		return sum ^ sum << 3;
	case 2:
		return sum << 7 | sum >> 25;
	case 3:
		__asm__ volatile("ecall" ::: "memory");
		return sum - 5;
	default:
		return (int32_t)sum < 0 ? ~sum : sum + 1;
	}
}

static uint32_t work(void)
{
	static int32_t list[64];
	uint32_t sum = 12345;
	for (unsigned i = 0; i < 64; i++)
		list[i] = (int32_t)(sum = sum * 33 + i);
	for (unsigned gap = 32; gap > 0; gap /= 2)
		for (unsigned i = gap; i < 64; i++) {
			int32_t value = list[i];
			unsigned j = i;
			for (; j >= gap && list[j - gap] > value; j -= gap)
				list[j] = list[j - gap];
			list[j] = value;
		}
	for (unsigned i = 0; i < 400; i++)
		sum = step(sum, (sum >> 3 ^ i) & 7) + (uint32_t)list[i & 63];
	return sum;
}

int main(void)
{
	UNIT[RV_REG_WATERMARK] = 8;
	UNIT[RV_REG_PORT] = 0;
	UNIT[RV_REG_CTRL] = RV_CTRL_ENABLE_MASK | RV_STATUS_WATERMARK_MASK << RV_CTRL_IE_LSB;
	uint32_t sum = work();
	UNIT[RV_REG_CTRL] = 0;
	handler();
	print("sum", sum);
	print("records", taken);
	print("interrupts", calls);
	print("lost", UNIT[RV_REG_LOST]);
	print("port", UNIT[RV_REG_PORT]);
	return 0;
}
