/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Loops that become hot, with 32-bit instructions where a patch can be. */
	.text
	.option push
	.option norvc
	/* a0: words > 0, a1: where, a2: sum. Returns the sum. */
	.macro sum_words
1:	lw t0, 0(a1)
	addi a1, a1, 4
	andi t1, t0, 1
	beqz t1, 2f
	add a2, a2, t0
	j 3f
2:	sub a2, a2, t0
3:	addi a0, a0, -1
	bgtz a0, 1b
	mv a0, a2
	ret
	.endm
	.globl hot_sum
	.type hot_sum, @function
	.balign 4
hot_sum:
	sum_words
	.globl hot_sum_end
hot_sum_end:

	/* The same again and again, each 11 instructions behind the one before: hot places that no build has considered. */
	.globl hot_sums
	.type hot_sums, @function
hot_sums:
	.rept 8
	sum_words
	.endr

	/* a0: rounds, a1: 0 or 2. The LUI's upper half is C.NOP: a jump of a1 bytes behind its beginning runs that. Returns t0. */
	.globl hot_overlap
	.type hot_overlap, @function
	.balign 4
hot_overlap:
	li t0, 5
	la t2, 2f
	add t2, t2, a1
1:	jr t2
2:	.word 0x000102B7	/* lui t0, 0x10 */
	addi t0, t0, 1
	addi a0, a0, -1
	bgtz a0, 1b
	mv a0, t0
	ret
	.option pop

	/* Jumps to a0 with registers in which every loop above ends soon; returns if the code there returns. */
	.globl hot_jump
	.type hot_jump, @function
	.balign 4
hot_jump:
	addi sp, sp, -16
	sw ra, 0(sp)
	mv t3, a0
	li a0, 1
	la a1, hot_words
	li a2, 0
	li t0, 0
	li t1, 0
	jalr t3
	lw ra, 0(sp)
	addi sp, sp, 16
	ret

	.bss
	.balign 4
	.globl hot_words
hot_words:
	.space 256
