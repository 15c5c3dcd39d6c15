/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* M: all pairs of corner values, division by zero and overflow among them. */
#include "test.h"
#include "corners.h"

.macro ALL_DIV div, rem, x, y
	.irp	a, CORNERS
	.irp	b, CORNERS
	OPERANDS \a, \b
	.if	B == 0
	RR	\div, \a, \b, -1
	RR	\rem, \a, \b, A
	.else
	RR	\div, \a, \b, \x / \y
	RR	\rem, \a, \b, \x - (\x / \y) * \y
	.endif
	.endr
	.endr
.endm

TEST_START
	ALL_RR	mul, A * B
	ALL_RR	mulh, (SA * SB) >> 32
	ALL_RR	mulhsu, (SA * B) >> 32
	ALL_RR	mulhu, (A * B) >> 32
	ALL_DIV	div, rem, SA, SB
	ALL_DIV	divu, remu, A, B
	CASE				/* operands just made, result used at once, destination is a source */
	li	a0, 7
	addi	a1, a0, 2
	mul	a0, a0, a1
	mul	a0, a0, a0
	div	a0, a0, a1
	rem	a0, a0, a1
	CHECK	a0, 0
	CASE
	li	a0, 100
	li	a1, 7
	rem	a1, a0, a1
	CHECK	a1, 2
	CASE
	div	x0, a0, a1
	mul	x0, a0, a1
	add	a2, x0, x0
	CHECK	a2, 0
TEST_END
