/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Parts: calls
 * Parts: view
 * Parts: cycles
 *
 * Handlers: a timer that comes once in each round of work, at another place each time, so that it falls on every kind
 * of inserted code; what it calls is called by the program as well.
 */
#include "sw/hal/hal.h"
#include "sw/run/app.h"

#define AWAY __attribute__((noinline, noclone))
#define ROUNDS 700u

static volatile uint32_t ticks, sink;

AWAY uint32_t shared(uint32_t rounds)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < rounds; i++)
		sum += sink + i;
	return sum;
}

AWAY uint32_t small(uint32_t x)
{
	return x * 2 + 1;
}

AWAY void tick(uint32_t number)
{
	sink += shared(number % 5);
	sink += small(number);
}

static int on_trap(struct hal_frame *frame)
{
	(void)frame;
	hal_timer_at(UINT64_MAX);
	tick(ticks++);
	return 0;
}

AWAY uint32_t nested(uint32_t depth)
{
	return depth == 0 ? shared(3) : nested(depth - 1) + small(depth);
}

AWAY void work(uint32_t round)
{
	for (uint32_t i = 0; i < 12; i++) {
		sink += nested(i % 4);
		sink += small(round) / (1 + i % 3);
	}
}

int app_main(int input)
{
	uint32_t rounds = input == APP_TRAIN ? ROUNDS : 10 * ROUNDS;
	int failed;
	hal_trap_hook = on_trap;
	csr_set(mie, 1u << IRQ_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	for (uint32_t i = 0; i < rounds; i++) {
		hal_timer_at(hal_time() + 20 + i);
		work(i);
	}
	csr_clear(mie, 1u << IRQ_TIMER);
	csr_clear(mstatus, MSTATUS_MIE);
	failed = app_check("ticks", ticks, rounds);
	sink = 0; /* no jump to what has no counters: what is called after it could not be told from what it calls */
	return failed;
}
