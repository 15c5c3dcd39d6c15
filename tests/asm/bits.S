/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Every bit of what holds an address, a count or a value, both ways. Not for qemu: this SoC's devices and their widths. */
#include "test.h"

/* csr := each pattern, then it reads as the pattern under the mask, with the bits of one set */
.macro PATTERNS csr, mask, one=0
	.irp	value, 0xFFFFFFFF, 0, 0xAAAAAAAA, 0x55555555, 0xFFFFFFFF, 0
	CSR_WRITE \csr, \value, (\value & \mask) | \one
	.endr
.endm

.macro WORD address, value, expected
	CASE
	li	a2, \address
	li	a1, \value
	sw	a1, 0(a2)
	lw	a0, 0(a2)
	CHECK	a0, \expected
.endm

/* A jump to where nothing is: a fetch fault there. */
.macro NOWHERE target
	CASE
	la	s7, 8f
	li	a0, \target
	jr	a0
	ALIGN	4
8:	CHECK	s8, 1
	CHECK	s9, \target
	CHECK	s10, \target
	.set trap_number, trap_number + 1
.endm

TEST_START
	PATTERNS mscratch, 0xFFFFFFFF
	PATTERNS mepc, 0xFFFFFFFE
	PATTERNS mtval, 0xFFFFFFFF
	PATTERNS mcause, 0x8000001F
	PATTERNS mcounteren, 5
	PATTERNS mie, 0x10888
	PATTERNS mip, 0
	PATTERNS misa, 0, 0x40101104
	PATTERNS mstatush, 0
	PATTERNS mcountinhibit, 0
	PATTERNS menvcfg, 0
	PATTERNS mhpmcounter3, 0
	PATTERNS mhpmcounter31, 0
	PATTERNS mhpmevent3, 0
	/* MIE stays 0; MPP 01 and 10 leave it as it was */
	CSR_WRITE mstatus, 0xFFFFFFF7, 0x00221880
	CSR_WRITE mstatus, 0, 0
	CSR_WRITE mstatus, 0x800, 0
	CSR_WRITE mstatus, 0x1000, 0
	CSR_WRITE mstatus, 0x1800, 0x1800
	CSR_WRITE mstatus, 0x0800, 0x1800
	CSR_WRITE mstatus, 0x1000, 0x1800
	/* no trap may come while mtvec is somewhere else */
	csrr	s0, mtvec
	CSR_WRITE mtvec, 0xFFFFFFFC, 0xFFFFFFFC
	CSR_WRITE mtvec, 0xFFFFFFFF, 0xFFFFFF81
	CSR_WRITE mtvec, 0, 0
	CSR_WRITE mtvec, 0x55555554, 0x55555554
	CSR_WRITE mtvec, 0xAAAAAAA8, 0xAAAAAAA8
	CSR_WRITE mtvec, 0xFFFFFFFC, 0xFFFFFFFC
	CSR_WRITE mtvec, 0, 0
	csrw	mtvec, s0

	CASE				/* counters run over all their bits */
	li	a0, -1
	li	a1, -40
	csrw	mcycleh, a0
	csrw	mcycle, a1
	csrw	minstreth, a0
	csrw	minstret, a1
	li	a2, 60
1:	addi	a2, a2, -1
	bnez	a2, 1b
	CSR_IS	mcycleh, 0
	CSR_IS	minstreth, 0
	CSR_IS	cycleh, 0
	CSR_IS	instreth, 0
	csrr	a0, minstret
	sltiu	a0, a0, 1000
	CHECK	a0, 1

	CASE				/* the timer too; its interrupt line goes with the comparison of all 64 bits */
	li	a0, -1
	li	a2, 0x02004000
	li	a3, 0x0200BFF8
	sw	a0, 0(a2)
	sw	a0, 4(a2)
	sw	a0, 4(a3)
	li	a1, -100
	sw	a1, 0(a3)
	lw	a0, 4(a3)
	CHECK	a0, -1
	csrr	a0, mip
	CHECK	a0, 0
	li	a2, 60
1:	addi	a2, a2, -1
	bnez	a2, 1b
	lw	a0, 4(a3)
	CHECK	a0, 0
	WORD	0x0200BFFC, 0x55555555, 0x55555555
	WORD	0x0200BFFC, 0xAAAAAAAA, 0xAAAAAAAA
	WORD	0x0200BFFC, 0, 0
	WORD	0x02004000, 0x55555555, 0x55555555
	WORD	0x02004000, 0xAAAAAAAA, 0xAAAAAAAA
	WORD	0x02004004, 0x55555555, 0x55555555
	WORD	0x02004004, 0xAAAAAAAA, 0xAAAAAAAA
	WORD	0x02000000, 0xFFFFFFFF, 1
	WORD	0x02000000, 0xFFFFFFFE, 0
	/* the UART's divider, and a byte of each pattern that is written while another one is sent */
	WORD	0x10000008, 0xFFFFFFFF, 0xFFFF
	WORD	0x10000008, 0, 0
	WORD	0x10000008, 0x5555, 0x5555
	WORD	0x10000008, 0xAAAA, 0xAAAA
	WORD	0x10000008, 7, 7
	CASE
	li	a2, 0x10000000
	.irp	byte, 0xFF, 0x00, 0xAA, 0x55
	li	a1, \byte
	sw	a1, 0(a2)
1:	lw	a0, 4(a2)
	andi	a0, a0, 1
	beqz	a0, 1b
	.endr
1:	lw	a0, 4(a2)
	andi	a0, a0, 8
	beqz	a0, 1b
	WORD	0x10000004, 0x100, 0x109	/* interrupt enable */
	WORD	0x10000004, 0, 9
	WORD	0x1000000C, -1, 0		/* nothing there */
	WORD	0x02001234, -1, 0
	WORD	0x0200FFFC, -1, 0

	NOWHERE	0xFFFFFFFC
	NOWHERE	0
	NOWHERE	0xAAAAAAA8
	NOWHERE	0x55555554
	NOWHERE	0x7FFFFFFE
	NOWHERE	0x00000002
	NOWHERE	0xFFFFFFFE
	NOWHERE	0x00010000
	NOWHERE	0x10020000

	/* the trace unit's registers, tracing switched off; the current pair exists as soon as its history does */
	PATTERNS 0x7C4, 0xFFFFFFFF	/* CUR_START */
	PATTERNS 0x7CA, 0xFFFFFFFF	/* RESUME */
	csrwi	0x7CC, 15		/* DEPTH: frozen, so that RESUME stays */
	PATTERNS 0x7CA, 0xFFFFFFFF
	csrwi	0x7CC, 0
	PATTERNS 0x7E0, 0xFFFFFFFF	/* a range */
	PATTERNS 0x7E2, 0xFFFFFFFF
	PATTERNS 0x7DA, 0x00FFFFFF	/* PERIOD, COUNTER, DITHER */
	PATTERNS 0x7DB, 0x00FFFFFF
	PATTERNS 0x7DC, 0x0000FFFF
	PATTERNS 0x7D9, 0xFFFFFFFF	/* LOST */
	PATTERNS 0x7D8, 0x1F		/* WATERMARK */
TEST_END
