// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// One Verilated N-Trace encoder behind the C interface of rtl.h; the macros are those of tb/trace/rtl.cpp.
#include UNIT_SOURCES
#include "tb/verilated_unit.h"
extern "C" {
#include "tb/ntrace/rtl.h"
}

struct ntrace_rtl : verilated_unit<UNIT_TOP> {
};

static void unit_cycle(struct ntrace_rtl *r, const struct ntrace_in *in, struct ntrace_out *out)
{
	UNIT_TOP &t = *r->top;
	t.clk_i = 0;
	t.rst_i = in->rst;
	t.retire_valid_i = in->retire.valid;
	t.retire_insn_i = in->retire.insn;
	t.retire_pc_i = in->retire.pc;
	t.retire_next_pc_i = in->retire.next_pc;
	t.retire_trap_i = in->retire.trap;
	t.retire_intr_i = in->retire.intr;
	t.retire_mode_i = in->retire.mode;
	t.context_i = in->context & CONTEXT_ONES;
	t.debug_i = in->debug;
	t.reg_write_i = in->bus.write;
	t.reg_read_i = in->bus.read;
	t.reg_index_i = in->bus.index;
	t.reg_wdata_i = in->bus.wdata;
	t.byte_ready_i = in->byte_ready;
	t.mem_ready_i = in->mem_ready;
	t.eval();
	out->rdata = t.reg_rdata_o;
	out->stall = t.stall_o;
	out->byte_valid = t.byte_valid_o;
	out->byte = t.byte_o;
	out->mem_valid = t.mem_valid_o;
	out->mem_addr = t.mem_addr_o;
	out->mem_wdata = t.mem_wdata_o;
	t.clk_i = 1;
	t.eval();
}

extern "C" const struct ntrace_rtl_class UNIT_CLASS;
const struct ntrace_rtl_class UNIT_CLASS = {verilated_open<ntrace_rtl>, verilated_close<ntrace_rtl>, unit_cycle};
