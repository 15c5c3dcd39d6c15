# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# 300 functions, in each a call of the host in the second half of 32 bytes: its three instructions lie in one page. Some
# functions begin at odd multiples of 32, so that some lie at the end of a page.
	.section .rodata
	.balign 8
	.globl hosts
hosts:
	.text
	.option norvc
.macro host
	.balign 32
	.if \@ % 2
	.space 32
	.endif
	.globl host_\@
	.type host_\@, @function
host_\@:                        # long host_N(long operation, const void *parameter)
	addi a0, a0, 2
	addi a0, a0, -2
	addi a0, a0, 0
	addi a0, a0, 1
	slli x0, x0, 0x1f
	ebreak
	srai x0, x0, 7
	addi a0, a0, 0
	ret
	.size host_\@, . - host_\@
	.section .rodata
#if __riscv_xlen == 64
	.dword host_\@
#else
	.word host_\@
#endif
	.text
.endm
	.rept 300
	host
	.endr
