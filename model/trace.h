/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MODEL_TRACE_H
#define RIVULET_MODEL_TRACE_H
/*
 * The golden model of the trace unit, cycle by cycle, from docs/trace-unit.md. Every state that the document names is a
 * member of struct trace under that name, so that a bench can compare it with the RTL's register.
 */
#include <stdbool.h>
#include <stdint.h>
#include "common/record.h"
#include "common/sizes.h"

#define TRACE_MAX_DEPTH SIZED(1024, 16)
#define TRACE_MAX_RANGES 4
#define TRACE_PLACES 3 /* retirements that wait, section 16 */
#define TRACE_MAX_TABLE SIZED(4096, 64)

struct trace_config { /* docs/trace-unit.md section 1 */
	unsigned xlen, hist, fifo_depth, ranges;
	bool with_reason, with_cycles, with_insns, with_repeat, with_sample, with_dither, with_mode, with_freeze,
	    with_heal, with_lost, with_lifo, with_context, with_term, with_range_start, with_next_pc, with_zcmp,
	    with_recorder, with_sink, with_check;
	uint32_t ret_match, ret_mask;
	unsigned cycle_bits, insn_bits, repeat_bits, sample_bits, sink_bits;
	unsigned table_entries, table_ways, table_count_bits, table_cycle_bits; /* table_entries 0: there is none */
	unsigned table_context_bits, table_rate, table_index;
	unsigned retire; /* 2: two slots; else one */
};
void trace_config_default(
    struct trace_config *config); /* the SoC's: all on, XLEN 32, HIST 32, FIFO_DEPTH 16, 1 range, 16/16/8/24 bits */
void trace_config_fig5(struct trace_config *config); /* everything off, HIST 8 */

struct trace_retire { /* the retire port in one cycle */
	bool valid, trap, intr;
	uint8_t cause; /* with intr, of the trap: mcause, bit 5 an interrupt */
	bool freeze;   /* freeze_i, whether anything retires or not */
	bool stop;     /* stop_i: tracing is held off, whether anything retires or not */
	uint8_t mode;
	bool lost; /* not of the port: section 16, retirements before it were dropped */
	uint32_t insn;
	uint64_t pc, next_pc;
};

struct trace_bus { /* the register bus in one cycle: at most one of read and write */
	bool write;
	bool sink_wait; /* not of the bus: memory takes no word of the sink in this cycle */
	uint8_t index;
	uint32_t wdata;
};

struct trace_out { /* outputs during the cycle */
	bool irq;
	bool ready, lost; /* retire_ready_o, retire_lost_o */
	bool rec_valid;   /* the record port: a push is made in this cycle */
	struct record rec;
	bool sink_valid; /* a word to memory, until it is taken */
	uint64_t sink_addr;
	uint32_t sink_wdata;
};

struct trace { /* all registers; values during the cycle about to be evaluated */
	struct trace_config config;
	struct trace_retire s; /* stage S; s.valid is 0 after reset */
	/* section 16: what is behind s, which is the oldest of these */
	struct trace_retire place[TRACE_PLACES], slot[2];
	unsigned waiting; /* in so many places; the slots came in the cycle before */
	bool lost_before; /* the slots that come next are behind a gap */
	bool served_both,
	    handed_over; /* in the last cycle, for benches: two instructions; a trace that the first ended */
	uint32_t ctrl, watermark, lost, period, counter, depth;
	uint16_t dither, lfsr;
	uint32_t plain[64]; /* by index: registers that only keep what is written, without a case in trace/front.c */
	bool status_sample, irq;
	uint64_t range_lo[TRACE_MAX_RANGES], range_hi[TRACE_MAX_RANGES];
	uint64_t cur_start, cur_hist, next_pc, resume;
	uint32_t cur_cycles, cur_insns;
	bool cur_valid, end, outside, skip;
	bool cur_loaded, own_end; /* with_next_pc: NEXT PC is in cur_start; the last cycle took an instruction */
	uint8_t end_reason;
	/* with_check, section 11 */
	uint64_t expect;
	bool known, trapped; /* trapped: the instruction before did */
	uint8_t hmode;       /* with_heal too, section 4 */
	uint16_t gaps, heals;
	uint32_t since;         /* with_heal: instructions of handlers since the last one began or returned */
	struct trace_recorder { /* section 13 */
		uint32_t arm, traps, limit, waited;
		uint64_t from, to, pc;
		bool running, frozen;
		enum { RECORDER_FORGETS, RECORDER_KEEPS, RECORDER_FREEZES } at_reset; /* of a reset in the last cycle */
		uint8_t cause, endings; /* endings: CTRL.NO_BACKWARD, then NO_INDIRECT */
		unsigned since;         /* cycles since it froze, up to that from which nothing comes into the buffer */
	} recorder;
	struct trace_sink { /* section 14 */
		bool enable, ie, busy, shows;
		uint8_t size, select;
		unsigned word;        /* of the record, on the port if busy */
		uint32_t write, read; /* bytes */
		uint64_t base;
	} sink;
	bool hold_valid;
	struct record hold;
	/* the hot-trace table: set s has the ways from s * table_ways on. count 0: empty */
	struct record table[TRACE_MAX_TABLE];
	uint8_t table_ranks[TRACE_MAX_TABLE]; /* 0: the way of its set that was used last */
	unsigned table_walk;                  /* the entry to drain, or the set to clear, next */
	bool table_clearing, table_draining;
	struct trace_late { /* what leaves in the next cycle and in the one behind it */
		bool push;
		struct record rec;
		uint32_t missed; /* traces that TABLE_MISSED counts then */
	} table_late[2];
	struct trace_take { /* TABLE_TAKE */
		bool wanted;
		unsigned index;
		unsigned late;            /* cycles until the copy is seen, and the next cycle is 1; 0: it is */
		struct record next, copy; /* count 0: empty */
	} table_take;
	/* what a record did in it in the last cycle that was not uneventful, for benches */
	enum {
		TABLE_IDLE,
		TABLE_PASSED,
		TABLE_COUNTED,
		TABLE_ENTERED,
		TABLE_THREW_OUT,
		TABLE_DREW, /* threw one out by lot */
		TABLE_MISSED,
		TABLE_FULL_COUNT,
		TABLE_FULL_SUM
	} table_did;
	unsigned table_set;
	/* buffer: the LAST record in fifo[0] if fifo_depth is 0 */
	struct record fifo[TRACE_MAX_DEPTH];
	unsigned rd_ptr, wr_ptr, count; /* wr_ptr: the next slot to write; rd_ptr: the oldest record */
	bool readable;
};

/* A table: entries, ways (of a set), with all its options; count and cycle sum as wide as the default. */
void trace_config_table(struct trace_config *config, unsigned entries, unsigned ways);

void trace_reset(struct trace *trace, const struct trace_config *config);
/* A reset in the cycle that was evaluated last: as trace_reset(), but without power_on a ring that is frozen, or that a
 * reset freezes, stays (docs/trace-unit.md section 13). */
void trace_reset_again(struct trace *trace, bool power_on);
/* Evaluates one cycle: *out are the outputs during it, then all registers take their new values. retire: one slot, or
 * two in order (config.retire), of which retire[0] has stop and freeze. */
void trace_cycle(
    struct trace *trace, const struct trace_retire *retire, const struct trace_bus *bus, struct trace_out *out);
/* Whether the instruction in stage S is traced (docs/trace-unit.md section 4, with section 11). */
bool trace_takes(const struct trace *trace);
/* May the instruction do more than retire? false: it cannot end a trace, nor add an outcome. */
bool trace_may_transfer(uint32_t insn);
/* For an engine that forms records itself. Whether they are counted in the table; */
bool trace_table_counts(const struct trace *trace);
/* whether something is still to happen in the table, or to leave it, that no record brings about; */
bool trace_table_busy(const struct trace *trace);
/* and one of them: counts it if nothing leaves the table for it, else does nothing and returns false. */
bool trace_table_keeps(struct trace *trace, const struct record *n);
/* The sink holds the buffer: it is on, or writes a record. */
bool trace_sink_owns(const struct trace *trace);
/* What a read of register index gives in this cycle (no side effects). */
uint32_t trace_reg_read(const struct trace *trace, unsigned index);
#endif
