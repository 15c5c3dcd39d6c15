/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_SW_TRACE_H
#define RIVULET_SW_TRACE_H
/*
 * Driver of the trace unit (docs/trace-unit.md), over CSRs or a memory-mapped front (front.h). This header is its
 * manual.
 *
 *	struct trace_features features;
 *	if (trace_probe(&features) == TRACE_OK) ...		what was built in
 *	trace_prepare(&config, memory, size)			registers, table, interrupt
 *	trace_start(); work(); trace_stop();			exactly this is traced
 *	trace_stats(&stats); table_get(trace_table(), i, &count)
 *
 * Ways to collect (run_config.h, enum run_way):
 *
 *	every		An interrupt at each record; all are counted. With CTRL.REPEAT one record may stand for several
 *			equal traces. The unit must leave handlers out (FREEZE): the handler's own traces would
 *			interrupt it for ever. With FIFO_DEPTH 0 a trace that ends before the interrupt is taken
 *			replaces the one before, which LOST counts.
 *	timer		A timer interrupt every `period` cycles (at least TRACE_PERIOD_MIN) and a random part, where the
 *			unit has a random generator. The sample is the trace that runs at that moment: it goes on, and
 *			is the oldest record in the FIFO at the next interrupt. It was met with a probability
 *			proportional to its cycles, so it counts as many as there are traces of its length in 2^14
 *			cycles: the counts are shares, not numbers of traces. `threshold` is in samples of a trace of 64
 *			cycles. Without a FIFO, FREEZE or CYCLES, or with CTRL.HANDLERS or LIFO: the trace that ended
 *			last, which counts 1 (with a FIFO this is LIFO mode). Records that are not read are not lost
 *			samples, and are not reported as such.
 *	sample		The sampling counter picks one trace in `period` plus a random part; an interrupt at each.
 *	watermark	The same, but one interrupt for `watermark` samples. Needs a FIFO.
 *	full		The same, but one interrupt when the FIFO is full.
 *	adapt		Way watermark with a rate that adapts (adapt.h). The low rate is one trace in `period`. When a
 *			trace has made two steps of `threshold` low-rate samples within `window` cycles, the rate
 *			becomes high, one in `hot_period` (0: period / 8); later it becomes low again. The handler takes
 *			at most `share` millionths of the cycles. A count stands for the high period. The ratio of the
 *			two periods is rounded down to a power of two, and so is the threshold.
 *	fill		The sampling counter, and a look at the FIFO every `window` cycles (at least TRACE_WINDOW_MIN),
 *			which takes what is there. More than three quarters full: the period is doubled; less than one
 *			quarter: it is halved ([0086]). It begins at `period`, and is never less than `hot_period` (0:
 *			8). A count stands for the smallest period, as with adapt.
 *	table		The unit counts equal traces in its table, and an interrupt comes for `watermark` of those that
 *			it throws out; trace_stop() takes what is left in it. All traces are counted: the profile is
 *			exact if LOST stays 0. Needs a unit with a table, and FREEZE.
 *			In firmware with TRACE_RATE: with `rate` 1 to 7 (sample and hold) of the traces that would throw
 *			one out only one in 2^rate does, by lot, and counts 2^rate times: the counts are right on
 *			average, each with a standard error of at most the square root of 2^rate times itself. With
 *			`rate` 8 what is in the table stays; what finds no place counts as lost.
 *	stream		The unit is on and nothing interrupts: the record port has every record. The table stays empty.
 *	off		The unit stays off; nothing else differs.
 *
 * When a trace is counted `threshold` times it is hot: the first hot trace sets the period to `hot_period` for good
 * (TSH step 842), with the ways timer, sample, watermark and full.
 *
 * With `sort`, every so many cycles a part of the table's heads is looked at (table_tidy()), all of them in
 * TRACE_SORT_PARTS such times. Phase changes that this finds are kept with their time, the first TRACE_PHASES of them.
 * Way timer cannot do this: it needs the timer for itself.
 *
 * `range_lo`, `range_hi`: only instructions in the first range of the unit are traced; with `range_start` whole traces
 * that start there.
 *
 * Beside a program that has the machine for itself:
 *
 *	registers	The handler brings its own gp, tp and sp; all are as they were behind it.
 *	mscratch	is the program's, and not touched (with TRACE_DIRECT, front.h, it is the driver's). mtval says
 *			nothing at an interrupt; the handler keeps sp there. A program that reads mtval of an exception
 *			does so before it lets interrupts in again, as without the driver.
 *	mtvec		points to the driver's table from trace_prepare() to trace_stop(). All causes but the trace
 *			interrupt go on to where the program's own mtvec leads, with every register and CSR as it was. A
 *			program that sets mtvec while it is traced calls trace_adopt() then; without it the trace
 *			interrupt goes to the program's handler, which may call trace_interrupt(), and
 *			stats.vector_taken is set. trace_stop() leaves an mtvec that is not the driver's.
 *	interrupts	mie: only the trace interrupt's bit, and the timer's while the driver uses it. mstatus.MIE is
 *			set only if mie was 0; a program with interrupts of its own lets them in itself, and the trace
 *			interrupt with them.
 *	timer		is not touched by the ways every, sample, watermark, full, stream without `sort`. Otherwise it
 *			is the driver's until the program uses it: where the timer interrupt is enabled at
 *			trace_prepare(), or mtimecmp is written later. From then on it is the program's alone; the
 *			driver does its work when the program's timer interrupts, and stats.timer_taken is set.
 *			trace_stop() puts mtimecmp back.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/record.h"
#include "common/run_config.h"
#include "sw/trace/front.h"
#include "sw/trace/table.h"

enum trace_error {
	TRACE_OK = 0,
	TRACE_EABSENT = -1,  /* there is no trace unit, or not one of this register map */
	TRACE_EHIST = -2,    /* its history or its addresses have more than 32 bits: the table holds 32 */
	TRACE_EWAY = -3,     /* unknown way to collect, or one that the unit was not built for */
	TRACE_ECTRL = -4,    /* CTRL bits that the unit does not have, or that do not go with the way */
	TRACE_EPERIOD = -5,  /* the period, its random part or the watermark is 0 or does not fit the unit's register */
	TRACE_EMEMORY = -6,  /* the table's memory is too small */
	TRACE_ETIMER = -7,   /* way timer: a period below TRACE_PERIOD_MIN cycles */
	TRACE_EVECTOR = -8,  /* the program's mtvec is out of reach of a jump from the driver's table (1 MiB) */
	TRACE_EWINDOW = -9,  /* way fill: a window below TRACE_WINDOW_MIN cycles */
	TRACE_ERANGE = -10,  /* an empty range */
	TRACE_ERANGES = -11, /* a range, and the unit has none */
	TRACE_ESTART = -12   /* range_start, and the unit does not have it */
};
const char *trace_strerror(int error);

#define TRACE_PERIOD_MIN 512u  /* cycles, way timer: longer than the slowest handler run */
#define TRACE_WINDOW_MIN 4096u /* cycles, way fill: a look takes up to 200 for each record in the FIFO */
#define TRACE_TIMER_BITS 8     /* way timer: log2 of what a sample of a trace of 64 cycles counts */

/* ID and CAPS, taken apart. */
struct trace_features {
	uint32_t hist, fifo_depth, ranges, table; /* table: its entries; 0: there is none */
#if TRACE_RATE
	bool table_rate;
#endif
	bool range_start;
	bool xlen64, reason, cycles, insns, repeat, sample, dither, mode, freeze, lost, lifo, context, term;
};

/* Finds the unit. A core without one traps at the first access; the trap is caught. Returns TRACE_OK or
 * TRACE_EABSENT. */
int trace_probe(struct trace_features *features);

/* Sets the unit up for one run, tracing off, buffers and counters empty, interrupt enabled. Every check is made before:
 * on an error (enum trace_error) nothing is collected, and trace_start() and trace_stop() do nothing but what way off
 * does. magic, input of config are not looked at. */
int trace_prepare(const struct run_config *config, void *memory, size_t size);

/* The last write to the unit is the one that switches it on, the first of trace_stop() the one that switches it off.
 * Both are at one place in the program for every way to collect, so all ways see the same traces. trace_stop() then
 * counts what is in the buffer and gives mtvec and the interrupt enables back. */
void trace_start(void);
void trace_stop(void);

/* The program has written mtvec while it is traced: what it wrote is its own from here on, and the driver's table
 * stands before it again. Where mtvec is the driver's (the program has put back what it found there) it is the one of
 * trace_prepare(). TRACE_OK or TRACE_EVECTOR, then mtvec stays as the program wrote it. */
int trace_adopt(void);
/* For a program whose own handler gets the trace interrupt (mcause 0x80000000 + TRACE_IRQ): counts all records there
 * are, and returns how many. */
int trace_interrupt(void);

struct trace_stats { /* valid after trace_stop() */
	uint64_t
	    lost; /* LOST: traces the buffer had no room for; 0 where that is the way's nature (timer, stream, off) */
	uint64_t dropped;    /* traces the table had no room for */
	uint64_t interrupts; /* taken */
	uint32_t empty;      /* of these, without a record */
	uint32_t ctrl;       /* CTRL as it was while collecting */
	uint32_t period;     /* mean traces for one sample over the run, rounded; 1: all; 0: way timer, not known */
	bool adapted;        /* a hot trace has set the period to hot_period */
	uint32_t raised, lowered,
	    limited;         /* ways adapt and fill: changes of the rate, to high, back, by the bound on the share */
	uint32_t thrown_out; /* way table: records that left it before trace_stop() */
#if TRACE_RATE
	uint32_t missed; /* way table, rate not 0: traces that were not counted themselves. At UINT32_MAX: or more */
#endif
	uint64_t drain_cycles, drain_instructions; /* way table, TRACE_HAL: of trace_stop() for what was left */
	uint32_t sorts, phases;                    /* looks at the table; phase changes found */
	bool vector_taken;  /* the program has set mtvec, and not called trace_adopt(): its traces are not counted */
	bool interrupt_off; /* the program has switched the trace interrupt off in mie */
	bool timer_taken;   /* the timer is the program's */
};
void trace_stats(struct trace_stats *stats);
#define TRACE_SORT_PARTS 16u
#define TRACE_SORT_MIN 16384u    /* cycles; a smaller `sort` is taken for this */
#define TRACE_SORT_DEPTH 1u      /* chains of more entries are put in order */
#define TRACE_SORT_FREQUENCY 64u /* by entries of so many counts or more */
#define TRACE_PHASES 16u
struct trace_phase {
	uint64_t time; /* mcycle when it was seen */
	struct {
		uint32_t start, hist, count;
	} rose, sank; /* what is met more now than that which was before */
};
/* Valid after trace_stop(); index < stats.phases and < TRACE_PHASES. */
const struct trace_phase *trace_phase(unsigned index);
struct table *trace_table(void);
const struct trace_features *trace_found(void); /* of the unit that trace_prepare() saw */

/* One record, read by hand. For programs that use the unit without the table. */
/* Takes the record at the head. Returns 1, or 0 if there is none. Its cycles are timed if trace_prepare() has found
 * that the unit counts them. */
int trace_read(struct record *record);

#endif
