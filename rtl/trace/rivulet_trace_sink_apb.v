// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// APB4 master behind the sink of rivulet_trace: two cycles a word, and those that the slave waits. What it refuses (PSLVERR) is dropped. Cost: 2 LUT4.
`default_nettype none
module rivulet_trace_sink_apb #(
	parameter XLEN = 32
) (
	input  wire            clk_i,
	input  wire            rst_i,
	// the port sink_* of rivulet_trace
	input  wire            valid_i,
	input  wire [XLEN-1:0] addr_i,
	input  wire [31:0]     wdata_i,
	output wire            ready_o,
	// APB
	output wire            psel_o,
	output wire            penable_o,
	output wire            pwrite_o,
	output wire [XLEN-1:0] paddr_o,
	output wire [3:0]      pstrb_o,
	output wire [31:0]     pwdata_o,
	input  wire            pready_i
);
	reg access_q;                           // behind the setup cycle
	always @(posedge clk_i)
		access_q <= !rst_i && valid_i && !ready_o;
	assign psel_o = valid_i;
	assign penable_o = access_q;
	assign pwrite_o = 1'b1;
	assign paddr_o = addr_i;
	assign pstrb_o = 4'b1111;
	assign pwdata_o = wdata_i;
	assign ready_o = access_q && pready_i;
endmodule
`default_nettype wire
