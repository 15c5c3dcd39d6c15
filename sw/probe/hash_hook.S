# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Counts a path in the hash table of its function (probe.h), for inserted code (host/insert/inserter.h, INSERTER_BUCKET), where it
# slot is another path's, or has 2^31 counts (RV32):
#   t0: return address; t1: number of the path; t2: table
# Only t0 to t5 may change. Atomic where there is an A extension.
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
#define JOINED 3 * W /* RV32 */
#define COUNT 2 * W + 8
#define HEADS 16
#define SLOTS 16 + W
#define SLOT_BYTES 255 * 2 * W /* of the last one: RIVULET_PROBE_SLOTS - 1 */
#define POOL 2 * W /* struct rivulet_probe_root */
#define BUCKETS 3 * W
#define READY 0x52564 # the upper part
#ifndef __riscv_e /* which has not t3 to t5: nothing is inserted that calls it */
	.macro hook name
	.globl \name
#ifdef RIVULET_LIBRARY
	.hidden \name
#endif
	.type \name, @function
\name:
	.endm

# t3: where the chain of the path in t1 begins. Goes to early, as long as start-up code has not cleared the memory.
	.macro chain early
	lw t4, rivulet_probe_ready
	lui t5, READY
	bne t4, t5, \early
	L t3, HEADS(t2)
	srli t4, t1, CONTEXT
	xor t4, t4, t1
	andi t4, t4, LAST_HEAD
	slli t4, t4, SHIFT
	add t3, t3, t4
	.endm

# t3: the bucket of the path in t1, which is counted in it. Goes to none, if there is none.
	.macro count early, none
	chain \early
1:	L t3, NEXT(t3)
	beqz t3, \none
	L t4, PATH(t3)
	bne t4, t1, 1b
#ifdef __riscv_atomic
	addi t4, t3, COUNT
	li t5, 1
#if W == 8
	amoadd.d zero, t5, (t4)
#else
	amoadd.w t5, t5, (t4)
	not t5, t5
	bnez t5, 2f
	li t5, 1
	addi t4, t4, 4
	amoadd.w zero, t5, (t4)
2:
#endif
#else
	L t4, COUNT(t3)
	addi t4, t4, 1
	S t4, COUNT(t3)
#if W == 4
	bnez t4, 2f
	lw t4, COUNT + 4(t3)
	addi t4, t4, 1
	sw t4, COUNT + 4(t3)
2:
#endif
#endif
	.endm

	.text
#if W == 4
# It counted in the slot, which has enough: most of it goes to the bucket.
carry:
	slli t4, t4, 1
	srli t4, t4, 1
	sw t4, W(t3)
	chain 7f
5:	L t3, NEXT(t3)
	beqz t3, 7f
	L t4, PATH(t3)
	bne t4, t1, 5b
	lw t4, COUNT(t3)
	lui t5, 0x80000
	add t4, t4, t5
	sw t4, COUNT(t3)
	bltz t4, 7f
	lw t4, COUNT + 4(t3)
	addi t4, t4, 1
	sw t4, COUNT + 4(t3)
	jr t0
#endif

	hook rivulet_probe_slot
#if W == 4
	L t3, SLOTS(t2)
	slli t4, t1, 3
	andi t4, t4, SLOT_BYTES
	add t3, t3, t4
	lw t5, 0(t3)
	lw t4, W(t3)
	bne t5, t1, 6f # it need not be another one's any more
	bltz t4, carry
6:
#endif
	count 7f, 8f
7:	jr t0
8:	slow rivulet_probe_new, arguments=2

# Counts a part of a path, and gives what the path register is when the next part begins (common/joined.h).
#   t0: return address; t1: number; t2: table
# Returns it in t1. Only t0 to t5 may change. sp stays: who follows a stack takes it for millicode else.
	hook rivulet_probe_joined
	count 7f, 8f
#if W == 8
	lla t2, rivulet_probe_root
	L t5, BUCKETS(t2)
	L t2, POOL(t2)
	sub t3, t3, t2
	slli t5, t5, 5 /* bytes of a bucket */
	bgeu t3, t5, 7f
	addi t3, t3, 64
	neg t3, t3
	slli t1, t3, CONTEXT - 5
	lui t2, 0xA0000 /* JOINED_BASE_64 */
	add t1, t1, t2
#else
	lw t1, JOINED(t3) /* it knows itself */
#endif
	jr t0
7:	li t1, -1 /* of none */
	slli t1, t1, CONTEXT
#if W == 8
	lui t2, 0xA0000
	add t1, t1, t2
#else
	addi t1, t1, 1
#endif
	jr t0
8:	slow rivulet_probe_new_part, arguments=2
	.section .note.GNU-stack, "", @progbits
#endif
