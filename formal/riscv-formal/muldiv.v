// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// In place of rtl/core/rivulet_muldiv.v for riscv-formal: its alternative operations (RISCV_FORMAL_ALTOPS), in two cycles. What
// the real unit computes is held against the golden model by the lockstep runs.
`default_nettype none
module rivulet_muldiv #(
	parameter [0:0] MUL_FAST = 1
) (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        run_i,
	input  wire [2:0]  op_i,
	input  wire [31:0] a_i,
	input  wire [31:0] b_i,
	output wire        done_o,
	output reg  [31:0] result_o
);
	reg begun_q;
	always @(posedge clk_i)
		begun_q <= !rst_i && run_i && !begun_q;
	assign done_o = begun_q;
	always @* begin
		case (op_i)
		3'd0: result_o = (a_i + b_i) ^ 32'h5876_063e;    // MUL
		3'd1: result_o = (a_i + b_i) ^ 32'hf658_3fb7;    // MULH
		3'd2: result_o = (a_i - b_i) ^ 32'hecfb_e137;    // MULHSU
		3'd3: result_o = (a_i + b_i) ^ 32'h949c_e5e8;    // MULHU
		3'd4: result_o = (a_i - b_i) ^ 32'h7f85_29ec;    // DIV
		3'd5: result_o = (a_i - b_i) ^ 32'h10e8_fd70;    // DIVU
		3'd6: result_o = (a_i - b_i) ^ 32'h8da6_8fa5;    // REM
		3'd7: result_o = (a_i - b_i) ^ 32'h3138_d0e1;    // REMU
		endcase
	end
endmodule
`default_nettype wire
