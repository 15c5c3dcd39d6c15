/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Going to user mode and back, for tests behind TEST_START. USER_ENTRY first; then TO_U goes on in U at the next
 * instruction, TO_M in M (its ECALL is a trap that TEST_END expects). t5, t6 are scratch; the trap handler of test.h
 * returns to the mode that trapped.
 */
.macro USER_ENTRY
	la	t0, user_entry
	csrw	mtvec, t0
	li	t5, 0
	j	7f
	ALIGN	4
user_entry:
	beqz	t5, 1f			/* asked for M */
	li	t5, 0
	li	t6, 0x1800
	csrs	mstatus, t6
1:	j	trap_entry
7:
.endm
.macro TO_U
	li	t6, 0x1880
	csrc	mstatus, t6
	la	t6, 9f
	csrw	mepc, t6
	mret
9:
.endm
.macro TO_M
	li	t5, 1
	ecall
	.set	trap_number, trap_number + 1
.endm
