/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Breakpoints of the program's own in the place of a division, where the optimiser on the core asks for divisors by
 * breakpoints: each of the program's goes to the program's handler. What it prints is the same with the optimiser as
 * without. */
#include "sw/hal/hal.h"
#include "sw/run/app.h"
#include "tests/optimise/state.h"

#define BREAKPOINT 3u
#define EBREAK 0x00100073u

uint32_t divide_replaced(uint32_t rounds, uint32_t divisor, uint32_t sum);
uint32_t divide_always(uint32_t rounds, uint32_t divisor, uint32_t sum);
extern uint16_t replaced_division[];

static uint32_t breaks;

static int on_trap(struct hal_frame *frame)
{
	if (csr_read(mcause) != BREAKPOINT || frame->pc != (uint32_t)(uintptr_t)replaced_division)
		return -1;
	breaks++;
	frame->x[5] = frame->x[7] / frame->x[11]; /* divu t0, t2, a1 */
	frame->pc += 4;
	return 0;
}

static void write_code(volatile uint16_t *code, uint32_t word)
{
	code[0] = (uint16_t)word;
	code[1] = (uint16_t)(word >> 16);
	__asm__ volatile("fence.i" : : : "memory");
}

int app_main(int input)
{
	int (*before)(struct hal_frame *) = hal_trap_hook;
	uint32_t division = replaced_division[0] | (uint32_t)replaced_division[1] << 16, sum = (uint32_t)input;
	hal_trap_hook = on_trap;
	for (uint32_t i = 0; i < 200; i++) {
		sum = divide_always(300, 10 + i, sum);
		sum = divide_replaced(200 + i % 7 * 30, 10, sum);
		write_code(replaced_division, EBREAK);
		sum = divide_replaced(8, 10, sum);
		write_code(replaced_division, division);
	}
	hal_trap_hook = before;
	print_state("sum", sum);
	print_state("breaks", breaks);
	return 0;
}
