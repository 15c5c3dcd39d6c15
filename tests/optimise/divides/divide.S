/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Loops that divide: a0: rounds > 0, a1: divisor, a2: sum; they return the sum. */
	.text
	.macro begin name
	.globl \name
	.type \name, @function
	.balign 4
\name:
	li t5, 0x9E3779B1
	.endm

	/* the result's register is free to work in */
	begin divide_unsigned
1:	mul t2, a0, t5
	xor t2, t2, a2
	divu t0, t2, a1
	remu t1, t2, a1
	add a2, a2, t0
	xor a2, a2, t1
	addi a0, a0, -1
	bnez a0, 1b
	mv a0, a2
	ret

	begin divide_signed
1:	mul t2, a0, t5
	xor t2, t2, a2
	div t0, t2, a1
	rem t1, t2, a1
	sub a2, a2, t0
	xor a2, a2, t1
	addi a0, a0, -1
	bnez a0, 1b
	mv a0, a2
	ret

	/* the result lies where the dividend was, or the divisor, as in libgcc */
	begin divide_in_place
1:	mul t2, a0, t5
	xor t2, t2, a2
	mv t3, t2
	mv t4, a1
	divu t0, t2, a1
	remu t2, t2, a1
	add a2, a2, t0
	xor a2, a2, t2
	remu t3, t3, a1
	add a2, a2, t3
	divu t4, a2, t4
	xor a2, a2, t4
	addi a0, a0, -1
	bnez a0, 1b
	mv a0, a2
	ret
