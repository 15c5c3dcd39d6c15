/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
	.text
	.option push
	.option norvc
	/* a0: rounds, a1: sum. The addition to a1 is what changes.c changes, as a word and as its upper half. */
	.globl changing, changing_step
	.balign 4
changing:
1:	andi t0, a0, 3
	beqz t0, 2f
changing_step:
	addi a1, a1, 1
	j 3f
2:	slli t1, a1, 1
	xor a1, a1, t1
3:	addi a0, a0, -1
	bnez a0, 1b
	mv a0, a1
	ret

	/* a0: pointers, a1: how many. The sum of what they point to; a load from nowhere adds 0. */
	.globl faulting
	.balign 4
faulting:
	li a2, 0
	li a3, 7
1:	addi a0, a0, 4
	addi a1, a1, -1
	mv a4, a3
	lw t0, -4(a0)
	li t1, 0
	lw t1, 0(t0)
	add a2, a2, t1
	xor a3, a4, a2
	bnez a1, 1b
	add a0, a2, a3
	ret

	/* The same; what faults is the loop's first instruction, where a patch is. */
	.globl head_faulting
	.balign 4
head_faulting:
	lw t1, 0(a0)
	li a2, 0
	li a3, 7
	li a4, 0
	li t0, 0
1:	lw t0, 0(t1)
	addi a0, a0, 4
	addi a1, a1, -1
	beqz a1, 2f
	lw t1, 0(a0)
	add a2, a2, t0
	xor a3, a3, a2
	j 1b
2:	add a0, a2, a3
	ret

	/* a0: rounds. A breakpoint in each eighth. */
	.globl stopping
	.balign 4
stopping:
	li a1, 0
1:	andi t0, a0, 7
	addi a1, a1, 3
	bnez t0, 2f
	ebreak
2:	addi a0, a0, -1
	bnez a0, 1b
	mv a0, a1
	ret
	.option pop
