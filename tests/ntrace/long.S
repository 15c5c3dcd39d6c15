/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What takes long: I-CNT is full while a history repeats, a history repeats 9,600 times, the time has 20 bits, and a
 * branch message with 20 outcomes repeats. */
	.section .text.init, "ax"
	.globl	_start
_start:
	.option	norvc
	li	a0, 300000 /* four half-words a turn: more than 2^20 without a message that has I-CNT */
1:	addi	a0, a0, -1
	bnez	a0, 1b
	la	s4, 2f
	li	s2, 50
2:	addi	s2, s2, -1
	beqz	s2, 5f
	li	a1, 19
3:	addi	a1, a1, -1
	bnez	a1, 3b
	jr	s4
5:	li	t0, 0x10010004 /* the exit device of the simulation */
	sw	zero, 0(t0)
6:	j	6b
