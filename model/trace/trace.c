/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/trace/private.h"

#include <string.h>

void trace_config_fig5(struct trace_config *config)
{
	memset(config, 0, sizeof *config);
	config->xlen = 32;
	config->hist = 8;
	config->cycle_bits = 16;
	config->insn_bits = 16;
	config->repeat_bits = 8;
	config->sample_bits = 24;
	config->sink_bits = 20;
	config->table_ways = 4;
	config->table_count_bits = 24;
	config->table_cycle_bits = 32;
	config->retire = 1;
}

void trace_config_default(struct trace_config *config)
{
	trace_config_fig5(config);
	config->hist = 32;
	config->fifo_depth = 16;
	config->ranges = 1;
	config->with_reason = config->with_cycles = config->with_insns = config->with_repeat = true;
	config->with_sample = config->with_dither = config->with_mode = config->with_freeze = true;
	config->with_lost = config->with_lifo = config->with_context = config->with_term = true;
	config->with_heal = config->with_range_start = true;
}

void trace_config_table(struct trace_config *config, unsigned entries, unsigned ways)
{
	config->table_entries = entries;
	config->table_ways = ways;
	config->table_context_bits = entries ? 3 : 0;
	config->table_rate = entries && config->with_dither;
	config->table_index = entries != 0;
}

void trace_reset(struct trace *trace, const struct trace_config *config)
{
	struct trace_config keep = *config; /* config may be a part of *trace */
	memset(trace, 0, sizeof *trace);
	trace->config = keep;
	trace->ctrl = RV_CTRL_RESET;
#define REG(name, index, access, reset, present, bits, text) trace->plain[index] = reset & trace_kept(&keep, index);
#define FIELD(reg, name, lsb, width, access, bits, text)
#include "regs/trace_regs.def"
#undef REG
#undef FIELD
	trace->cur_hist = 1;
	trace->lfsr = keep.with_dither ? 1 : 0;
	trace_table_reset(trace);
}

/* May it do more than retire? Some that cannot pass this test as well: they go the long way, and are decoded there. */
bool trace_may_transfer(uint32_t insn)
{
	switch (insn & 3) {
	case 0:
		return false;
	case 1:
		return insn >> 13 & 1 || (insn >> 14 & 3) == 3;
	case 2:
		return (insn >> 13 & 7) == 4;
	default:
		return (insn & 0x60) == 0x60; /* BRANCH, JALR, JAL, SYSTEM */
	}
}

/*
 * The cycles between events, nearly all of a run: tracing is on, nothing ends, is written, pushed or handed over, and
 * stage S holds nothing or an instruction that only adds to the current pair. Returns false, with nothing changed, for
 * any other cycle. It is section 6 with most conditions known; check_trace_random holds it against a second reading of
 * that section.
 */
static bool uneventful_cycle(struct trace *trace)
{
	const struct trace_config *c = &trace->config;
	const struct trace_retire *s = &trace->s;
	if (c->retire == 2 || c->with_recorder || trace_sink_owns(trace) || !trace_on(trace) || trace->end ||
	    trace->readable != (trace->count != 0))
		return false;
	if ((trace->hold_valid && !trace_merging(trace)) || trace_table_busy(trace))
		return false;
	const bool frozen = trace->depth != 0 && trace_freezing(trace);
	if (s->valid) {
		if (c->with_check || c->with_zcmp || c->ret_mask)
			return false;
		if (s->trap || s->intr || frozen || !trace->cur_valid || trace_may_transfer(s->insn) ||
		    !trace_in_scope(trace))
			return false;
		trace->outside = false;
		if (c->with_freeze)
			trace->resume = s->next_pc;
		if (c->with_insns && trace->cur_insns < trace_ones(c->insn_bits))
			trace->cur_insns++;
	}
	if (!frozen)
		trace->since = 0;
	if (trace->outside)
		trace->cur_cycles = 0;
	else if (c->with_cycles && !frozen && trace->cur_cycles < trace_ones(c->cycle_bits))
		trace->cur_cycles++;
	return true;
}

/*
 * The pair in one cycle: the instruction in S, and with two slots the one behind it where both are served. Each is a
 * step as of a unit with one slot, but the cycle counts once, for the trace behind it: a record never has the cycle in
 * it in which it leaves. So one of the two steps makes a record at most, and *n is it.
 */
static bool pair_cycle(struct trace *trace, struct trace_verdict *verdict, struct record *n, bool *both)
{
	const uint32_t cycles = trace->cur_cycles;
	struct trace_decoded s;
	struct trace_retire more;
	trace_decoder(&trace->config, &trace->s, &s);
	trace_scope(trace, &s, verdict);
	*both = trace->config.retire == 2 && trace_slots_both(trace, &s, verdict, &more);
	const bool latch = trace_pair(trace, &s, verdict, n);
	trace->served_both = *both;
	trace->handed_over = false;
	if (!*both)
		return latch;
	trace->cur_cycles = latch ? 0 : cycles;
	trace->s = more;
	trace_decoder(&trace->config, &trace->s, &s);
	trace_scope(trace, &s, verdict);
	trace->handed_over = trace_pair(trace, &s, verdict, n);
	return latch || trace->handed_over;
}

static void retire_next(struct trace *trace, bool both, const struct trace_retire *retire)
{
	if (trace->config.retire == 2)
		trace_slots_next(trace, both, retire);
	else
		trace->s = *retire;
}

void trace_cycle(
    struct trace *trace, const struct trace_retire *retire, const struct trace_bus *bus, struct trace_out *out)
{
	const uint32_t ie = (trace->ctrl & RV_CTRL_IE_MASK) >> RV_CTRL_IE_LSB;
	out->irq = trace->irq;
	out->ready = trace_slots_ready(trace);
	out->lost = trace_slots_lost(trace);
	out->rec_valid = out->sink_valid = false;
	trace->recorder.at_reset = trace_recorder_at_reset(trace);
	trace->irq = (ie && (trace_status(trace) & ie)) || trace_sink_irq(trace);
	if (!bus->write && uneventful_cycle(trace)) {
		trace->s = *retire;
		return;
	}
	/* A write wins over what stage S does to the same register: stage S sees the old values first. */
	const struct trace_before before = {trace->cur_start, trace->cur_hist, trace->resume, trace->table_clearing,
	    trace->recorder.frozen, trace->sink};
	struct trace_verdict verdict;
	struct record n, once = {0}, rec = {0};
	bool both;
	const bool latch = pair_cycle(trace, &verdict, &n, &both);
	const uint16_t random = trace->lfsr;
	bool kept = trace_sample(trace, latch);
	bool push = trace_table(trace, trace_repeat(trace, kept, &n, &once), &once, random, &rec);
	const bool owned = trace_sink_owns(trace), lifo = trace_fifo_newest_first(trace);
	const bool sunk = trace->config.with_sink && trace_sink_step(trace, bus->sink_wait, out);
	const bool popped = owned ? sunk : bus->write && bus->index == RV_REG_POP;
	trace_fifo(trace, lifo, popped, push && !trace_recorder_sealed(trace), &rec);
	if (trace->config.with_recorder)
		trace_recorder(trace, &verdict);
	if (bus->write)
		trace_write(trace, &before, bus->index, bus->wdata);
	out->rec_valid = push;
	out->rec = rec;
	retire_next(trace, both, retire);
}
