// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// mtimecmp, and whether mtime has reached it. Cost: 64 flip-flops, 64 carries and 32 LUT4; fpga/icebreaker has one with two DSP blocks in place of
// carries and LUT4.
// The macro RIVULET_TIMER_COMPARE names the module that takes its place, such as one of a device's own blocks.
`default_nettype none
module rivulet_timer_compare (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        write_lo_i,
	input  wire        write_hi_i,
	input  wire [31:0] wdata_i,
	input  wire [63:0] mtime_i,
	output wire [63:0] mtimecmp_o,       // after reset: all ones
	output wire        reached_o         // mtime_i >= mtimecmp_o
);
	// Inverted: the comparison is a carry chain, and nothing inverts in front of one.
	reg [63:0] not_cmp_q;
	wire [64:0] reached = {1'b0, mtime_i} + {1'b0, not_cmp_q} + 65'd1;
	always @(posedge clk_i) begin
		if (write_lo_i)
			not_cmp_q[31:0] <= ~wdata_i;
		if (write_hi_i)
			not_cmp_q[63:32] <= ~wdata_i;
		if (rst_i)
			not_cmp_q <= 64'd0;
	end
	assign mtimecmp_o = ~not_cmp_q;
	assign reached_o = reached[64];
endmodule
`default_nettype wire
