/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Self-checking assembler tests. A test file is
 *
 *	#include "test.h"
 *	TEST_START
 *		CASE			numbers the case in gp; a failure reports it
 *		...
 *		CHECK a0, 5		fails the test if a0 is not 5
 *	TEST_END
 *
 * It ends by tohost (1: passed, 2 * case + 1: failed). Built with -DQEMU it ends by the finisher of qemu's machine
 * "virt", so that qemu can judge the tests themselves; what qemu does otherwise by right stands in #ifndef QEMU.
 *
 * Registers: gp case; t6 scratch of the macros; s6..s11 belong to the trap handler:
 *	s6  pc expected by TRAPS	s7  where to go on after a trap; 0: behind the instruction
 *	s8  mcause of the last trap	s9  its mtval	s10  its mepc	s11  number of traps
 */
.option norelax
.option norvc
.set case_number, 0
.set trap_number, 0

/* Without 16-bit instructions the assembler takes every place as aligned to 4, also behind a .half. */
.macro ALIGN bytes
	.option	rvc
	.balign	\bytes
	.option	norvc
.endm

.macro CASE
	.set case_number, case_number + 1
	li	gp, case_number
.endm

.macro CHECK reg, value
	li	t6, \value
	beq	\reg, t6, 9f
	j	fail
9:
.endm

/* The instruction traps with this cause at its own pc, and mtval is as told (qemu puts the instruction there for
 * illegal ones). */
.macro TRAPS cause, insn:vararg
	CASE
	li	s8, -1
	la	s6, 8f
	ALIGN	4
8:	\insn
	ALIGN	4
	li	t6, \cause
	bne	s8, t6, 9f
	beq	s10, s6, 7f
9:	j	fail
7:
	.set trap_number, trap_number + 1
.endm
.macro CHECK_TVAL value
	CHECK	s9, \value
.endm

/* csr := value, then it reads as expected */
.macro CSR_IS csr, value
	csrr	a0, \csr
	CHECK	a0, \value
.endm
.macro CSR_WRITE csr, value, expected
	CASE
	li	a1, \value
	csrw	\csr, a1
	CSR_IS	\csr, \expected
.endm

.macro TEST_START
	.section .text.init, "ax"
	.globl	_start
_start:	la	t0, trap_entry
	csrw	mtvec, t0
	li	s7, 0
	li	t0, -1			/* user mode may do all; without memory protection these trap */
	csrw	pmpaddr0, t0
	li	t0, 0x1F
	csrw	pmpcfg0, t0
	li	s11, 0
	li	gp, 0
	j	test_body
	ALIGN	4
trap_entry:
	csrr	s8, mcause
	csrr	s9, mtval
	csrr	s10, mepc
	addi	s11, s11, 1
	bnez	s7, 2f
	lhu	t6, 0(s10)
	andi	t6, t6, 3
	addi	t6, t6, -3
	snez	t6, t6		/* 1: 16 bits */
	slli	t6, t6, 1
	sub	t6, s10, t6
	addi	t6, t6, 4
	csrw	mepc, t6
	mret
2:	csrw	mepc, s7
	li	t6, 0x80		/* a level that is still up must not enter again at once */
	csrc	mstatus, t6
	li	s7, 0
	mret
fail:
#ifdef QEMU
	li	t0, 0x100000
	andi	t1, gp, 255	/* the exit status has 8 bits, and must not be 0 */
	bnez	t1, 2f
	li	t1, 255
2:	slli	t1, t1, 16
	li	t2, 0x3333
	or	t1, t1, t2
	sw	t1, 0(t0)
#else
	slli	gp, gp, 1
	ori	gp, gp, 1
	la	t0, tohost
	sw	gp, 0(t0)
#endif
1:	j	1b
pass:
#ifdef QEMU
	li	t0, 0x100000
	li	t1, 0x5555
	sw	t1, 0(t0)
#else
	la	t0, tohost
	li	t1, 1
	sw	t1, 0(t0)
#endif
1:	j	1b
	.section .tohost, "aw"
	.balign	64
	.globl	tohost, fromhost
tohost:	.dword	0
	.balign	64
fromhost: .dword 0
	.text
test_body:
.endm

/* As many traps as the test expected, no more. */
.macro TEST_END
	CASE
	CHECK	s11, trap_number
	j	pass
.endm
