# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# What inserted code calls (host/insert/inserter.h, INSERTER_HOOK): return address in t0, arguments in t1 and t2; only t0 to
# t5 may change. The usual case is done here, all others in cycles.c.
#if __riscv_xlen == 64
#define L ld
#define S sd
#define W 8
#else
#define L lw
#define S sw
#define W 4
#endif
#define FRAME (12 * W + 15) / 16 * 16
	.text

# Calls a C function with the arguments in t1 and t2, and ra of the program.
	.macro slow function
	addi sp, sp, -(FRAME)
	S ra, 0 * W(sp)
	S t0, 1 * W(sp)
	S a0, 2 * W(sp)
	S a1, 3 * W(sp)
	S a2, 4 * W(sp)
	S a3, 5 * W(sp)
	S a4, 6 * W(sp)
	S a5, 7 * W(sp)
	S a6, 8 * W(sp)
	S a7, 9 * W(sp)
	S t6, 10 * W(sp)
	mv a0, t1
	mv a1, t2
	mv a2, ra
	call \function
	L ra, 0 * W(sp)
	L t0, 1 * W(sp)
	L a0, 2 * W(sp)
	L a1, 3 * W(sp)
	L a2, 4 * W(sp)
	L a3, 5 * W(sp)
	L a4, 6 * W(sp)
	L a5, 7 * W(sp)
	L a6, 8 * W(sp)
	L a7, 9 * W(sp)
	L t6, 10 * W(sp)
	addi sp, sp, FRAME
	jr t0
	.endm

	.globl rivulet_cycles_enter
	.type rivulet_cycles_enter, @function
rivulet_cycles_enter: # t1: the function's record, t2: its stack pointer
	slow rivulet_cycles_enter_slow

	.globl rivulet_cycles_leave
	.type rivulet_cycles_leave, @function
rivulet_cycles_leave: # t1: cycles of this call, t2: the stack pointer
	slow rivulet_cycles_leave_slow

	.globl rivulet_cycles_tail
	.type rivulet_cycles_tail, @function
rivulet_cycles_tail: # t1: cycles of this call, t2: the edge
	slow rivulet_cycles_tail_slow
