/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* All pairs of corner values. In an expression A and B are the operands, unsigned; SA and SB the same, signed. */
#define CORNERS 0, 1, 2, 3, 31, 32, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, \
	0x12345678, 0xAAAAAAAA, 0x55555555, 0xFFFF, 0x10000
.macro OPERANDS a, b
	.set	A, \a
	.set	B, \b
	.set	SA, (A ^ 0x80000000) - 0x80000000
	.set	SB, (B ^ 0x80000000) - 0x80000000
.endm
.macro RR op, a, b, result
	OPERANDS \a, \b
	CASE
	li	a0, A
	li	a1, B
	li	a3, (\result) & 0xFFFFFFFF
	\op	a2, a0, a1
	beq	a2, a3, 9f
	j	fail
9:
.endm
.macro ALL_RR op, result
	.irp	x, CORNERS
	.irp	y, CORNERS
	RR	\op, \x, \y, \result
	.endr
	.endr
.endm
.macro ALL_RR_LESS op, a, b
	.irp	x, CORNERS
	.irp	y, CORNERS
	OPERANDS \x, \y
	.if	\a < \b
	RR	\op, \x, \y, 1
	.else
	RR	\op, \x, \y, 0
	.endif
	.endr
	.endr
.endm
