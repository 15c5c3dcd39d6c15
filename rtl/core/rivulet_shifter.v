// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Barrel shifter: one right shifter; left shifts go through it reversed. Cost: about 230 LUT4.
`default_nettype none
module rivulet_shifter (
	input  wire [31:0] a_i,
	input  wire [4:0]  amount_i,
	input  wire        left_i,
	input  wire        arithmetic_i,     // only without left_i
	output wire [31:0] result_o
);
	function [31:0] reverse(input [31:0] x);
		integer i;
		for (i = 0; i < 32; i = i + 1)
			reverse[i] = x[31 - i];
	endfunction
	wire        fill = arithmetic_i && a_i[31];
	wire [31:0] s0 = left_i ? reverse(a_i) : a_i;
	wire [31:0] s1 = amount_i[0] ? {fill, s0[31:1]} : s0;
	wire [31:0] s2 = amount_i[1] ? {{2{fill}}, s1[31:2]} : s1;
	wire [31:0] s3 = amount_i[2] ? {{4{fill}}, s2[31:4]} : s2;
	wire [31:0] s4 = amount_i[3] ? {{8{fill}}, s3[31:8]} : s3;
	wire [31:0] s5 = amount_i[4] ? {{16{fill}}, s4[31:16]} : s4;
	assign result_o = left_i ? reverse(s5) : s5;
endmodule
`default_nettype wire
