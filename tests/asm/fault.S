/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Misaligned and failing accesses (not for qemu: it splits misaligned accesses, and its map differs). */
#include "test.h"
#define NOWHERE 0x40000000

TEST_START
	la	a1, area
	li	a5, 0x1234
	.irp	op, lh, lhu
	.irp	o, 1, 3
	TRAPS	4, \op a0, \o(a1)
	addi	a2, a1, \o
	sub	a2, a2, s9
	CHECK	a2, 0
	.endr
	.endr
	.irp	o, 1, 2, 3
	TRAPS	4, lw a0, \o(a1)
	addi	a2, a1, \o
	sub	a2, a2, s9
	CHECK	a2, 0
	TRAPS	6, sw a5, \o(a1)
	addi	a2, a1, \o
	sub	a2, a2, s9
	CHECK	a2, 0
	.endr
	.irp	o, 1, 3
	TRAPS	6, sh a5, \o(a1)
	.endr
	CASE				/* nothing was written, the loads' destination neither */
	lw	a2, 0(a1)
	lw	a3, 4(a1)
	CHECK	a2, 0x11111111
	CHECK	a3, 0x22222222
	li	a0, 99
	lw	a0, 1(a1)
	CHECK	a0, 99
	.set	trap_number, trap_number + 1
	/* a load's destination that the next instruction reads */
	CASE
	lw	a0, 2(a1)
	addi	a0, a0, 1
	CHECK	a0, 100
	.set	trap_number, trap_number + 1

	li	a1, NOWHERE
	.irp	op, lb, lbu, lh, lhu, lw
	TRAPS	5, \op a0, 4(a1)
	CHECK_TVAL NOWHERE + 4
	.endr
	.irp	op, sb, sh, sw
	TRAPS	7, \op a0, 8(a1)
	CHECK_TVAL NOWHERE + 8
	.endr
	CHECK	a0, 100
	CASE				/* instructions behind a failing access have no effect */
	la	a2, area
	li	a0, 5
	la	s7, 1f
	lw	a0, 0(a1)
	sw	a1, 0(a2)
	addi	a0, a0, 1
	addi	a0, a0, 1
1:	CHECK	a0, 5
	lw	a3, 0(a2)
	CHECK	a3, 0x11111111
	la	s7, 1f
	sw	a0, 0(a1)
	sw	a1, 0(a2)
	csrw	mscratch, a1
	addi	a0, a0, 1
1:	CHECK	a0, 5
	lw	a3, 0(a2)
	CHECK	a3, 0x11111111
	.set	trap_number, trap_number + 2
	/* holes beside the devices: the windows are exact */
	.irp	address, 0x01FFFFFC, 0x02010000, 0x0FFFFFFC, 0x10000010, 0x1000FFFC, 0x10010010, 0x7FFFFFFC, 0xFFFFFFFC, 0
	li	a1, \address
	TRAPS	5, lw a0, 0(a1)
	CHECK_TVAL \address
	TRAPS	7, sb a0, 3(a1)
	.endr
	CASE				/* unused offsets of a window read 0 and take writes */
	li	a1, 0x02000000
	li	a0, -1
	sw	a0, 4(a1)
	lw	a0, 4(a1)
	CHECK	a0, 0
	li	a1, 0x1000000C
	sw	a1, 0(a1)
	lw	a0, 0(a1)
	CHECK	a0, 0
	li	a1, 0x10010008
	sw	a1, 0(a1)
	lw	a0, 0(a1)
	CHECK	a0, 0

	/* fetch: from nowhere, and from the devices */
	.irp	address, NOWHERE, NOWHERE + 2, 0x02000000, 0x10000000, 0x10010000, 0xFFFFFFFE
	CASE
	li	a1, \address
	la	s7, 1f
	jr	a1
	j	fail
1:	CHECK	s8, 1
	CHECK	s9, (\address) & 0xFFFFFFFF
	CHECK	s10, (\address) & 0xFFFFFFFF
	.set	trap_number, trap_number + 1
	.endr
	CASE				/* a branch over the fault of the word behind costs nothing: the last word of RAM */
	la	t0, 4f
	lw	a2, 0(t0)
	lw	a3, 4(t0)
	li	a1, 0x80000000
	li	a4, 4096		/* find the end of RAM: sizes are powers of two, at least 64 KiB */
	slli	a4, a4, 4
1:	add	a5, a1, a4
	li	s8, 0
	la	s7, 2f
	lw	x0, 0(a5)
	li	s7, 0
	slli	a4, a4, 1
	j	1b
2:	addi	s11, s11, -1		/* that trap is not counted */
	sw	a2, -8(a5)
	sw	a3, -4(a5)
	fence.i
	addi	a5, a5, -8
	la	a1, 3f
	jr	a5
4:	.word	0x00150513		/* addi a0, a0, 1 */
	.half	0x0505, 0x8582		/* c.addi a0, 1; c.jr a1 */
3:	CASE				/* a 32-bit instruction that straddles it: mtval is the second half */
	addi	a5, a5, 6
	li	a2, 0x13
	sh	a2, 0(a5)
	fence.i
	la	s7, 1f
	jr	a5
1:	CHECK	s8, 1
	sub	a2, s10, a5
	CHECK	a2, 0
	sub	a2, s9, a5
	CHECK	a2, 2
	.set	trap_number, trap_number + 1
	CASE				/* both words behind the last one are there, and fail, before the first is wanted */
	li	a2, 0x02C64633		/* div a2, a2, a2 */
	addi	a5, a5, -2
	sw	a2, 0(a5)
	fence.i
	la	s7, 1f
	jr	a5
1:	CHECK	s8, 1
	CHECK	a2, 1
	sub	a2, s10, a5
	CHECK	a2, 4
	sub	a2, s9, a5
	CHECK	a2, 4
	.set trap_number, trap_number + 1
	.data
	.balign	4
area:	.word	0x11111111, 0x22222222
	.text
TEST_END
