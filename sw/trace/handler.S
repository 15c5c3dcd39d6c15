/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The trace interrupt (TSH FIG. 8) for an entry that exists: read the record (810), find the entry (820, 830), count it (834), all in
 * under 60 cycles from the interrupt to the resumed program. What is rare goes to trace_slow() in C: a new entry (836), a count at its
 * threshold (840, 850, 842), a carry of the cycle sum.
 *
 * One vector table for each way to collect, chosen by trace_prepare(): cause 16 is the last entry, so the handler lies behind it and
 * is entered without a jump. All other causes are the program's: their entries are jumps to where the program's own mtvec leads,
 * written by vectors.c, and no register and no CSR is touched on the way.
 *
 * Timing (docs/core.md): a result loaded is not used by the next instruction; loads and stores take the fetch's place on the bus, so
 * they stand between CSR accesses, which let the fetch catch up, and are compressed (x8 to x15, sp) as far as they can be.
 *
 * The record is popped last. Up to there the slow path can read it again, so no register need be kept for it.
 */
#include "sw/hal/area.h"
#include "sw/trace/handler.h"
#define REASON_PARTIAL 12 /* reasons from TRACE_TRAP on have one of these bits */

#ifdef __riscv_compressed
	.option rvc
#endif

/* The registers that the handlers read and write: \rd, \free are the only registers that are written. */
#ifdef TRACE_MMIO_BASE
#define UNIT(reg) (TRACE_MMIO_BASE + 4 * RV_REG_##reg)
#else
#define UNIT(reg) RV_CSR_##reg
#endif
	.equ UNIT_REC_START, UNIT(REC_START)
	.equ UNIT_REC_HIST, UNIT(REC_HIST)
	.equ UNIT_REC_INFO, UNIT(REC_INFO)
	.equ UNIT_REC_CYCLES, UNIT(REC_CYCLES)
	.equ UNIT_REC_COUNT, UNIT(REC_COUNT)
	.equ UNIT_LFSR, UNIT(LFSR)
	.equ UNIT_POP, UNIT(POP)
	.macro GET rd, reg
#ifdef TRACE_MMIO_BASE
	lui \rd, %hi(UNIT_\reg)
	lw \rd, %lo(UNIT_\reg)(\rd)
#else
	csrr \rd, (UNIT_\reg)
#endif
	.endm

/* Takes the record at the head away. */
	.macro POP free
#ifdef TRACE_MMIO_BASE
	lui \free, %hi(UNIT_POP)
	sw zero, %lo(UNIT_POP)(\free)
#else
	csrw (UNIT_POP), zero
#endif
	.endm

/* a3 := a3 * TABLE_HASH, of which \hash holds the word CONTEXT_HASH; a2 is free. */
	.macro HASH hash
#ifdef __riscv_mul
	mul a3, a3, \hash
#else
	/* (1 + 2^7) (1 + 2^12) (1 + 2^17): table.h */
	slli a2, a3, 7
	add a3, a3, a2
	slli a2, a3, 12
	add a3, a3, a2
	slli a2, a3, 17
	add a3, a3, a2
#endif
	.endm

/* sp := the area (handler.h), and back. */
	.macro ENTER
#if TRACE_AREA_IN_MSCRATCH
	csrrw sp, mscratch, sp
#else
	csrw mtval, sp
	.option push
	.option norelax
	lui sp, %hi(trace_area)
	addi sp, sp, %lo(trace_area)
	.option pop
#endif
	.endm
	.macro LEAVE
#if TRACE_AREA_IN_MSCRATCH
	csrrw sp, mscratch, sp
#else
	csrr sp, mtval
#endif
	mret
	.endm

/* The entries of a vector table but the last: the start-up code's, which are right as they are if the program has set no others. */
	.macro FORWARD
#if TRACE_HAL
	j hal_trap_entry
#else
	.word 0
#endif
	.endm
	.macro VECTORS vectors
	.balign 128
	.globl \vectors
\vectors:
	.option push
	.option norvc
#if TRACE_DIRECT
	j \vectors\()_direct
	FORWARD			/* where all the others go */
\vectors\()_direct:
	ENTER
	SAVE 10, 11
	csrr a0, mcause
	li a1, 0x80000000 + TRACE_IRQ
	beq a0, a1, 1f
	RESTORE 10, 11
	csrrw sp, mscratch, sp
	j \vectors + 4
1:
#else
	.rept VECTOR_WORDS
	FORWARD
	.endr
	.if TRACE_IRQ != 16
	.error "the handler lies behind entry 16 of its vector table: other interrupts with TRACE_DIRECT only"
	.endif
#endif
	.option pop
	.endm
/* What a handler begins with: ENTER, and a0 and a1 saved, where the vector has not done that. */
	.macro BEGIN
#if !TRACE_DIRECT
	ENTER
	SAVE 10, 11
#endif
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
	GET a0, REC_CYCLES
	lw a1, ENTRY_COUNT(a4)
	lw a2, ENTRY_CYCLES(a4)
	addi a1, a1, 1
	beqz a1, \slow
	add a2, a2, a0
	bltu a2, a0, \slow
	sw a1, ENTRY_COUNT(a4)
	sw a2, ENTRY_CYCLES(a4)
	POP a0
	.endm

/* The same for a record that stands for several traces. */
	.macro COUNT_REPEATED slow
	GET a3, REC_INFO
	lw a1, ENTRY_COUNT(a4)
	slli a3, a3, 16
	GET a0, REC_CYCLES
	srli a3, a3, 24
	lw a2, ENTRY_CYCLES(a4)
	add a1, a1, a3
	bltu a1, a3, \slow
	add a2, a2, a0
	bltu a2, a0, \slow
	sw a1, ENTRY_COUNT(a4)
	sw a2, ENTRY_CYCLES(a4)
	POP a0
	.endm

/* The same for one of the unit's table, whose count has a register of its own. */
	.macro COUNT_TABLED slow
	GET a3, REC_COUNT
	lw a1, ENTRY_COUNT(a4)
	GET a0, REC_CYCLES
	lw a2, ENTRY_CYCLES(a4)
	add a1, a1, a3
	bltu a1, a3, \slow
	add a2, a2, a0
	bltu a2, a0, \slow
	sw a1, ENTRY_COUNT(a4)
	sw a2, ENTRY_CYCLES(a4)
	POP a0
	.endm

/*
 * Way adapt: the record counts 1 << t1 = t0, and its cycles as often. Where the count passes a multiple of a power of two (t2: the
 * bits from there on) the trace has made a step (adapt.h).
 */
	.macro COUNT_WEIGHTED slow
	GET a0, REC_CYCLES
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
	POP a0
	.endm

/* One record an interrupt; if there are more the interrupt comes again. \save: a2 and a3, if they and a4 are still to be saved; a0, a1 are. */
	.macro SINGLE save:vararg
	SINGLE_AS COUNT_ONE, , \save
	.endm
	.macro SINGLE_WEIGHED
	SINGLE_AS COUNT_WEIGHED, EMPTY
	.endm
	.macro SINGLE_AS count, last, save:vararg
	GET a0, REC_START
	.ifnb \save
	SAVE \save
	.endif
	GET a1, REC_HIST
	lw a2, CONTEXT_HASH(sp)
	slli a3, a0, 15
	add a3, a3, a1
	.ifnb \save
	SAVE 14
	.endif
	HASH a2
	lw a2, CONTEXT_SHIFT(sp)
	lw a4, CONTEXT_HEADS(sp)
	srl a3, a3, a2
	slli a3, a3, 2
	add a4, a4, a3
	GET a2, REC_INFO
	lw a4, 0(a4)
	andi a2, a2, REASON_PARTIAL
	lw a3, ENTRY_HIST(a4)
	bnez a2, single_partial\@
	lw a2, ENTRY_KEY(a4)
	bne a3, a1, single_chain\@
	bne a2, a0, single_chain\@
single_hit\@:
	\count single_slow\@
single_out\@:
	.ifnb \last
	\last
	.endif
	RESTORE 10, 11, 12, 13, 14
	LEAVE
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

/* All records there are, with what the table's address takes kept in registers. \count: COUNT_ONE, COUNT_REPEATED or
 * COUNT_TABLED; \counter: the word of the context that counts the records, if there is one. */
	.macro DRAIN count, counter
	BEGIN
	SAVE 12
	GET a1, REC_HIST
	lw a2, CONTEXT_INTERRUPTS(sp)
	SAVE 13, 14, 15
	addi a2, a2, 1
	GET a0, REC_START
	SAVE 8, 9
	sw a2, CONTEXT_INTERRUPTS(sp)
	lw a5, CONTEXT_HASH(sp)
	lw s0, CONTEXT_SHIFT(sp)
	lw s1, CONTEXT_HEADS(sp)
	.ifnb \counter
	SAVE 18
	lw s2, \counter(sp)
	.endif
	beqz a1, drain_out\@
	.balign 4
drain_next\@:
	slli a3, a0, 15
	add a3, a3, a1
	HASH a5
	srl a3, a3, s0
	slli a3, a3, 2
	add a3, a3, s1
	lw a4, 0(a3)
	GET a2, REC_INFO
	lw a3, ENTRY_HIST(a4)
	andi a2, a2, REASON_PARTIAL
	bnez a2, drain_partial\@
	lw a2, ENTRY_KEY(a4)
	bne a3, a1, drain_chain\@
	bne a2, a0, drain_chain\@
drain_hit\@:
	\count drain_slow\@
drain_more\@:
	.ifnb \counter
	addi s2, s2, 1
	.endif
	GET a1, REC_HIST
	GET a0, REC_START
	bnez a1, drain_next\@
drain_out\@:
	.ifnb \counter
	sw s2, \counter(sp)
	RESTORE 18
	.endif
	RESTORE 8, 9, 10, 11, 12, 13, 14, 15
	LEAVE
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
	BEGIN
	SAVE 12
	GET a1, REC_HIST
	SAVE 13, 14, 15
	GET a0, REC_START
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
	HASH a5
	srl a3, a3, s0
	slli a3, a3, 2
	add a3, a3, s1
	lw a4, 0(a3)
	GET a2, REC_INFO
	lw a3, ENTRY_HIST(a4)
	andi a2, a2, REASON_PARTIAL
	bnez a2, adapt_partial
	lw a2, ENTRY_KEY(a4)
	bne a3, a1, adapt_chain
	bne a2, a0, adapt_chain
adapt_hit:
	COUNT_WEIGHTED adapt_slow
adapt_more:
	GET a1, REC_HIST
	GET a0, REC_START
	bnez a1, adapt_next
adapt_out:
	lw a3, CONTEXT_BUCKET(sp)
	RESTORE 5, 6, 7, 8, 9, 10, 11, 12
	bltz a3, adapt_empty_bucket
	RESTORE 13, 14, 15
	LEAVE
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
	LEAVE
	.endm

	.section .text.trace_handler, "ax"

	/* Ways every and sample. */
	VECTORS trace_vectors_single
	BEGIN
	SINGLE 12, 13

	/* Ways watermark and full. */
	VECTORS trace_vectors_drain
	DRAIN COUNT_ONE

	/* Way every with CTRL.REPEAT. */
	VECTORS trace_vectors_repeat
	DRAIN COUNT_REPEATED

	/* Way table. */
	VECTORS trace_vectors_table
	DRAIN COUNT_TABLED, CONTEXT_RECORDS

#if TRACE_OWNED
	/* Way table of the kernel: a record may be of another process than that which runs, so C finds whose it is. */
	VECTORS trace_vectors_owned
	BEGIN
	SAVE 1, 5, 6, 7, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
	CALL_C trace_owned
	RESTORE 1, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
	LEAVE
#endif

#if TRACE_TIMER
/* A call of C with all of the program's registers saved; a0 and a1 are. Returns a0. */
	.macro CALL_SAVED function
	SAVE 1, 5, 6, 7, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
	CALL_C \function
	RESTORE 1, 5, 6, 7, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
	.endm

/* The timer interrupt is the driver's as long as mtimecmp is what the driver has set; trace_tick() says whether it is the program's (or
 * both's): then the program's handler finds the machine as if it had been called at once. \to: a jump that vectors.c writes. */
	.macro TICK to
	CALL_SAVED trace_tick
	bnez a0, tick_forward\@
	RESTORE 10, 11
	LEAVE
tick_forward\@:
	RESTORE 10, 11
	csrr sp, mtval
	csrw mtval, zero
	.balign 4
	.option push
	.option norvc
	.globl \to
\to:
	FORWARD
	.option pop
	.endm

	/* Way adapt. */
	VECTORS trace_vectors_adapt
	DRAIN_ADAPTING

	/* vectors.c writes a jump to it, or to trace_timer, into the tables of the ways with a timer. */
	.balign 4
	.globl trace_ticks
trace_ticks:
	ENTER
	SAVE 10, 11
	TICK trace_ticks_forward

/* The next interrupt a period and a random part from now; to \other if the program has set mtimecmp. a0 to a4 are saved and free. */
	.macro NEXT other
	lui a0, 0x02004		/* mtimecmp */
	lw a1, CONTEXT_TICK(sp)
	lw a2, 0(a0)
	lw a3, CONTEXT_PERIOD(sp)
	bne a1, a2, \other
	GET a4, LFSR
	lw a2, CONTEXT_DITHER(sp)
	lui a0, 0x0200C
	and a4, a4, a2
	lw a2, -4(a0)		/* mtime; high half first: a carry in between makes the match early, never late */
	lw a1, -8(a0)
	add a3, a3, a4
	lui a0, 0x02004		/* too early for a moment at most, and interrupts are off */
	add a1, a1, a3
	sltu a3, a1, a3
	sw a1, 0(a0)
	add a2, a2, a3
	sw a2, 4(a0)
	lw a3, CONTEXT_INTERRUPTS(sp)
	sw a1, CONTEXT_TICK(sp)
	addi a3, a3, 1
	sw a3, CONTEXT_INTERRUPTS(sp)
	.endm

/* The record at the head counts as many as there are traces of its length in a unit of cycles. a0 to a3 are free. */
	.macro COUNT_WEIGHED slow
	GET a0, REC_CYCLES
	lw a1, ENTRY_COUNT(a4)
	li a3, 1 << TIMER_UNIT_BITS
	addi a0, a0, -TRACE_ENTRY_CYCLES
	bgeu a0, a3, \slow	/* it counts less than one; or below 0 */
	divu a3, a3, a0		/* no cycles: all ones, which carries */
	lw a2, ENTRY_CYCLES(a4)
	mul a0, a0, a3
	add a1, a1, a3
	bltu a1, a3, \slow
	add a2, a2, a0
	bltu a2, a0, \slow
	sw a1, ENTRY_COUNT(a4)
	sw a2, ENTRY_CYCLES(a4)
	.endm
/* What else is in the buffer goes, so that its oldest record will be the trace that runs now. */
	.macro EMPTY
1:	.rept 16
	POP a0
	.endr
	GET a0, REC_HIST
	bnez a0, 1b
	.endm

	/* Way timer where the unit can keep the trace that runs at the interrupt: it is the oldest record at the next. */
#ifdef __riscv_mul
	VECTORS trace_vectors_timer
	FORWARD			/* cause 16 is not enabled */
	.balign 4
	.globl trace_timer
trace_timer:
	ENTER
	SAVE 10, 11, 12, 13, 14
	NEXT timer_other
	SINGLE_WEIGHED
timer_other:
	RESTORE 12, 13, 14
	TICK trace_timer_forward
#endif
#endif

#if !TRACE_AREA_IN_MSCRATCH || TRACE_DIRECT
	.bss
	.balign 16
	.space TRACE_STACK
	.globl trace_area
trace_area:
	.space TRACE_AREA
#endif
