/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* One attempt each: an instruction that user mode may not execute, and a return for the case that it does. 8 bytes an attempt. */
	.option norvc
	.macro READS numbers:vararg
	.irp n, \numbers
	csrr	a0, \n
	ret
	.endr
	.endm
	.macro WRITES numbers:vararg
	.irp n, \numbers
	csrw	\n, a0
	ret
	.endr
	.endm
#define M_CSRS 0x300, 0x301, 0x304, 0x305, 0x306, 0x30A, 0x310, 0x320, 0x340, 0x341, 0x342, 0x343, 0x344, \
	0x3A0, 0x3A1, 0x3A2, 0x3A3, 0x3B0, 0x3B1, 0x3B2, 0x3B3, 0x3B4, 0x3BF, 0xB00, 0xB02, 0xB80, 0xB82, 0xB03, 0xC00, 0xC02, 0xC80, \
	0xC82, 0xC01, 0xF11, 0xF12, 0xF13, 0xF14

	.section .text.gates, "ax"
	.balign	8
	.globl	gates, gates_end
gates:
	.set	n, 0
	.rept	64
	csrr	a0, 0x7C0 + n
	ret
	.set	n, n + 1
	.endr
	.set	n, 0
	.rept	64
	csrw	0x7C0 + n, a0
	ret
	.set	n, n + 1
	.endr
	.set	n, 0
	.rept	64
	csrrsi	a0, 0x7C0 + n, 1
	ret
	.set	n, n + 1
	.endr
	READS	M_CSRS
	WRITES	M_CSRS
	mret
	ret
	.word	0x10200073	/* sret */
	ret
	.word	0x12000073	/* sfence.vma */
	ret
gates_end:
