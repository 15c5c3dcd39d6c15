# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# What inserted code calls (host/insert/inserter.h, INSERTER_HOOK): return address in t0, arguments in t1 and t2; only t0 to
# t5 may change. The usual case is inline (host/insert/code_context.c), all others are in cycles.c.
#ifdef __riscv_32e
#error RV32E has too few registers for --cycles
#endif
#include "sw/probe/hooks.S"
	# Not the first words of it: the linker is careful about how far the global pointer reaches.
	.section .sdata, "aw"
	.zero 16 * W
	.globl rivulet_cycles_hint
	.type rivulet_cycles_hint, @object
	.size rivulet_cycles_hint, W
rivulet_cycles_hint: # the root runs
#if W == 8
	.dword rivulet_cycles_nodes - W
#else
	.word rivulet_cycles_nodes - W
#endif
	.text

# struct rivulet_cycles_node (cycles.h)
#define TAG 1 * W
#define SITE 2 * W
#define NOW 3 * W
#define BACK 4 * W
#define LEFT 9 * W
#define PARENT 12 * W
#define TAIL 14 * W
#define HOME 15 * W
#define NODE 32 * W
#define RIVULET_CYCLES_TABLE 256

# t1: the function's record, t2: the stack pointer that it was called with, and 1 for a leaf, t3: an address in it. Its node,
# where that of the hint is not its own: one of the table, or as C finds it.
	.globl rivulet_cycles_enter
	.type rivulet_cycles_enter, @function
rivulet_cycles_enter:
	L t4, rivulet_cycles_hint
	andi t5, t4, NODE - 1
	bnez t5, 1f
	L t5, PARENT(t4) # another one that was called from there
	j 2f
1:	addi t5, t4, W
	andi t5, t5, -(NODE)
2:	L t4, NOW(t5) # of the node that runs
	beqz t4, 7f   # it has been left: by a jump
	srli t4, t5, 5
	slli t2, ra, 1
	xor t4, t4, t2
	andi t4, t4, (RIVULET_CYCLES_TABLE - 1) * 4
#if W == 8
	slli t4, t4, 1
#endif
	la t2, rivulet_cycles_table
	add t4, t4, t2
	L t4, 0(t4)
	beqz t4, 3f
	L t2, TAG(t4)
	bne t2, t3, 3f
	L t2, SITE(t4)
	bne t2, ra, 3f
	L t2, PARENT(t4)
	bne t2, t5, 3f
	L t2, NOW(t4)
	bnez t2, 3f
	mv t1, t4
	L t4, rivulet_cycles_hint # its slot is the hint's
	andi t2, t4, NODE - 1
	beqz t2, 4f
	addi t4, t4, W
	bne t4, t5, 5f
	jr t0
4:	L t4, HOME(t4)
	beqz t4, 6f
5:	S t1, 0(t4)
	S t4, HOME(t1)
6:	jr t0
7:	L t4, rivulet_cycles_hint # the same leaf as the last time? The hint is what the jump's caller has
	andi t5, t4, NODE - 1
	bnez t5, 3f
	L t5, TAG(t4)
	bne t5, t3, 3f
	L t5, SITE(t4)
	addi t5, t5, -1
	bne t5, ra, 3f
	L t5, PARENT(t4)
	L t5, LEFT(t5)
	L t4, TAIL(t4)
	bne t4, t5, 3f
	L t1, rivulet_cycles_hint
	L t5, BACK(t1)
	S t5, rivulet_cycles_hint, t4
	jr t0
3:	slow rivulet_cycles_enter_slow

# t1: cycles of a call, t2: its node. A carry, a new least or most.
	.globl rivulet_cycles_rare
	.type rivulet_cycles_rare, @function
rivulet_cycles_rare:
	slow rivulet_cycles_rare_slow

# A class (the low byte of t3) took from clock t1 to t4, in a node (t2). Bits 8 to 18 of t3: cycles in between that are not
# its own, and from bit 20 on more of them, if a call's return address is not on a word (host/insert/profile_cycles.c).
	.globl rivulet_cycles_waited
	.type rivulet_cycles_waited, @function
rivulet_cycles_waited:
	sub t1, t4, t1
	srli t4, t3, 8
	andi t4, t4, 0x7FF
	sub t1, t1, t4
	srli t4, t3, 20
	andi t5, ra, 2
	beqz t5, 2f
	sub t1, t1, t4
2:	andi t3, t3, 0xFF
	bgez t1, 1f
	li t1, 0
1:	slow rivulet_cycles_waited_slow

# A class (t3) took t1 cycles, in a node (t2).
	.globl rivulet_cycles_class
	.type rivulet_cycles_class, @function
rivulet_cycles_class:
	slow rivulet_cycles_waited_slow

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

	.globl rivulet_cycles_bit_pairs
	.type rivulet_cycles_bit_pairs, @function
rivulet_cycles_bit_pairs: # measure: half as many as t1 has significant bits, rounded down
#if W == 8
	slli t1, t1, 32
	srli t1, t1, 32
#endif
	mv t2, t1
	li t1, 0
1:	srli t2, t2, 1
	beqz t2, 2b
	srli t2, t2, 1
	addi t1, t1, 1
	j 1b
