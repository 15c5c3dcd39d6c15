/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* For hooks in assembler (host/insert/inserter.h, INSERTER_HOOK): words of XLEN bits, and the way into C. */
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

/* The way out of a hook: calls a C function with the first `arguments` of t1, t2, ra of the program, t3 (2 or 4 of them),
   puts its result into t1 and returns to t0. Keeps every register but t1 to t5. */
	.macro slow function, arguments=4
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
	.if \arguments == 4
	mv a2, ra
	mv a3, t3
	.endif
	call \function
	mv t1, a0
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
