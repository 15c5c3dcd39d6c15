/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* User mode: entry, what is illegal there, mcounteren, TW, MPRV, ECALL. The trap handler returns to the mode that trapped. */
#include "test.h"
#include "user.h"

TEST_START
	USER_ENTRY
	csrw	mcounteren, x0
	csrw	mie, x0
	li	a0, 1
	TO_U
	TRAPS	8, ecall
	TRAPS	3, ebreak
	TRAPS	2, mret
	TRAPS	2, csrr a0, mstatus
	TRAPS	2, csrw mscratch, a0
	TRAPS	2, csrr a0, mhartid
	TRAPS	2, csrr a0, mcycle
	TRAPS	2, csrr a0, cycle
	TRAPS	2, csrr a0, cycleh
	TRAPS	2, csrr a0, instret
	TRAPS	2, csrr a0, instreth
	TRAPS	2, csrr a0, time
#ifndef QEMU
	.irp	index, 0, 2, 3, 4, 6, 16, 22, 63
	TRAPS	2, csrr a0, 0x7C0 + \index
	TRAPS	2, csrw 0x7C0 + \index, a0
	.endr
#endif
	CASE				/* computing and memory as usual */
	la	a1, word
	lw	a0, 0(a1)
	addi	a0, a0, 1
	sw	a0, 0(a1)
	CHECK	a0, 8
	CASE				/* a call by a 16-bit instruction */
	la	a1, 1f
	ALIGN	4
2:	.option	rvc
	c.jalr	a1
	.option	norvc
	j	fail
	ALIGN	4
1:	la	a0, 2b + 2
	bne	a0, ra, 1f
	TO_M
	j	2f
1:	j	fail
2:
	CASE				/* CY alone, then IR alone */
	csrwi	mcounteren, 1
	TO_U
	csrr	a0, cycle
	csrr	a1, cycle
	csrr	a2, cycleh
	TRAPS	2, csrr a0, instret
	TRAPS	2, csrr a0, instreth
	TRAPS	2, csrr a0, mcycle
	TRAPS	2, csrw cycle, a0
	TO_M
#ifndef QEMU				/* one instruction of qemu's clock may be one tick */
	sub	a1, a1, a0
	CHECK	a1, 2
#endif
	CASE
	csrwi	mcounteren, 4
	TO_U
	csrr	a0, instret
	csrr	a1, instret
	csrr	a2, instreth
	TRAPS	2, csrr a0, cycle
	TRAPS	2, csrr a0, cycleh
	TO_M
	csrw	mcounteren, x0
	/* TW: WFI in U traps, in M it does not (an interrupt is pending, so it goes on) */
	li	a0, 0x200000
	csrs	mstatus, a0
	li	a1, 0x02000000
	li	a2, 1
	sw	a2, 0(a1)
	csrwi	mie, 8
	CASE
1:	csrr	a0, mip
	andi	a0, a0, 8
	beqz	a0, 1b
	wfi
	csrw	mie, x0			/* MIE = 0 is no help in U: an enabled one would be taken */
	TO_U
	TRAPS	2, wfi
	TO_M
	li	a1, 0x02000000
	sw	x0, 0(a1)
	li	a0, 0x200000
	csrc	mstatus, a0
#ifndef QEMU
	CASE				/* MRET to U clears MPRV, to M it does not */
	li	a0, 0x21800
	csrs	mstatus, a0
	la	a0, 1f
	csrw	mepc, a0
	mret
1:	csrr	a0, mstatus
	li	a1, 0x20000
	and	a0, a0, a1
	CHECK	a0, 0x20000
	TO_U
	TO_M
	csrr	a0, mstatus
	and	a0, a0, a1
	CHECK	a0, 0
#endif
	CASE				/* U is interruptible with MIE = 0 */
	csrci	mstatus, 8
	li	t0, 0x80
	csrc	mstatus, t0
	la	s7, 1f
	li	t5, 1
	csrwi	mie, 8
	li	t6, 0x1800
	csrc	mstatus, t6
	la	t6, 2f
	csrw	mepc, t6
	li	a1, 0x02000000
	li	a2, 1
	mret
2:	sw	a2, 0(a1)
	j	.
1:	sw	x0, 0(a1)
	CHECK	s8, 0x80000003
	csrw	mie, x0
	.set	trap_number, trap_number + 1
	.data
	.balign	4
word:	.word	7
	.text
TEST_END
