// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A register of 32 bits and the carry out of its sum with another value, in one of the UP5K's multiply-accumulate blocks (iCE40 Technology Library,
// SB_MAC16): the register is C and D (upper and lower half), LOAD puts them on the output, and nothing but its carry leaves the adder.
`default_nettype none
module rivulet_dsp_compare #(
	parameter [1:0] CARRY = 0            // carry in: 0, 1, or 3: carry_i
) (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        write_i,
	input  wire [31:0] wdata_i,
	input  wire [31:0] other_i,
	input  wire        carry_i,
	output wire [31:0] held_o,           // after reset 0
	output wire        carry_o           // of held_o + other_i + the carry in
);
	SB_MAC16 #(
		.C_REG(1'b1),
		.D_REG(1'b1),
		.TOPADDSUB_LOWERINPUT(2'b00),
		.BOTADDSUB_LOWERINPUT(2'b00),
		.TOPADDSUB_UPPERINPUT(1'b1),
		.BOTADDSUB_UPPERINPUT(1'b1),
		.TOPADDSUB_CARRYSELECT(2'b10),
		.BOTADDSUB_CARRYSELECT(CARRY)
	) block (
		.CLK(clk_i),
		.CE(1'b1),
		.A(other_i[31:16]),
		.B(other_i[15:0]),
		.C(wdata_i[31:16]),
		.D(wdata_i[15:0]),
		.AHOLD(1'b0),
		.BHOLD(1'b0),
		.CHOLD(!write_i),
		.DHOLD(!write_i),
		.IRSTTOP(rst_i),
		.IRSTBOT(rst_i),
		.ORSTTOP(1'b0),
		.ORSTBOT(1'b0),
		.OLOADTOP(1'b1),
		.OLOADBOT(1'b1),
		.ADDSUBTOP(1'b0),
		.ADDSUBBOT(1'b0),
		.OHOLDTOP(1'b0),
		.OHOLDBOT(1'b0),
		.CI(carry_i),
		.ACCUMCI(1'b0),
		.SIGNEXTIN(1'b0),
		.O(held_o),
		.CO(carry_o),
		.ACCUMCO(),
		.SIGNEXTOUT()
	);
endmodule
`default_nettype wire
