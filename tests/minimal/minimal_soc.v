// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The worked example of docs/integration.md: a core that is not ours, its Wishbone bus, and beside them the trace unit.
// Everything between the two markers is what putting it there takes.
`default_nettype none
module minimal_soc #(
	parameter WORDS = 16384                 // of memory
) (
	input  wire        clk_i,
	input  wire        rst_i,
	// console: a byte written; the program's end
	output wire        put_o,
	output wire [7:0]  byte_o,
	output wire        exit_o,
	output wire [31:0] code_o
);
	wire        cyc, stb, we;
	wire [31:2] adr;
	wire [3:0]  sel;
	wire [31:0] dat_w, dat_r;
	wire        ack, err;
	wire        rvfi_valid, rvfi_trap, rvfi_intr, irq;
	wire [31:0] rvfi_insn, rvfi_pc_rdata, rvfi_pc_wdata;
	wire [1:0]  rvfi_mode;

	minimal_core core (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.irq_i(irq),
		.wb_cyc_o(cyc),
		.wb_stb_o(stb),
		.wb_we_o(we),
		.wb_adr_o(adr),
		.wb_sel_o(sel),
		.wb_dat_o(dat_w),
		.wb_dat_i(dat_r),
		.wb_ack_i(ack),
		.wb_err_i(err),
		.rvfi_valid(rvfi_valid),
		.rvfi_insn(rvfi_insn),
		.rvfi_pc_rdata(rvfi_pc_rdata),
		.rvfi_pc_wdata(rvfi_pc_wdata),
		.rvfi_trap(rvfi_trap),
		.rvfi_intr(rvfi_intr),
		.rvfi_mode(rvfi_mode)
	);

	// memory at 0, trace unit at 0x4000_0000, console and exit at 0x5000_0000; the rest is an error
	wire request = cyc && stb;
	wire at_ram = adr[31:2] < WORDS, at_trace = adr[31:8] == 24'h400000, at_io = adr[31:3] == 29'h0A00_0000;
	reg  [31:0] ram [0:WORDS-1];
	reg  [31:0] ram_q;
	reg         ack_q, err_q;
	integer     i;
	always @(posedge clk_i) begin
		ack_q <= request && (at_ram || at_io) && !ack_q && !rst_i;
		err_q <= request && !at_ram && !at_io && !at_trace && !err_q && !rst_i;
		ram_q <= ram[adr[15:2]];
		for (i = 0; i < 4; i = i + 1)
			if (request && we && at_ram && sel[i] && !ack_q)
				ram[adr[15:2]][8*i +: 8] <= dat_w[8*i +: 8];
	end
	wire first = request && we && at_io && !ack_q;
	assign put_o = first && !adr[2];
	assign byte_o = dat_w[7:0];
	assign exit_o = first && adr[2];
	assign code_o = dat_w;

	// -------- the trace unit: from here
	wire        trace_ack, reg_write;
	wire [5:0]  reg_index;
	wire [31:0] trace_dat, reg_wdata, reg_rdata;
	rivulet_trace_wb trace_front (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.wb_cyc_i(cyc && at_trace),
		.wb_stb_i(stb),
		.wb_we_i(we),
		.wb_adr_i(adr[7:2]),
		.wb_sel_i(sel),
		.wb_dat_i(dat_w),
		.wb_dat_o(trace_dat),
		.wb_ack_o(trace_ack),
		.reg_write_o(reg_write),
		.reg_index_o(reg_index),
		.reg_wdata_o(reg_wdata),
		.reg_rdata_i(reg_rdata)
	);
	rivulet_trace #(
		.HIST(16),
		.FIFO_DEPTH(4),
		.WITH_REASON(1),
		.WITH_CYCLES(1),
		.WITH_INSNS(1),
		.WITH_SAMPLE(1),
		.WITH_FREEZE(1),
		.WITH_LOST(1)
	) trace (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.retire_valid_i(rvfi_valid),
		.retire_insn_i(rvfi_insn),
		.retire_pc_i(rvfi_pc_rdata),
		.retire_next_pc_i(rvfi_pc_wdata),
		.retire_trap_i(rvfi_trap),
		.retire_intr_i(rvfi_intr),
		.retire_mode_i(rvfi_mode),
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
		.rec_valid_o(),
		.rec_start_o(),
		.rec_hist_o(),
		.rec_reason_o(),
		.rec_repeat_o(),
		.rec_cycles_o(),
		.rec_insns_o(),
		.sink_valid_o(),
		.sink_addr_o(),
		.sink_wdata_o(),
		.sink_ready_i(1'b0)
	);
	// -------- to here

	assign ack = ack_q || trace_ack;
	assign err = err_q;
	assign dat_r = trace_ack ? trace_dat : ram_q;
endmodule
`default_nettype wire
