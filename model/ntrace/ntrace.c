/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/ntrace/private.h"

#include <string.h>

void ntrace_config_default(struct ntrace_config *config)
{
	*config = (struct ntrace_config){.xlen = 32, .queue_depth = 64, .hist = 31, .sink_words = 1024};
}

bool ntrace_empty(const struct ntrace *t)
{
	return !t->events.running && !t->events.lost && !ntrace_on(t) && ntrace_queue_empty(t) && ntrace_encode_idle(t);
}

/* rst_i, or trTeActive 0: all but the registers. */
static void reset_encoder(struct ntrace *t)
{
	t->events.running = t->events.lost = t->events.debug = false;
	t->events.acc = 0;
	t->queue.wr = t->queue.rd = 0;
	t->queue.valid = false;
	t->stall = false;
	ntrace_encode_reset(t);
}

void ntrace_reset(struct ntrace *t, const struct ntrace_config *config)
{
	const struct ntrace_config keep = *config; /* config may be a part of *t */
	memset(t, 0, sizeof *t);
	t->config = keep;
	reset_encoder(t);
	ntrace_sink_reset(t);
}

static uint32_t read_register(const struct ntrace *t, unsigned index)
{
	if (index < NTRACE_SINK_BLOCK / 4)
		return ntrace_regs_read(t, index);
	return ntrace_has_sink(t) ? ntrace_sink_read(t, index - NTRACE_SINK_BLOCK / 4) : 0;
}

static void enter_stage(struct ntrace *t, const struct ntrace_in *in)
{
	t->s = in->retire;
	t->s.valid = in->retire.valid && !in->rst;
	t->s_debug = in->debug && !in->rst;
	t->s_context = t->config.context_bits > 0 ? in->context & (uint32_t)ntrace_ones(t->config.context_bits) : 0;
}

void ntrace_cycle(struct ntrace *t, const struct ntrace_in *in, struct ntrace_out *out)
{
	const bool off = in->rst || !t->regs.active, empty = ntrace_empty(t), stalled = t->stall;
	const bool sink = ntrace_has_sink(t), ready = sink ? ntrace_sink_ready(t) : in->byte_ready;
	const uint32_t next_rdata = read_register(t, in->bus.index);
	const bool next_known = in->bus.index != NTRACE_RAM_DATA / 4 || t->sink.known;
	struct ntrace_event event;
	bool drop;
	t->did = (struct ntrace_did){0};
	out->rdata = t->rdata;
	out->rdata_known = t->rdata_known;
	out->stall = stalled;
	out->byte_valid = ntrace_pack_byte(t, &out->byte);
	out->mem_valid = t->sink.mem_valid;
	out->mem_addr = t->sink.mem_addr << 2;
	out->mem_wdata = t->sink.mem_wdata;
	const bool match = ntrace_regs_match(t), nearly_full = ntrace_queue_nearly_full(t);
	const bool stall = t->config.with_stall && t->regs.stall && t->regs.enable;
	const bool pop = ntrace_encode(t, ready);
	if (sink)
		ntrace_sink(t, in, out->byte_valid, out->byte);
	const bool push = ntrace_events(t, ntrace_class(&t->config, &t->s), match, &event, &drop);
	ntrace_queue(t, push, &event, pop);
	t->did.push = push;
	t->did.drop = drop;
	t->stall = stall && nearly_full;
	ntrace_regs(t, &in->bus, empty, drop || stalled);
	if (off)
		reset_encoder(t);
	if (in->rst) {
		ntrace_regs_reset(t);
		ntrace_sink_reset(t);
	}
	t->rdata = next_rdata;
	t->rdata_known = next_known;
	enter_stage(t, in);
}
