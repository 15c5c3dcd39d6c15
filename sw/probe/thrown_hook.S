/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Where exceptions begin (thrown.c): the registers as the caller has them, then on to the function itself. The stack is as
   it was when that begins, so nothing need be unwound here. */
#if __riscv_xlen == 64
#define L ld
#define S sd
#define W 8
#else
#define L lw
#define S sw
#define W 4
#endif
#ifdef __riscv_e
#define KEPT 4
#else
#define KEPT 14
#endif
#define FRAME ((KEPT + 4) * W + 15) / 16 * 16

	.macro begins name
	.weak __real_\name
	.globl __wrap_\name
	.type __wrap_\name, @function
__wrap_\name:
	.cfi_startproc
	addi sp, sp, -(FRAME)
	.cfi_def_cfa_offset FRAME
	S ra, 0 * W(sp)
	.cfi_offset 1, -(FRAME)
	S s0, 2 * W(sp)
	S s1, 3 * W(sp)
#ifndef __riscv_e
	S s2, 4 * W(sp)
	S s3, 5 * W(sp)
	S s4, 6 * W(sp)
	S s5, 7 * W(sp)
	S s6, 8 * W(sp)
	S s7, 9 * W(sp)
	S s8, 10 * W(sp)
	S s9, 11 * W(sp)
	S s10, 12 * W(sp)
	S s11, 13 * W(sp)
#endif
	S a0, (KEPT + 0) * W(sp)
	S a1, (KEPT + 1) * W(sp)
	S a2, (KEPT + 2) * W(sp)
	addi a0, sp, FRAME
	S a0, 1 * W(sp)
	mv a0, sp
	lla a1, __wrap_\name
	call rivulet_probe_thrown
	L ra, 0 * W(sp)
	L a0, (KEPT + 0) * W(sp)
	L a1, (KEPT + 1) * W(sp)
	L a2, (KEPT + 2) * W(sp)
	addi sp, sp, FRAME
	.cfi_def_cfa_offset 0
	.cfi_restore 1
	la t1, __real_\name
	jr t1
	.cfi_endproc
	.size __wrap_\name, . - __wrap_\name
	.endm

	.text
	.balign 4
	begins _Unwind_RaiseException
	begins _Unwind_Resume
	begins _Unwind_Resume_or_Rethrow
	begins _Unwind_ForcedUnwind
	begins __cxa_throw
	begins __cxa_rethrow
	begins _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE
	.section .note.GNU-stack, "", @progbits
