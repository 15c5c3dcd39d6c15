// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A counter of 64 bits in two halves that can be written. A half that is written does not count, and nothing carries into the upper one while the
// lower one is written. Cost: 64 LUT4, 64 flip-flops; LATE 64 LUT4 more.
// The macro RIVULET_COUNTER names the module that takes its place, such as one of a device's own blocks.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_counter #(
	parameter [0:0] LATE = 0             // the writes are late signals, so they bypass the carry chain
) (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        count_i,
	input  wire        write_lo_i,
	input  wire        write_hi_i,
	input  wire [31:0] wdata_i,
	output reg  [63:0] value_o
);
	// A written value does not come from the sum, so the write itself may be the second operand: counter and load are one LUT4 a bit.
	wire [33:0] lo = {1'b0, value_o[31:0], 1'b1} + {1'b0, {32{write_lo_i && !LATE}}, count_i};
	wire [32:0] hi = {value_o[63:32], 1'b1} + {{32{write_hi_i && !LATE}}, lo[33] && (LATE || !write_lo_i)};
	always @(posedge clk_i) begin
		value_o[31:0] <= write_lo_i ? wdata_i : lo[32:1];
		if (!LATE || write_hi_i || !write_lo_i)
			value_o[63:32] <= write_hi_i ? wdata_i : hi[32:1];
		if (rst_i)
			value_o <= 64'd0;
	end
endmodule
// verilator lint_restore
`default_nettype wire
