/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/ntrace/private.h"

static uint32_t read_control(const struct ntrace *t)
{
	const struct ntrace_regs *r = &t->regs;
	const uint32_t mode = !r->mode ? 0 : ntrace_history(t) ? 6 : 3;
	return 1u << 24 | (uint32_t)r->sync_max << 20 | (uint32_t)r->sync_mode << 16 |
	       (uint32_t)(t->config.with_stall && r->stall) << 13 | (uint32_t)r->trouble << 12 |
	       (uint32_t)ntrace_owner(t) << 9 | mode << 4 | (uint32_t)ntrace_empty(t) << 3 | (uint32_t)r->tracing << 2 |
	       (uint32_t)r->enable << 1 | r->active;
}

static uint32_t read_features(const struct ntrace *t)
{
	const struct ntrace_regs *r = &t->regs;
	const bool returns = t->config.returns > 0;
	return t->config.src_bits << 28 | (t->config.src_bits > 0 ? (uint32_t)r->src << 16 : 0) |
	       (uint32_t)(t->config.with_extend && r->extend) << 10 | (uint32_t)ntrace_repeats(t) << 8 |
	       (returns && r->compare ? 3u << 6 : 0) | (uint32_t)(returns && r->returns) << 3;
}

uint32_t ntrace_regs_read(const struct ntrace *t, unsigned index)
{
	const struct ntrace_regs *r = &t->regs;
	const bool timed = t->config.time_bits > 0;
	switch (4 * index) {
	case NTRACE_TE_CONTROL:
		return read_control(t);
	case NTRACE_TE_IMPL:
		return 0x00010101; /* encoder 1.0, N-Trace 1.0 */
	case NTRACE_TE_FEATURES:
		return read_features(t);
	case NTRACE_TE_FILTERS:
		return r->choice;
	case NTRACE_TS_CONTROL:
		return !timed ? 0
			      : t->config.time_bits << 24 | (uint32_t)r->ts_enable << 15 | 3u << 4 |
				    (uint32_t)r->ts_count << 1 | r->ts_active;
	case NTRACE_TS_LOW:
		return timed ? (uint32_t)r->time : 0;
	case NTRACE_TS_HIGH:
		return timed ? (uint32_t)(r->time >> 32) : 0;
	default:
		return ntrace_filter_read(t, index);
	}
}

bool ntrace_regs_match(const struct ntrace *t)
{
	bool match = t->regs.choice == 0;
	for (unsigned i = 0; i < t->config.filters; i++)
		match = match || ((t->regs.choice >> i & 1) != 0 && ntrace_filter_match(&t->regs.filters[i], &t->s));
	return match;
}

static void write_control(struct ntrace_regs *r, uint32_t value, bool still)
{
	if ((value >> 12 & 1) != 0 || ((value >> 1 & 1) != 0 && !r->enable))
		r->trouble = false;
	r->enable = value >> 1 & 1;
	r->tracing = value >> 2 & 1;
	if (!still)
		return;
	r->mode = (value >> 4 & 7) != 0;
	r->btm = (value >> 4 & 7) == 3;
	r->context = value >> 9 & 1;
	r->stall = value >> 13 & 1;
	r->sync_mode = value >> 16 & 3;
	r->sync_max = value >> 20 & 15;
}

static void write_features(struct ntrace_regs *r, uint32_t value)
{
	r->returns = value >> 3 & 1;
	r->compare = (value >> 6 & 3) != 0;
	r->repeat = value >> 8 & 1;
	r->extend = value >> 10 & 1;
	r->src = value >> 16 & 0xFFF;
}

static void write_time(struct ntrace *t, uint32_t value, bool still)
{
	if (t->config.time_bits == 0)
		return;
	t->regs.ts_active = value & 1;
	t->regs.ts_count = value >> 1 & 1;
	if (still)
		t->regs.ts_enable = value >> 15 & 1;
	if ((value >> 2 & 1) != 0)
		t->regs.time = 0;
}

void ntrace_regs(struct ntrace *t, const struct ntrace_bus *bus, bool empty, bool trouble)
{
	struct ntrace_regs *r = &t->regs;
	const bool was_active = r->active, here = bus->write && bus->index < NTRACE_SINK_BLOCK / 4;
	const bool still = !r->enable && empty;
	const uint32_t value = bus->wdata;
	if (trouble)
		r->trouble = true;
	if (r->ts_active)
		r->time = (r->time + r->ts_count) & ntrace_ones(t->config.time_bits);
	else
		r->time = 0;
	if (here && was_active) {
		switch (4 * bus->index) {
		case NTRACE_TE_CONTROL:
			write_control(r, value, still);
			break;
		case NTRACE_TS_CONTROL:
			write_time(t, value, still);
			break;
		case NTRACE_TE_FEATURES:
			if (still)
				write_features(r, value);
			break;
		case NTRACE_TE_FILTERS:
			if (still)
				r->choice = (uint8_t)(value & ntrace_ones(t->config.filters));
			break;
		default:
			if (still)
				ntrace_filter_write(t, bus->index, value);
		}
	}
	if (!was_active)
		ntrace_regs_reset(t);
	r->active = here && bus->index == NTRACE_TE_CONTROL / 4 ? value & 1 : was_active;
}

void ntrace_regs_reset(struct ntrace *t)
{
	t->regs = (struct ntrace_regs){0};
}
