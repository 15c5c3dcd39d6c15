/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Programs made against recording: as many records for each instruction as there can be, none of them equal to the one
 * before it, and paths that no cache or compressor can guess. Each goes on for ever: `rivulet run --instructions` ends
 * it. A macro says which:
 *
 *	jumps		each instruction is an indirect jump, and a path of its own
 *	backward	each second instruction is a jump back: paths of one and two instructions in turn
 *	branches	loops of ten branches by bits of a random number: 1,024 paths, all as likely
 *	dense		branches back and forth by random bits: a path of one to four instructions each
 *	indirect	a jump to one of 64 places by a random number: a path of three instructions each
 *	distinct	loops of 24 branches by random bits: nearly no path comes again
 *	many		loops of 16 branches by random bits: 65,536 paths, all as likely
 *	nested		the shortest loop there is, left each third time: paths of two instructions, and of one
 *	pointers	calls of two functions by a pointer in turn, and their returns
 *	divide		a division of a random number in each path, which takes other cycles each time: two paths
 *	coin		the shortest loop by a random bit: two paths
 *	ring		2,500 jumps back, one behind the other: paths of one instruction, each of which comes again only
 *			behind all others
 *	circle		the same with 10,000
 *	ocean		the same with 65,600: more than there are numbers for keys
 *	shuffle		a jump to one of 30,000 places by a random number: paths of six instructions and of one in turn
 *	drift		loops of 7 branches by random bits, at one of 512 places in turn: 65,536 paths, and 512
 *	maze		10,000 paths of a branch that is taken and a jump back, one behind the other: the end of none of
 *			them says which it was
 *	maze2		the same with two branches, of which the second is taken: the first says nothing
 *	maze5		the same with five
 *	funnel		8,192 paths whose second branch is taken, and all of which end at the same place
 *	flood		a jump to one of 100,000 places by a random number
 *	flicker		65,536 loops of 24 branches by random bits, then a million short loops with a division, in turn
 */
	.option	norelax
	.option	norvc
	.globl	_start
/* The next random number: xorshift. */
.macro RANDOM
	slli	t0, a0, 13
	xor	a0, a0, t0
	srli	t0, a0, 17
	xor	a0, a0, t0
	slli	t0, a0, 5
	xor	a0, a0, t0
.endm
/* A branch by the sign bit of a1, which then has the next bit there. */
.macro SKIP
	bltz	a1, 9f
	nop
9:	slli	a1, a1, 1
.endm
_start:
	li	a0, 0x12345678
#if defined KIND_jumps
	la	a1, 1f
	la	a2, 2f
	la	a3, 3f
	la	a4, 4f
	la	a5, 5f
1:	jr	a3
2:	jr	a5
3:	jr	a2
4:	jr	a1
5:	jr	a4
#elif defined KIND_backward
	j	1f
3:	j	2f
5:	j	4f
1:	j	3b
4:	j	1b
2:	j	5b
#elif defined KIND_branches
1:	RANDOM
	mv	a1, a0
	.rept	10
	SKIP
	.endr
	j	1b
#elif defined KIND_dense
	li	a1, 0
1:	slli	a1, a1, 1
	bltz	a1, 2f
	bnez	a1, 1b
	RANDOM
	ori	a1, a0, 1
	j	1b
	j	1b
2:	slli	a1, a1, 1
	bltz	a1, 1b
	bnez	a1, 2b
	RANDOM
	ori	a1, a0, 1
	j	2b
#elif defined KIND_indirect
	la	a2, 2f
1:	RANDOM
	andi	a3, a0, 63 * 8
	add	a3, a3, a2
	jr	a3
	.balign	8
2:	.rept	64
	j	1b
	nop
	.endr
#elif defined KIND_nested
3:	li	a1, 3
1:	addi	a1, a1, -1
	bnez	a1, 1b
	j	3b
#elif defined KIND_pointers
	la	s0, 2f
	la	s1, 3f
	xor	s2, s0, s1
1:	jalr	s0
	xor	s0, s0, s2
	j	1b
2:	ret
3:	ret
#elif defined KIND_divide
	li	a2, 3
1:	RANDOM
	srl	a3, a0, a0
	divu	a3, a3, a2
	bltz	a0, 1b
	j	1b
#elif defined KIND_coin
1:	RANDOM
	bltz	a0, 1b
	nop
	j	1b
#elif defined KIND_ring || defined KIND_circle || defined KIND_ocean
#if defined KIND_ring
	.set	turns, 2500
#elif defined KIND_circle
	.set	turns, 10000
#else
	.set	turns, 65600
#endif
	j	2f
1:	j	2f
	.rept	turns
	j	. - 4
	.endr
2:	j	. - 4
#elif defined KIND_shuffle || defined KIND_flood
#ifdef KIND_shuffle
	.set	places, 30000
#else
	.set	places, 100000
#endif
	la	a2, 2f
	li	a3, 1664525
	li	a4, places
1:	mul	a0, a0, a3
	addi	a0, a0, 1013
	mulhu	a1, a0, a4
	slli	a1, a1, 2
	add	a1, a1, a2
	jr	a1
2:	.rept	places
	j	1b
	.endr
#elif defined KIND_drift
	.set	places, 512
	la	a2, 2f
	li	a3, places * 128 - 128
	li	a4, 0
1:	RANDOM
	addi	a4, a4, 128
	and	a5, a4, a3
	add	a5, a5, a2
	jr	a5
	.balign	128
2:	.rept	places
	mv	a1, a0
	.rept	7
	SKIP
	.endr
	j	1b
	.balign	128
	.endr
#elif defined KIND_maze
	.set	places, 10000
2:	j	3f
	.rept	places
	bgez	zero, . + 8
	nop
	j	. - 20
	.endr
3:	j	. - 12
#elif defined KIND_maze2 || defined KIND_maze5
	.set	places, 10000
#ifdef KIND_maze2
	.set	nots, 1
#else
	.set	nots, 4
#endif
	.rept	nots
	nop
	.endr
2:	j	3f
	.rept	places
	.rept	nots
	bltz	zero, . + 8
	.endr
	bgez	zero, . + 8
	nop
	j	. - 20 - 8 * nots
	.endr
3:	j	. - 12 - 4 * nots
#elif defined KIND_funnel
	.set	places, 8192
	la	a2, 2f
	li	a3, places * 16 - 16
	li	a4, 0
1:	addi	a4, a4, 16
	and	a5, a4, a3
	add	a5, a5, a2
	jr	a5
2:	.rept	places
	bltz	zero, . + 8
	bgez	zero, . + 8
	nop
	j	3f
	.endr
3:	addi	a4, a4, 16
	and	a5, a4, a3
	add	a5, a5, a2
	jr	a5
#elif defined KIND_flicker
	li	s3, 3
4:	li	s0, 1
	slli	s1, s0, 16
	slli	s2, s0, 20
1:	RANDOM
	mv	a1, a0
	.rept	24
	SKIP
	.endr
	addi	s1, s1, -1
	bgtz	s1, 1b
3:	RANDOM
	srl	a3, a0, a0
	divu	a3, a3, s3
	addi	s2, s2, -1
	bgtz	s2, 3b
	j	4b
#elif defined KIND_distinct || defined KIND_many
#ifdef KIND_many
	.set	turns, 16
#else
	.set	turns, 24
#endif
1:	RANDOM
	mv	a1, a0
	.rept	turns
	SKIP
	.endr
	j	1b
#endif
