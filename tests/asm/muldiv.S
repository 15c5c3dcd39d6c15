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
	CASE				/* divisors of one bit, with either sign: the quotient is a shift */
	la	s0, dividends
1:	lw	a0, 0(s0)
	li	a1, 1
	li	s1, 0
2:	srl	a2, a0, s1
	divu	a3, a0, a1
	bne	a2, a3, 9f
	addi	a2, a1, -1
	and	a2, a2, a0
	remu	a3, a0, a1
	bne	a2, a3, 9f
	li	t0, 31
	beq	s1, t0, 3f		/* -2^31 has no positive twin */
	neg	a4, a0
	srl	a2, a4, s1
	neg	a2, a2
	div	a3, a0, a1		/* a negative dividend */
	bne	a2, a3, 9f
	addi	a2, a1, -1
	and	a2, a2, a4
	neg	a2, a2
	rem	a3, a0, a1
	bne	a2, a3, 9f
	neg	a5, a1			/* and divisor */
	srl	a2, a4, s1
	div	a3, a0, a5
	bne	a2, a3, 9f
3:	addi	s1, s1, 1
	slli	a1, a1, 1
	bnez	a1, 2b
	addi	s0, s0, 4
	la	t0, dividends_end
	bltu	s0, t0, 1b
	j	4f
9:	j	fail
	.balign	4
dividends: .word -1, -2, 0x80000001, 0x87654321, 0xAAAAAAAA, 0xD5555555, 0xFFFF0001, -100
dividends_end:
4:
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
