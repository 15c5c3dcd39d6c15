// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// One Verilated trace unit behind the C interface of rtl.h. UNIT_SOURCES includes all that Verilator wrote, UNIT_TOP is
// its class, UNIT_CLASS the symbol that configs.def's table names; UNIT_TWO: it has two slots.
#include UNIT_SOURCES
#include "tb/observe.h"
#include "tb/verilated_unit.h"
extern "C" {
#include "tb/trace/rtl.h"
}

struct trace_rtl : verilated_unit<UNIT_TOP> {
	struct coverage coverage;
};

static void unit_close(struct trace_rtl *r)
{
#if VM_COVERAGE
	if (r)
		r->coverage.write(r->context, COVERAGE_FILE);
#endif
	verilated_close(r);
}

#ifdef UNIT_TWO
template <class T> static uint64_t both_of(T first, T second, unsigned width)
{
	return static_cast<uint64_t>(first) | static_cast<uint64_t>(second) << width;
}
static inline void both_words(uint64_t &port, uint64_t first, uint64_t second)
{
	port = first | second << 32;
}
template <class W> static void both_words(W &port, uint64_t first, uint64_t second)
{
	port[0] = static_cast<uint32_t>(first);
	port[1] = static_cast<uint32_t>(first >> 32);
	port[2] = static_cast<uint32_t>(second);
	port[3] = static_cast<uint32_t>(second >> 32);
}
static void retire(UNIT_TOP &t, const struct trace_stimulus *in)
{
	const struct trace_retire &a = in->retire, &b = in->second;
	t.retire_valid_i = both_of(a.valid, b.valid, 1);
	t.retire_insn_i = both_of(a.insn, b.insn, 32);
	both_words(t.retire_pc_i, a.pc, b.pc);
	both_words(t.retire_next_pc_i, a.next_pc, b.next_pc);
	t.retire_trap_i = both_of(a.trap, b.trap, 1);
	t.retire_intr_i = both_of(a.intr, b.intr, 1);
	t.retire_mode_i = both_of(a.mode, b.mode, 2);
}
#else
static void retire(UNIT_TOP &t, const struct trace_stimulus *in)
{
	t.retire_valid_i = in->retire.valid;
	t.retire_insn_i = in->retire.insn;
	t.retire_pc_i = in->retire.pc;
	t.retire_next_pc_i = in->retire.next_pc;
	t.retire_trap_i = in->retire.trap;
	t.retire_intr_i = in->retire.intr;
	t.retire_mode_i = in->retire.mode;
}
#endif

static void unit_cycle(struct trace_rtl *r, const struct trace_stimulus *in, struct trace_rtl_out *out)
{
	UNIT_TOP &t = *r->top;
	t.clk_i = 0;
	t.rst_i = in->rst;
	retire(t, in);
	t.retire_cause_i = in->retire.cause;
	t.stop_i = in->retire.stop;
	t.freeze_i = in->retire.freeze;
	t.power_on_i = in->power_on;
	t.reg_write_i = in->bus.write;
	t.reg_index_i = in->bus.index;
	t.reg_wdata_i = in->bus.wdata;
	t.sink_ready_i = !in->bus.sink_wait;
	t.eval();
	out->out.sink_valid = t.sink_valid_o;
	out->out.sink_addr = t.sink_addr_o;
	out->out.sink_wdata = t.sink_wdata_o;
	out->rdata = t.reg_rdata_o;
	out->out.irq = t.irq_o;
	out->out.ready = t.retire_ready_o;
	out->out.lost = t.retire_lost_o;
	out->out.rec_valid = t.rec_valid_o;
	out->out.rec.start = t.rec_start_o;
	out->out.rec.hist = t.rec_hist_o;
	out->out.rec.reason = t.rec_reason_o;
	out->out.rec.count = t.rec_repeat_o;
	out->out.rec.cycles = t.rec_cycles_o;
	out->out.rec.insns = t.rec_insns_o;
	t.clk_i = 1;
	t.eval();
}

extern "C" const struct trace_rtl_class UNIT_CLASS;
const struct trace_rtl_class UNIT_CLASS = {verilated_open<trace_rtl>, unit_close, unit_cycle};
