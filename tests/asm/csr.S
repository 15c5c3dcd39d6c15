/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Zicsr, and which bits of each machine CSR hold what is written. */
#include "test.h"

TEST_START
	CASE				/* the six instructions, old value and new */
	li	a0, 0x12345678
	csrw	mscratch, a0
	li	a1, 0xFF00FF00
	csrrs	a2, mscratch, a1
	CHECK	a2, 0x12345678
	csrrc	a2, mscratch, a1
	CHECK	a2, 0xFF34FF78
	csrrw	a2, mscratch, a1
	CHECK	a2, 0x00340078
	csrrwi	a2, mscratch, 21
	CHECK	a2, 0xFF00FF00
	csrrsi	a2, mscratch, 10
	CHECK	a2, 21
	csrrci	a2, mscratch, 15
	CHECK	a2, 31
	CSR_IS	mscratch, 16
	CASE				/* rd = rs1; x0 as rd and as rs1 */
	li	a0, 7
	csrrw	a0, mscratch, a0
	CHECK	a0, 16
	csrrw	x0, mscratch, a0
	CSR_IS	mscratch, 16
	csrrs	a0, mscratch, x0
	csrrc	a0, mscratch, x0
	csrrsi	a0, mscratch, 0
	csrrci	a0, mscratch, 0
	CSR_IS	mscratch, 16
	CASE				/* the source just computed and just loaded, the result used at once */
	addi	a0, a0, 5
	csrrw	a1, mscratch, a0
	add	a1, a1, a1
	CHECK	a1, 32
	la	a0, word
	lw	a0, 0(a0)
	csrrw	a1, mscratch, a0
	addi	a1, a1, 1
	CHECK	a1, 22
	CSR_IS	mscratch, 0x600DF00D

	CSR_WRITE mscratch, 0xFFFFFFFF, 0xFFFFFFFF
	CSR_WRITE mscratch, 0, 0
	CSR_WRITE mepc, 0x80000002, 0x80000002
	CSR_WRITE mtval, 0xA5A5A5A5, 0xA5A5A5A5
	CSR_WRITE mtval, 0, 0
	CSR_WRITE mcause, 0x80000003, 0x80000003
	CSR_WRITE mcause, 7, 7
	CSR_WRITE mie, 0, 0
	CSR_WRITE mcounteren, 0, 0
	CASE				/* mtvec: modes direct and vectored */
	csrr	a5, mtvec
	li	a0, 0x80000100
	csrw	mtvec, a0
	CSR_IS	mtvec, 0x80000100
	li	a0, 0x80000101
	csrw	mtvec, a0
	CSR_IS	mtvec, 0x80000101
	csrw	mtvec, a5
	CASE				/* MIE, MPIE; MPP holds what a mode exists for */
	li	a0, 0x1888
	csrc	mstatus, a0
	CSR_IS	mstatus, 0
	li	a0, 0x1880
	csrs	mstatus, a0
	CSR_IS	mstatus, 0x1880
	csrw	mstatus, x0
	/* read only, and no error: misa says I, M, C, U */
	CASE
	csrr	a0, misa
	li	a1, 0x40101104
	and	a2, a0, a1
	CHECK	a2, 0x40101104
	CASE
	CSR_IS	mhartid, 0
	CSR_IS	mstatush, 0
	csrr	a0, mvendorid
	csrr	a0, marchid
	csrr	a0, mconfigptr
	.irp	n, 3, 4, 17
	CASE
	csrr	a0, 0xB00 + \n
	csrr	a0, 0xB80 + \n
	csrr	a0, 0x320 + \n
	csrw	0xB00 + \n, x0
	csrw	0x320 + \n, x0
	.endr
	csrr	a0, mcountinhibit
	csrr	a0, 0x30A		/* menvcfg */
	csrr	a0, 0x31A
	csrw	0x30A, x0
#ifndef QEMU
	/* what this core fixes and the architecture leaves open */
	csrr	a0, mhpmcounter31
	csrr	a0, mhpmcounter31h
	csrw	mhpmcounter31, x0
	CSR_IS	mimpid, 0x52495631
	CSR_IS	misa, 0x40101104
	CSR_IS	mvendorid, 0
	CSR_IS	marchid, 0
	CSR_IS	mconfigptr, 0
	CSR_WRITE mepc, 0xFFFFFFFF, 0xFFFFFFFE	/* qemu 7.2 keeps bit 0 */
	CSR_WRITE misa, 0, 0x40101104
	CSR_WRITE mcause, 0xFFFFFFFF, 0x8000001F
	CSR_WRITE mtvec, 0x800000FF, 0x80000081
	CSR_WRITE mtvec, 0x800000FE, 0x800000FC
	csrw	mtvec, a5
	CSR_WRITE mie, 0xFFFFFFFF, 0x00010888
	CSR_WRITE mie, 0, 0
	CSR_WRITE mcounteren, 0xFFFFFFFF, 5
	CSR_WRITE mcounteren, 0, 0
	CSR_WRITE mstatus, 0xFFFFFFF7, 0x00221880
	CSR_WRITE mstatus, 0x00000800, 0x00001800	/* MPP = 1 is not taken over */
	CSR_WRITE mstatus, 0x00001000, 0x00001800
	CSR_WRITE mstatus, 0, 0
	CSR_WRITE mstatus, 0x00000800, 0
	CSR_WRITE mstatush, 0xFFFFFFFF, 0
	CSR_WRITE mip, 0xFFFFFFFF, 0
	CSR_WRITE mcountinhibit, 0xFFFFFFFF, 0
	CSR_WRITE 0xB03, 0xFFFFFFFF, 0
	CSR_WRITE 0xB9F, 0xFFFFFFFF, 0
	CSR_WRITE 0x33F, 0xFFFFFFFF, 0
	CSR_WRITE 0x30A, 0xFFFFFFFF, 0
	CSR_WRITE 0x31A, 0xFFFFFFFF, 0
	CSR_WRITE 0x7A0, 0xFFFFFFFF, 0	/* tselect, tdata1: there is no trigger */
	CSR_WRITE 0x7A1, 0xFFFFFFFF, 0
	TRAPS	2, csrr a0, time
	TRAPS	2, csrr a0, timeh
	TRAPS	2, csrr a0, 0xC03
	TRAPS	2, csrr a0, 0x302	/* medeleg: no S mode */
	TRAPS	2, csrr a0, 0x3A4	/* pmpcfg4: 16 regions at most */
	TRAPS	2, csrr a0, 0x79F
	TRAPS	2, csrr a0, 0x7A2
	TRAPS	2, csrr a0, 0x7BF
	TRAPS	2, csrr a0, 0xB01
	TRAPS	2, csrr a0, 0x323 - 2
	TRAPS	2, csrr a0, 0x180	/* satp */
#endif
	TRAPS	2, csrr a0, 0x001	/* fflags without F */
	TRAPS	2, csrr a0, 0x8C0
	TRAPS	2, csrr a0, 0x5C0
	/* writes to read-only CSRs; a set or clear of nothing is no write */
	TRAPS	2, csrw mhartid, x0
	li	a0, 1			/* qemu 7.2 takes a set of no bits from a register for a read */
	TRAPS	2, csrrs a0, mhartid, a0
	TRAPS	2, csrrwi a0, mvendorid, 0
	TRAPS	2, csrrci a0, cycle, 1
	TRAPS	2, csrw cycle, a0
	CASE
	csrrs	a0, mhartid, x0
	csrrci	a0, mhartid, 0
	csrr	a0, cycle
	csrr	a0, instreth
	CASE				/* an illegal one changes neither rd nor the CSR */
	li	a0, 77
	csrw	0x5C0, a0
	csrrw	a0, 0x5C0, a0
	CHECK	a0, 77
	.set	trap_number, trap_number + 2
	.data
	.balign	4
word:	.word	0x600DF00D
	.text
	CASE				/* set and clear each bit alone */
	li	a1, 1
1:	csrwi	mscratch, 0
	csrs	mscratch, a1
	csrr	a2, mscratch
	bne	a2, a1, 9f
	li	a3, -1
	csrw	mscratch, a3
	csrc	mscratch, a1
	csrr	a2, mscratch
	xor	a2, a2, a1
	bne	a2, a3, 9f
	not	a4, a1
	csrc	mscratch, a4
	csrr	a2, mscratch
	bnez	a2, 9f
	csrs	mscratch, a4
	csrr	a2, mscratch
	bne	a2, a4, 9f
	slli	a1, a1, 1
	bnez	a1, 1b
	j	2f
9:	j	fail
2:
TEST_END
