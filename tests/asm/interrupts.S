/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Software and timer interrupts, direct and vectored; enables; priority; WFI; nothing lost and nothing done twice. */
#include "test.h"
#define CLINT 0x02000000
#define MTIMECMP 0x4000
#define MTIME 0xBFF8

.macro SOFT value
	li	a1, CLINT
	li	a2, \value
	sw	a2, 0(a1)
	lw	x0, 0(a1)		/* the line follows before the next instruction but one */
	nop
	nop
.endm
.macro NO_TIMER
	li	a1, CLINT + MTIMECMP
	li	a2, -1
	sw	a2, 4(a1)
	sw	a2, 0(a1)
.endm
.macro TIMER_NOW			/* mtime is above it already */
	li	a1, CLINT + MTIMECMP
	sw	x0, 4(a1)
	sw	x0, 0(a1)
.endm
.macro WAIT_MIP bit
7:	csrr	a3, mip
	andi	a3, a3, \bit
	beqz	a3, 7b
.endm

TEST_START
	NO_TIMER
	SOFT	0
	csrw	mie, x0
	csrci	mstatus, 8
	CASE				/* pending shows in mip and interrupts nothing: not enabled, then MIE = 0 */
	SOFT	1
	WAIT_MIP 8
	csrsi	mstatus, 8
	nop
	csrci	mstatus, 8
	csrwi	mie, 8
	nop
	nop
	CHECK	s11, 0
	CASE				/* taken at once when MIE is set; the handler sees cause, pc, MPIE */
	la	s7, 1f
	csrsi	mstatus, 8
	nop
	nop
	nop
	j	fail
1:	csrci	mstatus, 8
	CHECK	s8, 0x80000003
	CHECK	s9, 0
	SOFT	0
	CSR_IS	mip, 0
	CASE				/* taken in front of MRET, which then has not been executed */
	li	a0, 0x1880
	csrs	mstatus, a0
	SOFT	1
	la	s7, 1f
	la	a0, 2f
	csrw	mepc, a0
	csrsi	mstatus, 8
2:	mret
	j	fail
1:	csrci	mstatus, 8
	CHECK	s8, 0x80000003
	sub	a0, s10, a0
	CHECK	a0, 0
	SOFT	0
	CASE				/* taken by csrw mie */
	SOFT	1
	csrw	mie, x0
	csrsi	mstatus, 8
	la	s7, 1f
	csrwi	mie, 8
	nop
	nop
	nop
	j	fail
1:	csrci	mstatus, 8
	SOFT	0
	CASE				/* timer */
	li	a0, 0x80
	csrw	mie, a0
	TIMER_NOW
	WAIT_MIP 0x80
	la	s7, 1f
	csrsi	mstatus, 8
	nop
	nop
	nop
	j	fail
1:	csrci	mstatus, 8
	CHECK	s8, 0x80000007
	CASE				/* priority: software over timer */
	SOFT	1
	li	a0, 0x88
	csrw	mie, a0
	la	s7, 1f
	csrsi	mstatus, 8
	nop
	nop
	nop
	j	fail
1:	csrci	mstatus, 8
	CHECK	s8, 0x80000003
	SOFT	0
	NO_TIMER
	CASE				/* WFI goes on with MIE = 0 when one is pending, and with a timer that comes later */
	SOFT	1
	csrwi	mie, 8
	wfi
	SOFT	0
	li	a0, 0x80
	csrw	mie, a0
	li	a1, CLINT + MTIME
	li	a2, CLINT + MTIMECMP
	lw	a3, 0(a1)
	addi	a3, a3, 300
	sw	x0, 4(a2)
	sw	a3, 0(a2)
#ifndef QEMU				/* a hint there */
	wfi
	lw	a4, 0(a1)
	bgeu	a4, a3, 2f
	j	fail
2:
#endif
	NO_TIMER
	CASE				/* WFI with MIE = 1: mepc is the instruction behind it */
	la	s7, 1f
	li	a1, CLINT + MTIME
	li	a2, CLINT + MTIMECMP
	csrsi	mstatus, 8
	lw	a3, 0(a1)
	addi	a3, a3, 400
	sw	x0, 4(a2)
	sw	a3, 0(a2)
3:	wfi
4:	j	3b
1:	csrci	mstatus, 8
	CHECK	s8, 0x80000007
#ifndef QEMU
	la	a0, 4b
	sub	a0, a0, s10
	CHECK	a0, 0
#endif
	NO_TIMER

	CASE				/* vectored: BASE + 4 * cause, exceptions to BASE */
	la	t0, table
	addi	t0, t0, 1
	csrw	mtvec, t0
	li	a0, 0x88
	csrw	mie, a0
	li	a5, 0
	SOFT	1
	csrsi	mstatus, 8
	nop
	nop
	nop
	csrci	mstatus, 8
	CHECK	a5, 3
	TIMER_NOW
	WAIT_MIP 0x80
	csrsi	mstatus, 8
	nop
	nop
	nop
	csrci	mstatus, 8
	CHECK	a5, 7
	li	a5, 0
	ebreak
	CHECK	a5, 1
	j	after
	ALIGN	128
table:	j	v_exception
	j	fail
	j	fail
	j	v_soft
	j	fail
	j	fail
	j	fail
	j	v_timer
	.rept 24
	j	fail
	.endr
v_exception:
	li	a5, 1
	csrr	a6, mepc
	addi	a6, a6, 4
	csrw	mepc, a6
	mret
v_soft:	li	a5, 3
	li	a1, CLINT
	sw	x0, 0(a1)
	mret
v_timer:
	li	a5, 7
	NO_TIMER
	mret
after:
	CASE				/* a loop under a stream of timer interrupts computes what it computes without */
	la	t0, tick
	csrw	mtvec, t0
	li	s0, 0			/* ticks */
	li	s1, 0			/* sum */
	li	a3, 1000
	la	s3, cells
	li	a0, 0x80
	csrw	mie, a0
	TIMER_NOW
	csrsi	mstatus, 8
5:	add	s1, s1, a3
	mul	a4, a3, a3
	lw	a5, 0(s3)
	add	a5, a5, a4
	sw	a5, 0(s3)
	divu	a6, a4, a3
	bne	a6, a3, 6f
	addi	a3, a3, -1
	bnez	a3, 5b
	csrci	mstatus, 8
	CHECK	s1, 500500
	lw	a5, 0(s3)
	CHECK	a5, 333833500
	bnez	s0, 8f
6:	j	fail
	ALIGN	4
tick:	addi	s0, s0, 1
	li	s4, CLINT + MTIME
	lw	s5, 0(s4)
	andi	t0, s0, 31
	addi	t0, t0, 20		/* at another cycle of the loop each time */
	add	s5, s5, t0
	li	s4, CLINT + MTIMECMP
	sw	s5, 0(s4)
	mret
8:	NO_TIMER
	.set	trap_number, 6
	.data
	.balign	4
cells:	.word	0
	.text
TEST_END
