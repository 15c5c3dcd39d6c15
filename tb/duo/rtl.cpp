// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The Verilated SoC of two cores behind the C interface of rtl.h.
#include <new>
#include UNIT_SOURCES
extern "C" {
#include "tb/duo/rtl.h"
}

struct duo_rtl {
	VerilatedContext context;
	UNIT_TOP top{&context};
};

extern "C" struct duo_rtl *duo_rtl_open(void)
{
	return new (std::nothrow) duo_rtl;
}

extern "C" void duo_rtl_close(struct duo_rtl *r)
{
	delete r;
}

static void sample_hart(const UNIT_TOP &t, unsigned h, struct duo_hart *hart)
{
	*hart = {};
	hart->retire_valid = t.retire_valid_o >> h & 1;
	hart->retire_trap = t.retire_trap_o >> h & 1;
	hart->retire_intr = t.retire_intr_o >> h & 1;
	hart->retire_mode = t.retire_mode_o >> (2 * h) & 3;
	hart->retire_insn = static_cast<uint32_t>(t.retire_insn_o >> (32 * h));
	hart->retire_pc = static_cast<uint32_t>(t.retire_pc_o >> (32 * h));
	hart->retire_next_pc = static_cast<uint32_t>(t.retire_next_pc_o >> (32 * h));
	hart->bus_valid = t.bus_valid_o >> h & 1;
	hart->bus_fetch = t.bus_fetch_o >> h & 1;
	hart->bus_ready = t.bus_ready_o >> h & 1;
	hart->bus_addr = static_cast<uint32_t>(t.bus_addr_o >> (32 * h));
	hart->bus_wstrb = t.bus_wstrb_o >> (4 * h) & 15;
	hart->bus_wdata = static_cast<uint32_t>(t.bus_wdata_o >> (32 * h));
	hart->irq_timer = t.irq_timer_o >> h & 1;
	hart->irq_trace = t.irq_trace_o >> h & 1;
	hart->rec_valid = t.rec_valid_o >> h & 1;
	hart->rec.start = static_cast<uint32_t>(t.rec_start_o >> (32 * h));
	hart->rec.hist = static_cast<uint32_t>(t.rec_hist_o >> (32 * h));
	hart->rec.reason = t.rec_reason_o >> (4 * h) & 15;
	hart->rec.count = static_cast<uint32_t>(t.rec_repeat_o >> (32 * h));
	hart->rec.cycles = static_cast<uint32_t>(t.rec_cycles_o >> (32 * h));
	hart->rec.insns = t.rec_insns_o >> (16 * h) & 0xFFFF;
}

extern "C" void duo_rtl_cycle(struct duo_rtl *r, bool rst, bool bus_wait, struct duo_out *out)
{
	UNIT_TOP &t = r->top;
	t.clk_i = 0;
	t.rst_i = rst;
	t.bus_wait_i = bus_wait;
	t.irq_ext_i = 0;
	t.eval();
	for (unsigned h = 0; h < DUO_HARTS; h++)
		sample_hart(t, h, &out->hart[h]);
	out->bus_rdata = t.bus_rdata_o;
	out->irq_sink = t.irq_sink_o;
	out->rec_taken = t.rec_taken_o;
	out->sink_valid = t.sink_valid_o;
	out->sink_addr = t.sink_addr_o;
	out->sink_wdata = t.sink_wdata_o;
	out->exit_valid = t.exit_valid_o;
	out->exit_code = t.exit_code_o;
	t.clk_i = 1;
	t.eval();
}

#define MEM duo_observed__DOT__soc__DOT__ram__DOT__mem
extern "C" uint32_t duo_rtl_read(const struct duo_rtl *r, uint32_t word)
{
	return r->top.rootp->MEM[word];
}
extern "C" void duo_rtl_write(struct duo_rtl *r, uint32_t word, uint32_t value)
{
	r->top.rootp->MEM[word] = value;
}
