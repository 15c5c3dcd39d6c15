// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// rtl/core/rivulet_counter.v with the UP5K's multiply-accumulate blocks: of those with LATE both halves, of the others, which are no larger in LUT4, the
// upper one, since there are eight blocks.
`default_nettype none
module rivulet_up5k_counter #(
	parameter [0:0] LATE = 0
) (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        count_i,
	input  wire        write_lo_i,
	input  wire        write_hi_i,
	input  wire [31:0] wdata_i,
	output wire [63:0] value_o
);
	wire        all_ones;                // of the lower half
	rivulet_dsp_counter hi (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.step_i(all_ones && count_i && !write_lo_i),
		.write_i(write_hi_i),
		.wdata_i(wdata_i),
		.value_o(value_o[63:32]),
		.all_ones_o()
	);
	generate if (LATE) begin : g_blocks
		rivulet_dsp_counter lo (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.step_i(count_i),
			.write_i(write_lo_i),
			.wdata_i(wdata_i),
			.value_o(value_o[31:0]),
			.all_ones_o(all_ones)
		);
	end else begin : g_gates
		reg  [31:0] lo_q;
		wire [33:0] sum = {1'b0, lo_q, 1'b1} + {1'b0, {32{write_lo_i}}, count_i};
		always @(posedge clk_i)
			lo_q <= rst_i ? 32'd0 : write_lo_i ? wdata_i : sum[32:1];
		assign value_o[31:0] = lo_q;
		assign all_ones = sum[33];       // and it counts
	end endgenerate
endmodule
`default_nettype wire
