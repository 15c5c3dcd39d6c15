/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Both harts begin here: each has its stack; hart 1 has a handler for its timer, and waits in the end. */
	.section .start, "ax"
	.globl _start
_start:
	.option push
	.option norelax
	la gp, __global_pointer$
	.option pop
	csrr a0, mhartid
	la sp, stacks + 4096
	beqz a0, 1f
	la sp, stacks + 8192
	la t0, on_timer
	csrw mtvec, t0
1:	call main
	csrr t0, mhartid
	bnez t0, 2f
	li t0, 0x10010004               /* the exit device */
	sw a0, 0(t0)
2:	wfi
	j 2b

	.balign 4
	.globl on_timer
on_timer:                               /* mtimecmp += 3001 */
	addi sp, sp, -16
	sw t0, 0(sp)
	sw t1, 4(sp)
	sw t2, 8(sp)
	li t0, 0x02004000
	lw t1, 0(t0)
	li t2, 3001
	add t1, t1, t2
	sw t1, 0(t0)
	la t0, ticks
	lw t1, 0(t0)
	addi t1, t1, 1
	sw t1, 0(t0)
	lw t2, 8(sp)
	lw t1, 4(sp)
	lw t0, 0(sp)
	addi sp, sp, 16
	mret

	.bss
	.balign 16
stacks:	.space 8192
