/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Start-up, the default trap vectors, and the general trap entry. */
#include "sw/hal/area.h"

	.section .boot, "ax"
	.globl _start
	.type _start, @function
_start:
	.option push
	.option norelax
	la gp, __global_pointer$
	la sp, __stack          /* ld relaxes it to gp and then finds it out of reach if the RAM is a few KiB */
	.option pop
	la tp, __tls_base
	la t0, hal_area
	csrw mscratch, t0
	la t0, hal_vectors + 1
	csrw mtvec, t0
	csrw mie, zero
	la t0, __bss_start
	la t1, __bss_end
	j 2f
1:	sw zero, 0(t0)
	addi t0, t0, 4
2:	bltu t0, t1, 1b
	call hal_init
	call main
	call hal_exit
	.size _start, . - _start

/* Where a program stays that has nowhere to exit to. It is a trap vector too: see hal_exit(). */
	.balign 4
	.globl hal_halt
	.type hal_halt, @function
hal_halt:
	csrw mie, zero
1:	wfi
	j 1b
	.size hal_halt, . - hal_halt

/* Vectored traps: entry i is taken by interrupt i, entry 0 by exceptions too. */
	.balign 128
	.globl hal_vectors
hal_vectors:
	.option push
	.option norvc
	.rept 17
	j hal_trap_entry
	.endr
	.option pop

/*
 * mscratch holds the address of hal_area while the program runs. The registers are saved there and the C handler's stack lies
 * below it, so the program's stack is not touched. A trap inside a handler (a fault of this firmware) swaps the program's sp back
 * in; its frame then overwrites program memory, which is lost anyway: hal_trap() reports and ends the run.
 */
	.balign 4
	.globl hal_trap_entry
	.type hal_trap_entry, @function
hal_trap_entry:
	csrrw sp, mscratch, sp
	.irp n, 1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	sw x\n, AREA_REG(\n)(sp)
	.endr
	csrr t0, mscratch
	sw t0, AREA_REG(2)(sp)
	csrr t0, mepc
	sw t0, AREA_PC(sp)
	csrw mscratch, sp
	.option push
	.option norelax
	la gp, __global_pointer$
	.option pop
	la tp, __tls_base
	mv a0, sp
	call hal_trap
	lw t0, AREA_PC(sp)
	csrw mepc, t0
	.irp n, 1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	lw x\n, AREA_REG(\n)(sp)
	.endr
	lw sp, AREA_REG(2)(sp)
	mret
	.size hal_trap_entry, . - hal_trap_entry

	.bss
	.balign 16
	.space AREA_STACK
	.globl hal_area
hal_area:
	.space AREA_SIZE
