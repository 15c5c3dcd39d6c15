/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Exceptions: cause, mepc, mtval, the stack of MIE and MPP, no side effect of what trapped; illegal encodings. */
#include "test.h"

/* EBREAK leaves its pc in mtval; qemu 7.2 leaves 0. */
	.macro TVAL_IS_PC
#ifndef QEMU
	beq	s9, s6, 6f
	j	fail
6:
#endif
	.endm

TEST_START
	TRAPS	11, ecall
#ifndef QEMU
	CHECK_TVAL 0
#endif
	TRAPS	3, ebreak
	TVAL_IS_PC
	TRAPS	3, .half 0x9002		/* c.ebreak */
	TVAL_IS_PC
	CASE				/* ebreak at 2 modulo 4 */
	li	s8, -1
	la	s6, 8f
	ALIGN	4
	.half	0x0001
8:	ebreak
	ALIGN	4
	CHECK	s8, 3
	beq	s10, s6, 1f
	j	fail
1:	TVAL_IS_PC
	.set	trap_number, trap_number + 1
	TRAPS	2, .half 0
	TRAPS	2, .word 0xFFFFFFFF
#ifndef QEMU
	CHECK_TVAL 0
#endif
	/* illegal: one encoding at least in each hole of the opcode map */
	.irp	w, 0x00000007, 0x0000000B, 0x00000027, 0x0000002B, 0x0000002F, 0x0000003B, 0x00000043, 0x00000047, 0x0000004B, 0x0000004F, 0x00000053, 0x00000057, 0x0000005B, 0x0000006B, 0x00000077, 0x0000007B
	TRAPS	2, .word \w
	.endr
	.irp	w, 0x00003003, 0x00006003, 0x00007003, 0x00003023, 0x00004023, 0x00007023, 0x00002063, 0x00003063, 0x00001067, 0x00007067, 0x0000200F, 0x0000700F
	TRAPS	2, .word \w
	.endr
	/* immediate shifts: funct7, and bit 25 */
	.irp	w, 0x02001013, 0x40001013, 0x02005013, 0x42005013, 0x80005013, 0x20005013
	TRAPS	2, .word \w
	.endr
	/* OP: funct7 */
	.irp	w, 0x04000033, 0x40001033, 0x40002033, 0x40003033, 0x40004033, 0x40006033, 0x40007033, 0x80000033, 0x60005033, 0x06000033, 0x42000033
	TRAPS	2, .word \w
	.endr
	/* SYSTEM: exact encodings only; SRET, URET, SFENCE.VMA, funct3 4 */
	.irp	w, 0x00000173, 0x00008073, 0x00100173, 0x00200073, 0x00300073, 0x10200073, 0x30200173, 0x30208073, 0x10500173, 0x10508073, 0x7B200073, 0x00004073, 0x70004073
	TRAPS	2, .word \w
	.endr
#ifndef QEMU
	TRAPS	2, .word 0x12000073	/* SFENCE.VMA: qemu 7.2 takes it without an MMU */
#endif
	CASE				/* FENCE and FENCE.I take any fields */
	fence
	fence	r, w
	.word	0x8330000F		/* fence.tso */
	.word	0xFFF0000F
	fence.i
	.word	0xFFF0100F

	CASE				/* trap entry stacks MIE and the mode, MRET unstacks */
	la	t0, own
	csrw	mtvec, t0
	li	t0, 0x88
	csrc	mstatus, t0
	li	t0, 8
	csrs	mstatus, t0		/* MIE 1, MPIE 0 */
	csrw	mie, x0
	ecall
	j	2f
	ALIGN	4
own:	csrr	a0, mstatus
	csrr	a1, mepc
	addi	a1, a1, 4
	csrw	mepc, a1
	mret
2:	li	a1, 0x1888
	and	a0, a0, a1
	CHECK	a0, 0x1880		/* MIE 0, MPIE 1, MPP M */
	csrr	a0, mstatus
	and	a0, a0, a1
	CHECK	a0, 0x88		/* MIE 1, MPIE 1, MPP U */
	la	t0, trap_entry
	csrw	mtvec, t0
	csrc	mstatus, a1

	CASE				/* younger instructions leave no trace: register, store, CSR */
	la	a1, area
	li	a0, 1
	la	s7, 1f
	ecall
	addi	a0, a0, 1
	sw	a0, 0(a1)
	csrw	mscratch, a0
	.rept 4
	addi	a0, a0, 1
	.endr
1:	CHECK	a0, 1
	lw	a0, 0(a1)
	CHECK	a0, 0
	.set	trap_number, trap_number + 1
	CASE				/* an exception right behind a taken branch, a load, a division */
	li	a0, 50
	li	a2, 7
	j	1f
	nop
1:	ebreak
	lw	a3, 0(a1)
	ebreak
	div	a0, a0, a2
	ebreak
	CHECK	a0, 7
	.set	trap_number, trap_number + 3
	CASE				/* what stands behind a taken branch is never reached, illegal or not */
	j	1f
	.word	0
1:	beqz	x0, 2f
	.half	0
	.half	0
2:
	.data
	.balign	4
area:	.word	0
	.text
TEST_END
