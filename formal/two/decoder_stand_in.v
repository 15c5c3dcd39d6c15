// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// In place of rivulet_branch_decoder: each verdict is one bit of what it is given. slots_checks.v asks whose verdict goes on, not what it says;
// what the decoder says is proved by trace/checks.tbl.
`default_nettype none
module rivulet_branch_decoder #(
	parameter XLEN = 32,
	parameter WITH_ZCMP = 0,
	parameter [31:0] RET_MATCH = 32'd0,
	parameter [31:0] RET_MASK = 32'd0
) (
	input  wire [31:0]     insn_i,
	input  wire [XLEN-1:0] pc_i,
	input  wire [XLEN-1:0] next_pc_i,
	output wire            br_o,
	output wire            outcome_o,
	output wire            back_o,
	output wire            ind_o,
	output wire            ret_o,
	output wire            astray_o
);
	assign {br_o, outcome_o, back_o, ind_o, ret_o} = {insn_i[0], insn_i[31], pc_i[XLEN-1], next_pc_i[1], insn_i[16]};
	assign astray_o = 1'b0;
endmodule
`default_nettype wire
