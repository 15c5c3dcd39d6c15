/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Corner values for the 16-bit instructions; every alignment with every sign of the offset; transfers backwards with a link. */
#include "test.h"
#include "corners.h"

.macro CRR op, a, b, result
	OPERANDS \a, \b
	CASE
	li	a0, A
	li	a1, B
	li	a3, (\result) & 0xFFFFFFFF
	.option	rvc
	\op	a0, a1
	.option	norvc
	beq	a0, a3, 9f
	j	fail
9:
.endm
.macro ALL_CRR op, result
	.irp	x, CORNERS
	.irp	y, CORNERS
	CRR	\op, \x, \y, \result
	.endr
	.endr
.endm
.macro CRI op, a, imm, result
	.set	A, \a
	.set	SA, (A ^ 0x80000000) - 0x80000000
	.set	B, \imm & 0xFFFFFFFF
	CASE
	li	a0, A
	li	a3, (\result) & 0xFFFFFFFF
	.option	rvc
	\op	a0, \imm
	.option	norvc
	beq	a0, a3, 9f
	j	fail
9:
.endm
.macro ALL_CRI op, result, imms:vararg
	.irp	x, CORNERS
	.irp	y, \imms
	CRI	\op, \x, \y, \result
	.endr
	.endr
.endm

/* a2 is 1 if taken, 2 if not; forwards and backwards */
.macro CB op, a, taken
	CASE
	li	a0, \a
	j	2f
1:	addi	a2, a2, 1
	j	3f
2:	li	a2, 0
	.option	rvc
	\op	a0, 1b
	.option	norvc
	addi	a2, a2, 16
3:
	.option	rvc
	\op	a0, 4f
	.option	norvc
	addi	a2, a2, 16
	ALIGN	4
4:	.if	\taken
	CHECK	a2, 1
	.else
	CHECK	a2, 32
	.endif
.endm

.macro LOADS op, mask, one, at:vararg
	.irp	n, \at
	.irp	off, 0, 8, -8
	CASE
	la	a1, bytes + 16 + \n - (\off)
	\op	a0, \off(a1)
	srli	a2, a0, 31
	CHECK	a2, \one
	li	a2, \mask
	and	a0, a0, a2
	la	a1, bytes + 16 + \n
	lbu	a3, 0(a1)
	andi	a0, a0, 0xFF
	bne	a0, a3, 8f
	j	9f
8:	j	fail
9:
	.endr
	.endr
.endm
.macro STORES op, at:vararg
	.irp	n, \at
	.irp	off, 0, 8, -8
	CASE
	la	a1, space + 16 + \n - (\off)
	li	a0, 0x5A + \n
	\op	a0, \off(a1)
	la	a1, space + 16 + \n
	lbu	a2, 0(a1)
	CHECK	a2, 0x5A + \n
	sw	x0, -\n(a1)
	.endr
	.endr
.endm

	.data
	.balign	16
bytes:	.zero	16
	.byte	0x91, 0xA2, 0xB3, 0xC4, 0x11, 0x22, 0x33, 0x44
	.zero	16
space:	.zero	48
	.text
TEST_START
	ALL_CRR	c.add, A + B
	ALL_CRR	c.sub, A - B
	ALL_CRR	c.xor, A ^ B
	ALL_CRR	c.or, A | B
	ALL_CRR	c.and, A & B
	ALL_CRR	c.mv, B
	ALL_CRI	c.addi, A + B, 1, -1, 31, -32, 10
	ALL_CRI	c.andi, A & B, 0, 1, -1, 31, -32, 10
	ALL_CRI	c.slli, A << B, 1, 16, 31
	ALL_CRI	c.srli, A >> B, 1, 16, 31
	ALL_CRI	c.srai, SA >> B, 1, 16, 31
	.irp	x, 1, -1, 0x7FFFFFFF, 0x80000000, 5, -5, 0x100
	CB	c.beqz, \x, 0
	CB	c.bnez, \x, 1
	.endr
	CB	c.beqz, 0, 1
	CB	c.bnez, 0, 0

	LOADS	lb, 0xFF, 1, 0, 1, 2, 3
	LOADS	lbu, 0xFF, 0, 0, 1, 2, 3
	LOADS	lb, 0xFF, 0, 4, 5, 6, 7
	LOADS	lh, 0xFFFF, 1, 0, 2
	LOADS	lhu, 0xFFFF, 0, 0, 2
	LOADS	lh, 0xFFFF, 0, 4, 6
	LOADS	lw, 0xFFFFFFFF, 1, 0
	LOADS	lw, 0xFFFFFFFF, 0, 4
	STORES	sb, 0, 1, 2, 3
	STORES	sh, 0, 2
	STORES	sw, 0
	.option	rvc
	CASE
	la	a1, bytes + 16
	c.lw	a0, 0(a1)
	.option	norvc
	CHECK	a0, 0xC4B3A291
	.option	rvc
	c.lw	a0, 4(a1)
	.option	norvc
	CHECK	a0, 0x44332211
	CASE
	mv	a2, sp
	la	sp, bytes + 16
	.option	rvc
	c.lwsp	a0, 4(sp)
	c.lwsp	a1, 0(sp)
	.option	norvc
	mv	sp, a2
	CHECK	a0, 0x44332211
	CHECK	a1, 0xC4B3A291

	CASE				/* neither a write nor a destination */
	li	a0, 0x1234
	csrw	mscratch, a0
	csrrs	x0, mscratch, x0
	csrrc	x0, mscratch, x0
	csrrsi	x0, mscratch, 0
	csrrci	x0, mscratch, 0
	CSR_IS	mscratch, 0x1234

	CASE				/* backwards, with a link */
	li	a0, 0
	j	2f
1:	addi	a0, a0, 1
	jr	a5
2:	jal	a5, 1b
	addi	a0, a0, 2
	la	a4, 1b
	jalr	a5, 0(a4)
	addi	a0, a0, 4
	CHECK	a0, 8
	CASE
	li	a0, 0
	j	2f
1:	addi	a0, a0, 1
	jr	ra
	ALIGN	4
2:	la	a4, 1b
	.option	rvc
	c.jal	1b
	c.addi	a0, 2
	c.jalr	a4
	c.addi	a0, 4
	c.j	4f
3:	c.addi	a0, 8
	c.j	5f
4:	c.j	3b
5:	.option	norvc
	ALIGN	4
	CHECK	a0, 16
TEST_END
