/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The trace interrupt (TSH FIG. 8) for an entry that exists: read the record (810), find the entry (820, 830), count it (834), all in
 * under 60 cycles from the interrupt to the resumed program. What is rare goes to trace_slow() in C: a new entry (836), a count at its
 * threshold (840, 850, 842), a carry of the cycle sum.
 *
 * One vector table for each way to collect, chosen by trace_prepare(): cause 16 is the last entry, so the handler lies behind it and
 * is entered without a jump. Everything that a handler saves is at the stack pointer that it swaps in from mscratch (sw/hal/area.h).
 *
 * Timing (docs/core.md): a result loaded is not used by the next instruction; loads and stores take the fetch's place on the bus, so
 * they stand between CSR accesses, which let the fetch catch up, and are compressed (x8 to x15, sp) as far as they can be.
 *
 * The record is popped last. Up to there the slow path can read it again, so no register need be kept for it.
 */
#include "sw/hal/area.h"
#include "sw/trace/handler.h"
#define REASON_PARTIAL 12 /* reasons from TRACE_TRAP on have one of these bits */

	.option rvc

/* \vectors: a vector table in which all but cause 7 (\timer) and cause 16 (what follows) go to the general entry. */
	.macro VECTORS vectors, timer
	.balign 128
	.globl \vectors
\vectors:
	.option push
	.option norvc
	.rept 7
	j hal_trap_entry
	.endr
	j \timer
	.rept 8
	j hal_trap_entry
	.endr
	.option pop
	.endm

	.macro SAVE registers:vararg
	.irp n, \registers
	sw x\n, AREA_REG(\n)(sp)
	.endr
	.endm

	.macro RESTORE registers:vararg
	.irp n, \registers
	lw x\n, AREA_REG(\n)(sp)
	.endr
	.endm

/* A C function, with gp and tp as C has them: the program may use both as it likes. */
	.weak __global_pointer$, __tls_base	/* the kernel has no small data */
	.macro CALL_C function
	SAVE 3, 4
	.option push
	.option norelax
	la gp, __global_pointer$
	.option pop
	la tp, __tls_base
	call \function
	RESTORE 3, 4
	.endm

/* The chain from entry a4, a0 key, a1 history: goes to \hit with a4 the entry, or to \slow. a2, a3 are free. */
	.macro CHAIN hit, slow
1:	lw a4, ENTRY_NEXT(a4)
	nop
	lw a3, ENTRY_HIST(a4)
	lw a2, ENTRY_KEY(a4)
	beqz a3, \slow
	bne a3, a1, 1b
	bne a2, a0, 1b
	j \hit
	.endm

/* Counts the record at the head in entry a4, or goes to \slow. a0 to a3 are free. */
	.macro COUNT_ONE slow
	csrr a0, RV_CSR_REC_CYCLES
	lw a1, ENTRY_COUNT(a4)
	lw a2, ENTRY_CYCLES(a4)
	addi a1, a1, 1
	beqz a1, \slow
	add a2, a2, a0
	bltu a2, a0, \slow
	sw a1, ENTRY_COUNT(a4)
	sw a2, ENTRY_CYCLES(a4)
	csrw RV_CSR_POP, zero
	.endm

/* The same for a record that stands for several traces. */
	.macro COUNT_REPEATED slow
	csrr a3, RV_CSR_REC_INFO
	lw a1, ENTRY_COUNT(a4)
	slli a3, a3, 16
	csrr a0, RV_CSR_REC_CYCLES
	srli a3, a3, 24
	lw a2, ENTRY_CYCLES(a4)
	add a1, a1, a3
	bltu a1, a3, \slow
	add a2, a2, a0
	bltu a2, a0, \slow
	sw a1, ENTRY_COUNT(a4)
	sw a2, ENTRY_CYCLES(a4)
	csrw RV_CSR_POP, zero
	.endm

/*
 * Way adapt: the record counts 1 << t1 = t0, and its cycles as often. Where the count passes a multiple of a power of two (t2: the
 * bits from there on) the trace has made a step (adapt.h).
 */
	.macro COUNT_WEIGHTED slow
	csrr a0, RV_CSR_REC_CYCLES
	lw a1, ENTRY_COUNT(a4)
	sll a0, a0, t1
	lw a2, ENTRY_CYCLES(a4)
	add a3, a1, t0
	xor a1, a1, a3
	and a1, a1, t2
	bnez a1, \slow
	add a2, a2, a0
	bltu a2, a0, \slow
	sw a3, ENTRY_COUNT(a4)
	sw a2, ENTRY_CYCLES(a4)
	csrw RV_CSR_POP, zero
	.endm

/* One record an interrupt; if there are more the interrupt comes again. \save: what of a2, a3 is still to be saved; a0, a1 are. */
	.macro SINGLE save:vararg
	csrr a0, RV_CSR_REC_START
	.ifnb \save
	SAVE \save
	.endif
	csrr a1, RV_CSR_REC_HIST
	lw a2, CONTEXT_HASH(sp)
	slli a3, a0, 15
	add a3, a3, a1
	SAVE 14
	mul a3, a3, a2
	lw a2, CONTEXT_SHIFT(sp)
	lw a4, CONTEXT_HEADS(sp)
	srl a3, a3, a2
	slli a3, a3, 2
	add a4, a4, a3
	csrr a2, RV_CSR_REC_INFO
	lw a4, 0(a4)
	andi a2, a2, REASON_PARTIAL
	lw a3, ENTRY_HIST(a4)
	bnez a2, single_partial\@
	lw a2, ENTRY_KEY(a4)
	bne a3, a1, single_chain\@
	bne a2, a0, single_chain\@
single_hit\@:
	COUNT_ONE single_slow\@
single_out\@:
	RESTORE 10, 11, 12, 13, 14
	csrrw sp, mscratch, sp
	mret
single_partial\@:
	addi a0, a0, 1
	lw a2, ENTRY_KEY(a4)
	bne a3, a1, single_chain\@
	beq a2, a0, single_hit\@
single_chain\@:
	CHAIN single_hit\@, single_slow\@
single_slow\@:
	SAVE 1, 5, 6, 7, 15, 16, 17, 28, 29, 30, 31
	CALL_C trace_slow
	RESTORE 1, 5, 6, 7, 15, 16, 17, 28, 29, 30, 31
	j single_out\@
	.endm

/* All records there are, with what the table's address takes kept in registers. \count: COUNT_ONE or COUNT_REPEATED. */
	.macro DRAIN count
	csrrw sp, mscratch, sp
	SAVE 10, 11, 12
	csrr a1, RV_CSR_REC_HIST
	lw a2, CONTEXT_INTERRUPTS(sp)
	SAVE 13, 14, 15
	addi a2, a2, 1
	csrr a0, RV_CSR_REC_START
	SAVE 8, 9
	sw a2, CONTEXT_INTERRUPTS(sp)
	lw a5, CONTEXT_HASH(sp)
	lw s0, CONTEXT_SHIFT(sp)
	lw s1, CONTEXT_HEADS(sp)
	beqz a1, drain_out\@
	.balign 4
drain_next\@:
	slli a3, a0, 15
	add a3, a3, a1
	mul a3, a3, a5
	srl a3, a3, s0
	slli a3, a3, 2
	add a3, a3, s1
	lw a4, 0(a3)
	csrr a2, RV_CSR_REC_INFO
	lw a3, ENTRY_HIST(a4)
	andi a2, a2, REASON_PARTIAL
	bnez a2, drain_partial\@
	lw a2, ENTRY_KEY(a4)
	bne a3, a1, drain_chain\@
	bne a2, a0, drain_chain\@
drain_hit\@:
	\count drain_slow\@
drain_more\@:
	csrr a1, RV_CSR_REC_HIST
	csrr a0, RV_CSR_REC_START
	bnez a1, drain_next\@
drain_out\@:
	RESTORE 8, 9, 10, 11, 12, 13, 14, 15
	csrrw sp, mscratch, sp
	mret
drain_partial\@:
	addi a0, a0, 1
	lw a2, ENTRY_KEY(a4)
	bne a3, a1, drain_chain\@
	beq a2, a0, drain_hit\@
drain_chain\@:
	CHAIN drain_hit\@, drain_slow\@
drain_slow\@:
	SAVE 1, 5, 6, 7, 16, 17, 28, 29, 30, 31
	CALL_C trace_slow
	RESTORE 1, 5, 6, 7, 16, 17, 28, 29, 30, 31
	lw a5, CONTEXT_HASH(sp)
	j drain_more\@
	.endm

/* The same for way adapt: what a batch takes comes out of the bucket, and trace_empty() is called when that is empty. */
	.macro WEIGHT
	lw t1, CONTEXT_LEVEL(sp)
	li t0, 1
	lw t2, CONTEXT_STEP(sp)
	sll t0, t0, t1
	.endm
	.macro DRAIN_ADAPTING
	csrrw sp, mscratch, sp
	SAVE 10, 11, 12
	csrr a1, RV_CSR_REC_HIST
	SAVE 13, 14, 15
	csrr a0, RV_CSR_REC_START
	SAVE 5, 6, 7, 8, 9
	lw a5, CONTEXT_HASH(sp)
	lw s0, CONTEXT_SHIFT(sp)
	lw s1, CONTEXT_HEADS(sp)
	WEIGHT
	lw a2, CONTEXT_INTERRUPTS(sp)
	lw a3, CONTEXT_BUCKET(sp)
	lw a4, CONTEXT_BATCH(sp)
	addi a2, a2, 1
	sub a3, a3, a4
	sw a2, CONTEXT_INTERRUPTS(sp)
	sw a3, CONTEXT_BUCKET(sp)
	beqz a1, adapt_out
	.balign 4
adapt_next:
	slli a3, a0, 15
	add a3, a3, a1
	mul a3, a3, a5
	srl a3, a3, s0
	slli a3, a3, 2
	add a3, a3, s1
	lw a4, 0(a3)
	csrr a2, RV_CSR_REC_INFO
	lw a3, ENTRY_HIST(a4)
	andi a2, a2, REASON_PARTIAL
	bnez a2, adapt_partial
	lw a2, ENTRY_KEY(a4)
	bne a3, a1, adapt_chain
	bne a2, a0, adapt_chain
adapt_hit:
	COUNT_WEIGHTED adapt_slow
adapt_more:
	csrr a1, RV_CSR_REC_HIST
	csrr a0, RV_CSR_REC_START
	bnez a1, adapt_next
adapt_out:
	lw a3, CONTEXT_BUCKET(sp)
	RESTORE 5, 6, 7, 8, 9, 10, 11, 12
	bltz a3, adapt_empty_bucket
	RESTORE 13, 14, 15
	csrrw sp, mscratch, sp
	mret
adapt_partial:
	addi a0, a0, 1
	lw a2, ENTRY_KEY(a4)
	bne a3, a1, adapt_chain
	beq a2, a0, adapt_hit
adapt_chain:
	CHAIN adapt_hit, adapt_slow
adapt_slow:
	SAVE 1, 16, 17, 28, 29, 30, 31
	CALL_C trace_slow
	RESTORE 1, 16, 17, 28, 29, 30, 31
	lw a5, CONTEXT_HASH(sp)
	WEIGHT
	j adapt_more
adapt_empty_bucket:
	SAVE 1, 16, 17, 28, 29, 30, 31
	CALL_C trace_empty
	RESTORE 1, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
	csrrw sp, mscratch, sp
	mret
	.endm

	.section .text.trace_handler, "ax"

	/* trace_empty() is trace.c's, and the kernel has no way adapt. */
	.weak trace_empty

	/* Ways every and sample. */
	VECTORS trace_vectors_single, hal_trap_entry
	csrrw sp, mscratch, sp
	SAVE 10, 11
	SINGLE 12, 13

	/* Ways watermark and full. */
	VECTORS trace_vectors_drain, hal_trap_entry
	DRAIN COUNT_ONE

	/* Way every with CTRL.REPEAT. */
	VECTORS trace_vectors_repeat, hal_trap_entry
	DRAIN COUNT_REPEATED

	/* Way adapt. */
	VECTORS trace_vectors_adapt, hal_trap_entry
	DRAIN_ADAPTING

	/* Way timer: the next interrupt a period from now, then the last trace. */
	VECTORS trace_vectors_timer, trace_timer
	j hal_trap_entry
	.balign 4
trace_timer:
	csrrw sp, mscratch, sp
	SAVE 10, 11, 12, 13
	lui a0, 0x0200C
	lw a2, -4(a0)		/* mtime; high half first: a carry in between makes the match early, never late */
	lw a1, -8(a0)
	lw a3, CONTEXT_PERIOD(sp)
	lui a0, 0x02004		/* mtimecmp: too early for a moment at most, and interrupts are off */
	add a1, a1, a3
	sltu a3, a1, a3
	sw a1, 0(a0)
	add a2, a2, a3
	sw a2, 4(a0)
	SINGLE
