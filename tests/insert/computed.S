/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Jumps and calls to computed places of the code, as memset() of newlib and picolibc has them: rows of instructions of
 * which it is known how long they are. RV64. */
	.text
	.option norvc

/* in a leaf, by a sum of a label and an index */
	.globl row_leaf
	.type row_leaf, @function
row_leaf:
	andi a0, a0, 3
	slli a0, a0, 3
	lla t0, 1f
	add t0, t0, a0
	jr t0
1:	li a0, 10
	ret
	li a0, 11
	ret
	li a0, 12
	ret
	li a0, 13
	ret
	.size row_leaf, . - row_leaf

/* in a frame: the stack pointer says that it stays inside, not where */
	.globl row_frame
	.type row_frame, @function
row_frame:
	addi sp, sp, -16
	sd ra, 8(sp)
	call row_leaf
	andi a0, a0, 3
	slli t1, a0, 3
	beqz a0, 2f
	lla t0, 1f
2:	lla t0, 1f
	add t1, t1, t0
	jr t1
1:	addi a0, a0, 1
	addi a0, a0, 2
	addi a0, a0, 3
	addi a0, a0, 4
	addi a0, a0, 5
	addi a0, a0, 6
	addi a0, a0, 7
	addi a0, a0, 8
	ld ra, 8(sp)
	addi sp, sp, 16
	ret
	.size row_frame, . - row_frame

/* a call into the row, and a jump whose own displacement leads into it */
	.globl row_fill
	.type row_fill, @function
row_fill:
	mv a4, a0
	li t1, 7
	andi a2, a2, 7
	beqz a2, 3f
	mv t2, ra
	sub a3, t1, a2
	slli a3, a3, 2
4:	auipc t0, %pcrel_hi(1f)
	add a3, a3, t0
	jalr ra, %pcrel_lo(4b)(a3)
	mv ra, t2
3:	lla t0, 1f
	jr 20(t0)
1:	sb a1, 6(a4)
	sb a1, 5(a4)
	sb a1, 4(a4)
	sb a1, 3(a4)
	sb a1, 2(a4)
	sb a1, 1(a4)
	sb a1, 0(a4)
	ret
	.size row_fill, . - row_fill

/* into another function of the object */
	.globl row_other
	.type row_other, @function
row_other:
	andi a0, a0, 3
	slli a0, a0, 3
	lla t0, rows
	add t0, t0, a0
	jr t0
	.size row_other, . - row_other
	.type rows, @function
rows:
	li a0, 20
	ret
	li a0, 21
	ret
	li a0, 22
	ret
	li a0, 23
	ret
	.size rows, . - rows

/* no row: it calls a label on some ways. A sum on another way, which ends in a call that does not return, has no label
 * in it. As the unwinder of libgcc, where it sorts. */
	.globl ways_apart
	.type ways_apart, @function
ways_apart:
	addi sp, sp, -16
	sd ra, 8(sp)
	sd s2, 0(sp)
	mv s2, a1
	bltz a0, 3f
	andi a0, a0, 1
	lla s2, way_one
	beqz a0, 2f
	lla s2, way_two
	j 2f
3:	addi s2, s2, 8
	ld a0, 0(s2)
	bnez a0, 3b
	call abort
2:	jalr s2
	ld ra, 8(sp)
	ld s2, 0(sp)
	addi sp, sp, 16
	ret
	.size ways_apart, . - ways_apart
	.type way_one, @function
way_one:
	beqz a0, 1f
	addi a0, a0, 3
1:	addi a0, a0, 1
	ret
	.size way_one, . - way_one
	.type way_two, @function
way_two:
	li a0, 9
	ret
	.size way_two, . - way_two
	.section .note.GNU-stack, "", @progbits
