/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Each region of physical memory protection, however many there are (four or more) and whatever their grain (up to 64 bytes): its
 * registers bit by bit, its borders, its rights, its lock. What lies at one bit's distance is in sweep.S, what the modes mean in pmp.S.
 */
#include "test.h"

#define R 1
#define W 2
#define X 4
#define TOR 0x08
#define NAPOT 0x18
#define LOCK 0x80
#define BLOCK 64

/* The registers of region \n, and the place of its byte in pmpcfg */
#define PMPADDR(n) 0x3B0 + (n)
#define PMPCFG(n) 0x3A0 + (n) / 4
#define SHIFT(n) (8 * ((n) % 4))
/* A region away from \n and from the one below it, for the code */
#define CODE_OF(n) (3 * ((n) < 2) * -1)		/* gas: a true comparison is -1 */

.macro ALL_OFF
	csrw	pmpcfg0, zero
	csrw	pmpcfg1, zero
	csrw	pmpcfg2, zero
	csrw	pmpcfg3, zero
.endm
.macro SET_CFG n, cfg
	li	t0, (\cfg) << SHIFT(\n)
	csrs	PMPCFG(\n), t0
.endm
/* pmpaddr of region \n := symbol + offset, or the NAPOT block there */
.macro AT n, symbol, offset=0
	la	t0, \symbol + \offset
	srli	t0, t0, 2
	csrw	PMPADDR(\n), t0
.endm
.macro BLOCK_AT n, symbol
	la	t0, \symbol
	srli	t0, t0, 2
	ori	t0, t0, BLOCK / 8 - 1
	csrw	PMPADDR(\n), t0
.endm
/* User mode executes at user and loads from symbol + offset, which ends in the trap told: 8 if all of it may be. */
.macro TRY symbol, offset, cause
	CASE
	li	t0, 0x1800
	csrc	mstatus, t0
	la	t0, user
	csrw	mepc, t0
	la	t0, 2f
	csrw	mtvec, t0
	la	a3, \symbol + \offset
	mret
	ALIGN	4
2:	csrr	a5, mcause
	CHECK	a5, \cause
.endm

/* pmpaddr\n holds each single bit, and each single zero, as s3 (always 0) and s4 (always 1) say; a2: all bits */
.macro BITS n
	CASE
	li	a1, 1
1:	xor	a3, a1, zero
	csrw	PMPADDR(\n), a3
	csrr	a0, PMPADDR(\n)
	not	t0, s3
	and	a3, a3, t0
	or	a3, a3, s4
	bne	a0, a3, 3f
	xor	a3, a1, a2
	csrw	PMPADDR(\n), a3
	csrr	a0, PMPADDR(\n)
	and	a3, a3, t0
	or	a3, a3, s4
	bne	a0, a3, 3f
	slli	a1, a1, 1
	bltu	a1, a2, 1b
	j	4f
3:	j	fail
4:
.endm

.macro REGION n
	li	t0, \n
	bgtu	s0, t0, 1f
	j	regions_end
1:	ALL_OFF
	/* registers: the low bits of s5 are below the grain: 0 if it is off, and as NAPOT 1 but for the highest of them */
	mv	s3, s5
	li	s4, 0
	BITS	\n
	SET_CFG	\n, NAPOT
	li	s3, 0
	srli	s4, s5, 1
	BITS	\n
	.irp	cfg, TOR, TOR | R, TOR | R | W, TOR | X, TOR | R | X, NAPOT | R | W | X, NAPOT, NAPOT | X, 0
	CASE
	li	t0, 0xFF << SHIFT(\n)
	csrc	PMPCFG(\n), t0
	SET_CFG	\n, \cfg
	csrr	a0, PMPCFG(\n)
	li	t0, (\cfg) << SHIFT(\n)
	beq	a0, t0, 2f
	j	fail
2:
	.endr
	/* NAPOT */
	BLOCK_AT CODE_OF(\n), user
	BLOCK_AT \n, word
	SET_CFG	CODE_OF(\n), NAPOT | X
	TRY	word, 0, 5
	SET_CFG	\n, NAPOT | R
	TRY	word, 0, 8
	TRY	word, BLOCK - 4, 8
	TRY	word, BLOCK, 5
	TRY	word, -4, 5
	/* TOR; region 0 begins at 0, so it has the code in it */
	ALL_OFF
	SET_CFG	CODE_OF(\n), NAPOT | X
	.if	\n
	AT	\n - 1, word
	.endif
	AT	\n, word, BLOCK
	SET_CFG	\n, TOR | R | X
	TRY	word, 0, 8
	TRY	word, BLOCK - 4, 8
	TRY	word, BLOCK, 5
	.if	\n
	TRY	word, -4, 5
	.endif
	/* what it executes */
	ALL_OFF
	BLOCK_AT CODE_OF(\n), word
	SET_CFG	CODE_OF(\n), NAPOT | R
	TRY	word, 0, 1
	BLOCK_AT \n, user
	SET_CFG	\n, NAPOT | X
	TRY	word, 0, 8
	TRY	user, 0, 5
	ALL_OFF
	SET_CFG	CODE_OF(\n), NAPOT | R
	.if	\n
	AT	\n - 1, user
	.endif
	AT	\n, user, BLOCK
	SET_CFG	\n, TOR | X
	TRY	word, 0, 8
	csrw	PMPCFG(\n), zero	/* qemu 7.2 notices a new address when a pmpcfg is written */
	AT	\n, user
	SET_CFG	CODE_OF(\n), NAPOT | R
	SET_CFG	\n, TOR | X
	TRY	word, 0, 1
.endm

/* Locked, TOR: neither its own registers nor the address of the region below can be written */
.macro LOCKED n
	li	t0, \n
	bleu	s0, t0, 8f
	CASE
	csrr	a1, PMPADDR(\n)
	.if	\n
	csrr	a2, PMPADDR(\n - 1)
	.endif
	SET_CFG	\n, TOR | R | W | X | LOCK
	csrr	a3, PMPCFG(\n)
	li	t0, 0xFF << SHIFT(\n)
	csrc	PMPCFG(\n), t0
	csrr	a0, PMPCFG(\n)
	bne	a0, a3, 7f
	not	t0, a1
	csrw	PMPADDR(\n), t0
	csrr	a0, PMPADDR(\n)
	bne	a0, a1, 7f
	.if	\n
	not	t0, a2
	csrw	PMPADDR(\n - 1), t0
	csrr	a0, PMPADDR(\n - 1)
	bne	a0, a2, 7f
	.endif
	j	8f
7:	j	fail
8:
.endm

TEST_START
	ALL_OFF
	li	s0, 0			/* how many there are: others read 0 */
	li	a2, 0x3FFFFFFF
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	csrw	PMPADDR(\n), a2
	csrr	a0, PMPADDR(\n)
	snez	a1, a0
	add	s0, s0, a1
	.endr
	CASE
	sltiu	a1, s0, 4
	CHECK	a1, 0
	csrr	s5, pmpaddr0		/* the bits below the grain read 0 */
	xor	s5, s5, a2
	CASE
	sltiu	a1, s5, 16
	CHECK	a1, 1
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	REGION	\n
	.endr
regions_end:
	ALL_OFF
	.irp	n, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
	LOCKED	\n
	.endr
	la	t0, trap_entry
	csrw	mtvec, t0
	li	s11, 0
TEST_END

	ALIGN	BLOCK
user:	lw	a0, 0(a3)
	ecall
	ALIGN	BLOCK
	.space	BLOCK
word:	.space	2 * BLOCK
