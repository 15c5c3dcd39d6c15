/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The sink: records go to a ring in RAM while the program loads and stores; the ring is full, and goes on behind its reader. A unit
 * without a sink has neither register. */
#include "test.h"
#include "common/rivulet_regs.h"

#define ENABLE (1 << RV_CTRL_ENABLE_LSB)
#define ALL_MODES 0xF0000
#define SIZE 10				/* 1 KiB: 64 records of 16 bytes, of which 63 find room */
#define ON(select) (1 << RV_SINK_ENABLE_LSB | SIZE << RV_SINK_SIZE_LSB | (select) << RV_SINK_SELECT_LSB)
#define OFF(select) (SIZE << RV_SINK_SIZE_LSB | (select) << RV_SINK_SELECT_LSB)
#define BASE 0
#define WRITE 2
#define READ 3
#define REC_BACKWARD 1

.macro SINK bits
	li	t3, \bits
	csrw	RV_CSR_SINK, t3
.endm
/* What SINK selects becomes the register's value, a multiple of 4. */
.macro VALUE reg
	srli	t3, \reg, 1
	li	t4, 1 << RV_SINK_PRESENT_LSB
	or	t3, t3, t4
	csrw	RV_CSR_SINK, t3
.endm
/* It reads as expected. */
.macro SHOWS select, value
	SINK	ON(4 + \select)
	csrr	a0, RV_CSR_SINK
	CHECK	a0, \value
	SINK	ON(\select)
.endm
.macro SINK_OFF				/* and wait until what is in the buffer has been written */
	csrci	RV_CSR_CTRL, ENABLE
	.rept	8
	nop
	.endr
9:	csrr	t4, RV_CSR_SINK
	srli	t4, t4, RV_SINK_BUSY_LSB
	andi	t4, t4, 5		/* BUSY, FULL */
	addi	t4, t4, -4
	beqz	t4, 8f			/* full: what is in the buffer stays there */
	csrr	t5, RV_CSR_COUNT
	addi	t4, t4, 4
	or	t4, t4, t5
	bnez	t4, 9b
8:
.endm
/* So many turns with a load and a store each: as many records, the last by tracing off. */
.macro TURNS count
	li	a0, \count
	la	a1, scratch
	li	t3, ALL_MODES | ENABLE
	csrw	RV_CSR_CTRL, t3
7:	lw	a2, 0(a1)
	addi	a2, a2, 1
	sw	a2, 0(a1)
	addi	a0, a0, -1
	bnez	a0, 7b
	SINK_OFF
.endm

TEST_START
	csrr	a0, RV_CSR_SINK
	bltz	a0, there
	CASE
	CHECK	a0, 0
	CSR_WRITE RV_CSR_SINK, 0xFFFFFFFF, 0
	j	ended
there:
	CASE				/* four words: start, history, more, cycles */
	srli	a0, a0, RV_SINK_WORDS_LSB
	andi	a0, a0, 15
	CHECK	a0, 4

	/* ten turns: the records stand in the ring, and nowhere else */
	SINK	OFF(BASE)
	la	a0, ring
	VALUE	a0
	SINK	ON(WRITE)
	TURNS	10
	CASE
	SHOWS	WRITE, 10 * 16
	CSR_IS	RV_CSR_COUNT, 0
	CSR_IS	RV_CSR_LOST, 0
	CSR_IS	RV_CSR_REC_START, 0
	la	s0, ring
	lw	a0, 4(s0)
	CHECK	a0, 3			/* one branch, taken */
	lw	a0, 24(s0)
	CHECK	a0, 5 << 16 | 1 << 8 | REC_BACKWARD
	lw	a0, 16(s0)		/* the second and the third begin at the loop */
	lw	a1, 32(s0)
	sub	a0, a0, a1
	CHECK	a0, 0
	lw	a0, 28(s0)		/* cycles: of five instructions, and more where the bus was taken */
	addi	a1, a0, -5
	bltz	a1, fail
	la	a0, scratch
	lw	a0, 0(a0)
	CHECK	a0, 10

	/* a base that is no multiple of the size: its low bits do not count; size and base cannot be changed while it is on */
	CASE
	SINK	ON(BASE)
	la	a1, ring
	VALUE	x0
	SINK	ON(4 + BASE)
	csrr	a0, RV_CSR_SINK
	sub	a0, a0, a1
	CHECK	a0, 0
	SINK	ON(BASE)
	li	a0, 6 << RV_SINK_SIZE_LSB | 1
	csrw	RV_CSR_SINK, a0
	csrr	a0, RV_CSR_SINK
	srli	a0, a0, RV_SINK_SIZE_LSB
	andi	a0, a0, 31
	CHECK	a0, SIZE

	/* 63 find room, 16 are in the buffer, the others are lost */
	SINK	OFF(WRITE)
	VALUE	x0
	csrw	RV_CSR_LOST, x0
	SINK	ON(WRITE)
	TURNS	100
	CASE
	SHOWS	WRITE, 63 * 16
	CSR_IS	RV_CSR_COUNT, 16
	CSR_IS	RV_CSR_LOST, 100 - 63 - 16
	csrr	a0, RV_CSR_SINK
	srli	a0, a0, RV_SINK_BUSY_LSB
	andi	a0, a0, 7
	CHECK	a0, 6			/* HALF, FULL */

	/* the reader has taken 20: those that waited follow, over the end of the ring */
	CASE
	SINK	ON(READ)
	li	a0, 20 * 16
	VALUE	a0
	SINK_OFF
	SINK	ON(WRITE)
	SHOWS	WRITE, 79 * 16
	CSR_IS	RV_CSR_COUNT, 0
	la	s0, ring
	lw	a0, 14 * 16 + 8(s0)	/* the last of the 79 is at place 14 */
	CHECK	a0, 5 << 16 | 1 << 8 | REC_BACKWARD

	/* off: records stay in the buffer again, and software reads them */
	SINK	OFF(BASE)
	li	a0, 2
	li	t3, ALL_MODES | ENABLE
	csrw	RV_CSR_CTRL, t3
7:	addi	a0, a0, -1
	bnez	a0, 7b
	csrci	RV_CSR_CTRL, ENABLE
	.rept	8
	nop
	.endr
	CASE
	CSR_IS	RV_CSR_COUNT, 2
	csrr	a0, RV_CSR_REC_HIST
	CHECK	a0, 3
ended:
TEST_END
	.data
	.balign	1024
ring:	.space	1024
scratch: .word	0
