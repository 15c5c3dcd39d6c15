// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Runs +program=FILE (hexadecimal words) on twin_core with the trace unit behind a queue and an APB front, and writes what tests/minimal/judge.c
// reads (+events=FILE, the lines of minimal_bench.v), and to LOG what `rivulet import` reads. +break=N makes the core break rule N - 1,
// +overrun=1 lets it retire where the queue is full.
`default_nettype none
module ports_bench #(parameter LOG = "");
	reg clk = 0, rst = 1;
	always #5 clk = !clk;
	reg  [3:0]  break_rule = 4'd0;
	reg         overrun = 1'b0;
	wire        psel, penable, pwrite, irq, ready;
	wire [31:0] paddr, pwdata, trace_rdata;
	wire [1:0]  valid, trap, intr;
	wire [63:0] insn, pc, next_pc;
	wire [3:0]  mode;
	wire        at_trace = paddr[31:8] == 24'h400000;
	twin_core core (
		.clk_i(clk),
		.rst_i(rst),
		.irq_i(irq),
		.ready_i(ready || overrun),
		.break_i(break_rule),
		.psel_o(psel),
		.penable_o(penable),
		.pwrite_o(pwrite),
		.paddr_o(paddr),
		.pwdata_o(pwdata),
		.prdata_i(trace_rdata),
		.pready_i(1'b1),
		.valid_o(valid),
		.insn_o(insn),
		.pc_o(pc),
		.next_pc_o(next_pc),
		.trap_o(trap),
		.intr_o(intr),
		.mode_o(mode)
	);

	wire        r_valid, r_trap, r_intr, lost;
	wire [31:0] r_insn, r_pc, r_next_pc;
	wire [1:0]  r_mode;
	rivulet_retire_queue queue (
		.clk_i(clk),
		.rst_i(rst),
		.retire_valid_i(valid),
		.retire_insn_i(insn),
		.retire_pc_i(pc),
		.retire_next_pc_i(next_pc),
		.retire_trap_i(trap),
		.retire_intr_i(intr),
		.retire_mode_i(mode),
		.retire_cause_i(12'd0),
		.ready_o(ready),
		.lost_o(lost),
		.retire_valid_o(r_valid),
		.retire_insn_o(r_insn),
		.retire_pc_o(r_pc),
		.retire_next_pc_o(r_next_pc),
		.retire_trap_o(r_trap),
		.retire_intr_o(r_intr),
		.retire_mode_o(r_mode),
		.retire_cause_o()
	);
	wire        reg_write, rec_valid, slverr, pready;
	wire [5:0]  reg_index;
	wire [31:0] reg_wdata, reg_rdata, rec_start, rec_cycles;
	wire [15:0] rec_hist, rec_insns;
	wire [3:0]  rec_reason;
	wire [31:0] rec_repeat;
	rivulet_trace_apb front (
		.psel_i(psel && at_trace),
		.penable_i(penable),
		.pwrite_i(pwrite),
		.paddr_i(paddr[7:2]),
		.pstrb_i(4'hF),
		.pwdata_i(pwdata),
		.prdata_o(trace_rdata),
		.pready_o(pready),
		.pslverr_o(slverr),
		.reg_write_o(reg_write),
		.reg_index_o(reg_index),
		.reg_wdata_o(reg_wdata),
		.reg_rdata_i(reg_rdata)
	);
	rivulet_trace #(
		.HIST(16),
		.FIFO_DEPTH(16),
		.WITH_REASON(1),
		.WITH_CYCLES(1),
		.WITH_INSNS(1),
		.WITH_FREEZE(1),
		.WITH_LOST(1),
		.WITH_CHECK(1),
		.RET_MATCH(32'h0400_000B),
		.RET_MASK(32'hFE00_007F)
	) trace (
		.clk_i(clk),
		.rst_i(rst),
		.retire_valid_i(r_valid),
		.retire_insn_i(r_insn),
		.retire_pc_i(r_pc),
		.retire_next_pc_i(r_next_pc),
		.retire_trap_i(r_trap),
		.retire_intr_i(r_intr),
		.retire_mode_i(r_mode),
		.retire_ready_o(),
		.retire_lost_o(),
		.retire_cause_i(6'd0),
		.stop_i(1'b0),
		.freeze_i(1'b0),
		.power_on_i(1'b0),
		.reg_write_i(reg_write),
		.reg_index_i(reg_index),
		.reg_wdata_i(reg_wdata),
		.reg_rdata_o(reg_rdata),
		.irq_o(irq),
		.tracing_o(),
		.rec_valid_o(rec_valid),
		.rec_start_o(rec_start),
		.rec_hist_o(rec_hist),
		.rec_reason_o(rec_reason),
		.rec_repeat_o(rec_repeat),
		.rec_cycles_o(rec_cycles),
		.rec_insns_o(rec_insns),
		.sink_valid_o(),
		.sink_addr_o(),
		.sink_wdata_o(),
		.sink_ready_i(1'b0)
	);
	wire [8:0] broken;
	rivulet_retire_check #(.RET_MATCH(32'h0400_000B), .RET_MASK(32'hFE00_007F), .FILE(LOG)) check (
		.clk_i(clk),
		.rst_i(rst),
		.retire_valid_i(r_valid),
		.retire_insn_i(r_insn),
		.retire_pc_i(r_pc),
		.retire_next_pc_i(r_next_pc),
		.retire_trap_i(r_trap),
		.retire_intr_i(r_intr),
		.retire_mode_i(r_mode),
		.broken_o(broken)
	);

	reg [8*256-1:0] name;
	integer console, events, cycle = 0, twice = 0, limit;
	initial begin
		if (!$value$plusargs("break=%d", break_rule))
			break_rule = 4'd0;
		if (!$value$plusargs("overrun=%d", overrun))
			overrun = 1'b0;
		if (!$value$plusargs("limit=%d", limit))
			limit = overrun ? 30_000 : 60_000;
		if (!$value$plusargs("program=%s", name))
			$finish;
		$readmemh(name, core.ram);
		if (!$value$plusargs("console=%s", name))
			$finish;
		console = $fopen(name, "w");
		if (!$value$plusargs("events=%s", name))
			$finish;
		events = $fopen(name, "w");
		repeat (4) @(negedge clk);
		rst = 0;
	end
	always @(negedge clk) if (!rst) begin
		twice = twice + (valid == 2'b11);
		if (r_valid !== 1'b0 || reg_write !== 1'b0 || rec_valid !== 1'b0)
			$fdisplay(events, "C %0d %b %b %b %0d %h %h %h %b %0d %h %b %h %h %0d %0d %0d", cycle, r_valid, r_trap & r_valid, r_intr & r_valid,
				r_valid ? r_mode : 2'd0, r_valid ? r_insn : 32'd0, r_valid ? r_pc : 32'd0, r_valid ? r_next_pc : 32'd0, reg_write, reg_write ? reg_index : 6'd0,
				reg_write ? reg_wdata : 32'd0, rec_valid, rec_start, rec_hist, rec_reason, rec_cycles, rec_insns);
		if (psel && penable && pwrite && paddr == 32'h5000_0000)
			$fwrite(console, "%c", pwdata[7:0]);
		if (psel && penable && pwrite && paddr == 32'h5000_0004) begin
			$fdisplay(events, "E %0d", pwdata);
			$display("ports_bench: %0d cycles, two retirements in %0d of them", cycle, twice);
			$finish;
		end
		cycle = cycle + 1;
		// A broken port may keep the handler busy for ever; an overrun does, and the whole program has 26,518 cycles.
		if (cycle == limit) begin
			if (break_rule != 4'd0 || overrun)
				$fdisplay(events, "E 0");
			else begin
				$fdisplay(events, "T");
				$display("ports_bench: timed out after %0d cycles", cycle);
			end
			$finish;
		end
	end
endmodule
`default_nettype wire
