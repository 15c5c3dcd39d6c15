// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// One Verilated dense coder behind the C interface of rtl.h; the macros are those of tb/trace/rtl.cpp.
#include UNIT_SOURCES
#include "tb/verilated_unit.h"
extern "C" {
#include "tb/dense/rtl.h"
}

struct dense_rtl : verilated_unit<UNIT_TOP> {
};

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
const struct dense_rtl_class UNIT_CLASS = {verilated_open<dense_rtl>, verilated_close<dense_rtl>, dense_unit_cycle};
