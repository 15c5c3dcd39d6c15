/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Every bit of an address inside the memory: a piece of code runs across each power of two, at each of its halfwords. */
#include "test.h"

/* Runs at its copies: six steps are counted in a0, and what depends on the place is left in registers. */
piece:	addi	a0, a0, 1
piece_pc: auipc	a2, 0
	beqz	x0, 1f
	li	a0, 64
1:	addi	a0, a0, 1
	.option	rvc
	c.addi	a0, 1			/* what follows lies across two words */
	.option	norvc
	jal	a4, 2f
piece_link: li	a0, 64
3:	addi	a0, a0, 1
	.option	rvc
	c.jr	ra
	c.nop
	.option	norvc
2:	addi	a0, a0, 1
piece_trap: ecall
	auipc	a7, 0
	jalr	a6, 12(a7)
piece_jump: li	a0, 64
	addi	a0, a0, 1
	bnez	a0, 3b
	li	a0, 64
piece_end:

/* reg is the address of this label in the copy at a1 */
.macro IS_AT reg, label
	la	t0, \label
	la	t1, piece
	sub	t0, t0, t1
	add	t0, t0, a1
	bne	t0, \reg, 9f
.endm

TEST_START
	li	s1, 0x2000		/* 2^13 to 2^21 above the first word of memory */
1:	CASE
	li	s2, 0			/* bytes of the piece that lie below the power of two */
2:	la	a1, _start
	add	a1, a1, s1
	sub	a1, a1, s2		/* copy it there */
	mv	a5, a1
	la	a2, piece
	la	a3, piece_end
3:	lhu	a4, 0(a2)
	sh	a4, 0(a5)
	addi	a2, a2, 2
	addi	a5, a5, 2
	bltu	a2, a3, 3b
	fence.i
	li	a0, 0
	jalr	a1
	CHECK	a0, 6
	IS_AT	a2, piece_pc			/* AUIPC */
	IS_AT	a4, piece_link			/* JAL */
	IS_AT	a6, piece_jump			/* JALR */
	IS_AT	s10, piece_trap			/* mepc */
	addi	s2, s2, 2
	la	t0, piece_end
	la	t1, piece
	sub	t0, t0, t1
	bleu	s2, t0, 2b
	slli	s1, s1, 1
	li	t0, 0x400000		/* memory ends there */
	bltu	s1, t0, 1b
	li	s11, 0			/* a trap for each copy */
	j	4f
9:	j	fail
4:
TEST_END
