/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Lets the timer interrupt end a time slice at each cycle of a loop in turn (loop.S). Giving the core away begins a new
 * slice, so the interrupt comes a fixed number of cycles behind it.
 */
#include "sw/run/app.h"
#include "sw/kernel/user/sys.h"

#define DELAYS 350

uint32_t sweep_round(uint32_t delay, uint32_t value);

int app_main(int input)
{
	uint32_t value = 1;
	(void)input;
	for (uint32_t delay = 0; delay < DELAYS; delay++) {
		sys_yield();
		value = sweep_round(delay, value);
	}
	char line[] = "sweep: value 0x00000000\n";
	for (unsigned i = 0; i < 8; i++)
		line[15 + i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
	user_print(line);
	return 0;
}
