// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// rtl/trace/rivulet_trace_bound.v of one of the UP5K's multiply-accumulate blocks.
`default_nettype none
module rivulet_up5k_trace_bound #(
	parameter XLEN = 32                  // Requires: 32
) (
	input  wire            clk_i,
	input  wire            rst_i,
	input  wire            write_i,
	input  wire            write_hi_i,
	input  wire [31:0]     wdata_i,
	input  wire [XLEN-1:0] not_pc_i,
	output wire [XLEN-1:0] bound_o,
	output wire            above_o
);
	rivulet_dsp_compare #(.CARRY(0)) compare (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.write_i(write_i),
		.wdata_i(wdata_i),
		.other_i(not_pc_i),
		.carry_i(1'b0),
		.held_o(bound_o),
		.carry_o(above_o)
	);
endmodule
`default_nettype wire
