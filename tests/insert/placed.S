# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Code whose place matters: calls of the host, whose three instructions lie in one page; a table of jumps, 4 bytes each,
# that the machine enters by the number of an interrupt; a handler in the midst of code, whose address is a multiple of 4.
#if __riscv_xlen == 64
#define save sd
#define load ld
#else
#define save sw
#define load lw
#endif
	.option arch, +zicsr
	.text
	.balign 4096
	.space 4064
	.globl host_call
host_call:                      # long host_call(long operation, const void *parameter), behind 4080 bytes of its page
	addi sp, sp, -16
	addi sp, sp, 16
	.option push
	.option norvc
	.balign 16
	slli x0, x0, 0x1f
	ebreak
	srai x0, x0, 7
	.option pop
	ret

	.balign 256
	.globl vectors
vectors:
	.option push
	.option norvc
	j wrong
	j wrong
	j wrong
	j software
	j wrong
	j wrong
	j wrong
	j wrong
	.option pop

	.globl wrong
	.balign 4
wrong:
	li a0, 0x18
	li a1, 7
	j host_call

	.globl software
	.balign 4
software:                       # the interrupt of software: counts, and takes it back
	addi sp, sp, -16
	save t0, 0(sp)
	save t1, 8(sp)
	la t0, seen
	lw t1, 0(t0)
	addi t1, t1, 1
	sw t1, 0(t0)
	li t0, 0x2000000
	sw x0, 0(t0)
	load t0, 0(sp)
	load t1, 8(sp)
	addi sp, sp, 16
	mret

	.globl interrupt
interrupt:                      # void interrupt(void)
	la t0, vectors
	ori t0, t0, 1
	csrw mtvec, t0
	li t0, 8
	csrs mie, t0
	csrs mstatus, t0
	li t0, 0x2000000
	li t1, 1
	sw t1, 0(t0)
	nop
	csrr t0, mstatus
	csrci mstatus, 8
	ret

	.globl probed
probed:                         # long probed(void): 1, if there is no CSR 0x8FF
	la t0, 1f
	csrrw t1, mtvec, t0
	li a0, 0
	csrr a0, 0x8FF
	j 2f
	.balign 4
1:	csrw mtvec, t1
	li a0, 1
	ret
2:	csrw mtvec, t1
	ret
