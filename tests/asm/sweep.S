/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Every bit that an address is compared with: all 4096 CSR addresses are read, and each region of memory protection is put one bit
 * beside the word that user mode then executes and the word that it then loads. A wrong answer shows as another cause of the trap.
 */
#include "test.h"

#define ALL 0x1F

/* Region \n, no rights, \cfg, at symbol with bit \bit of pmpaddr flipped (a2), its low bits set as those of a6; region 3 gives all rights. mcause must be that of ECALL from
 * user mode: only with no bit flipped, or one that the mode
 * does not look at (or, at user, its second word), it is another, and a4 counts these. */
.macro BESIDE n, cfg, symbol
	CASE
	li	a4, 0
	li	a2, 1			/* one bit, then none */
1:	la	a0, \symbol
	srli	a0, a0, 2
	or	a0, a0, a6
	xor	a0, a0, a2
	csrw	pmpcfg0, zero
	csrw	pmpaddr\n, a0
	li	a1, (\cfg) << (8 * \n) | ALL << 24
	csrw	pmpcfg0, a1
	li	t0, 0x1800
	csrc	mstatus, t0
	la	t0, user
	csrw	mepc, t0
	la	t0, 2f
	csrw	mtvec, t0
	la	a3, word
	mret
	ALIGN	4
2:	csrr	a5, mcause
	addi	a5, a5, -8
	snez	a5, a5
	add	a4, a4, a5
	beqz	a2, 3f
	slli	a2, a2, 3		/* 30 bits */
	srli	a2, a2, 2
	j	1b
3:	csrw	pmpcfg0, zero
	csrw	pmpaddr\n, zero
.endm

/* qemu asks for the right to execute by block, not by word */
.macro CHECK_FETCH
#ifndef QEMU
	CHECK	a4, 2
#endif
.endm

TEST_START
	CASE
	li	a0, 0
	la	a2, 2f
1:	slli	a1, a0, 20
	li	a3, 0x26F3		/* csrr a3, a0 */
	or	a1, a1, a3
	sw	a1, 0(a2)
	fence.i
	ALIGN	4
2:	nop
	addi	a0, a0, 1
	li	a1, 0x1000
	bne	a0, a1, 1b
	li	a1, 3500		/* most are not there */
	bltu	s11, a1, fail

	li	t0, -1
	csrw	pmpaddr3, t0
	li	a6, 0
	BESIDE	0, 0x10, word		/* NA4 */
	CHECK	a4, 1
	BESIDE	1, 0x10, word
	CHECK	a4, 1
	BESIDE	2, 0x10, word
	CHECK	a4, 1
	BESIDE	0, 0x10, user
	CHECK_FETCH
	BESIDE	1, 0x10, user
	CHECK_FETCH
	BESIDE	2, 0x10, user
	CHECK_FETCH
	BESIDE	0, 0x18, word		/* NAPOT: the lowest bit says how large */
	BESIDE	1, 0x18, word
	BESIDE	2, 0x18, word
	BESIDE	0, 0x18, user
	BESIDE	1, 0x18, user
	BESIDE	2, 0x18, user
5:	BESIDE	1, 0x18, word		/* of each size */
	slli	a6, a6, 1
	ori	a6, a6, 1
	srli	t0, a6, 29
	beqz	t0, 5b
	li	a6, 0
	BESIDE	0, 0x08, word		/* TOR, from 0 or from the region below */
	BESIDE	1, 0x08, word
	BESIDE	2, 0x08, word
	BESIDE	0, 0x08, user
	BESIDE	1, 0x08, user
	BESIDE	2, 0x08, user
	li	t0, -1
	csrw	pmpaddr0, t0
	li	t0, ALL
	csrw	pmpcfg0, t0
	la	t0, trap_entry
	csrw	mtvec, t0
	li	s11, 0
TEST_END

	ALIGN	64
user:	lw	a0, 0(a3)
	ecall
	.space	0x60 - 8		/* more than one bit away */
word:	.word	0
