/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
	.text
	.option push
	.option norvc
	/* a0: rounds, a1: words, 64 of them, a2: sum. A word of 0 goes one way, any other the other. */
	.globl two_ways
	.balign 4
two_ways:
	mv t3, a1
1:	addi a2, a2, 5
	lw t0, 0(a1)
	xori t1, a0, 63
	beqz t0, 2f
	slli t2, a2, 1
	xor a2, a2, t2
	srli t2, a2, 3
	j 3f
2:	fence			/* nothing for a trace */
	addi a2, a2, 7
	addi a1, t3, 0
	j 4f
3:	add a2, a2, t2
	addi a1, t3, 4
4:	addi a0, a0, -1
	bnez a0, 1b
	mv a0, a2
	ret
	.option pop
