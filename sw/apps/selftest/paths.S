/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Program parts whose traces are known instruction by instruction. All symbols are on words; no instruction is compressed. */
#include "sw/trace/front.h"
	.option norvc
	.option norelax
	.section .text.selftest_paths, "ax"

	.macro LABEL name
	.globl \name
\name:
	.endm

/* a0 rounds, a1 enable */
	.balign 4
LABEL path_loop
LABEL path_loop_on
	csrs RV_CSR_CTRL, a1
	nop
	.balign 4
LABEL path_loop_body
	addi a0, a0, -1
	bnez a0, path_loop_body
LABEL path_loop_off
	csrc RV_CSR_CTRL, a1
	ret

/*
 * Records, in order (outcomes after the marker):
 *	on: 0 1 0, JAL forward, 1 backward	-> BACKWARD 1 0101 at path_forms_on
 *	back: JALR to path_forms_full		-> INDIRECT 1
 *	full: 31 branches, 0 1 0 1 ...		-> FULL
 *	rest: branch to the next instruction	-> outcome 0; off -> OFF 1 0
 * a0 enable
 */
	.balign 4
LABEL path_forms
	li a1, 1
	la a2, path_forms_full
LABEL path_forms_on
	csrs RV_CSR_CTRL, a0
	beqz a1, 9f
	bnez a1, 1f
	nop
1:	bltu a1, zero, 9f
	jal zero, 2f
LABEL path_forms_back
	jalr zero, a2, 0
2:	bgtz a1, path_forms_back
9:	ret
	.balign 4
LABEL path_forms_full
	.rept 15
	beqz a1, 9b
	bnez a1, . + 8
	nop
	.endr
	beqz a1, 9b
LABEL path_forms_rest
	bnez a1, . + 4
	csrc RV_CSR_CTRL, a0
LABEL path_forms_after
	ret

/* An ECALL in the middle of a trace; a0 enable, a7 to test_hook(). */
	.balign 4
LABEL path_trap
LABEL path_trap_on
	csrs RV_CSR_CTRL, a0
	bnez a0, 1f
	nop
1:	nop
LABEL path_trap_call
	ecall
LABEL path_trap_after
	beqz a0, 1b
	csrc RV_CSR_CTRL, a0
	ret
	.balign 4
LABEL path_trap_else
	nop
	csrc RV_CSR_CTRL, a0
	ret

/* A loop in user mode between two ECALLs; a0 rounds, a1 enable. */
	.balign 4
LABEL path_user
	li a7, 1
	csrs RV_CSR_CTRL, a1
	nop
LABEL path_user_in
	ecall
LABEL path_user_body
	addi a0, a0, -1
	bnez a0, path_user_body
LABEL path_user_out
	ecall
	csrc RV_CSR_CTRL, a1
	ret
