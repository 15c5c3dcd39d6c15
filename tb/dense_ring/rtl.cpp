// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// As tb/dense/rtl.cpp, for the ring.
#include <new>
#include UNIT_SOURCES
extern "C" {
#include "tb/dense_ring/rtl.h"
}

struct ring_rtl {
	VerilatedContext context;
	UNIT_TOP *top;
};

extern "C" void ring_rtl_close(struct ring_rtl *r)
{
	if (r)
		delete r->top;
	delete r;
}

extern "C" struct ring_rtl *ring_rtl_open(uint32_t seed)
{
	struct ring_rtl *r = new (std::nothrow) ring_rtl;
	if (!r)
		return nullptr;
	r->context.randReset(2);
	r->context.randSeed(static_cast<int>(seed & 0x7FFFFFFF));
	r->top = new (std::nothrow) UNIT_TOP{&r->context};
	if (!r->top) {
		ring_rtl_close(r);
		return nullptr;
	}
	r->top->clk_i = 0;
	return r;
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
