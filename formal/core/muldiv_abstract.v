// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// In place of rtl/core/rivulet_muldiv.v in the proofs of the core: any duration from 2 to 4 cycles, and a simple function for
// the result. What the real unit computes is held against the golden model by the lockstep runs.
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
	output wire [31:0] result_o
);
	// The contract of the port list: the operands stay until done, and run falls afterwards.
	(* anyseq *) reg done_now;
	reg [1:0]  age_q;
	reg [31:0] a_q, b_q;
	reg [2:0]  op_q;
	always @(posedge clk_i) begin
		age_q <= rst_i || !run_i || done_o ? 2'd0 : age_q + 2'd1;
		if (age_q == 2'd0)
			{a_q, b_q, op_q} <= {a_i, b_i, op_i};
	end
	assign done_o = age_q != 2'd0 && (done_now || age_q == 2'd3);
	// It is the operands of the first cycle that count: were they to change, the result would be wrong.
	muldiv_function f (
		.op_i(op_q),
		.a_i(a_q),
		.b_i(b_q),
		.result_o(result_o)
	);
endmodule
`default_nettype wire
