// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Two registers of the register bus that share a gate for each bit: an index bit that tells them apart chooses. The flip-flop behind the gate is
// cleared unless one of the two is selected, so what collects the pairs is an OR. Cost: a LUT4 and a flip-flop for each bit that one of the two
// has, a register without bits nothing.
`default_nettype none
module rivulet_trace_read #(
	parameter [5:0] A = 6'd0,                // index of the first register
	parameter [31:0] A_BITS = 32'd0,         // its bits that ever read other than 0
	parameter [5:0] B = 6'd63,               // of the second; Requires: B != A
	parameter [31:0] B_BITS = 32'd0
) (
	input  wire        clk_i,
	input  wire [5:0]  index_i,
	input  wire [63:0] selected_i,           // 1 << index_i
	input  wire        a_there_i,            // 0: the first register reads 0
	input  wire [31:0] a_i,
	input  wire [31:0] b_i,
	output wire [31:0] data_o                // in the next cycle; 0 unless one of the two was asked for
);
	localparam [5:0] D = A ^ B;
	localparam BIT = D[0] ? 0 : D[1] ? 1 : D[2] ? 2 : D[3] ? 3 : D[4] ? 4 : 5;    // the lowest in which they differ
	localparam [0:0] HAS_A = A_BITS != 32'd0, HAS_B = B_BITS != 32'd0;
	wire        sel = (HAS_A && selected_i[A] && a_there_i) || (HAS_B && selected_i[B]);
	wire        second = HAS_B && (!HAS_A || index_i[BIT] == B[BIT]);
	wire [31:0] a = A_BITS & a_i, b = B_BITS & b_i;
	reg  [31:0] data_q;
	always @(posedge clk_i)
		if (sel)
			data_q <= second ? b : a;
		else
			data_q <= 32'd0;
	assign data_o = data_q;
endmodule
`default_nettype wire
