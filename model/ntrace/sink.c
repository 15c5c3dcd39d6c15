/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/ntrace/private.h"

#define IDLE_BYTE 0xFF

static bool is_own(const struct ntrace *t)
{
	return t->config.sink_words > 0;
}

/* Of an address in words. */
static uint32_t address_mask(const struct ntrace *t)
{
	return is_own(t) ? t->config.sink_words - 1 : 0x3FFFFFFF;
}

static bool memory_free(const struct ntrace *t)
{
	return is_own(t) || !t->sink.mem_valid || t->sink.count != 3;
}

bool ntrace_sink_ready(const struct ntrace *t)
{
	return !t->sink.enable || memory_free(t);
}

uint32_t ntrace_sink_read(const struct ntrace *t, unsigned index)
{
	const struct ntrace_sink *s = &t->sink;
	const bool own = is_own(t);
	switch (NTRACE_SINK_BLOCK + 4 * index) {
	case NTRACE_RAM_CONTROL: {
		const bool empty = s->count == 0 && !s->mem_valid;
		return (uint32_t)s->stop_on_wrap << 8 | (uint32_t)!own << 4 | (uint32_t)empty << 3 |
		       (uint32_t)s->enable << 1 | s->active;
	}
	case NTRACE_RAM_IMPL:
		return (own ? 1u << 12 : 1u << 13) | 9u << 8 | 1;
	case NTRACE_RAM_START:
		return s->start << 2;
	case NTRACE_RAM_LIMIT:
		return s->limit << 2;
	case NTRACE_RAM_WP:
		return s->wp << 2 | s->wrap;
	case NTRACE_RAM_RP:
		return s->rp << 2;
	case NTRACE_RAM_DATA:
		return own ? s->data : 0;
	default:
		return 0;
	}
}

/* The word is whole. */
static void store_word(struct ntrace *t, uint32_t word)
{
	struct ntrace_sink *s = &t->sink;
	const bool at_limit = s->wp == s->limit;
	if (is_own(t)) {
		s->mem[s->wp] = word;
		s->written[s->wp] = true;
	} else {
		s->mem_addr = s->wp;
		s->mem_wdata = word;
	}
	s->wp = at_limit ? s->start : (s->wp + 1) & address_mask(t);
	s->wrap = s->wrap || at_limit;
	if (at_limit && s->stop_on_wrap)
		s->enable = false;
}

static void write_sink(struct ntrace *t, uint32_t address, uint32_t value)
{
	struct ntrace_sink *s = &t->sink;
	const uint32_t mask = address_mask(t), word = value >> 2 & mask;
	switch (address) {
	case NTRACE_RAM_CONTROL:
		s->enable = value >> 1 & 1;
		s->stop_on_wrap = value >> 8 & 1;
		break;
	case NTRACE_RAM_START:
		s->start = is_own(t) ? 0 : word;
		break;
	case NTRACE_RAM_LIMIT:
		s->limit = value >> 2 > mask ? mask : word;
		break;
	case NTRACE_RAM_WP:
		s->wp = word;
		s->wrap = false;
		break;
	default:
		break;
	}
}

/* Where trRamData is read next, and what is there. */
static void move_rp(struct ntrace *t, const struct ntrace_bus *bus, bool active)
{
	struct ntrace_sink *s = &t->sink;
	const uint32_t address = 4u * bus->index;
	if (!is_own(t))
		return;
	if (bus->read && address == NTRACE_RAM_DATA)
		s->rp = s->rp == s->limit ? 0 : (s->rp + 1) & address_mask(t);
	else if (bus->write && active && address == NTRACE_RAM_RP)
		s->rp = bus->wdata >> 2 & address_mask(t);
	s->data = s->mem[s->rp];
	s->known = s->written[s->rp];
}

void ntrace_sink(struct ntrace *t, const struct ntrace_in *in, bool byte_valid, uint8_t byte)
{
	struct ntrace_sink *s = &t->sink;
	const struct ntrace_bus *bus = &in->bus;
	const bool was_active = s->active, here = bus->index >= NTRACE_SINK_BLOCK / 4;
	const uint32_t address = 4u * bus->index;
	const bool pad = !s->enable && s->count != 0, take = (byte_valid && s->enable) || pad;
	move_rp(t, bus, was_active);
	const bool taken = take && memory_free(t), store = taken && s->count == 3;
	const uint32_t word = (uint32_t)(pad ? IDLE_BYTE : byte) << 24 | s->bytes;
	s->mem_valid = !is_own(t) && (store || (s->mem_valid && !in->mem_ready));
	if (taken) {
		s->bytes = word >> 8;
		s->count = (s->count + 1) & 3;
	}
	if (store)
		store_word(t, word);
	if (bus->write && here && was_active)
		write_sink(t, address, bus->wdata);
	if (!was_active) {
		const bool valid = s->mem_valid;
		s->enable = s->stop_on_wrap = s->wrap = false;
		s->count = 0;
		s->wp = s->rp = s->start = 0;
		s->limit = address_mask(t);
		s->mem_valid = valid;
	}
	if (bus->write && here && address == NTRACE_RAM_CONTROL)
		s->active = bus->wdata & 1;
}

void ntrace_sink_reset(struct ntrace *t)
{
	struct ntrace_sink *s = &t->sink;
	s->active = s->enable = s->stop_on_wrap = s->wrap = s->mem_valid = false;
	s->count = 0;
	s->wp = s->rp = s->start = 0;
	s->limit = address_mask(t);
}
