/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Head and start of a process. The kernel enters with sp set, a0 the input set, a1 the round; every other register is 0. What is
 * written while it runs is made anew here, so that a process can be started again and again in the same place.
 */
#include "sw/kernel/abi.h"

	.section .head, "a"
	.word IMAGE_MAGIC, _start, __text_end, __code_end, __memory_end, __stack, app_name, __code_cache

	.section .text._start, "ax"
	.globl _start
	.type _start, @function
_start:
	.option push
	.option norelax
	la gp, __global_pointer$
	.option pop
	la tp, __tls_base
	la t0, __data_start
	la t1, __data_load
	la t2, __data_end
	j 2f
1:	lw t3, 0(t1)
	addi t1, t1, 4
	sw t3, 0(t0)
	addi t0, t0, 4
2:	bltu t0, t2, 1b
	la t0, __bss_start
	la t1, __bss_end
	j 4f
3:	sw zero, 0(t0)
	addi t0, t0, 4
4:	bltu t0, t1, 3b
	call user_main
	li a7, SYS_EXIT
5:	ecall
	j 5b
	.size _start, . - _start
