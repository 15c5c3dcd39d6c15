// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What one instruction, or a cycle without one, does to a unit with one slot (docs/trace-unit.md sections 4 to 6): all that it remembers, before and
// behind. Combinational. A trace is its outcomes and how many there are, as in trace_checks.v.
`default_nettype none
module one_step #(
	parameter XLEN = 32,
	parameter HIST = 8,
	parameter STATE_W = 2 * XLEN + HIST + 26
) (
	input  wire [STATE_W-1:0] before_i,      // resume, depth, outside, start, outcomes, length, insns, why, ended, cur
	output wire [STATE_W-1:0] behind_o,
	// controls
	input  wire            on_i,
	input  wire            freezing_i,
	input  wire            no_backward_i,
	input  wire            no_indirect_i,
	input  wire [3:0]      modes_i,
	// the instruction
	input  wire            there_i,
	input  wire            gap_i,
	input  wire            trap_i,
	input  wire            intr_i,
	input  wire [1:0]      mode_i,
	input  wire [31:0]     insn_i,
	input  wire [XLEN-1:0] pc_i,
	input  wire [XLEN-1:0] next_i,
	output wire            honest_o,         // section 3 is true of it
	output wire            no_first_o,       // it cannot be the first of two, or the second: section 16
	output wire            no_second_o,
	output wire            ends_o,           // it is taken, and ends its trace
	output wire            begins_o,         // and begins it
	output wire            counts_o,
	output wire            idle_o,
	// the record that it makes, of the trace before it
	output wire            latch_o,
	output wire [XLEN-1:0] start_o,
	output wire [HIST-1:0] hist_o,
	output wire [3:0]      why_o,
	output wire [7:0]      insns_o
);
`include "rivulet_regs.vh"
	wire [XLEN-1:0] resume, start;
	wire [3:0]      depth, why;
	wire            outside, ended, cur;
	wire [HIST-2:0] outcomes;
	wire [6:0]      length;
	wire [7:0]      insns;
	assign {resume, depth, outside, start, outcomes, length, insns, why, ended, cur} = before_i;

	wire is_br, is_jal, is_ind, is_ret;
	wire [XLEN-1:0] offset, after;
	trace_insn #(.XLEN(XLEN)) decoded (
		.insn_i(insn_i),
		.pc_i(pc_i),
		.br_o(is_br),
		.jal_o(is_jal),
		.ind_o(is_ind),
		.ret_o(is_ret),
		.offset_o(offset),
		.behind_o(after)
	);
	assign honest_o = !pc_i[0] && !next_i[0] && (trap_i || ((!is_br || next_i == after || next_i == pc_i + offset) && (!is_jal || next_i == pc_i + offset)));
	assign no_first_o = trap_i || gap_i || is_ret;
	assign no_second_o = trap_i || gap_i || intr_i;
	wire br = is_br && !trap_i, ind = is_ind && !trap_i, ret = is_ret && !trap_i, out = next_i != after;
	wire back = !trap_i && (is_jal || (is_br && out)) && next_i <= pc_i;

	wire [3:0] depth_now = gap_i && there_i && !intr_i ? 4'd0 : there_i && intr_i && depth != 4'd15 ? depth + 4'd1 : depth;
	wire       frozen = freezing_i && depth_now != 4'd0;
	wire       leaves = frozen && there_i && ret;
	wire       inside = modes_i[mode_i];
	wire       served = there_i && !trap_i && !frozen;
	wire       take = served && on_i && inside;
	wire       outside_now = served ? !inside : outside;
	wire       trapped = there_i && (freezing_i ? intr_i && depth == 4'd15 : trap_i || intr_i);
	wire       gap = there_i && gap_i;
	wire       disc = !on_i || gap || trapped || (served && !inside);
	wire [3:0] disc_why = !on_i ? RV_REASON_OFF : gap ? RV_REASON_GAP : trapped ? RV_REASON_TRAP : RV_REASON_LEFT;
	wire       elsewhere = leaves && depth_now == 4'd1 && next_i != resume;
	assign latch_o = cur && (ended || disc);
	wire       fresh = latch_o || !cur;
	wire [6:0] length_now = (fresh ? 7'd0 : length) + {6'd0, br};
	assign begins_o = fresh;
	assign ends_o = take && ((back && !no_backward_i) || (ind && !no_indirect_i) || ret || (br && length_now == HIST - 1));
	assign counts_o = on_i && !frozen && !outside_now;
	assign idle_o = !on_i || outside_now;
	assign start_o = start;
	assign hist_o = ({{HIST-1{1'b0}}, 1'b1} << length) | {1'b0, outcomes};
	assign why_o = ended ? why : disc_why;
	assign insns_o = insns;

	wire [XLEN-1:0] resume_d = there_i && !frozen ? (trap_i ? pc_i : next_i) : resume;
	wire [3:0]      depth_d = there_i && freezing_i ? depth_now - {3'd0, leaves} : depth;
	wire [HIST-2:0] outcomes_fresh = fresh ? {HIST-1{1'b0}} : outcomes;
	wire [3:0]      own = back && !no_backward_i ? RV_REASON_BACKWARD : ind && !no_indirect_i ? RV_REASON_INDIRECT : ret ? RV_REASON_XRET : RV_REASON_FULL;
	wire [7:0]      insns_d = fresh ? 8'd1 : insns == 8'hFF ? 8'hFF : insns + 8'd1;
	assign behind_o = {resume_d, depth_d, outside_now, take ?
		{fresh ? pc_i : start, br ? {outcomes_fresh[HIST-3:0], out} : outcomes_fresh, length_now, insns_d, own, ends_o, 1'b1} :
		latch_o ? {start, outcomes, length, 8'd0, why, 2'b00} :
		{start, outcomes, length, insns, cur && elsewhere ? {RV_REASON_TRAP, 1'b1} : {why, ended}, cur}};
endmodule
`default_nettype wire
