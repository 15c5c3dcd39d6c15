// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Two slots (docs/trace-unit.md section 16): rivulet_trace_slots alone, with anything on its ports. One retirement of all is followed, any, from
// the port to where it goes on; what it is then is compared with what it was, one BIT of it at a time.
`default_nettype none
module slots_checks #(
	parameter CHECK = 0,
	parameter XLEN = 32,
	parameter [0:0] MODE = 1,
	parameter BIT = 0                        // of next_pc, pc
) (
	input wire          clk_i,
	input wire [1:0]    valid,
	input wire [63:0]   insn,
	input wire [2*XLEN-1:0] pc,
	input wire [2*XLEN-1:0] next_pc,
	input wire [1:0]    trap,
	input wire [1:0]    intr,
	input wire [3:0]    mode,
	input wire          stop,
	input wire [3:0]    modes,
	input wire          both
);
	localparam ORDER = 0, DECODED = 1, TOGETHER = 2, ROOM = 3;
	reg rst = 1'b1, ready_q = 1'b0;
	always @(posedge clk_i)
		rst <= 1'b0;
	wire        ready, lost, out_valid, out_stop, out_gap, out_trap, out_intr, br, outcome, back, ind, ret;
	wire        more, more_br, more_outcome, more_back, more_ind, more_ret;
	wire [1:0]  out_mode;
	wire [XLEN-1:0] out_pc, out_next_pc, more_pc, more_next_pc;
	rivulet_trace_slots #(.XLEN(XLEN), .WITH_MODE(MODE)) unit (
		.clk_i(clk_i),
		.rst_i(rst),
		.retire_valid_i(valid),
		.retire_insn_i(insn),
		.retire_pc_i(pc),
		.retire_next_pc_i(next_pc),
		.retire_trap_i(trap),
		.retire_intr_i(intr),
		.retire_mode_i(mode),
		.stop_i(stop),
		.ready_o(ready),
		.lost_o(lost),
		.modes_i(modes),
		.both_i(both),
		.valid_o(out_valid),
		.stop_o(out_stop),
		.gap_o(out_gap),
		.trap_o(out_trap),
		.intr_o(out_intr),
		.mode_o(out_mode),
		.pc_o(out_pc),
		.next_pc_o(out_next_pc),
		.br_o(br),
		.outcome_o(outcome),
		.back_o(back),
		.ind_o(ind),
		.ret_o(ret),
		.more_o(more),
		.more_pc_o(more_pc),
		.more_next_pc_o(more_next_pc),
		.more_br_o(more_br),
		.more_outcome_o(more_outcome),
		.more_back_o(more_back),
		.more_ind_o(more_ind),
		.more_ret_o(more_ret)
	);
	always @* assume (!both || more);

	// How many wait, what comes, and what goes on (the table of section 16).
	reg  [1:0] slots;                            // valid, of the cycle before
	reg        slot_stop, behind_gap;            // of it; what was dropped is just before it
	reg  [2:0] waiting;
	wire       drop = slots != 2'b00 && (waiting == 3'd3 || slots == 2'b10);
	wire [2:0] come = drop ? 3'd0 : {2'd0, slots[0]} + {2'd0, slots[1]};
	wire [2:0] there = waiting + come, gone = there == 3'd0 ? 3'd0 : both ? 3'd2 : 3'd1;
	// The one that is followed: so many are before it.
	(* anyseq *) reg [1:0] follow;
	reg        have, followed_gap, followed_stop;
	reg  [4:0] followed_kind;
	reg  [2:0] before;
	reg        at;                               // its slot
	reg        taken;                            // it is no longer in the slots
	reg  [31:0] f_insn;
	reg  [XLEN-1:0] f_pc, f_next;
	reg         f_trap, f_intr;
	reg  [1:0]  f_mode;
	wire [2:0] place = taken ? before : waiting + {2'd0, at};
	wire       is_there = have && (taken || come > {2'd0, at});
	wire       is_gap = taken ? followed_gap : behind_gap && !at;
	wire       is_stop = taken ? followed_stop : slot_stop;
	wire is_br, is_out, is_back, is_ind, is_ret;
	rivulet_branch_decoder #(.XLEN(XLEN)) decoded (
		.insn_i(f_insn),
		.pc_i(f_pc),
		.next_pc_i(f_next),
		.br_o(is_br),
		.outcome_o(is_out),
		.back_o(is_back),
		.ind_o(is_ind),
		.ret_o(is_ret),
		.astray_o()
	);
	wire [4:0] kind_now = {is_br, is_out, is_back, is_ind, is_ret};
	wire [4:0] kind = taken ? followed_kind : kind_now;
	initial {waiting, slots, have, taken, behind_gap} = 8'd0;
	always @(posedge clk_i) begin
		slots <= rst ? 2'b00 : valid;
		slot_stop <= stop && !rst;
		waiting <= rst ? 3'd0 : there - gone;
		behind_gap <= !rst && (drop || (behind_gap && come == 3'd0));
		ready_q <= ready;
		if (is_there) begin
			taken <= 1'b1;
			{followed_gap, followed_stop, followed_kind} <= {is_gap, is_stop, kind};
			before <= place - gone;
		end
		if (rst || !have || (have && !taken && !is_there) || (is_there && place < gone)) begin
			have <= !rst && ((follow[0] && valid[0]) || (follow[1] && valid == 2'b11));
			at <= !(follow[0] && valid[0]);
			taken <= 1'b0;
			{f_insn, f_pc, f_next, f_trap, f_intr, f_mode} <= follow[0] && valid[0] ?
				{insn[31:0], pc[XLEN-1:0], next_pc[XLEN-1:0], trap[0], intr[0], mode[1:0]} :
				{insn[63:32], pc[2*XLEN-1:XLEN], next_pc[2*XLEN-1:XLEN], trap[1], intr[1], mode[3:2]};
		end
	end
	wire first = is_there && place == 3'd0, second = is_there && place == 3'd1;
	wire [2*XLEN-1:0] was = {f_next, f_pc}, first_is = {out_next_pc, out_pc}, second_is = {more_next_pc, more_pc};

	generate
	case (CHECK)
	ORDER: begin : g
		// Each goes on once, in order, as it was; what there is no room for is dropped, and says so, and the next one is behind a gap.
		always @* if (!rst) assert (out_valid == (there != 3'd0));
		always @* if (!rst) assert (lost == drop);
		always @* if (!rst && first) assert (first_is[BIT] == was[BIT]);
		always @* if (!rst && second && more) assert (second_is[BIT] == was[BIT]);
		always @* if (!rst && first) assert (out_gap == is_gap && out_stop == is_stop);
		always @* if (!rst && there == 3'd0) assert (out_stop == slot_stop);
		always @* if (!rst && first) assert (out_trap == f_trap && out_intr == f_intr && out_mode == f_mode);
	end
	DECODED: begin : g
		// What an instruction is when it goes on is what the decoder says of its word. (That is section 3: PUSH and WHY of trace/checks.tbl.)
		always @* if (!rst && first) assert ({br, outcome, back, ind, ret} == kind);
		always @* if (!rst && second && more) assert ({more_br, more_outcome, more_back, more_ind, more_ret} == kind);
	end
	TOGETHER: begin : g
		// Two go on together if they came together or are all that waits, nothing tells one from the other for the scope, and neither changes it.
		wire alone = out_trap || out_gap || ret, f_alone = f_trap || f_intr || is_gap;
		wire differ = out_stop != is_stop || (MODE && modes[out_mode] != modes[f_mode]);
		always @* if (!rst && second) assert (more == ((waiting == 3'd0 || waiting == 3'd2) && !alone && !f_alone && !differ));
		always @* if (!rst && there < 3'd2) assert (!more);
	end
	ROOM: begin : g
		// A core that retires nothing in the cycle behind one in which ready was 0 loses nothing.
		always @* assume (ready_q || valid == 2'b00);
		always @* assume (valid != 2'b10);
		always @* if (!rst) assert (!lost);
		// lemma: what may still come has room
		always @* if (!rst) assert (waiting <= 3'd3 && (waiting != 3'd3 || slots == 2'b00));
	end
	endcase
	endgenerate
endmodule
`default_nettype wire
