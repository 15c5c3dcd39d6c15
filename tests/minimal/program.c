/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The program of the worked example: work with loops, calls and switches; traced whole first (the judge sees the record
 * port), then sampled by interrupt into a table, by the driver of sw/trace over the memory-mapped front. Built for the
 * host too (HOST), where the work must give the same sums.
 */
#include <stddef.h>
#include <stdint.h>
#ifdef HOST
#include <stdio.h>
#else
#include "common/frame.h"
#include "sw/trace/profile.h"
#include "sw/trace/trace.h"
#endif

#ifndef COUNT
#define COUNT 120
#endif

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
extern const uint8_t __text_start[], __text_end[];
static volatile uint32_t *const console = (volatile uint32_t *)0x50000000;

static void put(const char *text)
{
	while (*text)
		console[0] = (uint32_t)*text++;
}
static void line(const char *word, uint32_t value)
{
	put(word);
	put(" ");
	for (int shift = 28; shift >= 0; shift -= 4)
		console[0] = (uint32_t) "0123456789abcdef"[value >> shift & 15];
	put("\n");
}
static void send(void *context, const void *bytes, size_t size)
{
	(void)context;
	for (size_t i = 0; i < size; i++)
		console[0] = ((const uint8_t *)bytes)[i];
}

/* What the compiler calls; there is no library. */
void *memset(void *to, int value, size_t size);
void *memset(void *to, int value, size_t size)
{
	uint8_t *at = to;
	while (size-- > 0)
		*at++ = (uint8_t)value;
	return to;
}
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
	return to;
}

static uint32_t memory[512];

/* The work once more, collected as config says; its profile goes to the console. */
static int collect(const struct run_config *config)
{
	int error = trace_prepare(config, memory, sizeof memory);
	if (error < 0) {
		put(trace_strerror(error));
		return 1;
	}
	trace_start();
	uint32_t sum = work();
	trace_stop();
	line("work", sum);
	if (config->way == RUN_STREAM)
		return 0;

	struct trace_stats stats;
	trace_stats(&stats);
	const struct profile_info info = {.xlen = 32,
	    .hist = trace_found()->hist,
	    .ctrl = stats.ctrl,
	    .way = config->way,
	    .period = stats.period,
	    .dither = config->dither,
	    .build = frame_crc32(0, __text_start, (size_t)(__text_end - __text_start)),
	    .name = "minimal",
	    .extras = true,
	    .lost = stats.lost,
	    .interrupts = stats.interrupts};
	profile_send(&info, trace_table(), send, NULL);
	return stats.vector_taken || stats.interrupt_off;
}

int main(void)
{
	static const struct run_config normal = {
#define RUN_WORD(name, value, text) .name = value,
	    RUN_CONFIG_WORDS(RUN_WORD)
#undef RUN_WORD
	};
	struct run_config config = normal;
	/* whole: every record leaves on the record port */
	config.way = RUN_STREAM;
	config.dither = 0;
	int errors = collect(&config);
	/* sampled by interrupt */
	config.way = RUN_SAMPLE;
	config.period = 13;
	errors += collect(&config);
	/* what this machine cannot do */
	config.way = RUN_TIMER;
	errors += trace_prepare(&config, memory, sizeof memory) != TRACE_EWAY;
	return errors;
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
