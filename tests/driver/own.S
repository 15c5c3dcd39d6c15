/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Vectors and handler of a program that knows nothing of the trace driver (own.c). mscratch holds own_area while the program runs, as
 * any program may use it: the handler swaps it with t0. */
	.section .text.own, "ax"
	.balign 128
	.globl own_vectors
own_vectors:
	.option push
	.option norvc
	.rept 17
	j own_entry
	.endr
	.option pop

	.balign 4
	.globl own_entry
own_entry:
	csrrw t0, mscratch, t0
	.irp n, 1,2,3,4,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	sw x\n, (4 * \n)(t0)
	.endr
	csrr a0, mscratch
	sw a0, (4 * 5)(t0)
	csrw mscratch, t0
	mv a0, t0
	.option push
	.option norelax
	la gp, __global_pointer$
	.option pop
	la tp, __tls_base
	la sp, own_stack_end
	call own_handler
	csrr t0, mscratch
	lw a0, (4 * 5)(t0)
	csrw mscratch, a0
	.irp n, 1,2,3,4,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	lw x\n, (4 * \n)(t0)
	.endr
	csrrw t0, mscratch, t0
	mret

/* uint32_t own_work(uint32_t rounds): every register but sp holds something that is looked at behind each round of branches. */
	.globl own_work
own_work:
	addi sp, sp, -128
	.irp n, 1,3,4,8,9,18,19,20,21,22,23,24,25,26,27
	sw x\n, (4 * \n)(sp)
	.endr
	.irp n, 1,3,4,5,6,7,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29
	li x\n, 0x1000001 * \n
	.endr
	li t5, 0
1:	andi t6, a0, 3
	beqz t6, 2f
	addi t5, t5, 1
2:	andi t6, a0, 4
	beqz t6, 3f
	addi t5, t5, 1
3:	.irp n, 1,3,4,5,6,7,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29
	li t6, 0x1000001 * \n
	bne t6, x\n, 9f
	.endr
	addi a0, a0, -1
	bnez a0, 1b
	mv a0, t5
8:	.irp n, 1,3,4,8,9,18,19,20,21,22,23,24,25,26,27
	lw x\n, (4 * \n)(sp)
	.endr
	addi sp, sp, 128
	ret
9:	li a0, 0
	j 8b

	.bss
	.balign 16
	.space 1024
own_stack_end:
	.globl own_area
own_area:
	.space 128
