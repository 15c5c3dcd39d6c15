/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The same work without and with timer interrupts. Prints what came of it. */
#include <stdint.h>
#include "sw/hal/hal.h"
#include "sw/run/app.h"

extern uint32_t ticks, seen;
uint32_t work(uint32_t rounds);
void on_timer(void);

int app_main(int input)
{
	uint32_t rounds = 1500;
	if (input == APP_TRAIN) {
		csr_write(mtvec, (uint32_t)(uintptr_t)on_timer);
		hal_timer_at(hal_time() + 20);
		csr_set(mie, 1u << IRQ_TIMER);
		csr_set(mstatus, MSTATUS_MIE);
	}
	uint32_t sum = work(rounds);
	csr_clear(mstatus, MSTATUS_MIE);
	csr_clear(mie, 1u << IRQ_TIMER);
	hal_print("work ");
	hal_print_decimal(sum);
	hal_print(" ticks ");
	hal_print_decimal(ticks);
	hal_print("\n");
	return 0;
}
