/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Targets at half a word: with C an instruction like any other, without C a trap of the transfer itself, which then writes no
 * register. The builds without C are in sim-configs and coverage-rtl.
 */
#include "test.h"

TEST_START
	csrr	a0, misa
	andi	a0, a0, 4
	beqz	a0, without
	CASE
	la	a1, 1f
	jr	a1
	ALIGN	4
	.option	rvc
	c.nop
1:	c.li	a0, 5
	.option	norvc
	ALIGN	4
	CHECK	a0, 5
	CHECK	s11, 0
	j	pass
without:
	li	ra, 7
	la	a1, 1f
	TRAPS	0, jal x0, . + 6
	la	a2, 8b + 6
	sub	a2, a2, s9
	CHECK	a2, 0
	TRAPS	0, jal ra, . - 2
	TRAPS	0, jalr ra, 2(a1)
	addi	a2, a1, 2
	sub	a2, a2, s9
	CHECK	a2, 0
	TRAPS	0, jalr ra, 3(a1)
	sub	a2, s9, a1
	CHECK	a2, 2
	TRAPS	0, beq x0, x0, . + 6
	CASE
	CHECK	ra, 7
	CASE				/* not taken: none; bit 0 of JALR's sum does not count */
	bne	x0, x0, . + 6
	jalr	ra, 1(a1)
	j	fail
1:	csrr	a0, mcause
	CHECK	a0, 0
	CSR_WRITE mepc, 0x80000006, 0x80000004
TEST_END
