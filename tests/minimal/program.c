/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The program of the worked example: work with loops, calls and switches; traced whole first (the judge sees the record
 * port), then sampled by interrupt into a table. Built for the host too (HOST), where the work must give the same sums.
 */
#include <stddef.h>
#include <stdint.h>
#ifdef HOST
#include <stdio.h>
#else
#include "common/rivulet_regs.h"
#endif

#define COUNT 120

static uint32_t state = 12345;
static uint32_t next(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static int compare(int32_t a, int32_t b)
{
	return (a > b) - (a < b);
}

/* Shell sort through a function pointer: indirect calls, loads and stores of all widths follow below. */
static void sort(int32_t *list, size_t count, int (*order)(int32_t, int32_t))
{
	for (size_t gap = count / 2; gap > 0; gap /= 2)
		for (size_t i = gap; i < count; i++) {
			int32_t value = list[i];
			size_t j = i;
			for (; j >= gap && order(list[j - gap], value) > 0; j -= gap)
				list[j] = list[j - gap];
			list[j] = value;
		}
}

static uint32_t step(uint32_t sum, unsigned kind, const unsigned char *bytes)
{
	switch (kind) {
	case 0:
		return sum + bytes[0];
	case 1:
		return sum ^ (uint32_t)((int8_t)bytes[1] << 3);
	case 2:
		return (sum << 7) | (sum >> 25);
	case 3:
		return sum - *(const uint16_t *)(const void *)bytes;
	case 4:
		return sum + (uint32_t) * (const int16_t *)(const void *)(bytes + 2);
	case 5:
		return sum ^ (uint32_t)((int32_t)sum >> 5);
	default:
		return (int32_t)sum < 0 ? ~sum : sum + 1;
	}
}

static uint32_t work(void)
{
	static int32_t list[COUNT];
	static unsigned char copy[4 * COUNT];
	for (size_t i = 0; i < COUNT; i++)
		list[i] = (int32_t)next();
	sort(list, COUNT, compare);
	uint32_t sum = 0;
	for (size_t i = 0; i < sizeof copy; i++)
		copy[i] = (unsigned char)((uint32_t)list[i / 4] >> (8 * (i % 4)));
	for (size_t i = 0; i + 4 <= sizeof copy; i += 4)
		sum = step(sum, copy[i] % 7u, copy + i);
	return sum;
}

#ifdef HOST
int main(void)
{
	uint32_t first = work();
	printf("work %08x\n", first);
	printf("work %08x\n", work());
	return 0;
}
#else
static volatile uint32_t *const trace = (volatile uint32_t *)0x40000000;
static volatile uint32_t *const console = (volatile uint32_t *)0x50000000;

static void put(const char *text)
{
	while (*text)
		console[0] = (uint32_t)*text++;
}
static void hex(uint32_t value)
{
	for (int shift = 28; shift >= 0; shift -= 4)
		console[0] = (uint32_t) "0123456789abcdef"[value >> shift & 15];
}
static void line(const char *word, uint32_t value)
{
	put(word);
	put(" ");
	hex(value);
	put("\n");
}

#define TABLE 64
static volatile struct {
	uint32_t start, hist, count;
} table[TABLE];
static volatile uint32_t samples, misses;

__attribute__((interrupt("machine"), aligned(4))) static void handler(void)
{
	while (trace[RV_REG_STATUS] & 1u << RV_STATUS_NONEMPTY_LSB) {
		uint32_t start = trace[RV_REG_REC_START], hist = trace[RV_REG_REC_HIST];
		trace[RV_REG_POP] = 0;
		samples++;
		unsigned slot = (start >> 1 ^ hist << 3) % TABLE, tried = 0;
		while (table[slot].count != 0 && (table[slot].start != start || table[slot].hist != hist) &&
		       ++tried < TABLE)
			slot = (slot + 1) % TABLE;
		if (tried == TABLE) {
			misses++;
			continue;
		}
		table[slot].start = start;
		table[slot].hist = hist;
		table[slot].count++;
	}
	trace[RV_REG_STATUS] = 1u << RV_STATUS_SAMPLE_LSB;
}

int main(void)
{
	line("id", trace[RV_REG_ID]);
	/* whole: every record leaves on the record port; the small FIFO overruns and counts what it loses */
	trace[RV_REG_CTRL] = 1u << RV_CTRL_ENABLE_LSB;
	uint32_t sum = work();
	trace[RV_REG_CTRL] = 0;
	line("work", sum);
	line("lost", trace[RV_REG_LOST]);
	while (trace[RV_REG_STATUS] & 1u << RV_STATUS_NONEMPTY_LSB)
		trace[RV_REG_POP] = 0;
	trace[RV_REG_LOST] = 0;
	/* sampled */
	uint32_t vector = (uint32_t)(uintptr_t)handler;
	__asm__ volatile("csrw mtvec, %0; csrw mie, %1; csrsi mstatus, 8" ::"r"(vector), "r"(1u << 11));
	trace[RV_REG_PERIOD] = 13;
	trace[RV_REG_COUNTER] = 13;
	trace[RV_REG_CTRL] =
	    1u << RV_CTRL_ENABLE_LSB | 1u << RV_CTRL_SAMPLE_LSB | 1u << (RV_CTRL_IE_LSB + RV_STATUS_SAMPLE_LSB);
	sum = work();
	trace[RV_REG_CTRL] = 0;
	line("work", sum);
	line("samples", samples);
	line("misses", misses);
	line("lost", trace[RV_REG_LOST]);
	for (unsigned i = 0; i < TABLE; i++) {
		if (table[i].count == 0)
			continue;
		put("path ");
		hex(table[i].start);
		put(" ");
		hex(table[i].hist);
		line("", table[i].count);
	}
	return 0;
}

__asm__(".section .start,\"ax\"\n"
	".globl _start\n"
	"_start: lui sp, %hi(__stack)\n"
	"	addi sp, sp, %lo(__stack)\n"
	"	call main\n"
	"	lui a1, 0x50000\n"
	"	sw a0, 4(a1)\n"
	"1:	j 1b\n");
#endif
