# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Counts a path in the hash table of its function (probe.h), for inserted code (host/insert/inserter.h, INSERTER_BUCKET), where it
# is not the one that was counted last:
#   t0: return address; t1: number of the path; t2: table
# Returns the bucket in t1. Only t0 to t5 may change. Atomic where there is an A extension.
#include "sw/probe/hooks.S"
#if W == 8
#define SHIFT 3
#define LAST_HEAD 1023 /* RIVULET_PROBE_HEADS - 1 */
#define CONTEXT 32 /* JOINED_SHIFT_64 */
#else
#define SHIFT 2
#define LAST_HEAD 127
#define CONTEXT 17
#endif
# struct rivulet_probe_bucket, struct rivulet_probe_table
#define NEXT 0
#define PATH 2 * W
#define COUNT 2 * W + 8
#define HEADS 16
#define POOL 2 * W /* struct rivulet_probe_root */
#define BUCKETS 3 * W
#define READY 0x52564 # the upper part
#ifndef __riscv_e /* which has not t3 to t5: nothing is inserted that calls it */
	.text
	.globl rivulet_probe_hash
#ifdef RIVULET_LIBRARY
	.hidden rivulet_probe_hash
#endif
	.type rivulet_probe_hash, @function
rivulet_probe_hash:
	lw t4, rivulet_probe_ready
	lui t5, READY
	bne t4, t5, 6f
	L t3, HEADS(t2)
	srli t4, t1, CONTEXT
	xor t4, t4, t1
	andi t4, t4, LAST_HEAD
	slli t4, t4, SHIFT
	add t3, t3, t4
5:	L t3, NEXT(t3)
	beqz t3, 7f
	L t4, PATH(t3)
	bne t4, t1, 5b
#ifdef __riscv_atomic
	addi t4, t3, COUNT
	li t5, 1
#if W == 8
	amoadd.d zero, t5, (t4)
#else
	amoadd.w t5, t5, (t4)
	not t5, t5
	bnez t5, 3f
	li t5, 1
	addi t4, t4, 4
	amoadd.w zero, t5, (t4)
3:
#endif
#else
	L t4, COUNT(t3)
	addi t4, t4, 1
	S t4, COUNT(t3)
#if W == 4
	beqz t4, 4f
#endif
#endif
	mv t1, t3
	jr t0
#if !defined __riscv_atomic && W == 4
4:	lw t4, COUNT + 4(t3)
	addi t4, t4, 1
	sw t4, COUNT + 4(t3)
	mv t1, t3
	jr t0
#endif
6:	la t1, rivulet_probe_none # start-up code has not cleared the memory yet
	jr t0
7:	slow rivulet_probe_new, arguments=2

# What the path register is when the next part of a path begins that a bucket has the part before of (common/joined.h).
#   t0: return address; t1: bucket
# Returns it in t1. Only t0 to t5 may change.
	.globl rivulet_probe_joined
#ifdef RIVULET_LIBRARY
	.hidden rivulet_probe_joined
#endif
	.type rivulet_probe_joined, @function
rivulet_probe_joined:
	lw t4, rivulet_probe_ready
	lui t5, READY
	bne t4, t5, 8f
	lla t2, rivulet_probe_root
	L t3, BUCKETS(t2)
	L t2, POOL(t2)
	sub t1, t1, t2
#if W == 8
	slli t3, t3, 5 /* bytes of a bucket */
	bgeu t1, t3, 8f
	addi t1, t1, 64
	neg t1, t1
	slli t1, t1, CONTEXT - 5
	lui t2, 0xA0000 /* JOINED_BASE_64 */
	add t1, t1, t2
#else
	slli t4, t3, 4 /* 24 of them */
	slli t3, t3, 3
	add t3, t3, t4
	li t4, 10922 * 24 /* JOINED_LAST_32 + 1 */
	bgeu t1, t4, 8f
	bgeu t1, t3, 8f
	addi t1, t1, 8
	slli t1, t1, CONTEXT - 3
#endif
	jr t0
8:	li t1, -1 /* of none */
	slli t1, t1, CONTEXT
#if W == 8
	lui t2, 0xA0000
	add t1, t1, t2
#endif
	jr t0
	.section .note.GNU-stack, "", @progbits
#endif
