/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Frames over the SoC's UART, when a program ends. Link with -Wl,--wrap=hal_exit. */
#include <stdbool.h>
#include "sw/hal/hal.h"
#ifndef RIVULET_PROBE_CLOCK
#define RIVULET_PROBE_CLOCK 0xB00 /* its start-up code and hal_exit() are in machine mode */
#endif
#include "sw/probe/cycle.h"
#include "sw/probe/cycles.h"
#include "sw/probe/probe.h"

void rivulet_probe_put(const void *bytes, size_t size)
{
	hal_uart_write(bytes, size);
}

uint64_t rivulet_probe_cycles(void)
{
	return rivulet_probe_clock();
}

void rivulet_probe_begin(struct rivulet_probe_node *node)
{
	rivulet_probe_clear(node);
}

extern char __stack_end[] __attribute__((weak)), __stack[] __attribute__((weak)); /* link.ld */
enum rivulet_cycles_strange rivulet_cycles_strange(uintptr_t sp)
{
	bool known =
	    __stack == NULL || __stack_end == NULL || (sp >= (uintptr_t)__stack_end && sp <= (uintptr_t)__stack);
	return known ? RIVULET_CYCLES_KNOWN : RIVULET_CYCLES_STACK;
}

_Noreturn void __real_hal_exit(int code);
_Noreturn void __wrap_hal_exit(int code);
_Noreturn void __wrap_hal_exit(int code)
{
	rivulet_probe_write();
	__real_hal_exit(code);
}
