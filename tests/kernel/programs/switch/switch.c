/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Gives the core away again and again: two of these measure what a switch costs. It also looks whether time and sleep
 * do what they say. */
#include "sw/run/app.h"
#include "sw/kernel/user/sys.h"

#define SWITCHES 2000

int app_main(int input)
{
	(void)input;
	sys_yield();
	uint64_t from = sys_time();
	for (unsigned i = 0; i < SWITCHES; i++)
		sys_yield();
	uint32_t cycles = (uint32_t)(sys_time() - from);
	user_print("switch: cycles ");
	user_print_hex(cycles / SWITCHES);
	user_print(" for two switches\n");

	from = sys_time();
	sys_sleep(50000);
	uint32_t slept = (uint32_t)(sys_time() - from);
	return app_check("slept at least", slept >= 50000, 1) + app_check("slept at most", slept < 120000, 1);
}
