# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# EPP's examples as code; tests/insert/epp.expected is what `rivulet insert --paths` makes of them.

# Section 3: the graph A to F, six paths. A: a0, B: a1, D: a2 decide.
	.text
	.globl dag
	.type dag, @function
dag:
A:	beqz a0, C
B:	beqz a1, D
C:	addi a3, a3, 3
D:	beqz a2, F
E:	addi a3, a3, 5
F:	mv a0, a3
	ret
	.size dag, . - dag

# Section 4: a loop with two ways through its body, and paths that begin and end at its back edge.
	.globl loop
	.type loop, @function
loop:
	li a3, 0
head:	andi a4, a0, 1
	beqz a4, even
	addi a3, a3, 1
even:	srli a0, a0, 1
	bnez a0, head
	mv a0, a3
	ret
	.size loop, . - loop

# Section 4: a self loop; a0 decides it, so its turns are a difference.
	.globl turns
	.type turns, @function
turns:
	addi a1, a0, 64
again:	sw zero, 0(a0)
	addi a0, a0, 4
	bne a0, a1, again
	ret
	.size turns, . - turns

# A loop of several blocks with one path: its turns are the difference of a2, and are counted where it is left. At the first
# way out a2 has not made its step yet.
	.globl search
	.type search, @function
search:
	li a2, 0
1:	lbu a3, 0(a0)
	beq a3, a1, 2f
	addi a0, a0, 1
	addi a2, a2, 1
	bltu a2, a4, 1b
2:	mv a0, a2
	ret
	.size search, . - search

# The same with no such register: the turns are counted in one.
	.globl find
	.type find, @function
find:
	li a2, 0
1:	beq a0, a1, 2f
	lw a0, 0(a0)
	bnez a0, 1b
2:	ret
	.size find, . - find

# Section 3.4: a function with one chord initialises and counts there: count[c]++, without a register.
	.globl either
	.type either, @function
either:
	beqz a0, 1f
	li a0, 7
	ret
1:	li a0, 9
	ret
	.size either, . - either

# No register is dead over the function, as it calls: a saved one, with its frame.
	.globl calls
	.type calls, @function
calls:
	addi sp, sp, -16
	sw ra, 12(sp)
	beqz a0, 2f
	call dag
2:	bnez a1, 3f
	call either
3:	lw ra, 12(sp)
	addi sp, sp, 16
	ret
	.size calls, . - calls
