/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Loads and stores of every width, at every offset, with sign extension, dependencies and negative offsets. */
#include "test.h"

.macro LOAD op, offset, expected
	CASE
	la	a1, pattern + 2048
	\op	a0, \offset - 2048(a1)
	CHECK	a0, (\expected) & 0xFFFFFFFF
	CASE				/* the result is needed at once, and as an address */
	la	a1, pattern
	\op	a0, \offset(a1)
	add	a0, a0, a0
	CHECK	a0, ((\expected) * 2) & 0xFFFFFFFF
.endm
.macro STORE op, offset, value, word0, word1
	CASE
	la	a1, scratch
	li	a2, -1
	sw	a2, 0(a1)
	sw	a2, 4(a1)
	li	a0, \value
	\op	a0, \offset(a1)
	lw	a2, 0(a1)
	lw	a3, 4(a1)
	CHECK	a2, \word0
	CHECK	a3, \word1
.endm

	.data
	.balign	8
pattern: .byte	0x01, 0x82, 0x03, 0x84, 0x7F, 0xFF, 0x00, 0x80
scratch: .word	0, 0, 0, 0
self:	.word	self

TEST_START
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7
	.set	I, \i
	.if I == 0
	LOAD	lb, 0, 0x01
	LOAD	lbu, 0, 0x01
	LOAD	lh, 0, -0x7DFF
	LOAD	lhu, 0, 0x8201
	LOAD	lw, 0, 0x84038201
	.elseif I == 1
	LOAD	lb, 1, -0x7E
	LOAD	lbu, 1, 0x82
	.elseif I == 2
	LOAD	lb, 2, 0x03
	LOAD	lbu, 2, 0x03
	LOAD	lh, 2, -0x7BFD
	LOAD	lhu, 2, 0x8403
	.elseif I == 3
	LOAD	lb, 3, -0x7C
	LOAD	lbu, 3, 0x84
	.elseif I == 4
	LOAD	lb, 4, 0x7F
	LOAD	lh, 4, -0x81
	LOAD	lhu, 4, 0xFF7F
	LOAD	lw, 4, 0x8000FF7F
	.elseif I == 5
	LOAD	lb, 5, -1
	LOAD	lbu, 5, 0xFF
	.elseif I == 6
	LOAD	lb, 6, 0
	LOAD	lh, 6, -0x8000
	LOAD	lhu, 6, 0x8000
	.else
	LOAD	lb, 7, -0x80
	LOAD	lbu, 7, 0x80
	.endif
	.endr
	STORE	sb, 0, 0xA5B6C7D8, 0xFFFFFFD8, 0xFFFFFFFF
	STORE	sb, 1, 0xA5B6C7D8, 0xFFFFD8FF, 0xFFFFFFFF
	STORE	sb, 2, 0xA5B6C7D8, 0xFFD8FFFF, 0xFFFFFFFF
	STORE	sb, 3, 0xA5B6C7D8, 0xD8FFFFFF, 0xFFFFFFFF
	STORE	sb, 4, 0xA5B6C7D8, 0xFFFFFFFF, 0xFFFFFFD8
	STORE	sh, 0, 0xA5B6C7D8, 0xFFFFC7D8, 0xFFFFFFFF
	STORE	sh, 2, 0xA5B6C7D8, 0xC7D8FFFF, 0xFFFFFFFF
	STORE	sh, 6, 0xA5B6C7D8, 0xFFFFFFFF, 0xC7D8FFFF
	STORE	sw, 0, 0xA5B6C7D8, 0xA5B6C7D8, 0xFFFFFFFF
	STORE	sw, 4, 0xA5B6C7D8, 0xFFFFFFFF, 0xA5B6C7D8

	CASE				/* pointer chase: load feeds load */
	la	a0, self
	lw	a1, 0(a0)
	lw	a1, 0(a1)
	lw	a1, 0(a1)
	sub	a1, a1, a0
	CHECK	a1, 0
	CASE				/* load feeds the data and the address of a store, store then load of the same word */
	lw	a1, 0(a0)
	sw	a1, 0(a1)
	lw	a2, 0(a0)
	sub	a2, a2, a0
	CHECK	a2, 0
	CASE				/* load feeds a branch, and a load into x0 changes nothing */
	la	a0, pattern
	lw	x0, 0(a0)
	bnez	x0, 1f
	lb	a1, 6(a0)
	beqz	a1, 2f
1:	j	fail
2:
	CASE				/* back-to-back stores and loads */
	la	a0, scratch
	li	a1, 1
	li	a2, 2
	li	a3, 3
	sw	a1, 0(a0)
	sw	a2, 4(a0)
	sw	a3, 8(a0)
	lw	a4, 8(a0)
	lw	a5, 4(a0)
	lw	a6, 0(a0)
	slli	a4, a4, 8
	slli	a5, a5, 4
	or	a4, a4, a5
	or	a4, a4, a6
	CHECK	a4, 0x321
TEST_END
