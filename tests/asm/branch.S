/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Conditional branches for all pairs of corner values, forwards and backwards; jumps and links. */
#include "test.h"
#include "corners.h"

.macro BRANCH op, taken
	CASE
	li	a0, A
	li	a1, B
	j	2f
1:	addi	a2, a2, 1		/* backward target */
	j	3f
2:	li	a2, 0
	\op	a0, a1, 1b
	addi	a2, a2, 16
3:	\op	a0, a1, 4f
	addi	a2, a2, 16
4:	\op	a0, a1, 5f		/* to the next instruction */
5:	.if	\taken
	CHECK	a2, 1
	.else
	CHECK	a2, 32
	.endif
.endm
.macro IF_THEN op, inverse, negative
	.irp	x, CORNERS
	.irp	y, CORNERS
	OPERANDS \x, \y
	.if	\negative < 0
	BRANCH	\op, 1
	BRANCH	\inverse, 0
	.else
	BRANCH	\op, 0
	BRANCH	\inverse, 1
	.endif
	.endr
	.endr
.endm

TEST_START
	IF_THEN	beq, bne, -1 - ((A ^ B) > 0)
	IF_THEN	blt, bge, SA - SB
	IF_THEN	bltu, bgeu, A - B

	CASE				/* JAL links and skips */
	li	a0, 0
	jal	a1, 1f
2:	addi	a0, a0, 1
1:	la	a2, 2b
	sub	a1, a1, a2
	CHECK	a1, 0
	CHECK	a0, 0
	CASE				/* JALR: bit 0 of the target is cleared, rd may be rs1 */
	la	a1, 1f + 1
	jalr	a1, a1, 0
2:	addi	a0, a0, 1
1:	la	a2, 2b
	sub	a1, a1, a2
	CHECK	a1, 0
	CHECK	a0, 0
	CASE
	la	a1, 1f - 2047
	jalr	a3, 2047(a1)
	addi	a0, a0, 1
1:	la	a1, 1f + 2048
	jalr	x0, -2048(a1)
	addi	a0, a0, 1
1:	CHECK	a0, 0
	CASE				/* target just loaded */
	la	a1, 3f
	lw	a1, 0(a1)
	jr	a1
	addi	a0, a0, 1
	.data
	.balign	4
3:	.word	4f
	.text
4:	CHECK	a0, 0
	CASE				/* a loop by JAL backwards */
	li	a0, 5
	li	a1, 0
	j	2f
1:	addi	a0, a0, -1
	addi	a1, a1, 3
2:	beqz	a0, 3f
	j	1b
3:	CHECK	a1, 15
TEST_END
