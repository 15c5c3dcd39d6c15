# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# What code of `rivulet insert --trace` calls (host/insert/inserter.h, INSERTER_HOOK): return address in t0, the event in
# t1. It goes into the buffer; the rest is in trace.c.
#ifdef __riscv_32e
#error RV32E has too few registers for --trace
#endif
#include "sw/probe/hooks.S"
#include "sw/probe/trace_buffer.h"

# struct rivulet_trace_buffer (trace_buffer.h)
#define USED 0 * W
#define OWNER 1 * W
#define OTHERS 2 * W
#define EVENTS 4 * W
	.text
	.globl rivulet_trace_event
	.type rivulet_trace_event, @function
rivulet_trace_event:
	la t2, rivulet_trace_buffer
	L t3, USED(t2)
#ifdef __linux__
	L t4, OWNER(t2)
	bne t4, tp, 2f
#endif
	srli t4, t3, RIVULET_TRACE_BITS + 2
	bnez t4, 1f
	add t4, t2, t3
	addi t3, t3, 4
	sw t1, EVENTS(t4)
	S t3, USED(t2)
	jr t0
1:	slow rivulet_trace_full
#ifdef __linux__
2:	L t4, OTHERS(t2) # of another thread: counted alone
	addi t4, t4, 1
	S t4, OTHERS(t2)
	jr t0
#endif
