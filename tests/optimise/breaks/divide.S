/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Loops that divide: a0: rounds > 0, a1: divisor, a2: sum; they return the sum. The division of the first becomes an
 * EBREAK of the program's now and then. */
	.text
	.macro dividing name, division
	.globl \name, \division
	.type \name, @function
	.balign 4
\name:
	li t5, 0x9E3779B1
1:	mul t2, a0, t5
	xor t2, t2, a2
\division:
	divu t0, t2, a1
	add a2, a2, t0
	addi a0, a0, -1
	bnez a0, 1b
	mv a0, a2
	ret
	.endm

	dividing divide_replaced, replaced_division
	dividing divide_always, lasting_division
