/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The stack of what a fatal trap of the SoC interrupted (stack.c). Link with -Wl,--wrap=hal_trap. */
#include "sw/hal/hal.h"
#include "sw/probe/probe.h"

/* A trap that ends the program does so from within: what it interrupted is what had not ended. */
void __real_hal_trap(struct hal_frame *frame);
void __wrap_hal_trap(struct hal_frame *frame);
void __wrap_hal_trap(struct hal_frame *frame)
{
	rivulet_probe_trap((const uintptr_t *)frame->x, frame->pc);
	__real_hal_trap(frame);
	rivulet_probe_trap(NULL, 0);
}
