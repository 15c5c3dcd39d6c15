/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Boot, trap entry and return. The trace interrupt does not come here: sw/trace/handler.S has its own entry, and the other causes of its
 * vector tables lead to hal_trap_entry. mscratch holds the area (sw/hal/area.h) of the process that runs: registers are saved there, and
 * the trace handler finds that process's table there. The kernel itself uses neither gp nor tp.
 */
#include "sw/hal/area.h"

	.section .boot, "ax"
	.globl _start
	.type _start, @function
_start:
	la sp, kernel_stack_top
	la t0, kernel_panic
	csrw mtvec, t0
	csrw mie, zero
	la t0, __bss_start
	la t1, __bss_end
	j 2f
1:	sw zero, 0(t0)
	addi t0, t0, 4
2:	bltu t0, t1, 1b
	call kernel_boot
	j kernel_resume
	.size _start, . - _start

/* See hal_exit(). */
	.balign 4
	.globl hal_halt
	.type hal_halt, @function
hal_halt:
	csrw mie, zero
1:	wfi
	j 1b
	.size hal_halt, . - hal_halt

/* A trap of the kernel's own. */
	.balign 4
	.globl kernel_panic
	.type kernel_panic, @function
kernel_panic:
	la sp, kernel_stack_top
	csrr a0, mcause
	csrr a1, mepc
	csrr a2, mtval
	call kernel_report_panic
	.size kernel_panic, . - kernel_panic

	.balign 4
	.globl hal_trap_entry
	.type hal_trap_entry, @function
hal_trap_entry:
	csrrw sp, mscratch, sp
	.irp n, 1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	sw x\n, AREA_REG(\n)(sp)
	.endr
	csrr t0, mscratch
	csrr t1, mstatus
	sw t0, AREA_REG(2)(sp)
	csrr t0, mepc
	srli t1, t1, 12			/* MPP: M has it set */
	andi t1, t1, 1
	sw t0, AREA_PC(sp)
	bnez t1, 2f
1:	mv a0, sp
	la sp, kernel_stack_top
	call kernel_trap
	.size hal_trap_entry, . - hal_trap_entry

/* a0: area of the process that goes on */
	.type kernel_resume, @function
kernel_resume:
	lw t0, AREA_PC(a0)
	csrw mscratch, a0
	mv sp, a0
	csrw mepc, t0
	.irp n, 1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	lw x\n, AREA_REG(\n)(sp)
	.endr
	lw sp, AREA_REG(2)(sp)
	mret
2:	csrr t0, mcause			/* of M mode: the timer, or the ECALL of the kernel's work (work.c) */
	li t1, 0x80000007
	beq t0, t1, 1b
	li t1, 11
	beq t0, t1, 1b
	j kernel_panic
	.size kernel_resume, . - kernel_resume

	.section .bss.kernel_stack, "aw", @nobits
	.balign 16
	.space 3072
kernel_stack_top:
