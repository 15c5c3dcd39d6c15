/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* uint32_t each(uint32_t (*const *list)(uint32_t), uint32_t count, uint32_t x): x through all functions of a list, called
 * from one place. Not edited, as a library may be. */
	.text
	.globl each
	.type each, @function
each:
	addi sp, sp, -16
	sw ra, 12(sp)
	sw s0, 8(sp)
	sw s1, 4(sp)
	mv s0, a0
	slli s1, a1, 2
	add s1, s1, a0
	mv a0, a2
1:	beq s0, s1, 2f
	lw t1, 0(s0)
	addi s0, s0, 4
	jalr t1
	j 1b
2:	lw ra, 12(sp)
	lw s0, 8(sp)
	lw s1, 4(sp)
	addi sp, sp, 16
	ret
	.size each, . - each

/* uint32_t shift(uint32_t x), a leaf; uint32_t around(uint32_t x), which calls back, by way of another place. What jumps there
 * has come back when it is called from the same place again. */
	.globl shift
	.type shift, @function
shift:
	andi t0, a0, 3
	beqz t0, 1f
	slli a0, a0, 1
1:	ret
	.size shift, . - shift

	.globl around
	.type around, @function
around:
	j 2f
1:	addi sp, sp, -16
	sw ra, 12(sp)
	call called_back
	lw ra, 12(sp)
	addi sp, sp, 16
	j shift
2:	addi a0, a0, 1
	j 1b
	.size around, . - around
