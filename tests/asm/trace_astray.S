/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Handlers that do not return. Code that probes for CSRs, as boot code does, sets mtvec to the place behind each, so that
 * a trap goes on there. The trace unit leaves out what runs until then, and heals (docs/trace-unit.md section 4).
 */
#include "test.h"
#include "common/rivulet_regs.h"

#define ALL_MODES 0xF0000
#define ENABLE (1 << RV_CTRL_ENABLE_LSB)
#define RECORD_TRAP 4
#define RECORD_OFF 7

.macro PROBE csr
	la	t0, 8f
	csrw	mtvec, t0
	nop
	csrwi	\csr, 0
	ALIGN	4
8:
.endm
/* The record at the head has this reason, and is dropped. */
.macro REASON reason
	CASE
	csrr	a0, RV_CSR_REC_INFO
	andi	a0, a0, 15
	CHECK	a0, \reason
	csrw	RV_CSR_POP, x0
	nop
	nop
.endm

TEST_START
	li	t3, ALL_MODES | ENABLE
	csrw	RV_CSR_CTRL, t3
	PROBE	0x180			/* satp, mnstatus and two others: this core has none of them */
	PROBE	0x744
	PROBE	0x480
	nop
	nop
	CASE
	CSR_IS	RV_CSR_DEPTH, 1		/* the last one is not over yet */
	PROBE	0x280
	la	t0, trap_entry
	csrw	mtvec, t0
	nop
	nop
	CASE
	CSR_IS	RV_CSR_DEPTH, 0
	/* the four traces up to the traps, and the one behind them */
	csrci	RV_CSR_CTRL, ENABLE
	.rept	8
	nop
	.endr
	REASON	RECORD_TRAP
	REASON	RECORD_TRAP
	REASON	RECORD_TRAP
	REASON	RECORD_TRAP
	REASON	RECORD_OFF
	CASE
	CSR_IS	RV_CSR_COUNT, 0

	/* A handler without an end: 8 instructions behind its first one are left out, and the next one. */
	CASE
	li	t3, ALL_MODES | ENABLE | 1 << RV_CTRL_LIMIT_LSB
	csrw	RV_CSR_CTRL, t3
	CSR_IS	RV_CSR_CTRL, ALL_MODES | ENABLE | 1 << RV_CTRL_LIMIT_LSB
	la	t0, 5f
	csrw	mtvec, t0
	ecall
	j	fail
	ALIGN	4
5:	.rept	9
	csrr	a0, RV_CSR_DEPTH
	.endr
	csrr	a1, RV_CSR_DEPTH
	csrr	a2, RV_CSR_DEPTH
	csrr	a3, RV_CSR_DEPTH
	csrr	a4, RV_CSR_DEPTH
	CASE
	CHECK	a0, 1
	CASE
	CHECK	a4, 0
	csrw	RV_CSR_CTRL, x0
	la	t0, trap_entry
	csrw	mtvec, t0
TEST_END
