// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// One Verilated arbiter behind the C interface of rtl.h; the macros are those of tb/trace/rtl.cpp.
#include <cstring>
#include UNIT_SOURCES
#include "tb/verilated_unit.h"
extern "C" {
#include "tb/arbiter/rtl.h"
}

struct arbiter_rtl : verilated_unit<UNIT_TOP> {
};

// Ports of any width: Verilator gives numbers up to 64 bits, and words of 32 bits beyond that, the lowest first.
template <class Port> static void put_field(Port &port, unsigned lsb, unsigned width, uint64_t value)
{
	unsigned char *bytes = reinterpret_cast<unsigned char *>(&port);
	for (unsigned i = 0; i < width; i++) {
		const unsigned at = lsb + i, mask = 1u << (at % 8);
		bytes[at / 8] = static_cast<unsigned char>((bytes[at / 8] & ~mask) | (value >> i & 1 ? mask : 0));
	}
}
template <class Port> static uint64_t get_field(const Port &port, unsigned lsb, unsigned width)
{
	const unsigned char *bytes = reinterpret_cast<const unsigned char *>(&port);
	uint64_t value = 0;
	for (unsigned i = 0; i < width; i++)
		value |= static_cast<uint64_t>(bytes[(lsb + i) / 8] >> ((lsb + i) % 8) & 1) << i;
	return value;
}

static void arbiter_unit_cycle(struct arbiter_rtl *r, const struct arbiter_config *config, bool rst,
    const struct arbiter_in *in, struct arbiter_out *out)
{
	UNIT_TOP &t = *r->top;
	t.clk_i = 0;
	t.rst_i = rst;
	t.ready_i = in->ready;
	put_field(t.rec_valid_i, 0, config->sources, in->valid);
	for (unsigned s = 0; s < config->sources; s++) {
		const struct record *rec = &in->rec[s];
		put_field(t.rec_start_i, config->xlen * s, config->xlen, rec->start);
		put_field(t.rec_hist_i, config->hist * s, config->hist, rec->hist);
		put_field(t.rec_reason_i, 4 * s, 4, rec->reason);
		put_field(t.rec_repeat_i, 32 * s, 32, rec->count);
		put_field(t.rec_cycles_i, 32 * s, 32, rec->cycles);
		put_field(t.rec_insns_i, 16 * s, 16, rec->insns);
	}
	t.eval();
	*out = {};
	out->valid = t.valid_o;
	out->busy = t.busy_o;
	if (out->valid) {
		out->head.source = static_cast<uint8_t>(t.source_o);
		out->head.time = t.time_o;
		out->head.missed = static_cast<uint32_t>(t.missed_o);
		out->head.rec.start = t.start_o;
		out->head.rec.hist = t.hist_o;
		out->head.rec.reason = t.reason_o;
		out->head.rec.count = t.repeat_o;
		out->head.rec.cycles = t.cycles_o;
		out->head.rec.insns = t.insns_o;
	}
	for (unsigned s = 0; s < config->sources; s++)
		out->lost[s] = static_cast<uint32_t>(get_field(t.lost_o, config->lost_bits * s, config->lost_bits));
	t.clk_i = 1;
	t.eval();
}

extern "C" const struct arbiter_rtl_class UNIT_CLASS;
const struct arbiter_rtl_class UNIT_CLASS = {
    verilated_open<arbiter_rtl>, verilated_close<arbiter_rtl>, arbiter_unit_cycle};
