// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// One bound of a range (FIG. 10, 1010), and whether it is above the pc: the carry out of bound + ~pc. Cost: XLEN flip-flops and XLEN carries; all
// bounds share one ~pc, of XLEN LUT4.
// The macro RIVULET_TRACE_BOUND names the module that takes its place, such as one of a device's own blocks.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_bound #(
	parameter XLEN = 32
) (
	input  wire            clk_i,
	input  wire            rst_i,
	input  wire            write_i,
	input  wire            write_hi_i,   // XLEN 64: the upper half
	input  wire [31:0]     wdata_i,
	input  wire [XLEN-1:0] not_pc_i,     // the pc inverted: nothing inverts in front of a carry chain
	output wire [XLEN-1:0] bound_o,
	output wire            above_o
);
	reg [63:0] bound_q;
	always @(posedge clk_i) begin
		if (write_i)
			bound_q[31:0] <= wdata_i;
		if (XLEN == 64 && write_hi_i)
			bound_q[63:32] <= wdata_i;
		if (rst_i)
			bound_q <= 64'd0;
	end
	wire [XLEN:0] sum = {1'b0, bound_q[XLEN-1:0]} + {1'b0, not_pc_i};
	assign bound_o = bound_q[XLEN-1:0];
	assign above_o = sum[XLEN];
endmodule
// verilator lint_restore
`default_nettype wire
