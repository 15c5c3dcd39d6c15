/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* random_run(): loads the registers from random_state, calls random_code, stores them there again. Of the random code are
 * x5 to x7 and x10 to x31, but x18 to x21, which count its loops; x8 points into random_memory, x9 to random_state. */
	.section .text.random, "ax"
	.globl random_run
random_run:
	addi sp, sp, -96
	sw ra, 0(sp)
	.irp n, 8,9,18,19,20,21,22,23,24,25,26,27
	sw x\n, (4 * \n - 28)(sp)
	.endr
	la x9, random_state
	la x8, random_memory
	.irp n, 5,6,7,10,11,12,13,14,15,16,17,22,23,24,25,26,27,28,29,30,31
	lw x\n, (4 * \n)(x9)
	.endr
	call random_code
	la x9, random_state
	.irp n, 5,6,7,10,11,12,13,14,15,16,17,22,23,24,25,26,27,28,29,30,31
	sw x\n, (4 * \n)(x9)
	.endr
	.irp n, 8,9,18,19,20,21,22,23,24,25,26,27
	lw x\n, (4 * \n - 28)(sp)
	.endr
	lw ra, 0(sp)
	addi sp, sp, 96
	ret

	/* the generator fills this */
	.balign 16
	.globl random_code
random_code:
	.rept 2048
	c.nop
	.endr
