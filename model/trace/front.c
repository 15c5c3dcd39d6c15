/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The register bus: what a read gives and what a write changes. rivulet_trace_front.v decodes both; CTRL, STATUS,
 * WATERMARK and LOST are kept in rivulet_trace.v.
 */
#include "model/trace/private.h"

uint32_t trace_status(const struct trace *trace)
{
	uint32_t value = 0;
	bool full = trace->config.fifo_depth ? trace->count == trace->config.fifo_depth : trace->readable;
	const bool owned = trace_sink_owns(trace);
	if (trace->readable && !owned)
		value |= RV_STATUS_NONEMPTY_MASK;
	if (trace->watermark && trace->count >= trace->watermark && !owned)
		value |= RV_STATUS_WATERMARK_MASK;
	if (full)
		value |= RV_STATUS_FULL_MASK;
	if (trace->status_sample)
		value |= RV_STATUS_SAMPLE_MASK;
	if (trace->lost)
		value |= RV_STATUS_LOST_MASK;
	if (trace->s.stop)
		value |= RV_STATUS_STOPPED_MASK;
	if (trace->recorder.frozen)
		value |= RV_STATUS_FROZEN_MASK;
	if (trace->cur_valid)
		value |= RV_STATUS_CUR_VALID_MASK;
	return value;
}

static uint32_t capabilities(const struct trace_config *c)
{
	return c->ranges << RV_CAPS_RANGES_LSB | c->fifo_depth << RV_CAPS_DEPTH_LSB |
	       (c->xlen == 64 ? RV_CAPS_XLEN64_MASK : 0) | (c->with_reason ? RV_CAPS_REASON_MASK : 0) |
	       (c->with_cycles ? RV_CAPS_CYCLES_MASK : 0) | (c->with_insns ? RV_CAPS_INSNS_MASK : 0) |
	       (c->with_repeat ? RV_CAPS_REPEAT_MASK : 0) | (c->with_sample ? RV_CAPS_SAMPLE_MASK : 0) |
	       (c->with_dither ? RV_CAPS_DITHER_MASK : 0) | (c->with_mode ? RV_CAPS_MODE_MASK : 0) |
	       (c->with_freeze ? RV_CAPS_FREEZE_MASK : 0) | (c->with_lost ? RV_CAPS_LOST_MASK : 0) |
	       (c->with_lifo ? RV_CAPS_LIFO_MASK : 0) | (c->with_context ? RV_CAPS_CONTEXT_MASK : 0) |
	       (c->with_term ? RV_CAPS_TERM_MASK : 0) | (c->with_check ? RV_CAPS_CHECK_MASK : 0) |
	       (c->with_zcmp ? RV_CAPS_ZCMP_MASK : 0) | (c->with_range_start ? RV_CAPS_RANGE_START_MASK : 0) |
	       (c->with_next_pc ? RV_CAPS_NEXT_PC_MASK : 0) | (c->ret_mask ? RV_CAPS_RETURN_MASK : 0);
}

static uint32_t table_capabilities(const struct trace_config *c)
{
	if (c->table_entries == 0)
		return 0;
	return c->table_entries << RV_TABLE_CAPS_ENTRIES_LSB | c->table_ways << RV_TABLE_CAPS_WAYS_LSB |
	       c->table_count_bits << RV_TABLE_CAPS_COUNT_BITS_LSB |
	       (c->with_cycles ? c->table_cycle_bits << RV_TABLE_CAPS_CYCLE_BITS_LSB : 0) |
	       (c->table_rate ? RV_TABLE_CAPS_RATE_MASK : 0) | (c->table_index ? RV_TABLE_CAPS_INDEX_MASK : 0) |
	       (c->table_context_bits ? RV_TABLE_CAPS_CONTEXT_MASK : 0);
}

uint32_t trace_reg_read(const struct trace *trace, unsigned index)
{
	const struct trace_config *c = &trace->config;
	static const struct record nothing;
	const bool shown = trace->readable && !trace_sink_owns(trace);
	const struct record *rec = shown || c->fifo_depth == 0 ? trace_fifo_head(trace) : &nothing;
	uint64_t hist = trace->cur_valid ? trace->cur_hist : trace->cur_loaded;
	switch (index) {
	case RV_REG_ID:
		return RV_MAGIC << RV_ID_MAGIC_LSB | c->hist << RV_ID_HIST_LSB | RV_VERSION << RV_ID_VERSION_LSB;
	case RV_REG_CAPS:
		return capabilities(c);
	case RV_REG_CTRL:
		return trace->ctrl;
	case RV_REG_STATUS:
		return trace_status(trace);
	case RV_REG_CUR_START:
		return (uint32_t)trace->cur_start;
	case RV_REG_CUR_START_HI:
		return (uint32_t)(trace->cur_start >> 32);
	case RV_REG_CUR_HIST:
		return (uint32_t)hist;
	case RV_REG_CUR_HIST_HI:
		return (uint32_t)(hist >> 32);
	case RV_REG_CUR_INFO:
		return trace->cur_insns << RV_CUR_INFO_INSNS_LSB | (uint32_t)trace->skip << RV_CUR_INFO_SKIP_LSB;
	case RV_REG_CUR_CYCLES:
		return trace->cur_cycles;
	case RV_REG_RESUME:
		return (uint32_t)trace->resume;
	case RV_REG_RESUME_HI:
		return (uint32_t)(trace->resume >> 32);
	case RV_REG_DEPTH:
		return trace->depth;
	case RV_REG_TABLE:
		return (uint32_t)trace->table_draining << RV_TABLE_DRAIN_LSB;
	case RV_REG_TABLE_CAPS:
		return table_capabilities(c);
	case RV_REG_REC_COUNT:
		return c->table_entries ? (uint32_t)rec->count : 0;
	case RV_REG_REC_CONTEXT:
		return rec->context;
	case RV_REG_TABLE_TAKE:
		return trace->plain[index] | (uint32_t)(trace->table_take.wanted || trace->table_take.late)
						 << RV_TABLE_TAKE_TAKE_LSB;
	case RV_REG_TABLE_ENTRY:
		return trace_table_word(trace);
	case RV_REG_PORT:
		return (uint32_t)trace->gaps << RV_PORT_GAPS_LSB | (uint32_t)trace->heals << RV_PORT_HEALS_LSB;
	case RV_REG_REC_START:
		return (uint32_t)rec->start;
	case RV_REG_REC_START_HI:
		return (uint32_t)(rec->start >> 32);
	case RV_REG_REC_HIST:
		return (uint32_t)rec->hist;
	case RV_REG_REC_HIST_HI:
		return (uint32_t)(rec->hist >> 32);
	case RV_REG_REC_INFO:
		/* without WITH_REPEAT the count is the constant 1 */
		if (rec == &nothing)
			return 0;
		return (uint32_t)rec->insns << RV_REC_INFO_INSNS_LSB |
		       (uint32_t)(c->with_repeat || c->table_entries ? rec->count & 0xFF : 1)
			   << RV_REC_INFO_REPEAT_LSB |
		       (uint32_t)rec->reason;
	case RV_REG_REC_CYCLES:
		return (uint32_t)rec->cycles;
	case RV_REG_COUNT:
		return trace->count;
	case RV_REG_WATERMARK:
		return trace->watermark;
	case RV_REG_LOST:
		return trace->lost;
	case RV_REG_PERIOD:
		return trace->period;
	case RV_REG_COUNTER:
		return trace->counter;
	case RV_REG_DITHER:
		return trace->dither;
	case RV_REG_LFSR:
		return trace->lfsr;
	default:
		break;
	}
	if (index == RV_REG_RECORDER || (index >= RV_REG_RECORDER_TRAPS && index <= RV_REG_RECORDER_PC_HI))
		return trace_recorder_read(trace, index);
	if (index == RV_REG_SINK)
		return trace_sink_read(trace);
	if (index >= RV_REG_RANGE0_LO && index < RV_REG_RANGE0_LO + 4 * TRACE_MAX_RANGES) {
		unsigned word = index - RV_REG_RANGE0_LO;
		uint64_t bound = word & 2 ? trace->range_hi[word / 4] : trace->range_lo[word / 4];
		return (uint32_t)(bound >> 32 * (word & 1));
	}
	return index < 64 ? trace->plain[index] : 0;
}

uint32_t trace_kept(const struct trace_config *c, unsigned index)
{
	int count_bits = 1;
	for (unsigned depth = c->fifo_depth; depth > 1; depth /= 2)
		count_bits++;
	return trace_reg_kept(&(struct trace_parameters){.xlen = (int)c->xlen,
				  .hist = (int)c->hist,
				  .fifo_depth = (int)c->fifo_depth,
				  .count_bits = count_bits,
				  .ranges = (int)c->ranges,
				  .cycle_bits = (int)c->cycle_bits,
				  .insn_bits = (int)c->insn_bits,
				  .sample_bits = (int)c->sample_bits,
				  .repeat_bits = (int)c->repeat_bits,
				  .table_entries = (int)c->table_entries,
				  .table_count_bits = (int)c->table_count_bits,
				  .table_cycle_bits = (int)c->table_cycle_bits,
				  .table_context_bits = (int)c->table_context_bits,
				  .table_rate = (int)c->table_rate,
				  .table_index = (int)c->table_index,
				  .with_reason = c->with_reason,
				  .with_insns = c->with_insns,
				  .with_cycles = c->with_cycles,
				  .with_repeat = c->with_repeat,
				  .with_sample = c->with_sample,
				  .with_dither = c->with_dither,
				  .with_mode = c->with_mode,
				  .with_freeze = c->with_freeze,
				  .with_heal = c->with_heal,
				  .with_lost = c->with_lost,
				  .with_lifo = c->with_lifo,
				  .with_context = c->with_context,
				  .with_term = c->with_term,
				  .with_range_start = c->with_range_start,
				  .with_zcmp = c->with_zcmp,
				  .with_recorder = c->with_recorder,
				  .with_sink = c->with_sink,
				  .with_check = c->with_check},
	    index);
}

/* Replaces the low or the high word of an address register. */
static uint64_t put_word(const struct trace *trace, uint64_t old, bool high, uint32_t word)
{
	uint64_t value = high ? (old & 0xFFFFFFFFu) | (uint64_t)word << 32 : (old & ~0xFFFFFFFFull) | word;
	return value & trace_ones(trace->config.xlen);
}

static void write_hist(struct trace *trace, uint64_t old, bool high, uint32_t word)
{
	unsigned h = trace->config.hist;
	uint64_t value =
	    (high ? (old & 0xFFFFFFFFu) | (uint64_t)word << 32 : (old & ~0xFFFFFFFFull) | word) & trace_ones(h);
	trace->cur_valid = value != 0;
	trace->cur_hist = value ? value : 1;
	trace->end = value >> (h - 1) & 1;
	trace->end_reason = trace->end && trace->config.with_reason ? TRACE_FULL : TRACE_NONE;
}

static void write_context(struct trace *trace, const struct trace_before *before, unsigned index, uint32_t value)
{
	switch (index) {
	case RV_REG_CUR_START:
	case RV_REG_CUR_START_HI:
		trace->cur_start = put_word(trace, before->start, index == RV_REG_CUR_START_HI, value);
		break;
	case RV_REG_CUR_HIST:
	case RV_REG_CUR_HIST_HI:
		write_hist(trace, before->hist, index == RV_REG_CUR_HIST_HI, value);
		break;
	case RV_REG_CUR_INFO:
		trace->cur_insns = value >> RV_CUR_INFO_INSNS_LSB;
		trace->skip = value & RV_CUR_INFO_SKIP_MASK;
		break;
	case RV_REG_CUR_CYCLES:
		trace->cur_cycles = value;
		break;
	case RV_REG_RESUME:
	case RV_REG_RESUME_HI:
		trace->resume = put_word(trace, before->resume, index == RV_REG_RESUME_HI, value);
		break;
	default:
		trace->depth = value;
		break;
	}
}

void trace_write(struct trace *trace, const struct trace_before *before, unsigned index, uint32_t value)
{
	const struct trace_config *c = &trace->config;
	const uint32_t kept = trace_kept(c, index);
	if (index == RV_REG_STATUS && value & RV_STATUS_SAMPLE_MASK)
		trace->status_sample = false;
	if (kept == 0)
		return;
	value &= kept;
	switch (index) {
	case RV_REG_CTRL:
		trace->ctrl = value | (c->with_mode ? 0 : RV_CTRL_MODES_MASK);
		return;
	case RV_REG_WATERMARK:
		trace->watermark = value;
		return;
	case RV_REG_LOST:
		trace->lost = value;
		return;
	case RV_REG_TABLE:
		if (!before->clearing)
			trace_table_drain(trace, value & RV_TABLE_DRAIN_MASK);
		return;
	case RV_REG_TABLE_TAKE:
		trace->plain[index] = value & ~(uint32_t)RV_TABLE_TAKE_TAKE_MASK;
		if (value & RV_TABLE_TAKE_TAKE_MASK)
			trace_table_take(trace);
		return;
	case RV_REG_PORT:
		trace->gaps = (uint16_t)(value >> RV_PORT_GAPS_LSB);
		trace->heals = (uint16_t)(value >> RV_PORT_HEALS_LSB);
		return;
	case RV_REG_PERIOD:
		trace->period = value;
		return;
	case RV_REG_COUNTER:
		trace->counter = value;
		return;
	case RV_REG_DITHER:
		trace->dither = (uint16_t)value;
		return;
	case RV_REG_LFSR:
		trace->lfsr = value ? (uint16_t)value : 1;
		return;
	case RV_REG_CUR_START:
	case RV_REG_CUR_START_HI:
	case RV_REG_CUR_HIST:
	case RV_REG_CUR_HIST_HI:
	case RV_REG_CUR_INFO:
	case RV_REG_CUR_CYCLES:
	case RV_REG_RESUME:
	case RV_REG_RESUME_HI:
	case RV_REG_DEPTH:
		if (c->with_context)
			write_context(trace, before, index, value);
		return;
	default:
		break;
	}
	if (index == RV_REG_RECORDER || (index >= RV_REG_RECORDER_TRAPS && index <= RV_REG_RECORDER_PC_HI))
		trace_recorder_write(trace, before, index, value);
	else if (index == RV_REG_SINK)
		trace_sink_write(trace, &before->sink, value);
	else if (index >= RV_REG_RANGE0_LO && index < RV_REG_RANGE0_LO + 4 * TRACE_MAX_RANGES) {
		unsigned word = index - RV_REG_RANGE0_LO;
		uint64_t *bound = word & 2 ? &trace->range_hi[word / 4] : &trace->range_lo[word / 4];
		*bound = put_word(trace, *bound, word & 1, value);
	} else
		trace->plain[index] = value;
}
