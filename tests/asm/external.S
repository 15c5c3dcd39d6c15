/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* External interrupts: the pin (driven by the bench, --irq-seed) and the UART's receiver. Runs with pseudo-random pins only. */
#include "test.h"
#define UART 0x10000000

TEST_START
	CASE				/* the pin, again and again; the interrupt is taken at the highest priority */
	li	a1, 0x02000000
	li	a2, 1
	sw	a2, 0(a1)		/* software pending as well, but not enabled */
	li	a0, 0x800
	csrw	mie, a0
	.rept 5
	la	s7, 1f
	csrsi	mstatus, 8
2:	j	2b
1:	csrci	mstatus, 8
	CHECK	s8, 0x8000000B
	CHECK	s9, 0
	.endr
	CASE
	li	a0, 0x808
	csrw	mie, a0
	li	a0, 0x800
3:	csrr	a3, mip
	and	a3, a3, a0
	beqz	a3, 3b
	la	s7, 1f
	csrsi	mstatus, 8
	nop
	nop
	j	fail
1:	csrci	mstatus, 8
	/* the pulse may be over by then; either is right, but nothing else */
	li	a3, 0x8000000B
	beq	s8, a3, 4f
	CHECK	s8, 0x80000003
4:	sw	x0, 0(a1)
	.set	trap_number, 6
	CASE				/* WFI wakes up by it */
	li	a0, 0x800
	csrw	mie, a0
	wfi
	CASE				/* a byte arrives; STATUS says so; reading takes it */
	csrw	mie, x0
	li	a1, UART
5:	lw	a2, 4(a1)
	andi	a2, a2, 2
	beqz	a2, 5b
	lw	a3, 0(a1)
	srli	a4, a3, 8
	CHECK	a4, 0
	lw	a2, 4(a1)
	andi	a2, a2, 2
	CHECK	a2, 0
	lw	a3, 0(a1)
	srli	a3, a3, 31
	CHECK	a3, 1
	CASE				/* two unread bytes: overrun, cleared by reading */
6:	lw	a2, 4(a1)
	andi	a2, a2, 4
	beqz	a2, 6b
	lw	a3, 0(a1)
	lw	a2, 4(a1)
	andi	a2, a2, 4
	CHECK	a2, 0
	CASE				/* its interrupt: line 11 stays up until the byte is read */
	li	a2, 0x100
	sw	a2, 4(a1)
	lw	a2, 4(a1)
	andi	a2, a2, 0x100
	CHECK	a2, 0x100
	li	a0, 0x800
7:	lw	a2, 4(a1)
	andi	a2, a2, 2
	beqz	a2, 7b
	.rept 30
	csrr	a3, mip
	and	a3, a3, a0
	beqz	a3, 8f
	.endr
	lw	a3, 0(a1)
	j	9f
8:	j	fail
9:
TEST_END
