// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A counter of 32 bits in one of the UP5K's multiply-accumulate blocks (iCE40 Technology Library, SB_MAC16): the output register plus A and B, which
// are 0, with 1 as the carry in; HOLD keeps it where it does not count. What is written comes in by C and D.
`default_nettype none
module rivulet_dsp_counter (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        step_i,
	input  wire        write_i,
	input  wire [31:0] wdata_i,
	output wire [31:0] value_o,
	output wire        all_ones_o        // of value_o: the carry out, which hangs on registers alone
);
	wire hold = !step_i && !write_i;
	SB_MAC16 #(
		.TOPOUTPUT_SELECT(2'b01),
		.BOTOUTPUT_SELECT(2'b01),
		.TOPADDSUB_LOWERINPUT(2'b00),
		.BOTADDSUB_LOWERINPUT(2'b00),
		.TOPADDSUB_UPPERINPUT(1'b0),
		.BOTADDSUB_UPPERINPUT(1'b0),
		.TOPADDSUB_CARRYSELECT(2'b10),
		.BOTADDSUB_CARRYSELECT(2'b01)
	) block (
		.CLK(clk_i),
		.CE(1'b1),
		.A(16'd0),
		.B(16'd0),
		.C(wdata_i[31:16]),
		.D(wdata_i[15:0]),
		.AHOLD(1'b0),
		.BHOLD(1'b0),
		.CHOLD(1'b0),
		.DHOLD(1'b0),
		.IRSTTOP(1'b0),
		.IRSTBOT(1'b0),
		.ORSTTOP(rst_i),
		.ORSTBOT(rst_i),
		.OLOADTOP(write_i),
		.OLOADBOT(write_i),
		.ADDSUBTOP(1'b0),
		.ADDSUBBOT(1'b0),
		.OHOLDTOP(hold),
		.OHOLDBOT(hold),
		.CI(1'b0),
		.ACCUMCI(1'b0),
		.SIGNEXTIN(1'b0),
		.O(value_o),
		.CO(all_ones_o),
		.ACCUMCO(),
		.SIGNEXTOUT()
	);
endmodule
`default_nettype wire
