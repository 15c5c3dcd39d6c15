/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/ntrace/stimulus.h"

#include <string.h>

static uint32_t draw_bits(struct ntrace_stimulus *s)
{
	s->state = s->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(s->state >> 32);
}

static uint32_t draw_below(struct ntrace_stimulus *s, uint32_t limit)
{
	return (uint32_t)((uint64_t)draw_bits(s) * limit >> 32);
}

static bool draw_one_in(struct ntrace_stimulus *s, uint32_t limit)
{
	return draw_below(s, limit) == 0;
}

static void enqueue_write(struct ntrace_stimulus *s, unsigned address, uint32_t value)
{
	if (s->queued < NTRACE_STIMULUS_QUEUE)
		s->queue[s->queued++] =
		    (struct ntrace_bus){.write = true, .index = (uint16_t)(address / 4), .wdata = value};
}

static void enqueue_read(struct ntrace_stimulus *s, unsigned address)
{
	if (s->queued < NTRACE_STIMULUS_QUEUE)
		s->queue[s->queued++] = (struct ntrace_bus){.read = true, .index = (uint16_t)(address / 4)};
}

static uint32_t some_features(struct ntrace_stimulus *s)
{
	/* half of the time with the return stack and repeats */
	return (draw_bits(s) & ~0x7u) | (draw_one_in(s, 2) ? 0x1C8u : 0);
}

/* trTeControl without Enable and InstTracing. */
static uint32_t some_control(struct ntrace_stimulus *s)
{
	const uint32_t modes[] = {6, 6, 6, 3, 3, 7, 0, 1};
	const uint32_t sync = draw_below(s, 4), max = draw_one_in(s, 4) ? draw_below(s, 16) : draw_below(s, 5);
	return 1 | modes[draw_below(s, 8)] << 4 | draw_below(s, 2) << 9 | draw_below(s, 2) << 12 |
	       draw_below(s, 2) << 13 | sync << 16 | max << 20;
}

static void set_up_filters(struct ntrace_stimulus *s)
{
	for (unsigned i = 0; i < s->config.filters; i++) {
		const unsigned filter = NTRACE_TE_FILTER0 + 32 * i, comp = NTRACE_TE_COMP0 + 32 * i;
		const uint64_t from = s->core.base + draw_below(s, 64),
			       to = from + draw_below(s, 1u << draw_below(s, 12));
		enqueue_write(s, filter, draw_bits(s));
		enqueue_write(s, filter + 4, draw_one_in(s, 2) ? 0xFF : draw_bits(s));
		enqueue_write(s, comp + 0x10, (uint32_t)from);
		enqueue_write(s, comp + 0x14, (uint32_t)(from >> 32));
		enqueue_write(s, comp + 0x18, (uint32_t)to);
		enqueue_write(s, comp + 0x1C, (uint32_t)(to >> 32));
	}
	enqueue_write(s, NTRACE_TE_FILTERS, draw_one_in(s, 2) ? 0 : draw_bits(s));
}

static void set_up_sink(struct ntrace_stimulus *s)
{
	enqueue_write(s, NTRACE_RAM_CONTROL, 1);
	if (draw_one_in(s, 2))
		enqueue_write(s, NTRACE_RAM_LIMIT, draw_one_in(s, 2) ? draw_below(s, 256) : draw_bits(s));
	if (draw_one_in(s, 2))
		enqueue_write(s, NTRACE_RAM_START, draw_below(s, 64));
	enqueue_write(s, NTRACE_RAM_WP, draw_below(s, 256));
	enqueue_write(s, NTRACE_RAM_RP, draw_below(s, 256));
	enqueue_write(s, NTRACE_RAM_CONTROL, 3 | draw_below(s, 4) / 3 << 8);
}

static void end_phase(struct ntrace_stimulus *s)
{
	enqueue_write(s, NTRACE_TE_CONTROL, 1 | draw_below(s, 8) / 7 << 2);
	s->patient = !draw_one_in(s, 8);
}

/* The driver waits, then sets everything up anew. */
static void begin_phase(struct ntrace_stimulus *s)
{
	const uint32_t control = some_control(s);
	const bool reset = draw_one_in(s, 4);
	s->queued = s->sent = 0;
	s->left = 200 + draw_below(s, 4000);
	s->retires = draw_one_in(s, 3) ? 255 : 20 + draw_below(s, 236);
	s->ready = draw_one_in(s, 2) ? 255 : 10 + draw_below(s, 246);
	if (reset)
		enqueue_write(s, NTRACE_TE_CONTROL, 0);
	enqueue_write(s, NTRACE_TE_CONTROL, 1);
	enqueue_write(s, NTRACE_TE_FEATURES, some_features(s));
	if (s->config.time_bits > 0)
		enqueue_write(
		    s, NTRACE_TS_CONTROL, draw_below(s, 2) << 15 | (draw_one_in(s, 4) ? draw_below(s, 8) : 3));
	set_up_filters(s);
	if (draw_one_in(s, 2))
		set_up_sink(s);
	enqueue_write(s, NTRACE_TE_CONTROL, control);
	enqueue_read(s, NTRACE_TE_CONTROL);
	enqueue_read(s, NTRACE_TE_FEATURES);
	enqueue_write(s, NTRACE_TE_CONTROL, control | 2 | (uint32_t)!draw_one_in(s, 8) << 2);
}

static const uint16_t addresses[] = {NTRACE_TE_CONTROL, NTRACE_TE_CONTROL, NTRACE_TE_IMPL, NTRACE_TE_FEATURES,
    NTRACE_TE_FILTERS, NTRACE_TS_CONTROL, NTRACE_TS_LOW, NTRACE_TS_HIGH, NTRACE_TE_FILTER0, NTRACE_TE_FILTER0 + 4,
    NTRACE_TE_FILTER0 + 0x20, NTRACE_TE_COMP0, NTRACE_TE_COMP0 + 0x10, NTRACE_TE_COMP0 + 0x14, NTRACE_TE_COMP0 + 0x38,
    NTRACE_TE_COMP0 + 0x3C, NTRACE_RAM_CONTROL, NTRACE_RAM_IMPL, NTRACE_RAM_START, NTRACE_RAM_START + 4,
    NTRACE_RAM_LIMIT, NTRACE_RAM_WP, NTRACE_RAM_RP, NTRACE_RAM_DATA, NTRACE_RAM_DATA, NTRACE_RAM_DATA, 0x1E00, 0xFFC};

/* Any access at any time; seldom one that ends tracing. */
static struct ntrace_bus some_access(struct ntrace_stimulus *s)
{
	struct ntrace_bus bus = {
	    .index = (uint16_t)(addresses[draw_below(s, sizeof addresses / sizeof *addresses)] / 4),
	    .wdata = draw_bits(s)};
	bus.write = draw_one_in(s, 48);
	if (bus.write && bus.index == NTRACE_TE_CONTROL / 4)
		bus.wdata |= draw_one_in(s, 4) ? 0 : 7;
	bus.read = !bus.write && !draw_one_in(s, 4);
	return bus;
}

static void drive_registers(struct ntrace_stimulus *s, const struct ntrace *ntrace, struct ntrace_bus *bus)
{
	if (s->sent < s->queued) {
		if (!draw_one_in(s, 4))
			*bus = s->queue[s->sent++];
		return;
	}
	if (s->left > 0) {
		s->left--;
		*bus = some_access(s);
		if (s->left == 0) {
			s->queued = s->sent = 0;
			end_phase(s);
		}
		return;
	}
	s->ready = s->ready < 64 ? 64 : s->ready;
	if (s->patient && ntrace->regs.active && !ntrace_empty(ntrace) && !ntrace->regs.enable)
		bus->index = NTRACE_TE_CONTROL / 4;
	else
		begin_phase(s);
}

void ntrace_stimulus_init(struct ntrace_stimulus *s, const struct ntrace_config *config, uint64_t seed)
{
	struct trace_config unit;
	memset(s, 0, sizeof *s);
	trace_config_fig5(&unit);
	unit.xlen = config->xlen;
	unit.with_freeze = true;
	unit.with_zcmp = config->with_zcmp;
	unit.ret_match = config->ret_match;
	unit.ret_mask = config->ret_mask;
	s->config = *config;
	s->state = seed ^ UINT64_C(0x5851F42D4C957F2D);
	trace_reset(&s->unit, &unit);
	stimulus_init(&s->core, &unit, seed);
}

void ntrace_stimulus_cycle(struct ntrace_stimulus *s, const struct ntrace *ntrace, struct ntrace_in *in)
{
	struct trace_stimulus core;
	*in = (struct ntrace_in){.rst = draw_one_in(s, 20000)};
	if (draw_below(s, 256) <= s->retires && !(ntrace->stall && !draw_one_in(s, 64))) {
		if (draw_one_in(s, 500)) /* the port leaves one out: the program goes on elsewhere without a word */
			stimulus_cycle(&s->core, &s->unit, &core);
		stimulus_cycle(&s->core, &s->unit, &core);
		in->retire = core.retire;
	}
	if (draw_one_in(s, 40))
		s->context = draw_one_in(s, 2) ? 0 : draw_bits(s);
	s->debug = s->debug ? !draw_one_in(s, 20) : draw_one_in(s, 1500);
	in->context = s->context;
	in->debug = s->debug;
	in->byte_ready = draw_below(s, 256) <= s->ready;
	in->mem_ready = draw_below(s, 256) <= s->ready;
	drive_registers(s, ntrace, &in->bus);
}
