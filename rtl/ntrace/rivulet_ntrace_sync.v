// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// When a full address is due: trTeInstSyncMode says what is counted (0 nothing, 1 messages, 2 clocks, 3 half-words), trTeInstSyncMax up to where:
// 2^(value + 4). Any full address begins the count anew. Cost: about 50 LUT4.
`default_nettype none
module rivulet_ntrace_sync #(
	parameter HALVES_BITS = 7
) (
	input  wire       clk_i,
	input  wire       rst_i,
	input  wire [1:0] mode_i,
	input  wire [3:0] max_i,
	input  wire       message_i,           // one begins
	input  wire       counts_i,            // an event with so many half-words
	input  wire [HALVES_BITS-1:0] halves_i,
	input  wire       clear_i,             // a full address leaves
	output wire       due_o
);
	reg  [19:0] count_q;
	reg         due_q;
	wire [19:0] step = mode_i == 2'd3 ? {{20-HALVES_BITS{1'b0}}, halves_i & {HALVES_BITS{counts_i}}} :
		{19'd0, mode_i[1] || (mode_i[0] && message_i)};
	wire [31:0] count = {12'd0, count_q};
	assign due_o = due_q;
	always @(posedge clk_i) begin
		count_q <= count_q + step;
		due_q <= due_q || count[{1'b0, max_i} + 5'd4];
		if (clear_i || rst_i || mode_i == 2'd0) begin
			count_q <= 20'd0;
			due_q <= 1'b0;
		end
	end
endmodule
`default_nettype wire
