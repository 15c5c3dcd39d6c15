/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A program that changes its own hot code, and whose handler looks at pc and registers of faults in hot loops. What it
 * prints is the same with the optimiser on the core as without. */
#include "sw/hal/hal.h"
#include "sw/run/app.h"
#include "tests/optimise/state.h"

#define COUNT 64
#define LOAD_ACCESS 5u
#define BREAKPOINT 3u

extern uint32_t changing_step[];
uint32_t changing(uint32_t rounds, uint32_t sum);
uint32_t faulting(const uint32_t *const *pointers, uint32_t count);
uint32_t stopping(uint32_t rounds);
uint32_t head_faulting(const uint32_t *const *pointers, uint32_t count);

static uint32_t seen, traps;

static int on_trap(struct hal_frame *frame)
{
	uint32_t cause = csr_read(mcause);
	if (cause != LOAD_ACCESS && cause != BREAKPOINT)
		return -1;
	traps++;
	seen = app_hash(seen, cause);
	seen = app_hash(seen, frame->pc);
	/* the instruction, as one that emulates it reads it */
	seen = app_hash(seen, *(const volatile uint32_t *)(uintptr_t)frame->pc);
	if (cause == LOAD_ACCESS)
		seen = app_hash(seen, csr_read(mtval));
	/* what the loops use; others hold what came before */
	int last = cause == LOAD_ACCESS ? 14 : 11;
	seen = app_hash(seen, frame->x[5]);
	for (int i = 10; i <= last; i++)
		seen = app_hash(seen, frame->x[i]);
	frame->pc += 4;
	return 0;
}

#define PERIOD 10000u
static uint64_t tick_at;
static uint32_t ticks;

static int on_tick(struct hal_frame *frame)
{
	(void)frame;
	if (csr_read(mcause) != (0x80000000u | IRQ_TIMER))
		return -1;
	ticks++;
	tick_at += PERIOD;
	hal_timer_at(tick_at);
	return 0;
}

/* A program with a timer of its own, that sees each of its ticks. */
static uint32_t ticking(uint32_t sum)
{
	int (*before)(struct hal_frame *) = hal_trap_hook;
	uint64_t from = hal_time();
	hal_trap_hook = on_tick;
	tick_at = from + PERIOD;
	hal_timer_at(tick_at);
	csr_set(mie, 1u << IRQ_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	for (uint32_t i = 0; i < 40; i++)
		sum = changing(4000, sum);
	/* those that came late, one after the other */
	for (uint32_t i = 0; i < 1000 && tick_at <= hal_time(); i++)
		;
	hal_timer_at(UINT64_MAX);
	hal_trap_hook = before;
	print_state(
	    "ticks", ticks > 50 && tick_at == from + (uint64_t)(ticks + 1) * PERIOD && tick_at + PERIOD > hal_time());
	return sum;
}

int app_main(int input)
{
	static const uint32_t words[4] = {1, 20, 300, 4000};
	static const uint32_t *pointers[COUNT];
	uint32_t sum = (uint32_t)input;
	for (uint32_t i = 0; i < 12; i++) {
		sum = changing(4000, sum);
		print_state("changing", sum);
		uint32_t imm = i * 7 + 2;
		/* the whole word, and the next time its upper half alone */
		if (i % 2 == 0) {
			*(volatile uint32_t *)changing_step = imm << 20 | 11u << 15 | 11u << 7 | 0x13;
		} else {
			volatile uint16_t *half = (volatile uint16_t *)changing_step;
			half[1] = (uint16_t)(imm << 4 | 11u >> 1);
		}
		__asm__ volatile("fence.i" : : : "memory");
	}
	/* on every trace a profile is made of, an app's own hook comes after the optimiser's */
	int (*before)(struct hal_frame *) = hal_trap_hook;
	hal_trap_hook = on_trap;
	seen = APP_HASH_START;
	for (int i = 0; i < COUNT; i++)
		pointers[i] = &words[i % 4];
	for (uint32_t i = 0; i < 200; i++) {
		pointers[i % COUNT] = i % 10 == 9 ? (const uint32_t *)0x40000000 : &words[i % 4];
		sum += faulting(pointers, COUNT);
		pointers[i % COUNT] = &words[i % 4];
	}
	print_state("faulting", sum);
	print_state("traps", traps);
	print_state("seen", seen);
	for (uint32_t i = 0; i < 12; i++)
		sum += stopping(800);
	print_state("stopping", sum);
	print_state("traps", traps);
	print_state("seen", seen);
	for (uint32_t i = 0; i < 200; i++) {
		pointers[i % COUNT] = i % 10 == 9 ? (const uint32_t *)0x40000000 : &words[i % 4];
		sum += head_faulting(pointers, COUNT);
		pointers[i % COUNT] = &words[i % 4];
	}
	print_state("head", sum);
	print_state("traps", traps);
	print_state("seen", seen);
	hal_trap_hook = before;
	print_state("ticking", ticking(sum));
	return 0;
}
