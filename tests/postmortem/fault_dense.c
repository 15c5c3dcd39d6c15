/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* As fault.c, with the ring of the dense coder: its bytes as lines of hexadecimal digits. */
#include "sw/trace/dense.h"
#include "tests/postmortem/fault.h"

static uint8_t ring[TRACE_DENSE_BYTES];
uint8_t fault_stack[2048] __attribute__((aligned(16)));

void on_fault(void)
{
	static const char digits[] = "0123456789abcdef";
	const size_t count = trace_dense_save(ring);
	char text[3] = {0};
	for (size_t i = 0; i < count; i++) {
		if (i % 32 == 0)
			hal_print("\ndense ");
		text[0] = digits[ring[i] >> 4];
		text[1] = digits[ring[i] & 15];
		hal_print(text);
	}
	hal_print("\n");
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
	trace_dense_clear();
	return trace_recorder_arm(&(struct trace_recorder){.traps = traps}) != TRACE_OK;
}
