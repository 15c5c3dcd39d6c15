/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Code that writes itself, with FENCE.I before it runs. */
#include "test.h"

TEST_START
	CASE				/* the instruction right behind FENCE.I */
	la	a1, 1f
	la	a2, insns
	lw	a3, 0(a2)
	li	a0, 0
	sw	a3, 0(a1)
	fence.i
1:	j	fail			/* becomes addi a0, a0, 1 */
	CHECK	a0, 1
	CASE				/* a loop that gets a new body each time */
	li	a0, 0
	li	a4, 4
	la	a1, 2f
1:	lw	a3, 0(a2)
	sw	a3, 0(a1)
	addi	a2, a2, 4
	fence.i
2:	j	fail
	addi	a4, a4, -1
	bnez	a4, 1b
	CHECK	a0, 0x1E
	CASE				/* half of a 32-bit instruction that is not word aligned */
	la	a1, 3f
	li	a0, 0
	lhu	a3, 2(a2)
	.option	rvc
	.balign	4
	c.nop
	la	a1, 3f
	sh	a3, 2(a1)
	fence.i
	.balign	4
	c.nop
3:	.half	0x0513, 0x0015		/* addi a0, a0, 1: becomes addi a0, a0, 127 */
	.option	norvc
	CHECK	a0, 0x7F
	.data
	.balign	4
insns:	.word	0x00150513		/* addi a0, a0, 1 */
	.word	0x00250513
	.word	0x00450513
	.word	0x01750513		/* addi a0, a0, 23 */
	.half	0x0513, 0x07F5
	.word	0
	.word	0, 0, 0
	.text
TEST_END
