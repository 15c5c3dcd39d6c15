// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// rtl/soc/rivulet_timer_compare.v of two of the UP5K's multiply-accumulate blocks. As there, mtimecmp is kept inverted: reached is the carry of
// mtime + ~mtimecmp + 1.
`default_nettype none
module rivulet_up5k_timer_compare (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        write_lo_i,
	input  wire        write_hi_i,
	input  wire [31:0] wdata_i,
	input  wire [63:0] mtime_i,
	output wire [63:0] mtimecmp_o,
	output wire        reached_o
);
	wire [31:0] not_wdata = ~wdata_i;
	wire [63:0] not_cmp;
	wire        carry;
	rivulet_dsp_compare #(.CARRY(1)) lo (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.write_i(write_lo_i),
		.wdata_i(not_wdata),
		.other_i(mtime_i[31:0]),
		.carry_i(1'b0),
		.held_o(not_cmp[31:0]),
		.carry_o(carry)
	);
	rivulet_dsp_compare #(.CARRY(3)) hi (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.write_i(write_hi_i),
		.wdata_i(not_wdata),
		.other_i(mtime_i[63:32]),
		.carry_i(carry),
		.held_o(not_cmp[63:32]),
		.carry_o(reached_o)
	);
	assign mtimecmp_o = ~not_cmp;
endmodule
`default_nettype wire
