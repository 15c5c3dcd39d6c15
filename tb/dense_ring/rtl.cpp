// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// One Verilated ring behind the C interface of rtl.h; the macros are those of tb/trace/rtl.cpp.
#include UNIT_SOURCES
#include "tb/verilated_unit.h"
extern "C" {
#include "tb/dense_ring/rtl.h"
}

struct ring_rtl : verilated_unit<UNIT_TOP> {
};

extern "C" struct ring_rtl *ring_rtl_open(uint32_t seed)
{
	return verilated_open<struct ring_rtl>(seed);
}
extern "C" void ring_rtl_close(struct ring_rtl *r)
{
	verilated_close(r);
}

extern "C" uint32_t ring_rtl_cycle(struct ring_rtl *r, const struct dense_ring_in *in)
{
	UNIT_TOP &t = *r->top;
	t.clk_i = 0;
	t.rst_i = in->rst;
	t.power_on_i = in->power_on;
	t.rec_valid_i = in->record.rec_valid;
	t.rec_start_i = in->record.start;
	t.rec_hist_i = in->record.hist;
	t.rec_reason_i = in->record.reason;
	t.rec_repeat_i = in->record.repeat;
	t.rec_insns_i = in->record.insns;
	t.flush_i = in->record.flush;
	t.sel_i = in->sel;
	t.write_i = in->write;
	t.addr_i = in->addr;
	t.eval();
	const uint32_t rdata = t.rdata_o;
	t.clk_i = 1;
	t.eval();
	return rdata;
}
