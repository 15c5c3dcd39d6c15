# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# What the guess of weights and the registers of hot places come to; tests/insert/spare.expected is what `rivulet
# insert --edges` makes of it.

# Every register that a call may change is live where the branch in the loop is counted, and calls forbid to count
# in one over the loop: the count takes a saved register, which the function saves once, and not a live one at each
# turn.
	.text
	.globl full
	.type full, @function
full:
	addi sp, sp, -16
	sw ra, 12(sp)
	sw s0, 8(sp)
	mv s0, a0
1:
	lw a0, 0(s0)
	lw a1, 4(s0)
	lw a2, 8(s0)
	lw a3, 12(s0)
	lw a4, 16(s0)
	lw a5, 20(s0)
	lw a6, 24(s0)
	lw a7, 28(s0)
	lw t0, 32(s0)
	lw t1, 36(s0)
	lw t2, 40(s0)
	lw t3, 44(s0)
	lw t4, 48(s0)
	lw t5, 52(s0)
	lw t6, 56(s0)
	beq a0, a1, 2f
	add a1, a1, a2
2:
	sw a0, 64(s0)
	sw a1, 68(s0)
	sw a2, 72(s0)
	sw a3, 76(s0)
	sw a4, 80(s0)
	sw a5, 84(s0)
	sw a6, 88(s0)
	sw a7, 92(s0)
	sw t0, 96(s0)
	sw t1, 100(s0)
	sw t2, 104(s0)
	sw t3, 108(s0)
	sw t4, 112(s0)
	sw t5, 116(s0)
	sw t6, 120(s0)
	call leaf
	mv s0, a0
	bnez a0, 1b
	lw ra, 12(sp)
	lw s0, 8(sp)
	addi sp, sp, 16
	ret
	.size full, . - full
	.globl leaf
	.type leaf, @function
leaf:
	lw a0, 124(a0)
	ret
	.size leaf, . - leaf

# Five ways out of a loop, each as likely as a branch out of a loop is: it turns often all the same, so its counts
# are worth registers.
	.globl opcodes
	.type opcodes, @function
opcodes:
1:	lbu a3, 0(a0)
	beq a3, a1, 9f
	lbu a4, 1(a0)
	beq a4, a1, 9f
	lbu a5, 2(a0)
	beq a5, a1, 9f
	bltu a4, a3, 2f
	addi a2, a2, 1
2:	addi a0, a0, 3
	bltu a5, a3, 9f
	beq a4, a5, 9f
	j 1b
9:	mv a0, a2
	ret
	.size opcodes, . - opcodes

# The millicode saves s0 to s2, which nothing here names: the loop's four counters take s1, s2 and s0, and s3. None
# may take what another one has.
	.globl saves
	.type saves, @function
saves:
	call t0, __riscv_save_0
	li t0, 100
1:	add a1, a1, a0
	add a3, a3, a2
	add a5, a5, a4
	add a7, a7, a6
	add t2, t2, t1
	add t4, t4, t3
	add t6, t6, t5
	beq a1, a3, 2f
	addi a2, a2, 1
2:	beq a5, a7, 3f
	addi a4, a4, 1
3:	beq t2, t4, 4f
	addi a6, a6, 1
4:	addi t0, t0, -1
	bnez t0, 1b
	call leaf
	tail __riscv_restore_0
	.size saves, . - saves
