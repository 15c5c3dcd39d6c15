// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// An asynchronous or active-low reset as the synchronous, active-high one of all modules here: it begins at once, and ends with
// a clock edge, STAGES cycles after the other one. Cost: STAGES registers.
`default_nettype none
module rivulet_reset_sync #(
	parameter [0:0] ACTIVE_LOW = 0,          // 1: arst_i is active at 0
	parameter STAGES = 2                     // 2 or more: a reset lasts so many clock cycles at least
) (
	input  wire clk_i,                       // runs during reset
	input  wire arst_i,                      // asynchronous
	output wire rst_o
);
	wire arst = arst_i ^ ACTIVE_LOW;
	reg [STAGES-1:0] stage_q;
	always @(posedge clk_i or posedge arst)
		if (arst)
			stage_q <= {STAGES{1'b1}};
		else
			stage_q <= {stage_q[STAGES-2:0], 1'b0};
	assign rst_o = stage_q[STAGES-1];
endmodule
`default_nettype wire
