/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * uint32_t sweep_round(uint32_t delay, uint32_t value): waits `delay` cycles, then runs a loop with every way in which a trace goes on
 * or ends. The timer interrupt comes a fixed time after the process got the core, so each delay moves it by one cycle.
 */
#define SLED 1024

	.option rvc
	.text
	.balign 4
	.globl sweep_round, sweep_loop, sweep_loop_end
	.type sweep_round, @function
sweep_round:
	mv t6, ra
	la t0, sled_end
	slli a0, a0, 1
	sub t0, t0, a0
	li t1, 12			/* rounds of the loop */
	addi sp, sp, -16
	jr t0
	.rept SLED
	c.nop
	.endr
sled_end:
sweep_loop:
	andi t2, t1, 1
	sw a1, 0(sp)
	beqz t2, 1f			/* taken and not, by turns */
	addi a1, a1, 3
1:	lw t3, 0(sp)
	add a1, a1, t3			/* waits for the load */
	mul t4, a1, t3
	jal sweep_leaf			/* a call, and an indirect jump back */
	xor a1, a1, t4
	bltu a1, t3, 2f
	c.nop				/* what follows is a 32-bit instruction between words */
	lui t4, 0x12345
	divu t3, a1, t1
	j 3f
2:	sltu t3, a1, t4
3:	add a1, a1, t3
	fence
	la t0, 4f
	jr t0
	.balign 4
4:	li t2, 3
5:	addi t2, t2, -1
	bnez t2, 5b			/* a loop of few cycles */
	sb a1, 4(sp)
	lbu t3, 4(sp)
	addi t1, t1, -1
	bnez t1, sweep_loop
sweep_loop_end:
	addi sp, sp, 16
	mv a0, a1
	jr t6
sweep_leaf:
	srli t2, a1, 5
	bnez t2, 6f
	addi a1, a1, 77
6:	jr ra
	.size sweep_round, . - sweep_round
