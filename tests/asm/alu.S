/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Register and immediate arithmetic, shifts, comparisons, LUI, AUIPC: all pairs of corner values; the assembler computes what is expected. */
#include "test.h"
#include "corners.h"

.macro RI op, a, imm, result
	.set	A, \a
	.set	B, \imm & 0xFFFFFFFF
	.set	SA, (A ^ 0x80000000) - 0x80000000
	.set	SB, \imm
	CASE
	li	a0, A
	li	a3, (\result) & 0xFFFFFFFF
	\op	a2, a0, \imm
	beq	a2, a3, 9f
	j	fail
9:
.endm
.macro ALL_RI op, result
	.irp	x, CORNERS
	.irp	y, 0, 1, -1, 2047, -2048, 1365, -1366, 31
	RI	\op, \x, \y, \result
	.endr
	.endr
.endm
.macro ALL_SHIFTI op, result
	.irp	x, CORNERS
	.irp	y, 0, 1, 2, 7, 8, 15, 16, 30, 31
	RI	\op, \x, \y, \result
	.endr
	.endr
.endm
.macro ALL_RI_LESS op, a, b
	.irp	x, CORNERS
	.irp	y, 0, 1, -1, 2047, -2048, 1365, -1366
	.set	A, \x
	.set	B, \y & 0xFFFFFFFF
	.set	SA, (A ^ 0x80000000) - 0x80000000
	.set	SB, \y
	.if	\a < \b
	RI	\op, \x, \y, 1
	.else
	RI	\op, \x, \y, 0
	.endif
	.endr
	.endr
.endm

TEST_START
	ALL_RR	add, A + B
	ALL_RR	sub, A - B
	ALL_RR	xor, A ^ B
	ALL_RR	or, A | B
	ALL_RR	and, A & B
	ALL_RR	sll, A << (B & 31)
	ALL_RR	srl, A >> (B & 31)
	ALL_RR	sra, SA >> (B & 31)
	ALL_RR_LESS slt, SA, SB
	ALL_RR_LESS sltu, A, B
	ALL_RI	addi, A + B
	ALL_RI	xori, A ^ B
	ALL_RI	ori, A | B
	ALL_RI	andi, A & B
	ALL_SHIFTI slli, A << (B & 31)
	ALL_SHIFTI srli, A >> (B & 31)
	ALL_SHIFTI srai, SA >> (B & 31)
	ALL_RI_LESS slti, SA, SB
	ALL_RI_LESS sltiu, A, B

	.irp	x, 0, 1, 0x80000, 0xFFFFF, 0x12345
	CASE
	lui	a0, \x
	CHECK	a0, (\x << 12) & 0xFFFFFFFF
	CASE
	la	a1, 1f
1:	auipc	a0, \x
	sub	a0, a0, a1
	CHECK	a0, (\x << 12) & 0xFFFFFFFF
	.endr

	/* x0 stays 0; the destination may be a source; results are seen 1, 2 and 3 instructions later */
	CASE
	li	a0, 5
	add	x0, a0, a0
	add	a1, x0, x0
	CHECK	a1, 0
	CASE
	addi	a0, a0, 2
	add	a0, a0, a0
	CHECK	a0, 14
	CASE
	li	a1, 3
	sub	a1, a0, a1
	CHECK	a1, 11
	.irp	reg, x1,x2,x4,x5,x6,x7,x8,x9,x10,x11,x12,x13,x14,x15,x16,x17,x18,x19,x20,x21,x28,x29,x30
	CASE
	li	\reg, 100
	addi	\reg, \reg, 1
	addi	\reg, \reg, 2
	nop
	addi	\reg, \reg, 3
	nop
	nop
	addi	\reg, \reg, 4
	nop
	nop
	nop
	addi	\reg, \reg, 5
	CHECK	\reg, 115
	.endr
	CASE				/* both operands from both distances */
	li	a0, 1
	li	a1, 2
	add	a2, a0, a1
	add	a3, a2, a1
	add	a4, a2, a3
	add	a5, a3, a4
	add	a5, a5, a5
	CHECK	a5, 26
TEST_END
