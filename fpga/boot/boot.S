/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Start of the boot ROM. Nothing but registers and a stack at the end of RAM: the program that is loaded overwrites all else. */
	.section .boot, "ax"
	.globl _start
	.type _start, @function
_start:
	la sp, __stack
	call boot
	fence.i
	jr a0
	.size _start, . - _start
