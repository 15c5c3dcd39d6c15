// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Wishbone B4 master behind the sink of rivulet_trace: a classic write for each word. What the slave refuses (ERR) is dropped. Cost: a LUT4.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_sink_wb #(
	parameter XLEN = 32
) (
	// the port sink_* of rivulet_trace
	input  wire            valid_i,
	input  wire [XLEN-1:0] addr_i,
	input  wire [31:0]     wdata_i,
	output wire            ready_o,
	// Wishbone, 32-bit data
	output wire            wb_cyc_o,
	output wire            wb_stb_o,
	output wire            wb_we_o,
	output wire [XLEN-1:2] wb_adr_o,
	output wire [3:0]      wb_sel_o,
	output wire [31:0]     wb_dat_o,
	input  wire            wb_ack_i,
	input  wire            wb_err_i
);
	assign wb_cyc_o = valid_i;
	assign wb_stb_o = valid_i;
	assign wb_we_o = 1'b1;
	assign wb_adr_o = addr_i[XLEN-1:2];
	assign wb_sel_o = 4'b1111;
	assign wb_dat_o = wdata_i;
	assign ready_o = wb_ack_i || wb_err_i;
endmodule
// verilator lint_restore
`default_nettype wire
