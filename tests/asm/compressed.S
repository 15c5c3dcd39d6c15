/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Every 16-bit instruction, at both alignments (PAD shifts all that follows by 2 bytes). */
#include "test.h"

.macro C1 op, a, operand:vararg
	li	a0, \a
	.option rvc
	\op	a0, \operand
	.option norvc
.endm
.macro IMM op, a, imm, expected
	CASE
	C1	\op, \a, \imm
	CHECK	a0, (\expected) & 0xFFFFFFFF
.endm
.macro REGS op, a, b, expected
	CASE
	li	a1, \b
	C1	\op, \a, a1
	CHECK	a0, (\expected) & 0xFFFFFFFF
.endm
.macro PAD
	.option rvc
	c.nop
	.option norvc
.endm

.macro EVERYTHING
	.irp	v, 0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678
	.irp	i, 1, -1, 31, -32, 7
	IMM	c.addi, \v, \i, \v + \i
	IMM	c.andi, \v, \i, \v & \i
	.endr
	.irp	i, 1, 2, 15, 16, 31
	IMM	c.slli, \v, \i, \v << \i
	IMM	c.srli, \v, \i, \v >> \i
	IMM	c.srai, \v, \i, ((\v ^ 0x80000000) - 0x80000000) >> \i
	.endr
	.irp	w, 0, 3, 0xFFFFFFFF, 0x80000001
	REGS	c.add, \v, \w, \v + \w
	REGS	c.sub, \v, \w, \v - \w
	REGS	c.xor, \v, \w, \v ^ \w
	REGS	c.or, \v, \w, \v | \w
	REGS	c.and, \v, \w, \v & \w
	REGS	c.mv, \v, \w, \w
	.endr
	.endr
	.irp	i, 0, 1, -1, 31, -32
	IMM	c.li, 99, \i, \i
	.endr
	.irp	i, 1, 31, 0xFFFE0, 0xFFFFF
	IMM	c.lui, 99, \i, \i << 12
	.endr
	.irp	i, 16, -16, 496, -512
	CASE
	li	sp, 0x1000
	.option rvc
	c.addi16sp sp, \i
	.option norvc
	CHECK	sp, 0x1000 + \i
	.endr
	.irp	i, 4, 8, 16, 32, 64, 128, 256, 512, 1020
	CASE
	li	sp, 0x1000
	.option rvc
	c.addi4spn a5, sp, \i
	.option norvc
	CHECK	a5, 0x1000 + \i
	.endr
	.irp	i, 0, 4, 8, 16, 32, 64, 124
	CASE
	la	a0, area
	li	a1, 0x5A000000 + \i
	.option rvc
	c.sw	a1, \i(a0)
	c.lw	a2, \i(a0)
	c.mv	a3, a2
	.option norvc
	lw	a4, \i(a0)
	CHECK	a3, 0x5A000000 + \i
	CHECK	a4, 0x5A000000 + \i
	.endr
	.irp	i, 0, 4, 8, 16, 32, 64, 128, 252
	CASE
	la	sp, area
	li	a1, 0xA5000000 + \i
	.option rvc
	c.swsp	a1, \i(sp)
	c.lwsp	a7, \i(sp)
	.option norvc
	lw	a4, \i(sp)
	CHECK	a7, 0xA5000000 + \i
	CHECK	a4, 0xA5000000 + \i
	.endr
	.irp	register, x1, x4, x8, x16	/* only x0 is reserved */
	CASE
	la	sp, area
	li	a1, 0x5A5A1234
	sw	a1, 4(sp)
	.option rvc
	c.lwsp	\register, 4(sp)
	.option norvc
	CHECK	\register, 0x5A5A1234
	.endr
	CASE				/* branches, taken and not */
	li	a0, 0
	li	a1, 1
	li	a2, 0
	.option rvc
	c.beqz	a0, 1f
	c.addi	a2, 1
1:	c.beqz	a1, 1f
	c.addi	a2, 2
1:	c.bnez	a0, 1f
	c.addi	a2, 4
1:	c.bnez	a1, 1f
	c.addi	a2, 8
1:	c.beqz	a0, 1f			/* to the next instruction */
1:	c.bnez	a1, 1f
1:	c.nop
	.option norvc
	CHECK	a2, 6
	CASE				/* a loop, backwards */
	li	a0, 5
	li	a1, 0
	.option rvc
1:	c.addi	a1, 2
	c.addi	a0, -1
	c.bnez	a0, 1b
2:	c.addi	a1, -1
	c.beqz	a0, 3f
3:	c.j	4f
	c.addi	a1, 16
4:	c.jal	5f
6:	c.addi	a1, 16
5:	c.mv	a5, ra
	.option norvc
	CHECK	a1, 9
	la	a4, 6b
	sub	a5, a5, a4
	CHECK	a5, 0
	CASE
	la	a0, 1f
	.option rvc
	c.jr	a0
	c.nop
	c.j	7f
1:	.option norvc
	la	a0, 2f
	.option rvc
	c.jalr	a0
3:	c.j	7f
	c.nop
2:	.option norvc
	la	a4, 3b
	sub	a5, ra, a4
	CHECK	a5, 0
	j	8f
7:	j	fail
8:
	CASE				/* all registers reach C.MV and C.ADD */
	.option rvc
	li	a0, 1
	.irp	reg, x1,x2,x4,x5,x6,x7,x8,x9,x11,x12,x13,x14,x15,x16,x17,x18,x19,x20,x21,x28,x29,x30,x31
	c.mv	\reg, a0
	c.add	\reg, a0
	c.mv	a0, \reg
	c.addi	a0, -1
	.endr
	.option norvc
	CHECK	a0, 1
.endm

	.data
	.balign	16
area:	.fill	72, 4, 0

TEST_START
	EVERYTHING
	PAD
	EVERYTHING
	PAD
	CASE				/* hints do nothing */
	li	a0, 42
	.option rvc
	.half	0x0085			/* c.nop 1 */
	.half	0x0501			/* c.addi a0, 0 */
	.half	0x4001			/* c.li x0, 0 */
	.half	0x6005			/* c.lui x0, 1 */
	.half	0x802A			/* c.mv x0, a0 */
	.half	0x902A			/* c.add x0, a0 */
	.half	0x0006			/* c.slli x0, 1 */
	.half	0x0502			/* c.slli a0, 0 */
	.half	0x8101			/* c.srli a0, 0 */
	.half	0x8501			/* c.srai a0, 0 */
	.option norvc
	CHECK	a0, 42
	TRAPS	3, .half 0x9002
	TRAPS	2, .half 0x0000
	TRAPS	2, .half 0x6101		/* c.addi16sp 0 */
	TRAPS	2, .half 0x6501		/* c.lui a0, 0 */
	TRAPS	2, .half 0x0004		/* c.addi4spn 0 */
	TRAPS	2, .half 0x4002		/* c.lwsp x0 */
	TRAPS	2, .half 0x8002		/* c.jr x0 */
	TRAPS	2, .half 0x2000		/* c.fld */
	TRAPS	2, .half 0x6000		/* c.flw */
	TRAPS	2, .half 0x8000
	TRAPS	2, .half 0xA000		/* c.fsd */
	TRAPS	2, .half 0xE000		/* c.fsw */
	TRAPS	2, .half 0x2002		/* c.fldsp */
	TRAPS	2, .half 0x6002		/* c.flwsp */
	TRAPS	2, .half 0xA002		/* c.fsdsp */
	TRAPS	2, .half 0xE002		/* c.fswsp */
	TRAPS	2, .half 0x9C01		/* c.subw */
	TRAPS	2, .half 0x9C21		/* c.addw */
	TRAPS	2, .half 0x9C41
	TRAPS	2, .half 0x9C61
#ifndef QEMU
	TRAPS	2, .half 0x1502		/* c.slli a0, 32 */
	TRAPS	2, .half 0x9101		/* c.srli a0, 32 */
	TRAPS	2, .half 0x9501		/* c.srai a0, 32 */
#endif
TEST_END
