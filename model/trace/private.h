/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MODEL_TRACE_PRIVATE_H
#define RIVULET_MODEL_TRACE_PRIVATE_H
/*
 * One function for each module of rtl/trace, in the file of the module's name. A struct here holds the outputs of a
 * module during one cycle, under the names of its ports. Every module reads the registers of struct trace as they are
 * in this cycle and leaves its own as they are in the next; trace_cycle calls the modules so that nobody reads a
 * register that was left already:
 *
 *     (slots ->) decoder -> scope -> pair -> sample -> repeat -> table -> fifo -> recorder -> front (the register
 *     write, which wins)
 */
#include "common/rivulet_regs.h"
#include "model/trace.h"

#define DEPTH_MAX 15u

static inline uint64_t trace_ones(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

/* The parameters under their names in regs/trace_regs.def, for reg_bits.c. */
struct trace_parameters {
	int xlen, hist, fifo_depth, count_bits, ranges, cycle_bits, insn_bits, sample_bits, repeat_bits, table_entries,
	    table_count_bits, table_cycle_bits, table_context_bits, table_rate, table_index;
	bool with_reason, with_insns, with_cycles, with_repeat, with_sample, with_dither, with_mode, with_freeze,
	    with_heal, with_lost, with_lifo, with_context, with_term, with_range_start, with_zcmp, with_check,
	    with_recorder, with_sink;
};
/* The bits of a register that keep what is written to it; 0: it is not there, or cannot be written so. */
uint32_t trace_reg_kept(const struct trace_parameters *parameters, unsigned index);
/* The same of this unit. */
uint32_t trace_kept(const struct trace_config *config, unsigned index);

/* Trap handlers are left out. */
static inline bool trace_freezing(const struct trace *trace)
{
	return trace->config.with_freeze && !(trace->ctrl & RV_CTRL_HANDLERS_MASK);
}

/* Tracing is on in this cycle. */
static inline bool trace_on(const struct trace *trace)
{
	return trace->ctrl & RV_CTRL_ENABLE_MASK && !trace->s.stop && !trace->recorder.frozen;
}

/* Equal records in a row become one. */
static inline bool trace_merging(const struct trace *trace)
{
	return (trace->ctrl & (RV_CTRL_REPEAT_MASK | RV_CTRL_SAMPLE_MASK | RV_CTRL_LIFO_MASK)) == RV_CTRL_REPEAT_MASK;
}

/* ---- rivulet_branch_decoder.v, section 3: all are false unless S is valid and did not trap */
struct trace_decoded {
	bool br;      /* conditional direct branch */
	bool outcome; /* it was taken */
	bool back;    /* a direct transfer whose target is not above pc */
	bool ind;     /* indirect jump */
	bool ret;     /* trap return */
	bool vector;  /* it writes mtvec or stvec; with_heal only */
	bool astray;  /* next_pc is not one that the instruction can have; with_check only */
};
void trace_decoder(const struct trace_config *config, const struct trace_retire *retire, struct trace_decoded *s);

/* ---- rivulet_trace_scope.v, section 4 */
struct trace_verdict {
	bool take;      /* the instruction in S is traced */
	bool gap_disc;  /* discontinuity: the port breaks its promise */
	bool trap_disc; /* discontinuity: trap or interrupt */
	bool left;      /* discontinuity: out of scope */
	bool elsewhere; /* the outermost handler returns to another place */
	bool counting;  /* this cycle belongs to the current pair */
	bool idle;      /* out of scope or off: the cycle count restarts */
};
bool trace_in_range(const struct trace *trace); /* no range is enabled, or the pc in S is in one */
bool trace_in_scope(const struct trace *trace); /* privilege and range of the instruction in S */
void trace_scope(struct trace *trace, const struct trace_decoded *s, struct trace_verdict *verdict);

/* ---- rivulet_trace_pair.v, sections 5 and 6. Returns whether SECOND LOAD made a record, *n, that is not skipped. */
bool trace_pair(
    struct trace *trace, const struct trace_decoded *s, const struct trace_verdict *verdict, struct record *n);

/* ---- rivulet_trace_slots.v, section 16, with config.retire 2 alone but for ready and lost */
bool trace_slots_ready(const struct trace *trace);
bool trace_slots_lost(const struct trace *trace);
/* Whether the instruction behind the one in S is served in this cycle too: it is *more then. S was decoded and judged,
 * the pair is as before it. */
bool trace_slots_both(const struct trace *trace, const struct trace_decoded *s, const struct trace_verdict *verdict,
    struct trace_retire *more);
/* The end of the cycle: one has gone on, or both. */
void trace_slots_next(struct trace *trace, bool both, const struct trace_retire retire[2]);

/* ---- rivulet_trace_sample.v, section 7. Returns kept: whether a trace that ended is one of those that are pushed. */
bool trace_sample(struct trace *trace, bool latch);

/* ---- rivulet_trace_repeat.v, section 7. Returns push: *out leaves. */
bool trace_repeat(struct trace *trace, bool kept, const struct record *n, struct record *out);

/* ---- rivulet_trace_table.v, section 8. random: LFSR in this cycle. Returns push: *out leaves, for a record of two
 * cycles ago. */
bool trace_table(struct trace *trace, bool push, const struct record *n, uint16_t random, struct record *out);
void trace_table_reset(struct trace *trace);
void trace_table_drain(struct trace *trace, bool on); /* DRAIN is written */
void trace_table_take(struct trace *trace);           /* TAKE is written 1 */
uint32_t trace_table_word(const struct trace *trace); /* TABLE_ENTRY */

/* ---- rivulet_trace_fifo.v and the loss counter, section 8 */
bool trace_fifo_newest_first(const struct trace *trace);
void trace_fifo(struct trace *trace, bool lifo, bool pop, bool push, const struct record *rec);
const struct record *trace_fifo_head(const struct trace *trace);

/* ---- rivulet_trace_recorder.v, section 13 */
/* Registers of more than one word, as they were before stage S of this cycle: a write to one half keeps the other half
 * of these. */
struct trace_before {
	uint64_t start, hist, resume;
	bool clearing; /* the table: DRAIN cannot be written yet */
	bool frozen;   /* the flight recorder */
	struct trace_sink sink;
};
int trace_recorder_at_reset(const struct trace *trace); /* what a reset in this cycle does */
bool trace_recorder_sealed(const struct trace *trace);  /* nothing comes into the buffer */
void trace_recorder(struct trace *trace, const struct trace_verdict *verdict);
uint32_t trace_recorder_read(const struct trace *trace, unsigned index);
void trace_recorder_write(struct trace *trace, const struct trace_before *before, unsigned index, uint32_t value);

/* ---- rivulet_trace_sink.v, section 14 */
bool trace_sink_irq(const struct trace *trace); /* the line, a cycle before it is seen */
/* One cycle; wait: memory takes no word. Returns pop: the head of the buffer has been written. */
bool trace_sink_step(struct trace *trace, bool wait, struct trace_out *out);
uint32_t trace_sink_read(const struct trace *trace);
void trace_sink_write(struct trace *trace, const struct trace_sink *before, uint32_t value);

/* ---- rivulet_trace_front.v and the control registers of rivulet_trace.v */
uint32_t trace_status(const struct trace *trace);
void trace_write(struct trace *trace, const struct trace_before *before, unsigned index, uint32_t value);
#endif
