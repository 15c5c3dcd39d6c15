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
#define RIVULET_CYCLES_TABLE 512 /* cycles.h */
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

# struct rivulet_cycles_node (cycles.h)
#define PARENT 0 * W
#define RECORD 1 * W
#define SITE 2 * W
#define SP 3 * W
#define SELF 4 * W
#define SELF_HIGH 5 * W
#define CALLS 6 * W
#define LEAST 7 * W
#define MOST 8 * W
#define NOW 9 * W
#define TAIL 12 * W

# A call of the node in t3 has ended, of t1 cycles. Changes t4, t5.
	.macro count
	L t4, SELF(t3)
	L t5, CALLS(t3)
	add t4, t4, t1
	addi t5, t5, 1
	S t4, SELF(t3)
	S t5, CALLS(t3)
	L t5, LEAST(t3)
	bltu t4, t1, 91f
92:	L t4, MOST(t3)
	bltu t1, t5, 93f
94:	bltu t4, t1, 95f
96:
	.endm
# The rare parts of it.
	.macro count_rest
91:	L t4, SELF_HIGH(t3)
	addi t4, t4, 1
	S t4, SELF_HIGH(t3)
	j 92b
93:	S t1, LEAST(t3)
	j 94b
95:	S t1, MOST(t3)
	j 96b
	.endm

# The node of a call from ra, with the running node in t4, of a record: into t3, or to \none. First the one that the record
# was last, then that of the table. Changes t5.
	.macro find record, none
	L t3, 0(\record)
	beqz t3, \none
	L t5, PARENT(t3)
	bne t5, t4, 81f
	L t5, SITE(t3)
	beq t5, ra, 82f
81:	slli t5, ra, 1
	xor t5, t5, t4
	andi t5, t5, (RIVULET_CYCLES_TABLE - 1) * 4
#if W == 8
	slli t5, t5, 1
#endif
	la t3, rivulet_cycles_table
	add t3, t3, t5
	L t3, 0(t3)
	beqz t3, \none
	L t5, PARENT(t3)
	bne t5, t4, \none
	L t5, SITE(t3)
	bne t5, ra, \none
	L t5, RECORD(t3)
	bne t5, \record, \none
	S t3, 0(\record)
82:
	.endm

# t1: the function's record, t2: its stack pointer. As the last time: a child of the running node, from the same place.
	.globl rivulet_cycles_enter
	.type rivulet_cycles_enter, @function
rivulet_cycles_enter:
	L t4, rivulet_cycles_current
	beqz t4, 2f
	find t1, 1f
	L t5, SP(t4)
	bltu t5, t2, 1f
	L t5, rivulet_cycles_pending
	S t2, SP(t3)
	bltz t5, 1f
	S t5, NOW(t4)
	S zero, NOW(t3)
	S t3, rivulet_cycles_current, t5
2:	jr t0
1:	slow rivulet_cycles_enter_slow

# t1: cycles of this call, t2: the stack pointer.
	.globl rivulet_cycles_leave
	.type rivulet_cycles_leave, @function
rivulet_cycles_leave:
	L t3, rivulet_cycles_current
	beqz t3, 2f
	L t4, SP(t3)
	L t5, TAIL(t3)
	bltu t4, t2, 1f
	bnez t5, 1f
	count
	L t4, PARENT(t3)
	L t5, NOW(t4)
	S t4, rivulet_cycles_current, t3
	S t5, rivulet_cycles_pending, t3
2:	jr t0
	count_rest
1:	slow rivulet_cycles_leave_slow

# t1: cycles of this call, t2: the record of a function that calls nobody. Both of the above in one.
	.globl rivulet_cycles_leaf
	.type rivulet_cycles_leaf, @function
rivulet_cycles_leaf:
	L t4, rivulet_cycles_current
	beqz t4, 2f
	find t2, 1f
	L t5, SP(t4)
	bltu t5, sp, 1f
	count
2:	jr t0
	count_rest
1:	slow rivulet_cycles_leaf_slow

# t1: cycles of this call, t2: the edge.
	.globl rivulet_cycles_tail
	.type rivulet_cycles_tail, @function
rivulet_cycles_tail:
	slow rivulet_cycles_tail_slow

# The function that longjmp is: it returns to where the stack pointer, t2, belongs. t1: its cycles.
	.globl rivulet_cycles_jump
	.type rivulet_cycles_jump, @function
rivulet_cycles_jump:
	slow rivulet_cycles_jump_slow

# Behind a call of setjmp, t2: the stack pointer. t1: cycles of this call; once more by longjmp, as of its last call.
	.globl rivulet_cycles_again
	.type rivulet_cycles_again, @function
rivulet_cycles_again:
	L t1, rivulet_cycles_pending
	slow rivulet_cycles_again_slow

# What an instruction takes beyond its least (QTY's simulation code): t1 = t3 * (measure - t4); t1, t2: its operands.
	.globl rivulet_cycles_divide_signed
	.type rivulet_cycles_divide_signed, @function
rivulet_cycles_divide_signed:
	bgez t1, rivulet_cycles_divide
	neg t1, t1
	.globl rivulet_cycles_divide
	.type rivulet_cycles_divide, @function
rivulet_cycles_divide: # measure: leading zero bytes of t1, 3 at most; 0 if t2 is 0
	beqz t2, 1f
#if W == 8
	slli t1, t1, 32
	srli t1, t1, 32
#endif
	srli t2, t1, 8
	seqz t2, t2
	srli t5, t1, 16
	seqz t5, t5
	add t2, t2, t5
	srli t5, t1, 24
	seqz t5, t5
	add t2, t2, t5
1:	sub t2, t2, t4
	mul t1, t2, t3
	jr t0

	.globl rivulet_cycles_bits
	.type rivulet_cycles_bits, @function
rivulet_cycles_bits: # measure: significant bits of t2
	li t1, 0
1:	beqz t2, 2f
	srli t2, t2, 1
	addi t1, t1, 1
	j 1b
2:	sub t1, t1, t4
	mul t1, t1, t3
	jr t0
