/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
	.text
	.option push
	.option norvc
	/* a0: 28 outcomes, the first in the top bit. Returns a0. One trace each: it ends at the return. */
	.globl flood_path
	.type flood_path, @function
	.balign 4
flood_path:
	.rept 28
	bltz a0, 1f
	addi a1, a1, 1
1:	slli a0, a0, 1
	.endr
	ret

	/* a0: rounds > 0, a1: outcomes. A loop whose traces begin at the same place, which becomes hot. */
	.globl flood_hot
	.type flood_hot, @function
	.balign 4
flood_hot:
	li a3, 0
1:	mv a2, a1
	.rept 24
	bltz a2, 2f
	addi a3, a3, 1
2:	slli a2, a2, 1
	.endr
	addi a0, a0, -1
	bgtz a0, 1b
	mv a0, a3
	ret
	.option pop
