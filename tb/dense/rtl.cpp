// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// One Verilated dense coder behind the C interface of rtl.h, as tb/ntrace/rtl.cpp has it for the N-Trace encoder.
#include <new>
#include UNIT_SOURCES
extern "C" {
#include "tb/dense/rtl.h"
}

struct dense_rtl {
	VerilatedContext context;
	UNIT_TOP *top;
};

static void dense_unit_close(struct dense_rtl *r)
{
	if (r)
		delete r->top;
	delete r;
}

static struct dense_rtl *dense_unit_open(uint32_t seed)
{
	struct dense_rtl *r = new (std::nothrow) dense_rtl;
	if (!r)
		return nullptr;
	r->context.randReset(2);
	r->context.randSeed(static_cast<int>(seed & 0x7FFFFFFF));
	r->top = new (std::nothrow) UNIT_TOP{&r->context};
	if (!r->top) {
		dense_unit_close(r);
		return nullptr;
	}
	r->top->clk_i = 0;
	return r;
}

static void dense_unit_cycle(struct dense_rtl *r, bool rst, const struct dense_in *in, struct dense_out *out)
{
	UNIT_TOP &t = *r->top;
	t.clk_i = 0;
	t.rst_i = rst;
	t.rec_valid_i = in->rec_valid;
	t.rec_start_i = in->start;
	t.rec_hist_i = in->hist;
	t.rec_reason_i = in->reason;
	t.rec_repeat_i = in->repeat;
	t.rec_insns_i = in->insns;
	t.flush_i = in->flush;
	t.begin_i = in->begin;
	t.byte_ready_i = in->byte_ready;
	t.eval();
	out->byte_valid = t.byte_valid_o;
	out->byte = t.byte_o;
	out->busy = t.busy_o;
	t.clk_i = 1;
	t.eval();
}

extern "C" const struct dense_rtl_class UNIT_CLASS;
const struct dense_rtl_class UNIT_CLASS = {dense_unit_open, dense_unit_close, dense_unit_cycle};
