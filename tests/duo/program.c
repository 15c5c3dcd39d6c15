/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A program for two harts (rtl/soc/rivulet_duo.v), each with code of its own and data that they share. Hart 0 makes
 * texts and hands them over by a queue; hart 1 counts their words, with its timer ticking. Both keep one sum under a
 * lock of loads and stores alone (Peterson), since the cores have no atomic instructions. Both are traced into the one
 * ring of the shared sink. With PROFILES hart 0 counts what is in the ring while both run, and sends a profile of each
 * (sw/trace/hub.h); TABLE: the hub has a hot-trace table.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/rivulet_regs.h"
#ifdef PROFILES
#include "sw/trace/hub.h"
#include "sw/trace/trace.h"
#endif

#ifndef ROUNDS
#define ROUNDS 20
#endif
#ifndef RING_SIZE
#define RING_SIZE 20 /* 2^RING_SIZE bytes */
#endif
enum { HARTS = 2, QUEUE = 8, TEXT = 48 };

#ifndef PROFILES
static volatile uint32_t *const hub = (volatile uint32_t *)0x10040000;
#endif
static volatile uint32_t *const timer = (volatile uint32_t *)0x02004000;
uint32_t ring[(1u << RING_SIZE) / 4] __attribute__((aligned(1u << RING_SIZE)));
volatile uint32_t ring_bytes; /* for the bench: what the sink has written */
volatile uint32_t ticks;

static volatile uint32_t texts_made, texts_taken;
static volatile char texts[QUEUE][TEXT];
static volatile uint32_t sum, turns; /* shared, under the lock */
static volatile bool wants[HARTS], ready, done;
static volatile uint32_t turn;

void *memset(void *to, int value, size_t size);
void *memset(void *to, int value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((volatile uint8_t *)to)[i] = (uint8_t)value;
	return to;
}

/* ---- the lock: it needs that each hart sees loads and stores in their order, which one bus does */

static void take_lock(unsigned hart)
{
	wants[hart] = true;
	turn = !hart;
	while (wants[!hart] && turn == !hart)
		;
}

static void leave_lock(unsigned hart)
{
	wants[hart] = false;
}

static void add_shared(unsigned hart, uint32_t value)
{
	take_lock(hart);
	sum += value;
	turns++;
	leave_lock(hart);
}

static void trace_on(bool on)
{
	const uint32_t ctrl = (uint32_t)on << RV_CTRL_ENABLE_LSB | RV_CTRL_REPEAT_MASK | RV_CTRL_MODES_MASK;
	__asm__ volatile("csrw %0, %1" : : "i"(RV_CSR_CTRL), "r"(ctrl));
}

#ifdef PROFILES
/* ---- the ring, counted while the program runs, and a profile of each hart */

#ifndef TABLE
#define TABLE 0
#endif
enum { TABLE_BYTES = 1 << 15 };
static struct trace_hub trace_hub = {.registers = (void *)0x10040000,
    .memory = ring,
    .size_bits = RING_SIZE,
    .harts = HARTS,
    .cycles = true,
    .time = !TABLE,
    .table = TABLE};
static struct table tables[HARTS];
static uint32_t table_memory[HARTS][TABLE_BYTES / 4];
static struct profile_info infos[HARTS];

static uint32_t read_counter(unsigned instructions)
{
	uint32_t value;
	if (instructions)
		__asm__ volatile("csrr %0, minstret" : "=r"(value));
	else
		__asm__ volatile("csrr %0, mcycle" : "=r"(value));
	return value;
}

/* What a hart runs with tracing on, from each `on` to the next `off`. */
static void measure(unsigned hart, bool on)
{
	static uint32_t cycles[HARTS], instructions[HARTS];
	struct profile_info *info = &infos[hart];
	if (!on) {
		info->cycles += read_counter(0) - cycles[hart];
		info->instructions += read_counter(1) - instructions[hart];
		return;
	}
	info->xlen = info->hist = 32;
	info->ctrl = 1u << RV_CTRL_ENABLE_LSB | RV_CTRL_REPEAT_MASK | RV_CTRL_MODES_MASK;
	info->period = 1;
	info->name = "duo";
	info->extras = true;
	cycles[hart] = read_counter(0);
	instructions[hart] = read_counter(1);
}

/* What counts is not traced: each record that it takes would make several. */
static void count_ring(uint32_t round)
{
	if (round % 8 != 7)
		return;
	trace_on(false);
	measure(0, false);
	trace_hub_take(&trace_hub, tables);
	measure(0, true);
	trace_on(true);
}

static void put_bytes(void *context, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	(void)context;
	for (size_t i = 0; i < size; i++)
		*(volatile uint32_t *)0x10010000 = at[i];
}

static void open_sink(void)
{
	for (unsigned h = 0; h < HARTS; h++)
		table_init(&tables[h], table_memory[h], TABLE_BYTES, 0);
	ring_bytes = (uint32_t)trace_hub_start(&trace_hub);
}

static int close_sink(void)
{
	if ((int32_t)ring_bytes != TRACE_OK)
		return 1;
	trace_hub_stop(&trace_hub, tables);
	trace_hub_send(&trace_hub, tables, infos, put_bytes, NULL);
	return 0;
}
#else
#define count_ring(round) ((void)(round))
#define measure(hart, on) ((void)(hart), (void)(on))
#endif

/* ---- hart 0 */

static uint32_t state = 2463534242u;

static uint32_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static void make_text(volatile char *text)
{
	for (unsigned i = 0; i + 1 < TEXT; i++)
		text[i] = next_random() % 5 == 0 ? ' ' : (char)('a' + next_random() % 26);
	text[TEXT - 1] = 0;
}

static void produce(void)
{
	for (uint32_t n = 0; n < ROUNDS; n++) {
		while (texts_made - texts_taken == QUEUE)
			;
		make_text(texts[texts_made % QUEUE]);
		texts_made++;
		add_shared(0, 1);
		count_ring(n);
	}
}

/* ---- hart 1 */

static unsigned count_words(const volatile char *text)
{
	unsigned words = 0;
	bool within = false;
	for (; *text; text++) {
		const bool letter = *text != ' ';
		words += letter && !within;
		within = letter;
	}
	return words;
}

static uint32_t power_of(uint32_t base, unsigned exponent)
{
	return exponent == 0 ? 1 : base * power_of(base, exponent - 1);
}

static void consume(void)
{
	for (uint32_t n = 0; n < ROUNDS; n++) {
		while (texts_made == texts_taken)
			;
		const unsigned words = count_words(texts[texts_taken % QUEUE]);
		texts_taken++;
		add_shared(1, words + (power_of(3, words) & 1));
	}
}

/* ---- both */

#ifndef PROFILES
static void set_sink(unsigned select, uint32_t value, uint32_t control)
{
	hub[0] = control | select << RV_SINK_SELECT_LSB;
	hub[0] = RV_SINK_PRESENT_MASK | value >> 1;
}

static void open_sink(void)
{
	const uint32_t control = RING_SIZE << RV_SINK_SIZE_LSB;
	hub[0] = control;
	set_sink(0, (uint32_t)(uintptr_t)ring, control);
	set_sink(2, 0, control);
	set_sink(3, 0, control);
	hub[2] = 2; /* a table counts */
	hub[0] = control | RV_SINK_ENABLE_MASK;
}

/* Everything has been written, also what a hot-trace table held, if there is one, and nothing was lost. */
static int close_sink(void)
{
	while ((hub[1] & 1) != 0)
		;
	hub[2] = 3; /* COUNT, DRAIN */
	while ((hub[1] & 1) != 0 || (hub[0] & RV_SINK_BUSY_MASK) != 0)
		;
	hub[0] = RING_SIZE << RV_SINK_SIZE_LSB | 6u << RV_SINK_SELECT_LSB;
	ring_bytes = hub[0];
	return hub[8] != 0 || hub[9] != 0;
}
#endif

int main(unsigned hart);
int main(unsigned hart)
{
	if (hart == 0) {
		open_sink();
		ready = true;
		measure(0, true);
		trace_on(true);
		produce();
		trace_on(false);
		measure(0, false);
		while (!done)
			;
		return close_sink() + 2 * (sum < ROUNDS || turns != 2 * ROUNDS || ticks == 0);
	}
	while (!ready)
		;
	timer[0] = 1000;
	timer[1] = 0;
	__asm__ volatile("csrw mie, %0\n\tcsrsi mstatus, 8" : : "r"(0x80));
	measure(1, true);
	trace_on(true);
	consume();
	trace_on(false);
	measure(1, false);
	__asm__ volatile("csrci mstatus, 8");
	done = true;
	return 0;
}
