/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The trace unit as a program sees it: registers, what each way of ending leaves in a record, filters, buffer, sampling, interrupts. */
#include "test.h"
#include "common/rivulet_regs.h"

#define ENABLE (1 << RV_CTRL_ENABLE_LSB)
#define NO_BACKWARD (1 << RV_CTRL_NO_BACKWARD_LSB)
#define NO_INDIRECT (1 << RV_CTRL_NO_INDIRECT_LSB)
#define HANDLERS (1 << RV_CTRL_HANDLERS_LSB)
#define REPEAT (1 << RV_CTRL_REPEAT_LSB)
#define SAMPLE (1 << RV_CTRL_SAMPLE_LSB)
#define LIFO (1 << RV_CTRL_LIFO_LSB)
#define IE(bit) (1 << (RV_CTRL_IE_LSB + bit))
#define ALL_MODES 0xF0000
#define BACKWARD 1
#define INDIRECT 2
#define FULL 3
#define TRAP 4
#define XRET 5
#define LEFT 6
#define OFF 7

/* Tracing on with these CTRL bits: the CSRW is the first traced instruction, at label \start. */
.macro ON bits
	li	t3, ALL_MODES | ENABLE | \bits
	csrw	RV_CSR_CTRL, t3
.endm
/* Off, and time for the last records to reach the buffer. */
.macro TRACE_OFF
	csrci	RV_CSR_CTRL, ENABLE
	.rept 8
	nop
	.endr
.endm
/* The record at the head, then it is dropped. */
.macro RECORD start, hist, reason, repeat, insns
	CASE
	csrr	a0, RV_CSR_REC_START
	la	t4, \start
	sub	a0, a0, t4
	CHECK	a0, 0
	csrr	a0, RV_CSR_REC_HIST
	CHECK	a0, \hist
	csrr	a0, RV_CSR_REC_INFO
	CHECK	a0, \reason | \repeat << 8 | \insns << 16
	csrw	RV_CSR_POP, x0
	nop
	nop
.endm
.macro EMPTY
	CASE
	CSR_IS	RV_CSR_COUNT, 0
	CSR_IS	RV_CSR_REC_START, 0
	CSR_IS	RV_CSR_REC_HIST, 0
	CSR_IS	RV_CSR_REC_INFO, 0
	CSR_IS	RV_CSR_REC_CYCLES, 0
.endm
.macro HOLDS register, value, expected
	CSR_WRITE \register, \value, \expected
	CSR_WRITE \register, 0, 0
.endm

TEST_START
	CASE				/* reset values */
	CSR_IS	RV_CSR_ID, 0x52542002
	CSR_IS	RV_CSR_CAPS, 16 << 16 | 1 << 13 | 1 << 29 | 0x1FFE
	CSR_IS	RV_CSR_CTRL, ALL_MODES
	CSR_IS	RV_CSR_STATUS, 0
	CSR_IS	RV_CSR_CUR_HIST, 0
	CSR_IS	RV_CSR_LFSR, 1
	.irp	i, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30, 31, 32, 33, 34, 35, 36, 47, 48, 63
	CASE
	CSR_IS	RV_CSR_BASE + \i, 0
	.endr
	/* which bits hold */
	HOLDS	RV_CSR_WATERMARK, 0xFFFFFFFF, 0x1F
	HOLDS	RV_CSR_PERIOD, 0xFFFFFFFF, 0xFFFFFF
	HOLDS	RV_CSR_COUNTER, 0xA5A5A5A5, 0xA5A5A5
	HOLDS	RV_CSR_DITHER, 0xFFFFFFFF, 0xFFFF
	HOLDS	RV_CSR_LOST, 0xFFFFFFFF, 0xFFFFFFFF
	HOLDS	RV_CSR_RANGE0_LO, 0xFFFFFFFF, 0xFFFFFFFF
	HOLDS	RV_CSR_RANGE0_HI, 0x12345678, 0x12345678
	CSR_WRITE RV_CSR_LFSR, 0xFFFF1234, 0x1234
	CSR_WRITE RV_CSR_LFSR, 0, 1
	CSR_WRITE RV_CSR_ID, 0, 0x52542002
	CSR_WRITE RV_CSR_RANGE1_LO, 0xFFFFFFFF, 0
	CSR_WRITE RV_CSR_CTRL, 0xFFFFFFFE, 0x071F1FFE
	CSR_WRITE RV_CSR_CTRL, 0, 0
	CSR_WRITE RV_CSR_CTRL, ALL_MODES, ALL_MODES

	/* outcomes, a backward branch, the pair that tracing off leaves */
	ON	0
1:	nop
	beqz	x0, 2f			/* 1 */
	nop
2:	bnez	x0, 3f			/* 0 */
3:	beqz	x0, 4f			/* to the next instruction: 0 */
4:	li	a0, 2
5:	addi	a0, a0, -1
	bnez	a0, 5b			/* 1, backwards: the end; then 0 */
	TRACE_OFF
	CASE
	CSR_IS	RV_CSR_COUNT, 2
	csrr	a0, RV_CSR_STATUS
	CHECK	a0, 1
	RECORD	1b - 4, 0x19, BACKWARD, 1, 8
	RECORD	5b, 2, OFF, 1, 2
	EMPTY
	csrw	RV_CSR_POP, x0		/* from nothing: ignored */
	EMPTY

	/* indirect jump; jump backwards; jump forwards does not end */
	la	a5, 2f
	la	a4, 3f
	ON	0
1:	jr	a5
	nop
2:	j	6f
3:	beqz	x0, 4f
4:	jalr	x0, 12(a4)		/* to 7 */
6:	jr	a4
7:	TRACE_OFF
	RECORD	1b - 4, 1, INDIRECT, 1, 2
	RECORD	2b, 1, INDIRECT, 1, 2
	RECORD	3b, 2, INDIRECT, 1, 2
	EMPTY
	li	a0, 2
	ON	0
1:	j	3f
2:	j	5f
3:	j	2b
5:	TRACE_OFF
	RECORD	1b - 4, 1, BACKWARD, 1, 3
	RECORD	2b, 1, OFF, 1, 1
	EMPTY

	/* both switched off: only a full register ends it */
	la	a4, 5f
	li	a0, 40
	ON	NO_BACKWARD | NO_INDIRECT
1:	addi	a0, a0, -1
	bnez	a0, 1b
	jr	a4
5:	TRACE_OFF
	RECORD	1b - 4, 0xFFFFFFFF, FULL, 1, 63
	RECORD	1b, 0x3FE, OFF, 1, 19
	EMPTY

	/* full by 31 branches that are not taken */
	ON	0
1:	.rept	31
	bnez	x0, 2f
	.endr
2:	nop
	TRACE_OFF
	RECORD	1b - 4, 0x80000000, FULL, 1, 32
	RECORD	2b, 1, OFF, 1, 1
	EMPTY

	/* a handler is left out, but it goes back behind the ECALL, not to it: that ends the trace */
	ON	0
1:	bnez	x0, 2f
	ecall
2:	beqz	x0, 3f
3:	TRACE_OFF
	.set	trap_number, trap_number + 1
	RECORD	1b - 4, 2, TRAP, 1, 2
	RECORD	2b, 2, OFF, 1, 1
	EMPTY
	/* to the very instruction: the pair goes on (the handler has made a NOP of it) */
	la	t0, repair
	csrw	mtvec, t0
	ON	0
1:	bnez	x0, 2f
5:	ecall
2:	beqz	x0, 3f
3:	TRACE_OFF
	la	t0, trap_entry
	csrw	mtvec, t0
	RECORD	1b - 4, 4, OFF, 1, 4
	EMPTY
	j	4f
	ALIGN	4
repair:	la	t0, 5b
	li	t1, 0x13
	sw	t1, 0(t0)
	fence.i
	mret
4:
	/* to quite another place */
	la	s7, 2f
	ON	0
1:	bnez	x0, 3f
	ecall
	nop
2:	nop
3:	nop
	TRACE_OFF
	.set	trap_number, trap_number + 1
	RECORD	1b - 4, 2, TRAP, 1, 2
	RECORD	2b, 1, OFF, 1, 2
	EMPTY
	/* handlers traced */
	ON	HANDLERS
1:	bnez	x0, 2f
	ecall
2:	nop
	TRACE_OFF
	.set	trap_number, trap_number + 1
	RECORD	1b - 4, 2, TRAP, 1, 2
	RECORD	trap_entry, 2, XRET, 1, 14
	RECORD	2b, 1, OFF, 1, 1
	EMPTY
	CASE
	CSR_IS	RV_CSR_DEPTH, 0

	/* a trap return that belongs to no trap */
	la	a0, 2f
	csrw	mepc, a0
	li	a0, 0x1800
	csrs	mstatus, a0
	ON	0
1:	mret
	nop
2:	nop
	TRACE_OFF
	RECORD	1b - 4, 1, XRET, 1, 2
	RECORD	2b, 1, OFF, 1, 1
	EMPTY

	/* a range: what lies outside is not there */
	la	a0, 2f
	csrw	RV_CSR_RANGE0_LO, a0
	la	a0, 4f
	csrw	RV_CSR_RANGE0_HI, a0
	li	a0, 1 << RV_CTRL_RANGE_EN_LSB
	csrs	RV_CSR_CTRL, a0
	csrsi	RV_CSR_CTRL, ENABLE
	li	a0, 2
1:	beqz	x0, 2f
2:	nop
	bnez	x0, 3f
3:	nop
4:	addi	a0, a0, -1
	bnez	a0, 1b
	TRACE_OFF
	RECORD	2b, 2, LEFT, 1, 3
	RECORD	2b, 2, LEFT, 1, 3
	EMPTY

	/* modes: M alone, with a visit to U */
	la	t0, to_m
	csrw	mtvec, t0
	li	a0, 0x1880
	csrc	mstatus, a0
	la	a0, 2f
	csrw	mepc, a0
	li	a0, 0x80000 | ENABLE
	csrw	RV_CSR_CTRL, a0
1:	mret
2:	nop
	ecall
3:	nop
	TRACE_OFF
	la	t0, trap_entry
	csrw	mtvec, t0
	li	a0, ALL_MODES
	csrw	RV_CSR_CTRL, a0
	RECORD	1b - 4, 1, XRET, 1, 2
	RECORD	3b, 1, OFF, 1, 1
	EMPTY
	j	4f
	ALIGN	4
to_m:	li	t0, 0x1800
	csrs	mstatus, t0
	csrr	t0, mepc
	addi	t0, t0, 4
	csrw	mepc, t0
	mret
4:

	/* the same pair again and again is one record */
	li	a0, 100
	ON	REPEAT
1:	addi	a0, a0, -1
	bnez	a0, 1b
	TRACE_OFF
	RECORD	1b - 4, 3, BACKWARD, 1, 3
	csrr	a1, RV_CSR_REC_CYCLES
	CHECK	a1, 98 * 3
	RECORD	1b, 3, BACKWARD, 98, 2
	RECORD	1b, 2, OFF, 1, 2
	EMPTY

	/* the FIFO: full, loss, watermark, both orders */
	li	a0, 20
	csrwi	RV_CSR_WATERMARK, 16
	ON	0
1:	addi	a0, a0, -1
	bnez	a0, 1b
	TRACE_OFF
	CASE				/* 19 taken and the last: 20 records, 4 lost */
	CSR_IS	RV_CSR_COUNT, 16
	CSR_IS	RV_CSR_LOST, 4
	CSR_IS	RV_CSR_STATUS, 0x17
	RECORD	1b - 4, 3, BACKWARD, 1, 3
	CASE
	CSR_IS	RV_CSR_COUNT, 15
	CSR_IS	RV_CSR_STATUS, 0x11
	csrw	RV_CSR_LOST, x0
	.rept	15
	RECORD	1b, 3, BACKWARD, 1, 2
	.endr
	EMPTY
	csrw	RV_CSR_WATERMARK, x0
	li	a0, 20
	ON	LIFO
1:	addi	a0, a0, -1
	bnez	a0, 1b
	TRACE_OFF
	CASE
	CSR_IS	RV_CSR_COUNT, 16
	CSR_IS	RV_CSR_LOST, 4
	csrw	RV_CSR_LOST, x0
	RECORD	1b, 2, OFF, 1, 2
	.rept	15
	RECORD	1b, 3, BACKWARD, 1, 2
	.endr
	EMPTY

	/* sampling: the fourth and the seventh trace, and an interrupt at each */
	la	t0, sampled
	csrw	mtvec, t0
	li	a0, 1 << 16
	csrw	mie, a0
	csrsi	mstatus, 8
	li	a5, 0
	csrwi	RV_CSR_COUNTER, 4
	csrwi	RV_CSR_PERIOD, 3
	li	a0, 7
	ON	SAMPLE | IE(3)
1:	.rept	20			/* long enough for the handler to see each one alone */
	addi	a0, a0, 0
	.endr
	addi	a0, a0, -1
	bnez	a0, 1b
	TRACE_OFF
	csrci	mstatus, 8
	csrw	mie, x0
	la	t0, trap_entry
	csrw	mtvec, t0
	CASE
	CHECK	a5, 2
	CHECK	s8, 0x80000010
	CSR_IS	RV_CSR_COUNT, 2
	CSR_IS	RV_CSR_COUNTER, 3
	CSR_IS	RV_CSR_STATUS, 1
	CSR_IS	RV_CSR_LOST, 0
	RECORD	1b, 3, BACKWARD, 1, 22
	RECORD	1b, 2, OFF, 1, 22
	EMPTY
	j	context
	ALIGN	4
sampled:
	csrr	s8, mcause
	addi	a5, a5, 1
	csrwi	RV_CSR_STATUS, 8
	nop
	nop
	mret

	/* a context switch: the handler puts another pair in place, which goes on where the handler returns to */
context:
	la	t0, switch
	csrw	mtvec, t0
	ON	0
1:	bnez	x0, 2f
	ecall
2:	beqz	x0, 3f
3:	bnez	x0, 4f
4:	TRACE_OFF
	la	t0, trap_entry
	csrw	mtvec, t0
	RECORD	other, 0x14, OFF, 1, 7
	EMPTY
	CASE				/* what the handler found */
	CHECK	a2, 2
	CHECK	a3, 2 << 16
	CHECK	a4, 1
	la	t0, 1b - 4
	sub	a1, a1, t0
	CHECK	a1, 0
	j	ended
	ALIGN	4
switch:	csrr	a1, RV_CSR_CUR_START
	csrr	a2, RV_CSR_CUR_HIST
	csrr	a3, RV_CSR_CUR_INFO
	csrr	a4, RV_CSR_DEPTH
	la	t0, other
	csrw	RV_CSR_CUR_START, t0
	li	t0, 5 << 16
	csrw	RV_CSR_CUR_INFO, t0
	csrwi	RV_CSR_CUR_CYCLES, 9
	csrr	t0, mepc
	addi	t0, t0, 4
	csrw	mepc, t0
	csrw	RV_CSR_RESUME, t0
	csrwi	RV_CSR_CUR_HIST, 5
	mret
other:	j	fail
ended:
TEST_END
