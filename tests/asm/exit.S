/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The simulation devices: console, exit device. */
#include "test.h"

	.data
	.balign	4
	.globl	begin_signature, end_signature
begin_signature:
	.word	0x12345678, 0
end_signature:
	.text
TEST_START
	la	a0, begin_signature
	li	a1, 0xCAFE
	sw	a1, 4(a0)
	li	a0, 0x10010000
	CASE				/* both read 0 */
	lw	a1, 0(a0)
	CHECK	a1, 0
	lw	a1, 4(a0)
	CHECK	a1, 0
	li	a1, 'o'
	sb	a1, 0(a0)
	li	a1, 'k'
	sw	a1, 0(a0)
	li	a1, '\n'
	sh	a1, 0(a0)
	sw	x0, 4(a0)
	j	fail
TEST_END
