// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The core of tests/minimal, memory, the trace unit, and a debugger's way to the bus beside the core: nothing of the program
// serves the trace unit, and the core does not notice the debugger but for the cycles of its accesses.
`default_nettype none
module debug_soc #(
	parameter WORDS = 16384,                 // of memory
	parameter ENTRIES = 1024                 // of the hot-trace table
) (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        tck_i,
	input  wire        tms_i,
	input  wire        tdi_i,
	output wire        tdo_o,
	// what retired, for the judge
	output wire        retire_valid_o,
	output wire        retire_trap_o,
	output wire [31:0] retire_pc_o
);
	wire        core_cyc, core_stb, core_we, debug_cyc, debug_stb, debug_we;
	wire [31:2] core_adr, debug_adr;
	wire [3:0]  core_sel, debug_sel;
	wire [31:0] core_dat, debug_dat, dat_r;
	wire        ack, err, intr;
	wire [31:0] insn, next_pc;
	wire [1:0]  mode;

	minimal_core core (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.irq_i(1'b0),
		.wb_cyc_o(core_cyc),
		.wb_stb_o(core_stb),
		.wb_we_o(core_we),
		.wb_adr_o(core_adr),
		.wb_sel_o(core_sel),
		.wb_dat_o(core_dat),
		.wb_dat_i(dat_r),
		.wb_ack_i(ack && !debug_q),
		.wb_err_i(err && !debug_q),
		.rvfi_valid(retire_valid_o),
		.rvfi_insn(insn),
		.rvfi_pc_rdata(retire_pc_o),
		.rvfi_pc_wdata(next_pc),
		.rvfi_trap(retire_trap_o),
		.rvfi_intr(intr),
		.rvfi_mode(mode)
	);
	rivulet_debug debug (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.tck_i(tck_i),
		.tms_i(tms_i),
		.tdi_i(tdi_i),
		.tdo_o(tdo_o),
		.trst_i(1'b0),
		.wb_cyc_o(debug_cyc),
		.wb_stb_o(debug_stb),
		.wb_we_o(debug_we),
		.wb_adr_o(debug_adr),
		.wb_sel_o(debug_sel),
		.wb_dat_o(debug_dat),
		.wb_dat_i(dat_r),
		.wb_ack_i(ack && debug_q),
		.wb_err_i(err && debug_q)
	);

	// The bus changes its master between two accesses.
	reg         debug_q;                     // it is the debugger's
	always @(posedge clk_i)
		debug_q <= !rst_i && (debug_q ? debug_cyc : debug_cyc && !core_cyc);
	wire        cyc = debug_q ? debug_cyc : core_cyc, stb = debug_q ? debug_stb : core_stb, we = debug_q ? debug_we : core_we;
	wire [31:2] adr = debug_q ? debug_adr : core_adr;
	wire [3:0]  sel = debug_q ? debug_sel : core_sel;
	wire [31:0] dat_w = debug_q ? debug_dat : core_dat;

	// memory at 0, trace unit at 0x4000_0000; the rest is an error
	wire request = cyc && stb;
	wire at_ram = adr[31:2] < WORDS, at_trace = adr[31:8] == 24'h400000;
	reg  [31:0] ram [0:WORDS-1];
	reg  [31:0] ram_q;
	reg         ack_q, err_q;
	integer     i;
	always @(posedge clk_i) begin
		ack_q <= request && at_ram && !ack_q && !rst_i;
		err_q <= request && !at_ram && !at_trace && !err_q && !rst_i;
		ram_q <= ram[adr[15:2]];
		for (i = 0; i < 4; i = i + 1)
			if (request && we && at_ram && sel[i] && !ack_q)
				ram[adr[15:2]][8*i +: 8] <= dat_w[8*i +: 8];
	end

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
		.HIST(32),
		.FIFO_DEPTH(16),
		.WITH_REASON(1),
		.WITH_CYCLES(1),
		.WITH_INSNS(1),
		.WITH_LOST(1),
		.TABLE_ENTRIES(ENTRIES),
		.TABLE_WAYS(4)
	) trace (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.retire_valid_i(retire_valid_o),
		.retire_insn_i(insn),
		.retire_pc_i(retire_pc_o),
		.retire_next_pc_i(next_pc),
		.retire_trap_i(retire_trap_o),
		.retire_intr_i(intr),
		.retire_mode_i(mode),
		.retire_cause_i(6'd0),
		.stop_i(1'b0),
		.freeze_i(1'b0),
		.power_on_i(1'b0),
		.reg_write_i(reg_write),
		.reg_index_i(reg_index),
		.reg_wdata_i(reg_wdata),
		.reg_rdata_o(reg_rdata),
		.irq_o(),
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
	assign ack = ack_q || trace_ack;
	assign err = err_q;
	assign dat_r = trace_ack ? trace_dat : ram_q;
endmodule
`default_nettype wire
