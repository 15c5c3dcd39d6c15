/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Work that the kernel does for a process and whose length the process has in its hands: its profile sorted and sent,
 * long texts, the optimiser. In a trap it would stop all others for as long. So it is a second thread of the process:
 * in M mode, but with the timer's interrupt on, on a stack of its own, in the process's time slices and on its account.
 *
 *	process	  ──ecall──►			 ◄─────────────── mret
 *	kernel		   work_begin ─┐   timer ─► next() ─┐	 ▲
 *	work			       └─►.... ▲	    └─► .... ecall: done
 *
 * In between the trace unit is off for the process. Work begins and ends in a trap, as a process does, so the unit's
 * DEPTH is right in the kernel (collect.c). Interrupts are off only where others could see something half done
 * (work_quiet()).
 */
#include "sw/kernel/kernel.h"

extern uint8_t __work_start[], __work_end[];

static uint32_t call(uint32_t number)
{
	register uint32_t a7 __asm__("a7") = number;
	__asm__ volatile("ecall" : : "r"(a7) : "memory");
	return number;
}

static void run(struct process *process)
{
	process->working(process);
	for (;;)
		call(WORK_DONE);
}

void work_begin(struct process *process, void (*work)(struct process *process))
{
	uint32_t size = (uint32_t)(__work_end - __work_start) / kernel_slot_count & ~15u;
	uint32_t slot = (uint32_t)(process->slot - kernel_slots);
	process->working = work;
	process->work.x[2] = (uint32_t)__work_start + (slot + 1) * size;
	process->work.x[10] = (uint32_t)process;
	process->work.pc = (uint32_t)(uintptr_t)run;
}

void work_yield(void)
{
	call(WORK_YIELD);
}

void work_cut(void)
{
	call(WORK_CUT);
}

uint32_t work_quiet(void)
{
	uint32_t before;
	__asm__ volatile("csrrci %0, mstatus, %1" : "=r"(before) : "i"(MSTATUS_MIE) : "memory");
	return before & MSTATUS_MIE;
}

void work_loud(uint32_t before)
{
	__asm__ volatile("csrs mstatus, %0" : : "r"(before) : "memory");
}
