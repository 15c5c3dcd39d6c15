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
