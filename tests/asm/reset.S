/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What registers hold after a reset in the middle of work (the bench makes it in cycle 500): every cycle retires a write, also that
 * of the reset. Each start stores all registers first, so that both sides show what they kept. */
#include "test.h"

	.data
	.balign	4
saved:	.zero	128
	.section .text.init, "ax"
	.globl	_start
_start:	la	x31, saved
	.irp	r, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
	sw	x\r, 4 * \r(x31)
	.endr
	li	x31, 100
1:	.irp	r, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
	addi	x\r, x\r, \r
	.endr
	addi	x31, x31, -1
	bnez	x31, 1b
	la	t0, tohost
	li	t1, 1
	sw	t1, 0(t0)
1:	j	1b
	.section .tohost, "aw"
	.balign	64
	.globl	tohost
tohost:	.dword	0
