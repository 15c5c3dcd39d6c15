// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// In place of rivulet_trace_slots: nothing waits. Both slots are registered and decoded, and the second is on offer as section 16 says; whether it goes
// on does not matter, for the next cycle may have anything in its slots, the same again too. So records_checks.v sees every sequence that the real
// one can hand out, which checks.tbl proves to be the retirements in order. An instruction of mode 2 is behind a gap.
`default_nettype none
module rivulet_trace_slots #(
	parameter XLEN = 32,
	parameter [0:0] WITH_MODE = 0,
	parameter [0:0] WITH_ZCMP = 0,
	parameter [31:0] RET_MATCH = 32'd0,
	parameter [31:0] RET_MASK = 32'd0
) (
	input  wire              clk_i,
	input  wire              rst_i,
	input  wire [1:0]        retire_valid_i,
	input  wire [63:0]       retire_insn_i,
	input  wire [2*XLEN-1:0] retire_pc_i,
	input  wire [2*XLEN-1:0] retire_next_pc_i,
	input  wire [1:0]        retire_trap_i,
	input  wire [1:0]        retire_intr_i,
	input  wire [3:0]        retire_mode_i,
	input  wire              stop_i,
	output wire              ready_o,
	output wire              lost_o,
	input  wire [3:0]        modes_i,
	input  wire              both_i,
	output wire              valid_o,
	output wire              stop_o,
	output wire              gap_o,
	output wire              trap_o,
	output wire              intr_o,
	output wire [1:0]        mode_o,
	output wire [XLEN-1:0]   pc_o,
	output wire [XLEN-1:0]   next_pc_o,
	output wire              br_o,
	output wire              outcome_o,
	output wire              back_o,
	output wire              ind_o,
	output wire              ret_o,
	output wire              more_o,
	output wire [XLEN-1:0]   more_pc_o,
	output wire [XLEN-1:0]   more_next_pc_o,
	output wire              more_br_o,
	output wire              more_outcome_o,
	output wire              more_back_o,
	output wire              more_ind_o,
	output wire              more_ret_o
);
	reg  [1:0]        valid_q, trap_q, intr_q;
	reg  [3:0]        mode_q;
	reg  [63:0]       insn_q;
	reg  [2*XLEN-1:0] pc_q, next_pc_q;
	reg               stop_q;
	always @(posedge clk_i) begin
		valid_q <= rst_i ? 2'b00 : retire_valid_i;
		stop_q <= stop_i && !rst_i;
		{trap_q, intr_q, mode_q, insn_q, pc_q, next_pc_q} <= {retire_trap_i, retire_intr_i, retire_mode_i, retire_insn_i, retire_pc_i, retire_next_pc_i};
	end
	rivulet_branch_decoder #(
		.XLEN(XLEN),
		.WITH_ZCMP(WITH_ZCMP),
		.RET_MATCH(RET_MATCH),
		.RET_MASK(RET_MASK)
	) first (
		.insn_i(insn_q[31:0]),
		.pc_i(pc_o),
		.next_pc_i(next_pc_o),
		.br_o(br_o),
		.outcome_o(outcome_o),
		.back_o(back_o),
		.ind_o(ind_o),
		.ret_o(ret_o),
		.astray_o()
	);
	rivulet_branch_decoder #(
		.XLEN(XLEN),
		.WITH_ZCMP(WITH_ZCMP),
		.RET_MATCH(RET_MATCH),
		.RET_MASK(RET_MASK)
	) second (
		.insn_i(insn_q[63:32]),
		.pc_i(more_pc_o),
		.next_pc_i(more_next_pc_o),
		.br_o(more_br_o),
		.outcome_o(more_outcome_o),
		.back_o(more_back_o),
		.ind_o(more_ind_o),
		.ret_o(more_ret_o),
		.astray_o()
	);
	assign ready_o = 1'b1;
	assign lost_o = 1'b0;
	assign valid_o = valid_q[0];
	assign stop_o = stop_q;
	assign {trap_o, intr_o, mode_o} = {trap_q[0], intr_q[0], mode_q[1:0]};
	assign gap_o = mode_o == 2'd2;
	assign {more_pc_o, pc_o} = pc_q;
	assign {more_next_pc_o, next_pc_o} = next_pc_q;
	wire [1:0] more_mode = mode_q[3:2];
	assign more_o = valid_q == 2'b11 && !gap_o && !trap_o && !ret_o && more_mode != 2'd2 && !trap_q[1] && !intr_q[1] &&
		(!WITH_MODE || modes_i[mode_o] == modes_i[more_mode]);
endmodule
`default_nettype wire
