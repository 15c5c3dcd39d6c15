/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Handlers of the SoC's start-up code have contexts of their own. Link with -Wl,--wrap=hal_trap. */
#include "sw/hal/hal.h"
#include "sw/probe/cycles.h"

void __real_hal_trap(struct hal_frame *frame);
void __wrap_hal_trap(struct hal_frame *frame);
void __wrap_hal_trap(struct hal_frame *frame)
{
	uintptr_t interrupted = rivulet_cycles_handler();
	__real_hal_trap(frame);
	rivulet_cycles_switch(interrupted);
}
