// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Stage S of a unit with two retirements a cycle (RETIRE = 2, docs/trace-unit.md section 16): both slots are registered and decoded, and the two
// oldest go on together where one step of the pair can take them, else the oldest alone. What is left waits in a few places behind.
// Cost, with what it adds to the pair: docs/trace-unit-cost.md.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_slots #(
	parameter XLEN = 32,
	parameter [0:0] WITH_MODE = 0,
	parameter [0:0] WITH_ZCMP = 0,
	parameter [31:0] RET_MATCH = 32'd0,
	parameter [31:0] RET_MASK = 32'd0
) (
	input  wire              clk_i,
	input  wire              rst_i,
	// the retire port, slot 0 in the low half; slot 1 is the younger one, and valid with slot 0 only
	input  wire [1:0]        retire_valid_i,
	input  wire [63:0]       retire_insn_i,
	input  wire [2*XLEN-1:0] retire_pc_i,
	input  wire [2*XLEN-1:0] retire_next_pc_i,
	input  wire [1:0]        retire_trap_i,
	input  wire [1:0]        retire_intr_i,
	input  wire [3:0]        retire_mode_i,
	input  wire              stop_i,
	output wire              ready_o,        // a register alone decides it: a core that retires nothing in the cycle behind a 0 loses nothing
	output wire              lost_o,         // the retirements of the cycle before are dropped in this one
	input  wire [3:0]        modes_i,        // CTRL.MODES
	input  wire              both_i,         // the second goes on too; not without more_o. Late
	// the oldest
	output wire              valid_o,
	output wire              stop_o,         // also without an instruction
	output wire              gap_o,          // retirements before it were dropped
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
	// the one behind it: there is one, and what is true of the scope of the first is true of it
	output wire              more_o,
	output wire [XLEN-1:0]   more_pc_o,
	output wire [XLEN-1:0]   more_next_pc_o,
	output wire              more_br_o,
	output wire              more_outcome_o,
	output wire              more_back_o,
	output wire              more_ind_o,
	output wire              more_ret_o
);
	// ---------------------------------------------------------------- both slots, registered, then decoded
	localparam WIDTH = 2 * XLEN + 11;        // of one that waits: what its decoder says of it stands for the instruction
	reg  [1:0]        valid_q, trap_q, intr_q;
	reg  [3:0]        mode_q;
	reg  [63:0]       insn_q;
	reg  [2*XLEN-1:0] pc_q, next_pc_q;
	reg               stop_q, lost_q;
	wire [WIDTH-1:0]  slot [0:1];
	wire              drop;
	always @(posedge clk_i) begin
		valid_q <= rst_i ? 2'b00 : retire_valid_i;
		trap_q <= retire_trap_i;
		intr_q <= retire_intr_i;
		mode_q <= retire_mode_i;
		insn_q <= retire_insn_i;
		pc_q <= retire_pc_i;
		next_pc_q <= retire_next_pc_i;
		stop_q <= stop_i && !rst_i;
	end
	genvar i;
	generate for (i = 0; i < 2; i = i + 1) begin : g_slot
		wire br, outcome, back, ind, ret, astray;
		rivulet_branch_decoder #(
			.XLEN(XLEN),
			.WITH_ZCMP(WITH_ZCMP),
			.RET_MATCH(RET_MATCH),
			.RET_MASK(RET_MASK)
		) decoder (
			.insn_i(insn_q[32*i +: 32]),
			.pc_i(pc_q[XLEN*i +: XLEN]),
			.next_pc_i(next_pc_q[XLEN*i +: XLEN]),
			.br_o(br),
			.outcome_o(outcome),
			.back_o(back),
			.ind_o(ind),
			.ret_o(ret),
			.astray_o(astray)
		);
		assign slot[i] = {i == 0 && lost_q, stop_q, trap_q[i], intr_q[i], mode_q[2*i +: 2], ret, ind, back, outcome, br,
			next_pc_q[XLEN*i +: XLEN], pc_q[XLEN*i +: XLEN]};
	end endgenerate

	// ---------------------------------------------------------------- three places
	//
	// What there is, oldest first: those that wait, p0 p1 p2, then the slots of this cycle, A0 A1. One or two go on:
	//
	//     held   what there is     goes on               waits then
	//     0      A0 A1             A0 A1, or A0 alone    -, or A1
	//     1      p0 A0 A1          p0                    A0 A1
	//     2      p0 p1 A0 A1       p0 p1, or p0 alone    A0 A1, or p1 A0 A1
	//     3      p0 p1 p2          p0                    p1 p2
	//
	// So a place has few sources: more pairs, p0 with A0 or one out of p0 p1 p2, would cost a LUT4 for each bit of a place and a pair, and
	// what waits in practice is nothing. ready_o is 0 while something waits: the slots of two more cycles come then, and each leaves one more.
	reg  [1:0]       held_q;
	reg  [WIDTH-1:0] place0_q, place1_q, place2_q;
	assign           drop = valid_q != 2'b00 && (held_q == 2'd3 || !valid_q[0]);
	wire [1:0]       come = drop ? 2'b00 : valid_q;
	wire             empty = held_q == 2'd0, there = !empty || come[0];
	wire [WIDTH-1:0] first = empty ? slot[0] : place0_q, second = empty ? slot[1] : place1_q;
	wire [1:0]       behind = held_q - {both_i, !both_i};    // of those that waited; modulo 4 where it goes on from a slot
	wire             first_at0 = behind == 2'd0 && !empty, first_at1 = held_q == 2'd2 && !both_i;
	always @(posedge clk_i) begin
		held_q <= rst_i || !there ? 2'd0 : behind + {1'b0, come[0]} + {1'b0, come[1]};
		lost_q <= !rst_i && (drop || (lost_q && !come[0]));
		place0_q <= first_at0 ? slot[0] : second;
		place1_q <= held_q == 2'd3 ? place2_q : first_at1 ? slot[0] : slot[1];
		place2_q <= slot[1];
	end

	assign ready_o = empty;
	assign lost_o = drop;
	assign valid_o = there;
	assign {gap_o, trap_o, intr_o, mode_o, ret_o, ind_o, back_o, outcome_o, br_o, next_pc_o, pc_o} = {first[WIDTH-1], first[WIDTH-3:0]};
	wire first_stop = first[WIDTH-2];
	assign stop_o = there ? first_stop : stop_q;
	wire       gap, stop, trap, intr;
	wire [1:0] mode;
	assign {gap, stop, trap, intr, mode, more_ret_o, more_ind_o, more_back_o, more_outcome_o, more_br_o, more_next_pc_o, more_pc_o} = second;
	// A core that ends its cycle at a taken transfer or a trap offers no two that have to go one by one, but for an exception in its second slot.
	wire first_alone = gap_o || trap_o || ret_o, second_alone = gap || trap || intr;
	wire differs = stop != first_stop || (WITH_MODE && modes_i[mode] != modes_i[mode_o]);
	assign more_o = (empty ? come[1] : held_q == 2'd2) && !first_alone && !second_alone && !differs;
endmodule
// verilator lint_restore
`default_nettype wire
