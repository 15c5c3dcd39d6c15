/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Physical memory protection (docs/core.md section 8), for four regions or more. Region 3 lets user mode do everything everywhere
 * but where a case says otherwise; what is tested lies in regions 0 to 2. What is locked stays locked, so locks come last.
 */
#include "test.h"
#include "user.h"

#define R 1
#define W 2
#define X 4
#define TOR 0x08
#define NA4 0x10
#define NAPOT 0x18
#define LOCK 0x80
#define ALL (NAPOT | R | W | X)

/* pmpaddr\n := address of symbol + offset */
.macro PMP_AT n, symbol, offset=0
	la	t6, \symbol + \offset
	srli	t6, t6, 2
	csrw	pmpaddr\n, t6
.endm
/* a NAPOT region of \bytes there */
.macro PMP_NAPOT n, symbol, bytes, offset=0
	la	t6, \symbol + \offset
	srli	t6, t6, 2
	ori	t6, t6, \bytes / 8 - 1
	csrw	pmpaddr\n, t6
.endm
/* regions 0 to 2; region 3 is given if it is not ALL */
.macro PMP_CFG zero, one=0, two=0, three=ALL
	li	t6, (\zero) | (\one) << 8 | (\two) << 16 | (\three) << 24
	csrw	pmpcfg0, t6
.endm

.macro ALLOWED insn:vararg
	CASE
	li	s8, -1
	\insn
	CHECK	s8, -1
.endm
/* the instruction, a load or store of symbol + offset, is refused */
.macro REFUSED cause, symbol, offset, insn:vararg
	TRAPS	\cause, \insn
	la	t6, \symbol + \offset
	sub	t6, t6, s9
	CHECK	t6, 0
.endm
.macro LOAD_OK symbol, offset
	la	a1, \symbol + \offset
	ALLOWED	lw a0, 0(a1)
.endm
.macro LOAD_NO symbol, offset
	la	a1, \symbol + \offset
	REFUSED	5, \symbol, \offset, lw a0, 0(a1)
.endm
/* jumps there: each of these places holds a RET */
.macro CALL_OK symbol, offset
	la	a1, \symbol + \offset
	ALLOWED	jalr ra, a1
.endm
.macro CALL_NO symbol, offset
	CASE
	la	a1, \symbol + \offset
	li	s8, -1
	la	s7, 8f
	jalr	ra, a1
	j	fail
8:	CHECK	s8, 1
	sub	t6, s9, a1
	CHECK	t6, 0
	sub	t6, s10, a1
	CHECK	t6, 0
	.set trap_number, trap_number + 1
.endm

/* In U: area, 32 bytes, has the rights of \cfg. */
.macro RIGHTS cfg
	PMP_CFG	NAPOT | (\cfg)
	TO_U
	.if (\cfg) & R
	LOAD_OK	area, 0
	la	a1, area
	ALLOWED	lbu a0, 7(a1)
	ALLOWED	lh a0, 30(a1)
	.else
	LOAD_NO	area, 0
	REFUSED	5, area, 7, lbu a0, 7(a1)
	la	a1, area
	REFUSED	5, area, 31, lb a0, 31(a1)
	REFUSED	5, area, 30, lh a0, 30(a1)
	REFUSED	5, area, 2, lhu a0, 2(a1)
	.endif
	la	a1, area
	.if (\cfg) & W
	ALLOWED	sw a2, 4(a1)
	ALLOWED	sb a2, 8(a1)
	.else
	REFUSED	7, area, 4, sw a2, 4(a1)
	REFUSED	7, area, 6, sh a2, 6(a1)
	REFUSED	7, area, 9, sb a2, 9(a1)
	.endif
	.if (\cfg) & X
	CALL_OK	area, 0
	CALL_OK	area, 30
	.else
	CALL_NO	area, 0
	CALL_NO	area, 30
	.endif
	LOAD_OK	area, -4
	LOAD_OK	area, 32
	CALL_OK	area, -4
	CALL_OK	area, 32
	TO_M
	LOAD_OK	area, 0			/* none of it holds for M */
	CALL_OK	area, 0
	ALLOWED	sw a0, 0(a1)
.endm

TEST_START
	USER_ENTRY
	csrw	mie, x0
	li	a0, -1
	csrw	pmpaddr3, a0
	PMP_CFG	0
	/* fields */
	CSR_WRITE pmpaddr0, 0x12345678, 0x12345678
	CSR_WRITE pmpaddr1, 0x3EDCBA98, 0x3EDCBA98
	CSR_WRITE pmpaddr2, 0, 0
	CSR_WRITE pmpcfg0, 0x1F000000, 0x1F000000
	CSR_WRITE pmpcfg0, 0x1F111F0D, 0x1F111F0D
#ifndef QEMU				/* its addresses have 34 bits, and it takes the reserved W without R */
	CSR_WRITE pmpaddr0, 0xFFFFFFFF, 0x3FFFFFFF
	CSR_WRITE pmpcfg0, 0x1F7A6E62, 0x1F180C00
	CSR_WRITE pmpcfg3, 0xFFFFFFFF, 0
	CSR_WRITE pmpaddr15, 0xFFFFFFFF, 0
	TRAPS	2, csrr a0, 0x3A4
	TRAPS	2, csrr a0, 0x3AF
	TRAPS	2, csrr a0, 0x3C0
#endif
	PMP_CFG	0
	csrw	pmpaddr0, x0
	TO_U
	TRAPS	2, csrr a0, pmpcfg0
	TRAPS	2, csrw pmpaddr0, a0
	TO_M

	/* rights */
	PMP_NAPOT 0, area, 32
	li	a2, 0x80828082		/* what is stored stays RETs: c.jr ra */
	RIGHTS	0
	RIGHTS	R
	RIGHTS	R | W
	RIGHTS	X
	RIGHTS	R | X
	RIGHTS	R | W | X
	CASE				/* what was refused has no effect */
	PMP_CFG	NAPOT
	li	a0, 77
	la	a1, area
	TO_U
	sw	a0, 4(a1)
	lw	a0, 0(a1)
	addi	a0, a0, 1
	TO_M
	.set	trap_number, trap_number + 2
	CHECK	a0, 78
	lw	a0, 4(a1)
	CHECK	a0, 0x80828082
	CASE				/* instructions behind it neither */
	PMP_CFG	NAPOT | R
	la	s7, 1f
	la	a3, area + 32
	lw	a4, 0(a3)
	TO_U
	sw	x0, 0(a1)
	sw	x0, 0(a3)
	li	a0, 0
1:	TO_M
	.set	trap_number, trap_number + 1
	CHECK	a0, 0x80828082
	lw	a0, 0(a3)
	sub	a0, a0, a4
	CHECK	a0, 0

	/* sizes: the first and the last word, and what lies before and behind */
	PMP_AT	0, area, 8
	PMP_CFG	NA4
	TO_U
	LOAD_NO	area, 8
	LOAD_OK	area, 4
	LOAD_OK	area, 12
	CALL_NO	area, 10
	CALL_OK	area, 12
	TO_M
	.irp	bytes, 8, 16, 64, 256, 2048
	PMP_NAPOT 0, area, \bytes, \bytes
	PMP_CFG	NAPOT
	TO_U
	LOAD_OK	area, \bytes - 4
	LOAD_NO	area, \bytes
	LOAD_NO	area, 2 * \bytes - 4
	LOAD_OK	area, 2 * \bytes
	TO_M
	.endr
	/* TOR: from the address before, whatever that region is */
	PMP_AT	0, area, 12
	PMP_AT	1, area, 20
	PMP_CFG	0, TOR
	TO_U
	LOAD_OK	area, 8
	LOAD_NO	area, 12
	LOAD_NO	area, 16
	LOAD_OK	area, 20
	CALL_OK	area, 8
	CALL_NO	area, 18
	CALL_OK	area, 20
	TO_M
	PMP_CFG	NA4 | R, TOR
	TO_U
	LOAD_OK	area, 12
	LOAD_NO	area, 16
	TO_M
	PMP_CFG	0, TOR, TOR | R
	PMP_AT	2, area, 28
	TO_U
	LOAD_NO	area, 12
	LOAD_NO	area, 16
	LOAD_OK	area, 20
	LOAD_OK	area, 24
	CALL_NO	area, 26
	CALL_OK	area, 28
	TO_M
	PMP_CFG	0, 0, TOR		/* 20 to 28 */
	PMP_AT	2, area, 20		/* empty */
	TO_U
	LOAD_OK	area, 16
	LOAD_OK	area, 20
	TO_M
	PMP_AT	2, area, 12		/* less than empty */
	TO_U
	LOAD_OK	area, 8
	LOAD_OK	area, 12
	LOAD_OK	area, 16
	LOAD_OK	area, 20
	TO_M
	PMP_AT	0, area, 4		/* region 0 begins at address 0 */
	PMP_CFG	TOR | R | X
	la	a1, area
	TO_U
	REFUSED	7, area, 0, sw a2, 0(a1)
	ALLOWED	sw a2, 4(a1)
	ALLOWED	lw a0, 0(a1)
	TO_M
	/* the first match decides, for more and for less */
	PMP_AT	0, area, 8
	PMP_NAPOT 1, area, 32
	PMP_CFG	NA4 | R, NAPOT
	TO_U
	LOAD_OK	area, 8
	LOAD_NO	area, 4
	LOAD_NO	area, 12
	TO_M
	PMP_CFG	NA4, NAPOT | R
	TO_U
	LOAD_NO	area, 8
	LOAD_OK	area, 4
	LOAD_OK	area, 12
	TO_M
	/* no match: refused to U. The rest of U's code stays allowed */
	PMP_AT	2, area
	csrw	pmpaddr1, x0
	PMP_CFG	0, 0, TOR | R | X, 0
	TO_U
	LOAD_OK	area, -4
	LOAD_NO	area, 0
	CALL_NO	area, 0
	REFUSED	7, area, 0, sw a2, 0(a1)
	LOAD_NO	area, 2048
	TO_M
	LOAD_OK	area, 0
	CALL_OK	area, 0
#ifndef QEMU				/* it refuses the MRET itself */
	CASE				/* no region at all */
	PMP_CFG	0, 0, 0, 0
	la	s7, 1f
	li	t5, 1
	li	t6, 0x1800
	csrc	mstatus, t6
	la	t6, 2f
	csrw	mepc, t6
	mret
2:	j	fail
1:	CHECK	s8, 1
	la	t6, 2b
	sub	t6, t6, s9
	CHECK	t6, 0
	.set	trap_number, trap_number + 1
#endif
#ifndef QEMU				/* it checks the first half for both */
	/* an instruction whose second half is refused */
	CASE
	PMP_NAPOT 0, area, 8, 8
	PMP_CFG	NAPOT | R
	li	a2, 0x0513
	la	a1, area
	sh	a2, 6(a1)		/* addi a0, x0, ... */
	fence.i
	la	a1, area + 6
	la	s7, 1f
	TO_U
	jr	a1
1:	CHECK	s8, 1
	sub	t6, s10, a1
	CHECK	t6, 0
	sub	t6, s9, a1
	CHECK	t6, 2
	.set	trap_number, trap_number + 1
	TO_M
	li	a2, 0x8082
	la	a1, area
	sh	a2, 6(a1)
	fence.i
#endif

	/* MPRV: loads and stores of M with the rights of U, fetches not */
	PMP_NAPOT 0, area, 32
	PMP_CFG	NAPOT | R
	li	a3, 0x20000
	li	a2, 0x80828082
	CASE
	la	a1, area
	li	t6, 0x1800
	csrc	mstatus, t6
	csrs	mstatus, a3
	ALLOWED	lw a0, 0(a1)
	la	s7, 1f
	sw	a2, 0(a1)
	j	fail
1:	csrc	mstatus, a3		/* the trap came from M: MPP was M, then U again */
	CHECK	s8, 7
	.set	trap_number, trap_number + 1
	CASE
	li	t6, 0x1800
	csrs	mstatus, t6
	csrs	mstatus, a3
	ALLOWED	sw a2, 0(a1)		/* MPP is M */
	csrc	mstatus, t6
	csrs	mstatus, a3
	CALL_OK	area, 0
	li	t6, 0x20000
	csrc	mstatus, t6

	/* locks */
	PMP_NAPOT 0, area, 8, 64
	PMP_CFG	NAPOT | R | LOCK
	CSR_IS	pmpcfg0, ALL << 24 | NAPOT | R | LOCK
	LOAD_OK	area, 64
	REFUSED	7, area, 64, sw a2, 0(a1)
	REFUSED	7, area, 69, sb a2, 5(a1)
	CALL_NO	area, 64
	TO_U
	LOAD_OK	area, 68
	REFUSED	7, area, 64, sw a2, -4(a1)
	TO_M
	CASE
	csrr	a4, pmpaddr0
	PMP_CFG	ALL
	csrw	pmpaddr0, x0
	csrr	a0, pmpaddr0
	sub	a0, a0, a4
	CHECK	a0, 0
	CSR_IS	pmpcfg0, ALL << 24 | NAPOT | R | LOCK
	REFUSED	7, area, 68, sw a2, 0(a1)
	PMP_AT	1, area, 128		/* a locked TOR region keeps both ends */
	PMP_AT	2, area, 136
	CASE
	csrr	a3, pmpaddr1
	csrr	a4, pmpaddr2
	li	t6, ALL << 24 | (TOR | LOCK) << 16
	csrw	pmpcfg0, t6
	csrw	pmpaddr1, x0
	csrw	pmpaddr2, x0
	csrr	a0, pmpaddr1
	sub	a0, a0, a3
	CHECK	a0, 0
	csrr	a0, pmpaddr2
	sub	a0, a0, a4
	CHECK	a0, 0
	LOAD_OK	area, 124
	LOAD_NO	area, 128
	LOAD_NO	area, 132
	LOAD_OK	area, 136
	PMP_CFG	ALL, ALL, ALL		/* region 1 itself is not locked, and decides before 2; its address is fixed: 8 bytes at 128 */
	CSR_IS	pmpcfg0, ALL << 24 | (TOR | LOCK) << 16 | ALL << 8 | NAPOT | R | LOCK
	LOAD_OK	area, 128
	LOAD_OK	area, 132
	.data
	.balign	4096
	.space	4096 - 64
	.fill	32, 2, 0x8082
area:	.fill	2048 + 32, 2, 0x8082	/* RETs all over */
	.text
TEST_END
