/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tests/postmortem/fault.h"

uint32_t rivulet_ring[TRACE_RING_WORDS(64)];
uint8_t fault_stack[2048] __attribute__((aligned(16)));

static void put_char(char c)
{
	const char text[] = {c, 0};
	hal_print(text);
}

void on_fault(void)
{
	hal_print("fault; what ran last:\n");
	trace_recorder_print(
	    rivulet_ring, trace_recorder_save(rivulet_ring, sizeof rivulet_ring / sizeof *rivulet_ring), put_char);
	hal_exit(1);
}

/* The stack may be what is broken: the handler has one of its own. */
__attribute__((naked, aligned(4))) static void fault_entry(void)
{
	__asm__ volatile("la sp, fault_stack + 2048\n\tj on_fault");
}

int fault_arm(uint32_t traps)
{
	csr_write(mtvec, (uintptr_t)fault_entry);
	return trace_recorder_arm(&(struct trace_recorder){.traps = traps}) != TRACE_OK;
}
