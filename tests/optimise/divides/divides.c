/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Divisions by values that repeat, until they do not: what the optimiser on the core has learnt of a divisor is right
 * for a while. Its breakpoints and timer interrupts, and a handler that divides by the same code, are in between. What
 * it prints is the same with the optimiser as without. */
#include "sw/hal/hal.h"
#include "sw/run/app.h"
#include "tests/optimise/state.h"

#define BREAKPOINT 3u
#define PERIOD 30000u

/* divide.S: sums of quotients and remainders of rounds, rounds - 1 ... 1 */
uint32_t divide_unsigned(uint32_t rounds, uint32_t divisor, uint32_t sum);
uint32_t divide_signed(uint32_t rounds, uint32_t divisor, uint32_t sum);
uint32_t divide_in_place(uint32_t rounds, uint32_t divisor, uint32_t sum);

static uint32_t seen, ticks;
static uint64_t tick_at;

static int on_trap(struct hal_frame *frame)
{
	uint32_t cause = csr_read(mcause);
	if (cause == (0x80000000u | IRQ_TIMER)) {
		ticks++;
		tick_at += PERIOD;
		hal_timer_at(tick_at);
		return 0;
	}
	if (cause != BREAKPOINT)
		return -1;
	seen = app_hash(seen, *(const volatile uint16_t *)(uintptr_t)frame->pc);
	seen = divide_unsigned(20, 10, seen);
	seen = divide_in_place(20, 10, seen);
	frame->pc += 4;
	return 0;
}

static uint32_t all(uint32_t rounds, uint32_t divisor, uint32_t sum)
{
	sum = divide_unsigned(rounds, divisor, sum);
	__asm__ volatile(".option push\n.option norvc\nebreak\n.option pop");
	sum = divide_signed(rounds, divisor, sum);
	return divide_in_place(rounds, divisor, sum);
}

/* One division in `part` is by `rarely`, all others by `mostly`, and never the same number of them in a row. */
static void in_runs(const char *name, uint32_t rounds, uint32_t part, uint32_t rarely, uint32_t mostly)
{
	uint64_t from = hal_cycles();
	uint32_t sum = 0;
	for (uint32_t i = 0; i < rounds; i++)
		sum = divide_unsigned(20 + i % 7, i % part == 0 ? rarely : mostly, sum);
	print_state(name, sum);
	hal_print(name);
	hal_print(": cycles ");
	hal_print_decimal((uint32_t)(hal_cycles() - from));
	hal_print("\n");
}

int app_main(int input)
{
	if (input == APP_REF) {
		in_runs("runs", 12000, 3, 7, 10);
		in_runs("changed", 48000, 4, 10, 13);
		return 0;
	}
	static const uint32_t others[] = {0, 1, 7, 10, 100, 1000, 0xA000, 0x80000000u, 0xFFFFFFFFu, 10};
	int (*before)(struct hal_frame *) = hal_trap_hook;
	uint32_t sum = (uint32_t)input;
	hal_trap_hook = on_trap;
	seen = APP_HASH_START;
	for (uint32_t i = 0; i < 60; i++)
		sum = all(400, 10, sum);
	print_state("ten", sum);
	print_state("seen", seen);
	for (uint32_t i = 0; i < sizeof others / sizeof *others; i++) {
		for (uint32_t n = 0; n < 6; n++)
			sum = all(300, others[i], sum);
		print_state("other", sum);
	}
	tick_at = hal_time() + PERIOD;
	hal_timer_at(tick_at);
	csr_set(mie, 1u << IRQ_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	for (uint32_t i = 0; i < 40; i++)
		sum = all(400, 10, sum);
	csr_clear(mie, 1u << IRQ_TIMER);
	hal_timer_at(UINT64_MAX);
	hal_trap_hook = before;
	print_state("ticking", sum);
	print_state("seen", seen);
	print_state("ticks", ticks > 10);
	return 0;
}
