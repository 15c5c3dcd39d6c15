/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* mcycle and minstret: what they count, carries, writes. Not for qemu: exact cycles are this core's (docs/core.md). */
#include "test.h"

/* cycles of the given instruction, in a row of two 32-bit instructions that are aligned */
.macro COST cycles, insn:vararg
	CASE
	ALIGN	16
	csrr	a2, mcycle
	\insn
	csrr	a3, mcycle
	sub	a3, a3, a2
	CHECK	a3, 2 + \cycles
.endm

/* A load, then an instruction that has the register's number in its fields without reading it: no wait. */
.macro NO_WAIT register, cycles, insn:vararg
	CASE
	ALIGN	16
	csrr	a2, mcycle
	lw	\register, 0(a6)
	\insn
	csrr	a3, mcycle
	sub	a3, a3, a2
	CHECK	a3, 4 + \cycles
.endm

/* A half stays when the other is written. */
.macro HALVES low, high, value
	CASE
	li	a1, \value
	csrw	\high, a1
	csrw	\low, a1
	csrw	\high, x0
	csrr	a0, \low
	srli	a0, a0, 4
	CHECK	a0, \value >> 4
	csrw	\high, a1
	csrw	\low, x0
	CSR_IS	\high, \value
.endm

TEST_START
	CASE				/* a read that does not count itself yet */
	csrr	a0, minstret
	csrr	a1, minstret
	sub	a1, a1, a0
	CHECK	a1, 1
	CASE
	csrr	a0, minstret
	nop
	nop
	csrr	a1, minstret
	sub	a1, a1, a0
	CHECK	a1, 3
	CASE				/* the writing instruction does not count */
	csrwi	minstret, 10
	csrr	a1, minstret
	csrr	a2, minstret
	CHECK	a1, 10
	CHECK	a2, 11
	CASE				/* a trap does not count, its handler does */
	la	t0, counted
	csrr	t1, mtvec
	csrw	mtvec, t0
	csrr	a0, minstret
	ecall
	ALIGN	4
counted: csrr	a1, minstret
	csrw	mtvec, t1
	sub	a1, a1, a0
	CHECK	a1, 1
	CASE				/* carries */
	csrw	minstreth, x0
	li	a0, -2
	csrw	minstret, a0
	nop
	nop
	nop
	csrr	a0, minstreth
	CHECK	a0, 1
	csrwi	minstreth, 5
	csrr	a0, instreth
	CHECK	a0, 5
	csrw	mcycleh, x0
	li	a0, -1
	csrw	mcycle, a0
	csrr	a0, mcycleh
	CHECK	a0, 1
	csrw	mcycle, x0
	csrwi	mcycleh, 9
	csrr	a0, cycleh
	CHECK	a0, 9
	CASE				/* the written half does not count in that cycle */
	ALIGN	16
	csrwi	mcycle, 20
	csrr	a0, mcycle
	CHECK	a0, 21
	CSR_WRITE mcycleh, 0x12345678, 0x12345678
	CSR_WRITE minstreth, 0x9ABCDEF0, 0x9ABCDEF0
	.irp	value, 0xFFFFFFFF, 0, 0xAAAAAAAA, 0x55555555
	CSR_WRITE mcycleh, \value, \value
	CSR_WRITE minstreth, \value, \value
	.endr
	HALVES	mcycle, mcycleh, 0x55555550
	HALVES	mcycle, mcycleh, 0xAAAAAAA0
	HALVES	minstret, minstreth, 0x55555550
	HALVES	minstret, minstreth, 0xAAAAAAA0
	CASE				/* low halves, and the carry through each of their bits */
	li	a1, 0x55555555
	csrw	minstret, a1
	csrr	a0, minstret
	CHECK	a0, 0x55555555
	li	a1, 0xAAAAAAAA
	csrw	minstret, a1
	csrr	a0, minstret
	CHECK	a0, 0xAAAAAAAA
	li	a1, 0x55555555
	csrw	mcycle, a1
	csrr	a0, mcycle
	CHECK	a0, 0x55555556
	li	a1, 0xAAAAAAAA
	csrw	mcycle, a1
	csrr	a0, mcycle
	CHECK	a0, 0xAAAAAAAB

	li	a4, 77
	li	a5, 7
	la	a6, area
	COST	1, nop
	COST	1, lw a0, 0(a6)
	COST	1, sw a0, 0(a6)
	COST	3, mul a0, a4, a5
	COST	4, mulh a0, a4, a5
	COST	4, mulhu a0, a4, a5
	COST	4, mulhsu a0, a4, a5
	COST	14, div a0, a4, a5
	COST	14, remu a0, a4, a5
	COST	35, divu a0, a4, x0
	COST	1, beq a4, a5, .+8
	COST	2, bne a4, a5, .+4
	COST	2, j .+4
	COST	2, fence.i
	COST	2, csrr a0, mscratch
	NO_WAIT	a0, 0, lui a1, 0xA50
	NO_WAIT	a0, 0, auipc a1, 0xA50
	NO_WAIT	a0, 0, addi a1, x0, 10
	NO_WAIT	a0, 0, lb a1, 10(a6)
	NO_WAIT	a0, 0, sb x0, 10(a6)
	NO_WAIT	a0, 0, .word 0x00A5000F		/* FENCE */
	NO_WAIT	a0, 1, .word 0x00A5100F		/* FENCE.I */
	NO_WAIT	a0, 1, csrwi mscratch, 10
	NO_WAIT	a0, 1, csrrsi a1, mscratch, 10
	NO_WAIT	ra, 1, csrr a1, mepc
	NO_WAIT	tp, 1, j .+4
	.data
	.balign	4
area:	.word	0, 0, 0, 0
	.text
TEST_END
