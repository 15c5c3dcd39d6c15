// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Stand-ins for iCE40's PLLs in simulation: the clock as it comes in, locked after a while. Rates are not modelled: benches count cycles.
`default_nettype none
module SB_PLL40_CORE #(
	parameter FEEDBACK_PATH = "SIMPLE",
	parameter DELAY_ADJUSTMENT_MODE_FEEDBACK = "FIXED",
	parameter DELAY_ADJUSTMENT_MODE_RELATIVE = "FIXED",
	parameter PLLOUT_SELECT = "GENCLK",
	parameter [1:0] SHIFTREG_DIV_MODE = 2'd0,
	parameter [3:0] FDA_FEEDBACK = 4'd0,
	parameter [3:0] FDA_RELATIVE = 4'd0,
	parameter [3:0] DIVR = 4'd0,
	parameter [6:0] DIVF = 7'd0,
	parameter [2:0] DIVQ = 3'd0,
	parameter [2:0] FILTER_RANGE = 3'd0,
	parameter [0:0] ENABLE_ICEGATE = 0,
	parameter [0:0] TEST_MODE = 0
) (
	input  wire REFERENCECLK,
	output wire PLLOUTCORE,
	output wire PLLOUTGLOBAL,
	output wire LOCK,
	output wire SDO,
	// without effect here
	input  wire EXTFEEDBACK,
	input  wire [7:0] DYNAMICDELAY,
	input  wire BYPASS,
	input  wire RESETB,
	input  wire LATCHINPUTVALUE,
	input  wire SDI,
	input  wire SCLK
);
	reg [3:0] lock_q = 4'd0;
	always @(posedge REFERENCECLK)
		lock_q <= {lock_q[2:0], 1'b1};
	assign PLLOUTCORE = REFERENCECLK;
	assign PLLOUTGLOBAL = REFERENCECLK;
	assign LOCK = lock_q[3];
	assign SDO = 1'b0;
endmodule
module SB_PLL40_PAD #(
	parameter FEEDBACK_PATH = "SIMPLE",
	parameter DELAY_ADJUSTMENT_MODE_FEEDBACK = "FIXED",
	parameter DELAY_ADJUSTMENT_MODE_RELATIVE = "FIXED",
	parameter PLLOUT_SELECT = "GENCLK",
	parameter [1:0] SHIFTREG_DIV_MODE = 2'd0,
	parameter [3:0] FDA_FEEDBACK = 4'd0,
	parameter [3:0] FDA_RELATIVE = 4'd0,
	parameter [3:0] DIVR = 4'd0,
	parameter [6:0] DIVF = 7'd0,
	parameter [2:0] DIVQ = 3'd0,
	parameter [2:0] FILTER_RANGE = 3'd0,
	parameter [0:0] ENABLE_ICEGATE = 0,
	parameter [0:0] TEST_MODE = 0
) (
	input  wire PACKAGEPIN,
	output wire PLLOUTCORE,
	output wire PLLOUTGLOBAL,
	output wire LOCK,
	output wire SDO,
	input  wire EXTFEEDBACK,
	input  wire [7:0] DYNAMICDELAY,
	input  wire BYPASS,
	input  wire RESETB,
	input  wire LATCHINPUTVALUE,
	input  wire SDI,
	input  wire SCLK
);
	SB_PLL40_CORE pll (
		.REFERENCECLK(PACKAGEPIN),
		.PLLOUTCORE(PLLOUTCORE),
		.PLLOUTGLOBAL(PLLOUTGLOBAL),
		.LOCK(LOCK),
		.SDO(SDO),
		.EXTFEEDBACK(EXTFEEDBACK),
		.DYNAMICDELAY(DYNAMICDELAY),
		.BYPASS(BYPASS),
		.RESETB(RESETB),
		.LATCHINPUTVALUE(LATCHINPUTVALUE),
		.SDI(SDI),
		.SCLK(SCLK)
	);
endmodule
`default_nettype wire
